import type { Account } from './account.js';
import type { PacketId } from './packet.js';
import type { PriceAdjustment } from './price.js';
import type { OrderHours, OrderType, TimeInForce, TradeMarket, TradeSide, TrailType } from './terms.js';

/** The write that a command is part of: how a repetition of it is recognised. */
export interface Write {
  /** Undefined when the caller wants no protection. */
  readonly packet: PacketId | undefined;
  /** Everything that was asked, for comparing a repetition. */
  readonly fingerprint: string;
}

/** A new order as its caller describes it: words are known, numbers are not checked yet. Absent numbers are undefined. */
export interface PlaceRequest extends Write {
  readonly account: Account;
  readonly tradeMarket: TradeMarket;
  readonly code: string;
  /** Trd_Common.TrdSecMarket; 0 when left out. */
  readonly secMarket: number;
  readonly side: TradeSide;
  readonly type: OrderType;
  readonly quantity: number;
  readonly price?: number | undefined;
  readonly adjustment?: PriceAdjustment | undefined;
  readonly auxPrice?: number | undefined;
  readonly trail?: { readonly type: TrailType; readonly value: number } | undefined;
  readonly spread?: number | undefined;
  readonly timeInForce: TimeInForce;
  /** "2026-12-31", "2026-12-31 10:00:00": for `gtd`, in the market's zone. */
  readonly expireTime?: string | undefined;
  readonly extendedHours: boolean;
  readonly hours?: OrderHours | undefined;
  readonly remark: string;
  /** Position to close; 0n or undefined where none is named. */
  readonly positionId?: bigint | undefined;
}

/** A change of an open order; what is undefined stays. */
export interface ReplaceRequest {
  /** The new total, what is filled included. */
  readonly quantity?: number | undefined;
  readonly price?: number | undefined;
  readonly adjustment?: PriceAdjustment | undefined;
  readonly auxPrice?: number | undefined;
  readonly trail?: { readonly type: TrailType; readonly value: number } | undefined;
  readonly spread?: number | undefined;
}

/** One security of an order for several. */
export interface LegRequest {
  readonly code: string;
  /** Trd_Common.TrdSecMarket; 0 when left out. */
  readonly secMarket: number;
  readonly side: TradeSide;
  /** Units of the leg in one unit of the order. */
  readonly ratio: number;
  /** As in {@link PlaceRequest}. */
  readonly positionId?: bigint | undefined;
}

/** A new order for several securities at once, in fixed ratios and at one price for all of them together. */
export interface ComboRequest
  extends Write,
    Pick<PlaceRequest, 'account' | 'tradeMarket' | 'type' | 'timeInForce' | 'expireTime' | 'remark'> {
  readonly legs: readonly LegRequest[];
  /** Units of the order; a leg trades its ratio of them. */
  readonly quantity: number;
  /** The most that a unit may cost, bought less sold, in the price of the legs; below zero, the least that it must bring. */
  readonly price?: number | undefined;
}
