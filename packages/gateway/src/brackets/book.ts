import { isDeepStrictEqual } from 'node:util';
import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { DAY_MS } from '@svc-gateway/contract/time';
import type { Table } from '@svc-gateway/storage';
import type { OrderName } from '../orders/order.js';
import { type Bracket, type Exit, isActive, isEntryOrder, isExitOrder, isOfSamePosition, unclosed } from './bracket.js';
import { type BracketsDeps, report } from './deps.js';
import { ownExitNumber } from './own-exits.js';

/** How long one that is over stays to be read, and how many do. */
const KEPT_MS = DAY_MS;
const KEPT_MAX = 1_000;
/** Maximum orders of others to remember; each is looked for during a minute. */
const OTHERS_MAX = 1_000;

/** In-memory state of an active bracket, beyond its row. */
export interface Watched {
  bracket: Bracket;
  /** 0 until one is known. */
  last: Decimal;
  busy: boolean;
  again: boolean;
  /** When the cancel of an entry that is not wanted any more may be sent again, of the monotonic clock. */
  withdrawAt: number;
  /** Its exit was refused: when another may be tried, of the monotonic clock. */
  retryAt: number;
  /** The cancel of its exit was refused: when that may be asked for again, of the monotonic clock. */
  cancelAt: number;
  /** How often in turn the brokerage has refused its stop order. */
  stopRefusals: number;
  /** True while corporate actions are being looked up. */
  asksChanges: boolean;
  /** Earliest retry of a failed look-up, on the monotonic clock. */
  changesAt: number;
  /** Position quantity that two lists have confirmed, where lists may be behind. */
  confirmed: Decimal;
  /** How much of the position the last answered list shows, undefined for none; when a list was last asked for, of the monotonic clock. */
  shown: { readonly left: Decimal | undefined; readonly askedAt: number } | undefined;
  /** Since when less than that is there, of the monotonic clock. */
  lackingSince: number | undefined;
  /** Since when more than all brackets guard is there, of the monotonic clock. */
  spareSince: number | undefined;
  /** Start of the search for an order with a lost answer, on the monotonic clock. */
  missingSince: number | undefined;
  /** No exit of its own can be in the market that this process does not know. After a start, two lists have to show that. */
  exitsKnown: boolean;
  /** When its exits were last looked for among all orders, of the monotonic clock. */
  recalledAt: number | undefined;
  /** When the first list of all orders that was answered was asked for, of the monotonic clock. */
  listedSince: number | undefined;
  /** Names of exits that were in the market beside another, and were cancelled for that. */
  readonly surplus: Set<string>;
  readonly stop: () => void;
}

type BookDeps = Pick<BracketsDeps, 'store' | 'clock' | 'logger' | 'onStorageFailure'> & {
  /** Told how a bracket stands once it needs its owner's attention. */
  readonly onAlert?: (bracket: Bracket, how: string) => void;
};

/** Every bracket there is: its row on disk, and of an active one what is known beside that. */
export class BracketBook {
  readonly rows: Table<Bracket>;
  readonly watched = new Map<string, Watched>();
  /** Orders of callers that are like entries whose answers were lost: theirs to know, and nobody's to guard. By text, or number where there is none. */
  readonly #others = new Set<string>();
  /** Ended brackets, in the order of their end. */
  readonly #ended = new Set<string>();

  constructor(private readonly deps: BookDeps) {
    this.rows = deps.store.table<Bracket>('brackets');
  }

  /** Loads the brackets from disk at start-up; returns the active ones. */
  open(): readonly Bracket[] {
    const rows = [...this.rows.entries()].map(([, bracket]) => bracket).sort((a, b) => a.updatedAt - b.updatedAt);
    for (const bracket of rows) if (!isActive(bracket)) this.#ended.add(bracket.id);
    return rows.filter(isActive);
  }

  isWatched(watched: Watched): boolean {
    return this.watched.get(watched.bracket.id) === watched;
  }

  /** Brackets of an account in its environment, newest first. */
  of({ accId, trdEnv }: Pick<Bracket, 'accId' | 'trdEnv'>): readonly Bracket[] {
    const found: Bracket[] = [];
    for (const [id, row] of this.rows.entries()) {
      const bracket = this.watched.get(id)?.bracket ?? row;
      if (bracket.accId === accId && bracket.trdEnv === trdEnv) found.push(bracket);
    }
    return found.sort((a, b) => b.createdAt - a.createdAt);
  }

