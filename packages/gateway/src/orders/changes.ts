import { clone } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { type Order, OrderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Backend } from '../backend.js';
import { isTrailing } from '../valuation/pricing.js';
import { LISTS_APART_MS, namesOf, type OrderName, orderKey } from './order.js';

const changedFields = ['qty', 'price', 'auxPrice'] as const;

/** Terms of an order as a change leaves them. */
export type ChangedTerms = Pick<Order, (typeof changedFields)[number]>;

/** A change that this daemon has sent. */
interface SentChange {
  readonly terms: ChangedTerms;
  readonly sentAt: number;
  isAcknowledged: boolean;
}

/** A sent change; `ended` takes whether it was made, undefined where nobody knows. */
export interface PendingChange {
  ended(isMade: boolean | undefined): void;
}

/** Orders whose changes are remembered, of all accounts. */
const CHANGED_MAX = 10_000;
/** No list shows a change so late. */
const CHANGE_SHOWN_MS = 60_000;

/** Changes that this daemon has sent and that lists of orders may not show yet; none where lists are never behind. */
export class SentChanges {
  /** By account and name, the changes that an order may have and lists may not show, the oldest first. */
  readonly #changes = new Map<string, readonly SentChange[]>();

  constructor(
    private readonly backend: Pick<Backend, 'listsCurrent'>,
    private readonly clock: Clock,
  ) {}

  /** A change of an order is about to be sent. */
  sending(accId: bigint, names: readonly string[], terms: ChangedTerms): PendingChange {
    if (this.backend.listsCurrent) return { ended: () => undefined };
    const change: SentChange = { terms, sentAt: this.clock.monotonic(), isAcknowledged: false };
    const keys = names.map((name) => orderKey(accId, name));
    for (const key of keys) this.#keep(key, [...(this.#changes.get(key) ?? []), change]);
    for (const oldest of this.#changes.keys()) {
      if (this.#changes.size <= CHANGED_MAX) break;
      this.#changes.delete(oldest);
    }
    return {
      ended: (isMade) => {
        change.isAcknowledged = isMade === true;
        if (isMade === undefined) return;
        for (const key of keys) {
          const changes = this.#changes.get(key) ?? [];
          // An acknowledged change replaces whatever was sent before it.
          const left = isMade ? changes.slice(Math.max(0, changes.indexOf(change))) : changes.filter((other) => other !== change);
          this.#keep(key, left);
        }
      },
    };
  }

  /**
   * The terms that a listed order may have, each different: first the last change of it that was acknowledged here, or else those of the list. A
   * change counts until a list or a push shows it, once none can still be from before it.
   */
  possibleTerms(accId: bigint, order: Order): readonly [Order, ...Order[]] {
    const changes = this.see(accId, order);
    if (changes.length === 0) return [order];
    const asChanged = ({ terms }: SentChange): Order => {
      const fields = changedFieldsOf(order);
      return Object.assign(clone(OrderSchema, order), Object.fromEntries(fields.map((field) => [field, terms[field]])));
    };
    const acknowledged = changes.filter((change) => change.isAcknowledged);
    const others = changes.filter((change) => !change.isAcknowledged);
    const [first, ...rest] = [...acknowledged.map(asChanged), order, ...others.map(asChanged)];
    return [first ?? order, ...rest];
  }

  /** Changes of a listed or pushed order that it does not show; those that it proves to be made are dropped. */
  see(accId: bigint, order: Order): readonly SentChange[] {
    if (this.#changes.size === 0) return [];
    const names = namesOf(order);
    const known = names.map((name) => this.#changes.get(orderKey(accId, name))).find((changes) => changes !== undefined) ?? [];
    if (known.length === 0) return known;
    const now = this.clock.monotonic();
    const isShown = ({ terms }: SentChange) => changedFieldsOf(order).every((field) => order[field] === terms[field]);
    const shown = known.findLastIndex((change) => isShown(change) && now - change.sentAt >= LISTS_APART_MS);
    const left = known.slice(shown + 1).filter(({ sentAt }) => now - sentAt < CHANGE_SHOWN_MS);
    if (left.length < known.length) for (const name of names) this.#keep(orderKey(accId, name), left);
    return left.filter((change) => !isShown(change));
  }

  #keep(key: string, changes: readonly SentChange[]): void {
    this.#changes.delete(key);
    if (changes.length > 0) this.#changes.set(key, changes);
  }
}

/** The brokerage itself moves the trigger of a trailing order. */
function changedFieldsOf({ orderType }: Order): readonly (keyof ChangedTerms)[] {
  return changedFields.filter((field) => field !== 'auxPrice' || !isTrailing(orderType));
}

/** Changes that ended and are remembered; a change that was valued before the oldest of them is valued again. */
const ENDED_MAX = 1_000;

/** Time after which a change that is not answered is told of to those who wait for it. */
const UNANSWERED_MS = 5_000;

/** Exclusive right to change an order. */
export interface Turn {
  /**
   * Resolves to true when the turn has come, and to false where there is none, as the change before is not answered. undefined where the turn is there
   * at once, and the order as it was looked at.
   */
  readonly ready: Promise<boolean> | undefined;
  /** Gives the turn on. */
  end(): void;
}

/** Changes of one order: one at a time, and the callers who wait for it by turns. */
class Queue {
  /** When the change under way had its turn, of the monotonic clock. */
  #takenAt: number | undefined;
  /** Waiting changes by caller, who is served last when it was served now. */
  readonly #waiting = new Map<string, ((hasTurn: boolean) => void)[]>();
  #cancelTimer: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  get isIdle(): boolean {
    return this.#takenAt === undefined;
  }

  /** Takes the turn, or waits for it. */
  enter(caller: string): Promise<boolean> | undefined {
    const now = this.clock.monotonic();
    if (this.#takenAt === undefined) {
      this.#takenAt = now;
      return undefined;
    }
    const left = this.#takenAt + UNANSWERED_MS - now;
    if (left <= 0) return Promise.resolve(false);
    this.#cancelTimer ??= this.clock.after(left, () => this.#refuseWaiting());
    return new Promise((resolve) => {
      getOrInsert(this.#waiting, caller, () => []).push(resolve);
    });
  }

  leave(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#takenAt = undefined;
      return;
    }
    const [caller, [first, ...others]] = next;
    this.#waiting.delete(caller);
    if (others.length > 0) this.#waiting.set(caller, others);
    this.#takenAt = this.clock.monotonic();
    if (this.#waiting.size > 0) this.#cancelTimer = this.clock.after(UNANSWERED_MS, () => this.#refuseWaiting());
    first?.(true);
  }

  #refuseWaiting(): void {
    const waiting = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const refuse of waiting) refuse(false);
  }
}

