import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ComboC2S } from '@svc-gateway/contract/generated/Trd_PlaceComboOrder_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { LruCache } from '../requests/lru-cache.js';

/** A request for a new order, of one security or of several. */
export type Placement = PlaceC2S | ComboC2S;

/** Names of an order in its acknowledgement. */
export interface OrderName {
  readonly orderID?: bigint;
  readonly orderIDEx: string;
}

/** A placement that may turn out to be lost: its answer does not come. */
export interface LostOrder {
  readonly request: Placement;
  /** Its remark is its own, and no other order has it. */
  readonly marked: boolean;
  /** When it left, epoch ms. */
  readonly sentAt: number;
}

/** Allowed clock skew between two machines. */
const SKEW_MS = 5_000;
/** Orders that are remembered as those of another request: more than are placed while one is looked for. */
const CLAIMED_MAX = 10_000;

/** Finds the order whose answer was lost in a list of orders. An order that is another request's is never taken for it. */
export class OrderSearch {
  readonly #claimed = new LruCache<true>(CLAIMED_MAX);
  /** Placements not yet matched to an order. */
  readonly #open = new Set<LostOrder>();

  /** A placement leaves. */
  begin(placement: LostOrder): void {
    this.#open.add(placement);
  }

  /** Its outcome is known, or will never be. */
  end(placement: LostOrder): void {
    this.#open.delete(placement);
  }

  /** This order is known to be somebody's: by its text, or its number where its acknowledgement has none. One of several legs has no number. */
  claim(accId: bigint, { orderIDEx, orderID = 0n }: OrderName): void {
    this.#claimed.set(`${accId} ${orderIDEx || orderID}`, true);
  }

  /** The order, which is claimed by that; undefined where there is none, or where two could be it. */
  find(lost: LostOrder, orders: readonly Order[]): Order | undefined {
    // An order could be either's.
    for (const other of this.#open) if (other !== lost && isTwin(other, lost)) return undefined;
    const accId = lost.request.header?.accID ?? 0n;
    const fits = orders.filter((order) => !this.#isClaimed(accId, order) && isLike(order, lost));
    const [found, another] = fits;
    if (found === undefined || another !== undefined) return undefined;
    this.claim(accId, found);
    return found;
  }

  #isClaimed(accId: bigint, { orderID, orderIDEx }: Order): boolean {
    return [orderIDEx, orderID].some((name) => this.#claimed.get(`${accId} ${name}`) === true);
  }
}

function isLike(order: Order, { request, marked, sentAt }: LostOrder): boolean {
  if (order.remark !== request.remark) return false;
  if (marked) return true;
  const made = order.createTimestamp * 1000;
  const isSame = 'comboLegs' in request ? isLikeCombo(order, request) : isLikeSingle(order, request);
  return isSame && order.orderType === request.orderType && order.qty === request.qty && (made === 0 || made >= sentAt - SKEW_MS);
}

function isLikeSingle(order: Order, { code, trdSide, adjustPrice, price, secMarket }: PlaceC2S): boolean {
  return (
    order.comboLegs.length < 2 &&
    order.code === code &&
    order.trdSide === trdSide &&
    (adjustPrice || order.price === price) &&
    (secMarket === 0 || order.secMarket === 0 || order.secMarket === secMarket)
  );
}

function isLikeCombo(order: Order, { comboLegs, price }: ComboC2S): boolean {
  return order.price === price && legsText(order.comboLegs) === legsText(comboLegs);
}

/** Whether an order of the one could be taken for one of the other. */
function isTwin({ request: a }: LostOrder, { request: b }: LostOrder): boolean {
  const termsOf = (request: Placement) => ('comboLegs' in request ? legsText(request.comboLegs) : `${request.code} ${request.trdSide}`);
  const fieldsOf = (request: Placement) => [request.header?.accID, termsOf(request), request.qty, request.remark].join(' ');
  return fieldsOf(a) === fieldsOf(b);
}

/** Legs, whatever order they are listed in. */
function legsText(legs: readonly ComboLeg[]): string {
  return legs
    .map(({ security, side, qtyRatio }) => `${security?.market}.${security?.code} ${side} ${qtyRatio}`)
    .sort()
    .join(', ');
}

/** When each try to find an order is made after the one before, in milliseconds. */
export const searchPauses = [0, 500, 1_000, 2_000, 4_000] as const;
