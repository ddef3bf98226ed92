import type * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import type * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import type { TradePush } from '../backend.js';
import { finalStatuses } from '../orders/order.js';

interface State {
  /** Seconds since the epoch; 0 where it is not said. */
  readonly updated: number;
  /** Fields that distinguish two states. */
  readonly text: string;
  /** The order trades no more. */
  readonly isFinal: boolean;
}

type Updated = Pick<Partial<TrdUpdateOrder.S2C>, 'order'> & Pick<Partial<TrdUpdateOrderFill.S2C>, 'orderFill'>;

/** Orders and fills that are remembered: those of a busy day. */
const CACHED_MAX = 10_000;

/**
 * The newest state of each order and fill that was pushed. What a backend finds after a gap may have been pushed before it, or
 * come in live since: then it is not pushed again. Neither is what a backend pushes twice.
 */
export class RecentTrades {
  // In the order of their last event: the first is forgotten first.
  readonly #states = new Map<string, State>();

  constructor(private readonly max = CACHED_MAX) {}

  /** Notes an event; false when it says nothing new. */
  note(event: TradePush): boolean {
    const { s2c } = event.message as typeof event.message & { s2c?: Updated };
    const id = idOf(event.accId, s2c);
    if (id === undefined) return true;
    const state = stateOf(s2c);
    const known = this.#states.get(id);
    if (known !== undefined && isKnown(state, known, event)) return false;
    this.#states.delete(id);
    this.#states.set(id, state);
    if (this.#states.size > this.max) {
      for (const oldest of this.#states.keys()) {
        this.#states.delete(oldest);
        break;
      }
    }
    return true;
  }
}

function idOf(accId: bigint, s2c: Updated | undefined): string | undefined {
  if (s2c?.order !== undefined) return `${accId} ${s2c.order.orderIDEx || s2c.order.orderID}`;
  if (s2c?.orderFill !== undefined) return `${accId} fill ${s2c.orderFill.fillIDEx || s2c.orderFill.fillID}`;
  return undefined;
}

function stateOf(s2c: Updated | undefined): State {
  const { order, orderFill } = s2c ?? {};
  if (order === undefined) return { updated: orderFill?.updateTimestamp ?? 0, text: String(orderFill?.status), isFinal: false };
  const { orderStatus, qty, price, fillQty, fillAvgPrice, auxPrice, trailValue, lastErrMsg } = order;
  return {
    updated: order.updateTimestamp ?? 0,
    text: [orderStatus, qty, price, fillQty, fillAvgPrice, auxPrice, trailValue, lastErrMsg].join('|'),
    isFinal: finalStatuses.has(orderStatus),
  };
}

/**
 * Recovered states are known if pushed already or older. Pushed ones are known if identical, as clocks may be set back, or if they come from
 * before the order's end, which an upstream has pushed first.
 */
function isKnown(state: State, known: State, { recovered, returned }: TradePush): boolean {
  const isSame = known.text === state.text;
  if (recovered) return isSame || (!returned && isOlder(state, known));
  if (known.isFinal && !state.isFinal && isOlder(state, known)) return true;
  return isSame && state.updated !== 0 && state.updated === known.updated;
}

function isOlder(state: State, known: State): boolean {
  return state.updated !== 0 && known.updated !== 0 && state.updated < known.updated;
}