/**
 * Changes of orders, one after another for each order: a change is judged by the terms that it replaces, and may be sent only while
 * the order still has them. Callers have their turns in rotation, so that a flood of one holds nobody else up for long; whoever waits for a change
 * that is not answered for {@link UNANSWERED_MS} has none. Times are numbers that rise with each change that ended.
 */
export class ConcurrentChanges {
  /** By account and order name. */
  readonly #queues = new Map<string, Queue>();
  /** Time of the last change that ended, by account and order name; the oldest first. */
  readonly #ended = new Map<string, number>();
  #now = 0;
  /** Time of the newest change that is not in `#ended` any more. */
  #forgotten = 0;

  constructor(private readonly clock: Clock) {}

  /** Present time, to be taken before an order is looked at. */
  get now(): number {
    return this.#now;
  }

  /** Asks for the turn to change an order that was looked at `since` then. Whoever has to wait looks at the order again. */
  enter(accId: bigint, order: OrderName, since: number, caller: string): Turn {
    const keys = namesOf(order).map((name) => orderKey(accId, name));
    const queue = keys.map((key) => this.#queues.get(key)).find((found) => found !== undefined) ?? new Queue(this.clock);
    for (const key of keys) this.#queues.set(key, queue);
    const isChanged = since < this.#forgotten || keys.some((key) => (this.#ended.get(key) ?? 0) > since);
    const waiting = queue.enter(caller);
    let hasTurn = waiting === undefined;
    const ready = waiting?.then((isOwn) => {
      hasTurn = isOwn;
      return isOwn;
    });
    return {
      ready: ready ?? (isChanged ? Promise.resolve(true) : undefined),
      end: () => {
        if (hasTurn) this.#end(keys, queue);
      },
    };
  }

  #end(keys: readonly string[], queue: Queue): void {
    this.#now += 1;
    for (const key of keys) {
      this.#ended.delete(key);
      this.#ended.set(key, this.#now);
    }
    for (const [key, time] of this.#ended) {
      if (this.#ended.size <= ENDED_MAX) break;
      this.#ended.delete(key);
      this.#forgotten = time;
    }
    queue.leave();
    if (queue.isIdle) for (const key of keys) if (this.#queues.get(key) === queue) this.#queues.delete(key);
  }
}
