import type { Clock } from '@svc-gateway/contract/clock';
import type { TradePush } from '@svc-gateway/gateway/backend';
import { namesOf, type OrderName, orderKey, pushedOrder } from '@svc-gateway/gateway/order';
import { LruCache } from '../requests/lru-cache.js';

/** Time in which the push of an order follows its acknowledgement. */
const PUSH_MS = 10_000;
/** Pause between two looks at an account whose pushes stay away: each look reads two lists, of which servers allow ten in 30 seconds. */
const PAUSE_MS = 30_000;

/** Orders that are remembered as pushed: those of a busy day. */
const ORDERS_MAX = 10_000;

/**
 * Accounts whose order pushes have stopped. A server that has lost the registration of an account goes on acknowledging orders: an order
 * that no push names shows it.
 */
export class SilentAccounts {
  /** Monotonic time of the last push of an order, by each of its names. */
  readonly #heardAt = new LruCache<number>(ORDERS_MAX);
  /** Names of the acknowledged orders that no push has named since, by account. */
  readonly #awaited = new Map<bigint, Map<string, number>>();
  readonly #timers = new Map<bigint, () => void>();

  /** @param onSilent is called at most every 30 seconds for an account. */
  constructor(
    private readonly clock: Pick<Clock, 'after' | 'monotonic'>,
    private readonly onSilent: (accId: bigint) => void,
  ) {}

  /** Notes an order that the server pushes by itself. */
  see(event: TradePush): void {
    const order = pushedOrder(event);
    if (order === undefined) return;
    const awaited = this.#awaited.get(event.accId);
    for (const name of namesOf(order)) {
      this.#heardAt.set(orderKey(event.accId, name), this.clock.monotonic());
      awaited?.delete(name);
    }
  }

  /** Awaits the push of an order whose write, sent at `sentAt` (monotonic), is acknowledged. */
  expect(accId: bigint, order: OrderName, sentAt: number): void {
    const names = namesOf(order);
    const [name] = names;
    if (name === undefined || names.some((one) => (this.#heardAt.get(orderKey(accId, one)) ?? Number.NEGATIVE_INFINITY) >= sentAt)) return;
    const awaited = this.#awaited.get(accId) ?? new Map<string, number>();
    this.#awaited.set(accId, awaited.set(name, sentAt));
    if (!this.#timers.has(accId)) this.#lookIn(PUSH_MS, accId);
  }

  /** Awaits nothing more: the connection is gone, and what happens meanwhile is read once there is another. */
  clear(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#awaited.clear();
  }

  #lookIn(ms: number, accId: bigint): void {
    this.#timers.set(
      accId,
      this.clock.after(ms, () => this.#look(accId)),
    );
  }

  #look(accId: bigint): void {
    const awaited = [...(this.#awaited.get(accId)?.values() ?? [])];
    const isSilent = awaited.some((sentAt) => this.clock.monotonic() - sentAt >= PUSH_MS);
    this.#timers.delete(accId);
    if (isSilent) this.#awaited.delete(accId);
    if (isSilent || awaited.length > 0) this.#lookIn(isSilent ? PAUSE_MS : PUSH_MS, accId);
    if (isSilent) this.onSilent(accId);
  }
}
