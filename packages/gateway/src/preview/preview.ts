import type { GateFigure, GateName, TradeSide } from '@svc-gateway/access';
import type { BrokerRefusal } from '@svc-gateway/contract/broker-codes';
import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { FeeItem } from '../backend.js';
import type { Pricing } from '../valuation/pricing.js';

/** Effect and checks of a write if it were sent now. Not a promise: prices and totals move on. */
export type Preview = PlacePreview | ComboPreview | ModifyPreview | CancelPreview | PositionPreview | RepetitionPreview;

/** Fields of every preview. */
export interface PreviewBase {
  /** "place_order". */
  readonly operation: string;
  readonly accId: bigint;
  readonly env: 'simulate' | 'real';
  /** The trading market: "HK". */
  readonly market: string;
  /** In the specification's order, the key's before the start-up flags'. Empty where none applies. */
  readonly gates: readonly PreviewGate[];
  /** Whether it would be accepted, by the gates and by the brokerage; null where nothing that the caller may see speaks against it and {@link undecidedBy} names a reason. */
  readonly wouldPass: boolean | null;
  /** The refusal that it would meet first; null where there is none. */
  readonly refusal: PreviewRefusal | null;
  /** Every reason against it, {@link refusal} first. */
  readonly refusals: readonly PreviewRefusal[];
  /** Reason why it may be refused although nothing that the caller may see speaks against it. */
  readonly undecidedBy: readonly string[];
  /** Whether the brokerage has decided on this request, and the caller may know how. One that cannot do that beforehand is held to what it says of the account. */
  readonly brokerageDecided: boolean;
  /** Remark that the accepted write comes with: the order waits for a confirmation, or other orders stay. null without one. */
  readonly note: string | null;
}

export type PreviewRefusal = Rejection | BrokerRefusal;

/** The gates' word on a write. */
export type Judged = Pick<PreviewBase, 'gates' | 'refusals' | 'undecidedBy'>;

/** A preview before the brokerage has been asked. */
export type Undecided<P extends Preview = Preview> = P extends Preview
  ? Omit<P, 'wouldPass' | 'refusal' | 'brokerageDecided' | 'note'>
  : never;

export interface PlacePreview extends PreviewBase, Worth {
  readonly kind: 'place';
  readonly terms: OrderTerms;
}

/** A new order of several legs. What it is worth is the sum of its legs, each at the market. */
export interface ComboPreview extends PreviewBase, Worth {
  readonly kind: 'combo';
  readonly terms: ComboTerms;
}

export interface ModifyPreview extends PreviewBase, Worth {
  readonly kind: 'modify';
  readonly op: 'normal' | 'disable' | 'enable' | 'delete' | 'reconfirm';
  /** The order as it stands; null when the caller may not read the account. */
  readonly order: WorkingOrder | null;
  /** The new total quantity, what is filled included; null when it stays. */
  readonly newQty: Decimal | null;
  readonly newPrice: Decimal | null;
  /** null when it stays. */
  readonly newTriggerPrice: Decimal | null;
  /** As it would then be; null when it stays. */
  readonly newTrail: TrailTerms | null;
  /** As in {@link OrderTerms}, of the new price. */
  readonly newAdjustment: Decimal | null;
  /** Increase of the day's total; null when the value is not known. */
  readonly increase: Decimal | null;
}

export interface CancelPreview extends PreviewBase {
  readonly kind: 'cancel';
  readonly op: 'cancel';
  /** Every working order of the account in the market, rather than one. */
  readonly all: boolean;
  /** How many working orders would be cancelled; null when they are not known, or the caller may not see all of them by its scopes and lists. */
  readonly count: number | null;
  /** The orders that the caller may see, at most {@link ORDERS_LISTED_MAX}. */
  readonly orders: readonly WorkingOrder[] | null;
}

/** A position that is reversed or rolled. What its orders trade at is not known beforehand, and so neither value nor fees. */
export interface PositionPreview extends PreviewBase {
  readonly kind: 'position';
  /** The orders of the group, the closing one first; null when the caller may not see the position. */
  readonly orders: readonly PositionOrderTerms[] | null;
}

/** A write that was answered before under its idempotency key: its terms, limits and fees decide nothing any more. */
export interface RepetitionPreview extends PreviewBase {
  readonly kind: 'repetition';
}

/** One of the two orders that a position comes to. */
export interface PositionOrderTerms extends Pick<OrderTerms, 'symbol' | 'name' | 'side' | 'qty' | 'orderType'> {
  readonly role: 'close' | 'open';
}

/** Orders that the preview of a cancel lists. */
export const ORDERS_LISTED_MAX = 100;

/** Value and cost of an order. */
export interface Worth {
  /** Quantity × price × multiplier, which is what the gates look at; null when it is not known. */
  readonly value: Decimal | null;
  /** null for a change that has no value. */
  readonly currency: string | null;
  /** How the value was arrived at; null when no price is known. */
  readonly pricing: Pricing | null;
  /** Money per point of the price: 1 for securities; null when it is not known. */
  readonly multiplier: Decimal | null;
  /** null when the backend cannot say. */
  readonly fees: PreviewFees | null;
  /** Tradable quantity of the account; null when the caller may not read the account or this security, or there is nothing to ask. */
  readonly capacity: Capacity | null;
}

