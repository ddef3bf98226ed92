import { randomBytes } from 'node:crypto';
import type { Gap, TradePush } from '../backend.js';
import { SealedNumbers } from './sealed-numbers.js';

/** Events that are kept: some minutes of a busy daemon, a few megabytes. */
const KEPT_MAX = 4_096;
/** `<run of the daemon>-<sealed number>-<epoch ms, in base 36>`. */
const CURSOR = /^([0-9a-f]{8})-([0-9a-f]{1,32})-([0-9a-z]{1,9})$/;

/** A place in the order and fill events of this daemon. */
export interface Cursor {
  readonly epoch: string;
  /** Number of its event, which only the run that made it can read. */
  readonly sealed: string;
  /** When its event was pushed, epoch ms. */
  readonly time: number;
}

export type NumberedTrade = TradePush & { readonly cursor: string; readonly number: number };

/** Events that a client missed while it was away: the events that are still here, after a gap where there are others. */
export interface Missed {
  readonly gap: Gap | undefined;
  readonly events: readonly NumberedTrade[];
}

/** The cursor that a client says; undefined where it is none. */
export function parseCursor(text: string): Cursor | undefined {
  const [, epoch, sealed, time] = CURSOR.exec(text) ?? [];
  if (epoch === undefined || sealed === undefined || time === undefined) return undefined;
  return { epoch, sealed, time: Number.parseInt(time, 36) };
}

/**
 * The latest order and fill events, numbered, so that a client which was away takes up where it was. Numbers belong to one run of
 * the daemon. An account is followed as long as somebody is registered for it: of times between, nothing is known.
 */
export class TradeLog {
  readonly #epoch = randomBytes(4).toString('hex');
  /** Numbers count the events of all accounts: a cursor must not tell how many its reader may not see. */
  readonly #numbers = new SealedNumbers();
  readonly #events: NumberedTrade[] = [];
  /** Account → the number from which it is followed without a break; none while nobody follows it, or its events are being lost. */
  readonly #followedFrom = new Map<bigint, number>();
  #last = 0;
  /** Number of the newest event that is not kept any more. */
  #dropped = 0;

  constructor(private readonly now: () => number) {}

  /** The number of the last event, or of the account that began to be followed since then. */
  get last(): number {
    return this.#last;
  }

  /** Somebody is registered for an account and its events arrive, or not any more. */
  follow(accId: bigint, isFollowed: boolean): void {
    if (!isFollowed) this.#followedFrom.delete(accId);
    // A number of its own: a cursor of before is older than it, though no event came between.
    else if (!this.#followedFrom.has(accId)) this.#followedFrom.set(accId, ++this.#last);
  }

  /** Numbers an event and keeps it. The account is followed from then on. */
  add(event: TradePush): NumberedTrade {
    this.follow(event.accId, true);
    this.#last += 1;
    const numbered: NumberedTrade = {
      ...event,
      number: this.#last,
      cursor: `${this.#epoch}-${this.#numbers.seal(this.#last)}-${Math.max(0, this.now()).toString(36)}`,
    };
    this.#events.push(numbered);
    // Some at a time: each cut moves all of them.
    if (this.#events.length > KEPT_MAX + KEPT_MAX / 8)
      this.#dropped = this.#events.splice(0, this.#events.length - KEPT_MAX).at(-1)?.number ?? this.#dropped;
    return numbered;
  }

  /** The events after a number, oldest first. */
  after(number: number): readonly NumberedTrade[] {
    return this.#events.slice(this.#events.findLastIndex((event) => event.number <= number) + 1);
  }

  /** The events of some accounts after a cursor, and the gap before them. */
  missed(since: Cursor, accIds: readonly bigint[]): Missed {
    const from = since.epoch === this.#epoch ? this.#numbers.open(since.sealed) : undefined;
    const reason = this.#gapReason(from, accIds);
    const gap = reason === undefined ? undefined : { from: isoOf(since.time), to: isoOf(this.now()), reason };
    return { gap, events: this.after(from ?? 0).filter(({ accId }) => accIds.includes(accId)) };
  }

  #gapReason(from: number | undefined, accIds: readonly bigint[]): string | undefined {
    if (from === undefined) return 'the daemon was started again since then: read the orders and fills of the time between';
    if (from < this.#dropped) return `only the last ${KEPT_MAX} events are kept: read the orders and fills of the time between`;
    const unknown = accIds.filter((accId) => (this.#followedFrom.get(accId) ?? Number.POSITIVE_INFINITY) > from);
    return unknown.length === 0
      ? undefined
      : `events of account ${unknown.join(', ')} did not arrive for a while, or nobody followed it: read its orders and fills of the time between`;
  }
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
