import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalFromNumber, decimalToNumber, formatDecimal, lesser } from '@svc-gateway/contract/decimal';
import type { C2S as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { type Order, OrderType, TimeInForce, TrdHeaderSchema, TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S as PlaceC2S, C2SSchema as PlaceC2SSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { PacketId } from '../backend.js';
import type { OrderName } from '../orders/order.js';
import { type BracketTerms, exitSideOf } from '../valuation/bracket-terms.js';

/** Kind of an exit order. */
export type ExitKind = 'target' | 'stop';

/** The one exit that is in the market, or on its way there. */
export interface Exit {
  readonly kind: ExitKind;
  /** Remark that identifies the order when its answer was lost. */
  readonly remark: string;
  /** The order's text; empty until it is known. */
  readonly idEx: string;
  readonly qty: Decimal;
  /** Its price and its trigger as its order showed them first: brokerages move both to a step. 0 where it has none, or has not been seen. */
  readonly price: Decimal;
  readonly trigger: Decimal;
  /** Somebody has changed one of them since. */
  readonly moved: boolean;
  readonly filled: Decimal;
  /** True for a stop-loss at its price: it goes to the market at once. */
  readonly reached: boolean;
  /** The gateway has asked for its cancellation. */
  readonly cancelling: boolean;
  /** The order's number, where the brokerage keeps it back until it is confirmed once more; 0 where it does not. */
  readonly unconfirmed: bigint;
  /** The brokerage's last message about it while it was open. */
  readonly told: string;
}

/**
 * - `placing`: nothing is known of the entry yet.
 * - `open`: the entry works, or what it has filled is guarded.
 * - `closed`: exits have closed what the entry has filled. `cancelled`: the entry filled nothing, or somebody ended the exits.
 * - `unclear`: what became of an order is not known; nothing more is sent.
 */
export type BracketState = 'placing' | 'open' | 'closed' | 'cancelled' | 'unclear';

/** A bracket as it is kept. Never changed in place. */
export interface Bracket {
  readonly id: string;
  /** Owner's key, for the audit trail. */
  readonly keyId: string | null;
  readonly accId: bigint;
  /** Trd_Common numbers. */
  readonly trdEnv: number;
  readonly trdMarket: number;
  readonly secMarket: number;
  readonly code: string;
  readonly exitSide: number;
  readonly state: BracketState;
  /** Its exits are to end. */
  readonly ending: boolean;
  /** It was cancelled before its entry was known: the entry is to be cancelled, and what that has filled by then stays guarded. */
  readonly withdrawn: boolean;
  readonly entryRemark: string;
  /** Packet id under which the entry is sent. */
  readonly packet: PacketId;
  /** The order's text; empty until it is known. */
  readonly entryIdEx: string;
  /** Its number, for an acknowledgement that has no text; 0 until it is known. */
  readonly entryId: bigint;
  readonly entryQty: Decimal;
  readonly entryFilled: Decimal;
  readonly entryOver: boolean;
  /** The account has been seen to hold what the exits are to close. */
  readonly seenHeld: boolean;
  /** Opposite position that the account held before the entry, which closes it first: no exit is for that. */
  readonly against: Decimal;
  /** Quantity closed by finished exits. */
  readonly closed: Decimal;
  /** Quantity closed by others: exits must not cover it, as they would open the opposite position. */
  readonly gone: Decimal;
  /**
   * Net change of the open quantity by splits and the like, negative where they reduce it; entry, exits and the rest count shares
   * as of their own time.
   */
  readonly gained: Decimal;
  /** The lot of which exits are a multiple, once the brokerage has refused one that was none; 0 before. */
  readonly lot: Decimal;
  /** Market day of the shares that the prices count, "2026-11-20"; empty until a price was seen. */
  readonly levelsOf: string;
  /** 0 without one. */
  readonly takeProfit: Decimal;
  readonly stopLoss: Decimal;
  readonly stopLimit: Decimal;
  /** The brokerage takes no stop order, or has ended one: the gateway watches the price itself. */
  readonly stopHeld: boolean;
  /**
   * The brokerage has ended its exit, for a price or a change of shares that is not known here: what is next goes by a price of this market's day
   * ("2026-11-20") or a later one. Undefined where none is waited for.
   */
  readonly priceSince: string | undefined;
  readonly exit?: Exit | undefined;
  /** Exits so far. */
  readonly exits: number;
  readonly note: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Note on a bracket that was cancelled before its entry was known. */
export const WITHDRAWN_NOTE =
  'the brokerage has yet to answer its entry: that is cancelled as soon as it is known, and what it has filled by then stays guarded';

/** Display name of an exit. */
export function nameOf({ kind }: Pick<Exit, 'kind'>): string {
  return kind === 'stop' ? 'stop-loss' : 'take-profit';
}

/** An exit that is not in the market yet. */
export function newExit(exit: Pick<Exit, 'kind' | 'reached' | 'qty' | 'remark'>): Exit {
  return { ...exit, idEx: '', price: 0n, trigger: 0n, moved: false, filled: 0n, cancelling: false, unconfirmed: 0n, told: '' };
}

/** Whether anything is still to be done for it. */
export function isActive({ state }: Bracket): boolean {
  return state === 'placing' || state === 'open';
}

/** Packet id of the write that places a bracket; zeros where it has none. */
export function packetOf({ packetID }: BracketC2S): PacketId {
  return { connId: packetID?.connID ?? 0n, serialNo: packetID?.serialNo ?? 0 };
}

/** A bracket about to be placed. `request` has passed {@link refuseBracket}, and says its security market. */
export function newBracket(id: string, keyId: string | null, request: BracketC2S, entryRemark: string, now: number): Bracket {
  return {
    id,
    keyId,
    accId: request.header?.accID ?? 0n,
    trdEnv: request.header?.trdEnv ?? 0,
    trdMarket: request.header?.trdMarket ?? 0,
    secMarket: request.secMarket,
    code: request.code,
    exitSide: exitSideOf(request) ?? 0,
    state: 'placing',
    ending: false,
    withdrawn: false,
    entryRemark,
    packet: packetOf(request),
    entryIdEx: '',
    entryId: 0n,
    entryQty: decimalFromNumber(request.qty) ?? 0n,
    entryFilled: 0n,
    entryOver: false,
    seenHeld: false,
    against: 0n,
    closed: 0n,
    gone: 0n,
    gained: 0n,
    lot: 0n,
    levelsOf: '',
    takeProfit: decimalFromNumber(request.takeProfitPrice) ?? 0n,
    stopLoss: decimalFromNumber(request.stopLossPrice) ?? 0n,
    stopLimit: decimalFromNumber(request.stopLossLimitPrice) ?? 0n,
    stopHeld: false,
    priceSince: undefined,
    exit: undefined,
    exits: 0,
    note: '',
    createdAt: now,
    updatedAt: now,
  };
}

/** The exits of a bracket, with the side and the security of its entry. */
export function termsOf(bracket: Bracket): BracketTerms {
  const { secMarket, code, exitSide, takeProfit, stopLoss } = bracket;
  return { header: headerOf(bracket), secMarket, code, exitSide, takeProfit, stopLoss };
}

export function isOfSamePosition(a: Bracket, b: Bracket): boolean {
  return a.accId === b.accId && a.secMarket === b.secMarket && a.code === b.code && a.exitSide === b.exitSide;
}

/** Whether an order is a bracket's entry: by its text, or by its number where one side has no text. */
export function isEntryOrder({ entryIdEx, entryId }: Bracket, { orderID, orderIDEx }: OrderName): boolean {
  if (entryIdEx !== '' && orderIDEx !== '') return orderIDEx === entryIdEx;
  return entryId !== 0n && orderID === entryId;
}

/** Whether an order is an exit. Until its text is known it goes by its remark, which others may write as well, and by what it is. */
export function isExitOrder(bracket: Bracket, { idEx, remark, qty }: Exit, order: Order): boolean {
  if (idEx !== '') return order.orderIDEx === idEx;
  return order.remark === remark && isOfSecurity(bracket, order) && isOfExitSide(bracket, order) && decimalFromNumber(order.qty) === qty;
}

/** Whether an order is in a bracket's security; not every brokerage says the market beside the code. */
export function isOfSecurity({ code, secMarket }: Bracket, order: Order): boolean {
  return order.code === code && (order.secMarket === 0 || order.secMarket === secMarket);
}

/** Whether an order trades as a bracket's exits do, and not as its entry. */
export function isOfExitSide(bracket: Bracket, { trdSide }: Order): boolean {
  return buys(trdSide) === exitBuys(bracket);
}

/** Filled quantity of the entry that is still open. */
export function unclosed({ entryFilled, against, gained, closed, gone, exit }: Bracket): Decimal {
  return entryFilled - lesser(entryFilled, against) + gained - closed - gone - (exit?.filled ?? 0n);
}

/** Quantity of an exit: of what is open, and at most of `confirmed`, as many whole lots as the brokerage asks for. */
export function sellable(bracket: Bracket, confirmed?: Decimal): Decimal {
  const { lot, exit } = bracket;
  const all = unclosed(bracket);
  const open = confirmed === undefined ? all : lesser(all, confirmed);
  // An exit that has filled in part was for whole lots with that.
  return lot === 0n ? open : open - ((open + (exit?.filled ?? 0n)) % lot);
}

/** Note on an odd lot that no exit can close; empty without one. */
export function oddLotNote(bracket: Bracket): string {
  const odd = unclosed(bracket) - sellable(bracket);
  return odd > 0n ? `${formatDecimal(odd)} of its position stay open: exits are for whole lots of ${formatDecimal(bracket.lot)}` : '';
}

/** How far the brokerage may move an exit's prices to the next step, of the price: the widest steps are a tenth of it. */
const STEP_MAX = 0.1;

/** An exit with what its order shows of its prices: the first ones are its own. */
export function withShownPrices(bracket: Bracket, exit: Exit, order: Order): Exit {
  const sent = exitOrder(bracket, exit);
  const shownPrice = shownOf(sent.price, order.price);
  const shownTrigger = shownOf(sent.auxPrice, order.auxPrice);
  const price = exit.price || shownPrice;
  const trigger = exit.trigger || shownTrigger;
  const moved = (shownPrice !== 0n && shownPrice !== price) || (shownTrigger !== 0n && shownTrigger !== trigger);
  return { ...exit, price, trigger, moved };
}

/** 0 where an exit was sent without such a price: what a brokerage shows of its own may change. 0 also where it shows none, or none that is exact. */
function shownOf(sent: number, shown: number): Decimal {
  return sent === 0 ? 0n : (decimalFromNumber(shown) ?? 0n);
}

/** Whether its exits buy: the entry has sold. */
export function exitBuys({ exitSide }: Bracket): boolean {
  return buys(exitSide);
}

function buys(side: number): boolean {
  return side === TrdSide.TrdSide_Buy || side === TrdSide.TrdSide_BuyBack;
}

/** The account, environment and market that a bracket is of. */
export function headerOf({ accId, trdEnv, trdMarket }: Bracket) {
  return create(TrdHeaderSchema, { accID: accId, trdEnv, trdMarket });
}

/** The order of an exit. */
export function exitOrder(bracket: Bracket, { kind, qty, remark, reached }: Exit): PlaceC2S {
  const { secMarket, code, exitSide, takeProfit, stopLoss, stopLimit } = bracket;
  const n = decimalToNumber;
  const base = {
    header: headerOf(bracket),
    trdSide: exitSide,
    code,
    secMarket,
    qty: n(qty),
    remark,
    timeInForce: TimeInForce.TimeInForce_GTC,
    // Nobody would be there to mend a price between two steps. A limit is kept, and a stop comes no later.
    adjustPrice: true,
    adjustSideAndLimit: exitBuys(bracket) ? -STEP_MAX : STEP_MAX,
  };
  if (kind === 'target') return create(PlaceC2SSchema, { ...base, orderType: OrderType.OrderType_Normal, price: n(takeProfit) });
  if (reached && stopLimit > 0n) return create(PlaceC2SSchema, { ...base, orderType: OrderType.OrderType_Normal, price: n(stopLimit) });
  if (reached) return create(PlaceC2SSchema, { ...base, orderType: OrderType.OrderType_Market, timeInForce: TimeInForce.TimeInForce_DAY });
  const auxPrice = n(stopLoss);
  return stopLimit > 0n
    ? create(PlaceC2SSchema, { ...base, orderType: OrderType.OrderType_StopLimit, auxPrice, price: n(stopLimit) })
    : create(PlaceC2SSchema, { ...base, orderType: OrderType.OrderType_Stop, auxPrice });
}
