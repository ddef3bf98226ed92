import { getOrInsert } from '@svc-gateway/contract/memo';
import { Tally } from '@svc-gateway/contract/tally';
import type { QuoteStream } from '../backend.js';
import { quotaKey } from './streams.js';

/** How much of the subscription quota each key holds, over all owners that subscribe with it: the key itself, its connections, its waits. */
export class KeyShares {
  /** Key's owner → quota unit → subscriptions that hold it. */
  readonly #units = new Map<string, Tally<string>>();

  constructor(
    /** The key's owner ("key:<id>") that an owner subscribes with; undefined where no key does. */
    readonly holderOf: (owner: string) => string | undefined,
    /** Quota units that one key may hold. */
    readonly max: () => number,
  ) {}

  /** Refusal of streams beyond a key's share. */
  refuse(holder: string | undefined, streams: readonly QuoteStream[]): string | undefined {
    if (holder === undefined) return undefined;
    const held = this.#units.get(holder);
    const more = new Set(streams.map(quotaKey).filter((unit) => !held?.has(unit))).size;
    const used = held?.size ?? 0;
    const max = this.max();
    if (more === 0 || used + more <= max) return undefined;
    return `subscription quota of the key exceeded: ${used} of ${max} in use, ${more} more requested; unsubscribe first (--max-subscriptions-per-key)`;
  }

  add(holder: string | undefined, stream: QuoteStream): void {
    if (holder === undefined) return;
    getOrInsert(this.#units, holder, () => new Tally()).add(quotaKey(stream));
  }

  remove(holder: string | undefined, stream: QuoteStream): void {
    const units = holder === undefined ? undefined : this.#units.get(holder);
    if (holder === undefined || units === undefined) return;
    units.add(quotaKey(stream), -1);
    if (units.size === 0) this.#units.delete(holder);
  }
}