/** Requested terms of an order. */
export interface OrderTerms {
  readonly symbol: string;
  /** As the backend has it: "Tencent". null when it does not know the symbol. */
  readonly name: string | null;
  readonly side: TradeSide;
  readonly qty: Decimal;
  /** The limit; null without one. */
  readonly price: Decimal | null;
  /** By what part of the limit the brokerage may move it to the next step, down where below zero; null where it may not. */
  readonly adjustment: Decimal | null;
  /** The price at which a stop or touched order goes to the market; null for other orders. */
  readonly triggerPrice: Decimal | null;
  /** null for orders that do not follow the market. */
  readonly trail: TrailTerms | null;
  /** "NORMAL", "MARKET". */
  readonly orderType: string;
  /** "DAY", "GTC", "IOC". */
  readonly timeInForce: string;
  /** When a GTD order ends, as its caller wrote it; null for other orders. */
  readonly expireTime: string | null;
  /** "RTH", "ALL"; null where the request leaves it open. */
  readonly session: string | null;
  /** Whether it may trade before and after regular hours. */
  readonly fillsOutsideRth: boolean;
  /** Money to be traded for in place of the quantity, where a brokerage takes such orders; null where none is given. */
  readonly amount: Decimal | null;
  /** The position that it is to close; null where none is given. */
  readonly positionId: bigint | null;
  /** "YES", "NO": of a prediction contract; null for all else. */
  readonly predictionSide: string | null;
  /** The caller's own words; null without any. */
  readonly remark: string | null;
  /** The orders that close what it opens; null where it is no bracket. */
  readonly exits: ExitTerms | null;
}

/** How far the trigger of a trailing order stays behind the best price. */
export interface TrailTerms {
  /** "RATIO": the value is in percent, "AMOUNT": in the price. */
  readonly type: string;
  readonly value: Decimal;
  /** How far the limit lies from the trigger; null without one. */
  readonly spread: Decimal | null;
}

/** The prices at which a bracket closes its position; null where it has no such exit. */
export interface ExitTerms {
  readonly takeProfit: Decimal | null;
  readonly stopLoss: Decimal | null;
  /** The limit of the stop-loss; null where that is a market order. */
  readonly stopLossLimit: Decimal | null;
}

/** One security of what the caller asks for. */
export interface LegTerms {
  readonly symbol: string;
  /** As the backend has it; null when it does not know the symbol. */
  readonly name: string | null;
  readonly side: TradeSide;
  /** Units of the leg, of all units of the order. */
  readonly qty: Decimal;
  /** How the leg is valued; null when no price is known. */
  readonly pricing: Pricing | null;
}

/** Requested terms of an order of several legs. */
export interface ComboTerms extends Pick<OrderTerms, 'qty' | 'orderType' | 'timeInForce' | 'expireTime' | 'remark'> {
  readonly legs: readonly LegTerms[];
  /** Maximum cost of a unit, bought less sold; negative = minimum proceeds; null without a limit. */
  readonly price: Decimal | null;
}

/** An order of the account. */
export interface WorkingOrder {
  readonly orderId: bigint;
  readonly orderIdEx: string;
  readonly symbol: string;
  readonly name: string;
  readonly side: string;
  readonly orderType: string;
  readonly status: string;
  /** Whether it has ended, by its status. */
  readonly isOver: boolean;
  readonly qty: Decimal;
  readonly filledQty: Decimal;
  readonly remainingQty: Decimal;
  /** null without a limit. */
  readonly price: Decimal | null;
  /** Trigger price; null without one. */
  readonly triggerPrice: Decimal | null;
  /** null for orders that do not follow the market. */
  readonly trail: TrailTerms | null;
  /** null without any. */
  readonly remark: string | null;
}

export interface PreviewFees {
  readonly currency: string;
  readonly items: readonly FeeItem[];
  readonly total: Decimal;
}

/** The brokerage's limits on the quantity, as far as it can be asked without sending the order. */
export interface Capacity {
  /** The most that the account could trade on this side; null when the brokerage does not say. */
  readonly maxQty: Decimal | null;
  readonly enough: boolean | null;
  /** Reason why the brokerage would not even say: an unknown code, a price between two ticks. */
  readonly message: string | null;
  /** The code of {@link message}, as in a `Response`. */
  readonly errCode?: number;
}

/** One gate for one holder of limits. */
export interface PreviewGate {
  readonly gate: GateName;
  readonly holder: 'key' | 'flags';
  /** null where that depends on what the caller may not see. */
  readonly passes: boolean | null;
  /** null = not limited. */
  readonly limit: GateFigure | null;
  /** Where this order would bring it; null when that is not counted or not known. */
  readonly after: GateFigure | null;
  /** Currency of a sum of money. */
  readonly currency?: string;
}
