import type { Clock } from '@svc-gateway/contract/clock';
import { withFields } from '@svc-gateway/contract/field-path';
import type { Order, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { trade } from '@svc-gateway/contract/operations';
import type { Backend } from '../backend.js';
import { BackendFailure } from '../backend-failures.js';
import { isCancelling, LOST_MS, magnitude, mayTrade, nameOfOrder, namesOf, type OrderName, ownCancel } from './order.js';
import type { SentLeg, UnsettledTrades } from './unsettled-trades.js';

/** The orders that a write puts to work, for want of its answer. */
export interface PutToWork {
  /** Recognises them in pushes. */
  readonly isOneOf: (order: Order) => boolean;
  /** The order that it changes; undefined where it places new ones. */
  readonly changed?: Order;
  /** Quantity of {@link changed} after the change; its own where that says none. */
  readonly changedQty?: number | undefined;
}

/** A halt that cancels orders. */
export interface CancellingHalt {
  isInForce(): boolean;
  /** Whether it leaves an order as it is. */
  stays(order: Order): boolean;
}

/** A write that puts orders to work, or changes one, and is not answered yet. */
interface UnansweredWrite extends PutToWork {
  readonly header: TrdHeader;
  halt: CancellingHalt | undefined;
  /** When it is given up, of `Clock.monotonic`. */
  until: number;
}

/** Whether a halt cancels the orders of a write once they are known. */
function isHalted({ halt, changed }: UnansweredWrite): boolean {
  return halt?.isInForce() === true && (changed === undefined || !halt.stays(changed));
}

/** A write that puts orders to work, while it is under way. */
export interface SentOrders {
  /** Settles the write: with the orders that the brokerage named, or as unknown. */
  ended(isAnswered: boolean, names: readonly OrderName[]): void;
}

/** Orders that were sent and may trade before any list shows them; `ended` takes the names of those that were accepted, undefined where nobody knows. */
export interface PendingTrades {
  ended(names: readonly OrderName[] | undefined): void;
}

/** Writes that the brokerage has not answered yet, whose orders a halt cancels as soon as they are known; none where lists are never behind. */
export class UnansweredWrites {
  readonly #writes = new Set<UnansweredWrite>();

  constructor(
    private readonly backend: Pick<Backend, 'call' | 'listsCurrent'>,
    private readonly clock: Clock,
    private readonly trades: UnsettledTrades,
  ) {}

  /**
   * A write is about to be sent that puts orders to work or changes one; it counts as under way until it is answered, and for a while where the answer
   * is lost.
   *
   * @param legs trades that it adds; none where it changes an order.
   * @param isClaimed as for {@link trading}.
   */
  sending(header: TrdHeader, legs: readonly SentLeg[], isClaimed: boolean, orders: PutToWork): SentOrders {
    if (this.backend.listsCurrent) return { ended: () => undefined };
    const sent: UnansweredWrite = { ...orders, header, halt: undefined, until: Number.POSITIVE_INFINITY };
    this.#giveUpLost();
    this.#writes.add(sent);
    const { changed, changedQty } = orders;
    const change = (names: readonly OrderName[] = []) => {
      if (changed === undefined) return;
      const qty = magnitude(changedQty ?? changed.qty);
      this.trades.changing(header.accID, changed, qty);
      // Some brokerages replace an order that is changed by a new one.
      const known = namesOf(changed);
      for (const { orderID, orderIDEx } of names.filter((name) => !namesOf(name).some((each) => known.includes(each))))
        this.trades.changing(header.accID, withFields(changed, { orderID, orderIDEx, fillQty: 0 }), qty);
    };
    change();
    const trading = this.trading(header.accID, legs, isClaimed);
    return {
      ended: (isAnswered, names) => {
        trading.ended(isAnswered ? names : undefined);
        change(names);
        if (isAnswered) this.#writes.delete(sent);
        else sent.until = this.clock.monotonic() + LOST_MS;
        if (isHalted(sent)) for (const name of names) void this.#cancel(sent, name);
      },
    };
  }

  /**
   * Orders are about to be sent that may trade before any list shows them.
   *
   * @param isClaimed what they close is claimed already.
   */
  trading(accId: bigint, legs: readonly SentLeg[], isClaimed: boolean): PendingTrades {
    if (this.backend.listsCurrent || legs.length === 0) return { ended: () => undefined };
    const sent = this.trades.sending(accId, legs, isClaimed);
    return {
      ended: (names) => {
        const [name, another] = names ?? [];
        if (names === undefined) sent.ended('');
        else if (another === undefined) sent.ended(name && nameOfOrder(name));
        else {
          // The orders of a roll make a trade each.
          sent.ended(undefined);
          for (const [place, leg] of legs.entries()) this.trades.sending(accId, [leg]).ended(nameOfOrder(names[place] ?? another));
        }
      },
    };
  }

  /** Writes in an account that a halt concerns: while it is in force, their orders are cancelled once an answer or a push names them. */
  halt(accId: bigint, halt: CancellingHalt): number {
    this.#giveUpLost();
    const writes = [...this.#writes].filter(({ header }) => header.accID === accId);
    for (const write of writes) write.halt = halt;
    return writes.filter(isHalted).length;
  }

  /** A push shows an order. `isPlaced`: whether this daemon knows already that it has placed it. */
  hear(accId: bigint, order: Order, isPlaced: () => boolean): void {
    if (!mayTrade(order) || isCancelling(order) || this.#writes.size === 0) return;
    const isKnown = isPlaced();
    this.#giveUpLost();
    const sent = [...this.#writes].find(
      (write) => write.header.accID === accId && isHalted(write) && write.isOneOf(order) && (write.changed !== undefined || !isKnown),
    );
    if (sent !== undefined) void this.#cancel(sent, order);
  }

  /** Accounts of the writes. */
  headers(): readonly TrdHeader[] {
    return [...this.#writes].map(({ header }) => header);
  }

  #giveUpLost(): void {
    const now = this.clock.monotonic();
    for (const write of this.#writes) if (write.until <= now) this.#writes.delete(write);
  }

  async #cancel({ header }: UnansweredWrite, { orderID, orderIDEx }: OrderName): Promise<void> {
    const context = { requestId: 'halt', deadline: this.clock.monotonic() + LOST_MS, signal: new AbortController().signal };
    try {
      await this.backend.call(trade.cancelOrder, ownCancel(header, { orderID, orderIDEx }), context);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
    }
  }
}