  addOther(orderName: string): void {
    this.#others.add(orderName);
    const [oldest] = this.#others;
    if (this.#others.size > OTHERS_MAX && oldest !== undefined) this.#others.delete(oldest);
  }

  /** Whether an order is another bracket's entry, or one that a caller was told to have placed. */
  isKnown(bracket: Bracket, order: OrderName): boolean {
    if (this.#others.has(order.orderIDEx) || this.#others.has(String(order.orderID))) return true;
    return this.of(bracket).some((one) => one.id !== bracket.id && isEntryOrder(one, order));
  }

  /** Whether anything of an account is guarded, or about to be. */
  hasProtectiveOrders(accId: bigint): boolean {
    for (const { bracket } of this.watched.values()) if (bracket.accId === accId) return true;
    return false;
  }

  /** Tells of an account's orders which are exits of brackets that go on, as things are now; there may be many orders. */
  isProtectiveOrder(accId: bigint): (order: Order) => boolean {
    const known = new Set<string>();
    const sought: { readonly bracket: Bracket; readonly exit: Exit }[] = [];
    const unknown: Bracket[] = [];
    for (const { bracket, exitsKnown } of this.watched.values()) {
      const { exit } = bracket;
      if (bracket.accId === accId && !exitsKnown && !bracket.ending) unknown.push(bracket);
      if (bracket.accId !== accId || exit === undefined || bracket.ending) continue;
      if (exit.idEx === '') sought.push({ bracket, exit });
      else known.add(exit.idEx);
    }
    return (order) =>
      known.has(order.orderIDEx) ||
      sought.some(({ bracket, exit }) => isExitOrder(bracket, exit, order)) ||
      unknown.some((bracket) => ownExitNumber(bracket, order) > 0);
  }

  /** Quantity of a position that is left for a bracket: without what older brackets guard. */
  leftOf(bracket: Bracket, held: Decimal): Decimal {
    const left = held - this.guardedBeside(bracket, (other) => isOlder(other, bracket));
    return left > 0n ? left : 0n;
  }

  /** Quantity of the same position that other brackets guard. */
  guardedBeside(bracket: Bracket, counts: (other: Bracket) => boolean): Decimal {
    let guarded = 0n;
    for (const { bracket: other } of this.watched.values()) {
      if (other.id !== bracket.id && isOfSamePosition(bracket, other) && counts(other)) guarded += unclosed(other);
    }
    return guarded;
  }

  /** The bracket with this entry order, while the entry may still trade. */
  ofEntry(accId: bigint, order: OrderName): Bracket | undefined {
    for (const { bracket } of this.watched.values()) {
      if (bracket.accId === accId && !bracket.entryOver && !bracket.ending && isEntryOrder(bracket, order)) return bracket;
    }
    return undefined;
  }

  /** Puts a bracket on disk, unless it is there as it is. */
  async keep(watched: Watched, bracket: Bracket): Promise<void> {
    const kept = this.rows.get(bracket.id);
    const next: Bracket = { ...bracket, updatedAt: Math.max(this.deps.clock.now(), bracket.updatedAt) };
    watched.bracket = next;
    if (kept !== undefined && isSame(kept, next)) {
      watched.bracket = { ...next, updatedAt: kept.updatedAt };
      return;
    }
    await this.write(next);
    const how = kept === undefined ? undefined : alertOf(kept, next);
    if (how !== undefined) this.deps.onAlert?.(next, how);
  }

  /** Keeps a bracket with a note, which is logged where it is new. */
  async note(watched: Watched, note: string, changes: Partial<Bracket> = {}): Promise<void> {
    const { bracket } = watched;
    if (note !== bracket.note) this.deps.logger.warn({ bracket: bracket.id }, note);
    await this.keep(watched, { ...bracket, ...changes, note });
  }

  /** Puts one on disk of which nothing more is known. */
  write(bracket: Bracket): Promise<void> {
    return this.deps.store.write((change) => change.put(this.rows, bracket.id, bracket));
  }

  remove(id: string): Promise<void> {
    return this.deps.store.write((change) => change.remove(this.rows, id));
  }

  /** Drops an ended bracket. */
  drop(watched: Watched): void {
    watched.stop();
    this.watched.delete(watched.bracket.id);
    this.#ended.add(watched.bracket.id);
  }

  /** Forgets those that were over a day ago, or before many others. */
  prune(): void {
    const before = this.deps.clock.now() - KEPT_MS;
    for (const id of this.#ended) {
      if (this.#ended.size <= KEPT_MAX && (this.rows.get(id)?.updatedAt ?? 0) >= before) return;
      this.#ended.delete(id);
      this.remove(id).catch((error: unknown) => report(this.deps, error, id));
    }
  }

  /** Ends one of which nothing is known, if it has not ended; it is only not kept any more. */
  async forget(id: string): Promise<boolean> {
    const row = this.rows.get(id);
    if (row === undefined || row.state === 'closed' || row.state === 'cancelled') return false;
    const watched = this.watched.get(id);
    await this.write({ ...row, state: 'cancelled', updatedAt: this.deps.clock.now() });
    this.#ended.add(id);
    if (watched !== undefined) this.drop(watched);
    return true;
  }
}

/** A change that its owner has to hear of, in words: without asking, nobody would know that a position is guarded in another way, or not at all. */
function alertOf(before: Bracket, after: Bracket): string | undefined {
  const why = after.note === '' ? '' : `: ${after.note}`;
  if (after.state === 'unclear' && before.state !== 'unclear') return `is unclear${why}`;
  const isEnding = (bracket: Bracket) => bracket.ending || bracket.state === 'cancelled';
  if (isEnding(after) && !isEnding(before)) return `ends${why}`;
  return after.stopHeld && !before.stopHeld ? `has no stop order at the brokerage, the gateway holds its stop-loss${why}` : undefined;
}

/** Whether two say the same of everything but when it was learned. */
function isSame(a: Bracket, b: Bracket): boolean {
  const said = (bracket: Bracket) => ({ ...bracket, exit: bracket.exit ?? null, priceSince: bracket.priceSince ?? null, updatedAt: 0 });
  return isDeepStrictEqual(said(a), said(b));
}

function isOlder(a: Bracket, b: Bracket): boolean {
  return a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id);
}
