import { Absences } from '../../access/index.js';
import type { Clock } from '../../contract/clock.js';
import { atLeastZero, type Decimal } from '../../contract/decimal.js';
import { PositionSide } from '../../contract/generated/Trd_Common_pb.js';
import { LOST_MS } from './order-lookup.js';

/** A part of a position that an order is about to close. */
export interface ClosingClaim {
  /** The order has been accepted under a name, '' where nobody knows of what became of it; undefined where it never came to be. */
  settle(name: string | undefined): void;
}

/** An order of a list, as far as it closes a position. */
export interface ClosingOrder {
  readonly filled: Decimal;
  readonly left: Decimal;
  readonly isOver: boolean;
}

/** A position as the backend lists it. */
export interface PositionReading {
  readonly held: Decimal;
  /** How much of it can be closed, what listed orders will close taken off. */
  readonly free: Decimal;
  /** The listed order of a name. */
  named(name: string): ClosingOrder | undefined;
}

interface Claim {
  readonly qty: Decimal;
  /** Filled quantity of its order before the change; 0 for a new order. */
  readonly filledBefore: Decimal;
  readonly madeAt: number;
  /** Its place in the order of reads and answers; undefined while it is under way. */
  settled: number | undefined;
  name: string;
  filled: Decimal;
  overSince: number | undefined;
  /** True for an order that was sent whatever the position was. */
  readonly isNoted: boolean;
}

/** The claims on one position. */
interface Position {
  /** The most that has been held since the first of them. */
  held: Decimal;
  readonly claims: Set<Claim>;
}

export interface ClosingClaimsOptions {
  readonly clock: Clock;
  /** How far apart two lists are that lack an order which is over; 0 where lists are never behind. */
  readonly apartMs: number;
}

/** No list is behind for so long. */
const FORGET_MS = 600_000;
/** How often claims are looked through for those that are long over. */
const FORGET_EVERY_MS = 1_000;

/** Side of the position that an order on this side takes away from; a short sale takes from none. */
export function closes(side: string): PositionSide | undefined {
  if (side === 'SELL') return PositionSide.PositionSide_Long;
  return side === 'BUY' || side === 'BUY_BACK' ? PositionSide.PositionSide_Short : undefined;
}

/**
 * Sees to it that orders which close a position together close no more than there is of it. What the backend says of orders and position may be
 * behind: a claim stays until its order has been listed, and what that fills until the position shows it.
 */
export class ClosingClaims {
  readonly #positions = new Map<string, Position>();
  readonly #absences = new Absences<Claim>();
  readonly #options: ClosingClaimsOptions;
  readonly #noted = new Map<string, readonly Claim[]>();
  #moment = 0;
  #forgotAt = Number.NEGATIVE_INFINITY;

  constructor(options: ClosingClaimsOptions) {
    this.#options = options;
  }

  /**
   * Claims `qty` of a position for an order. `read` asks the backend how much of it can be closed.
   *
   * @param isTrusted what the orders of others have filled, as listed, is in the position that is listed after them.
   *
   * @returns undefined where there is not so much left of it.
   */
  async claim(
    what: string,
    { qty, filledBefore = 0n, isTrusted = false }: { readonly qty: Decimal; readonly filledBefore?: Decimal; readonly isTrusted?: boolean },
    read: () => Promise<PositionReading | undefined>,
  ): Promise<ClosingClaim | undefined> {
    const { clock } = this.#options;
    const since = ++this.#moment;
    const askedAt = clock.monotonic();
    const reading = await read();
    this.#forgetOld();
    // No turn passes between this judgement and the claim.
    if (reading === undefined || reading.free - this.#taken(what, reading, isTrusted, since, askedAt) < qty) return undefined;
    const position = this.#positions.get(what) ?? { held: reading.held, claims: new Set<Claim>() };
    this.#positions.set(what, position);
    const claim = this.#enter(position, { qty, filledBefore, madeAt: askedAt, isNoted: false });
    return { settle: (name) => this.#settle(what, position, claim, name) };
  }

  /** An order is about to be sent that closes `qty` of a position, or as much as there is: it takes that from later claims. */
  note(what: string, qty: Decimal): ClosingClaim {
    this.#forgetOld();
    const position = this.#positions.get(what) ?? { held: 0n, claims: new Set<Claim>() };
    this.#positions.set(what, position);
    const claim = this.#enter(position, { qty, filledBefore: 0n, madeAt: this.#options.clock.monotonic(), isNoted: true });
    return {
      settle: (name) => {
        this.#settle(what, position, claim, name);
        const key = keyOf(what, name ?? '');
        if (name) this.#noted.set(key, [...(this.#noted.get(key) ?? []), claim]);
      },
    };
  }

  /** A list or a push has shown that an order is over. */
  over(accId: bigint, name: string, hasFilled: boolean): void {
    const key = keyOf(String(accId), name);
    for (const claim of this.#noted.get(key) ?? []) {
      claim.overSince ??= this.#options.clock.monotonic();
      if (hasFilled) claim.filled = claim.qty;
    }
    this.#noted.delete(key);
  }

  #enter(position: Position, terms: Pick<Claim, 'qty' | 'filledBefore' | 'madeAt' | 'isNoted'>): Claim {
    const claim: Claim = { ...terms, settled: undefined, name: '', filled: 0n, overSince: undefined };
    position.claims.add(claim);
    return claim;
  }

  #settle(what: string, position: Position, claim: Claim, name: string | undefined): void {
    claim.settled = ++this.#moment;
    if (name === undefined) {
      this.#end(what, position, claim);
      return;
    }
    // A change of an order claims anew what its order has claimed.
    for (const other of position.claims) if (name !== '' && other.name === name) this.#end(what, position, other);
    claim.name = name;
  }

  /** Quantity that claims take of a position beyond what a reading shows. */
  #taken(what: string, reading: PositionReading, isTrusted: boolean, since: number, askedAt: number): Decimal {
    const position = this.#positions.get(what);
    if (position === undefined) return 0n;
    let unseen = 0n;
    let filled = 0n;
    for (const claim of [...position.claims]) {
      const order = claim.name === '' ? undefined : reading.named(claim.name);
      const isSettled = claim.settled !== undefined && claim.settled < since;
      if (isSettled && this.#isShown(claim, order, askedAt)) {
        this.#end(what, position, claim);
        continue;
      }
      if (order !== undefined && !(claim.isNoted && claim.overSince !== undefined))
        claim.filled = atLeastZero(order.filled - claim.filledBefore);
      const isInPosition = order !== undefined && claim.isNoted && (isTrusted || isLongKnown(claim, askedAt));
      if (!isInPosition) filled += claim.filled;
      if (claim.overSince === undefined) unseen += this.#unseen(claim, order, isSettled, askedAt);
    }
    if (filled === 0n && reading.held > position.held) position.held = reading.held;
    return unseen + atLeastZero(filled - atLeastZero(position.held - reading.held));
  }

  /** Whether lists made since an answer show all that there is to a claim. */
  #isShown(claim: Claim, order: ClosingOrder | undefined, askedAt: number): boolean {
    const { apartMs } = this.#options;
    if (order === undefined && claim.overSince !== undefined) return askedAt - claim.overSince >= apartMs;
    if (order === undefined) {
      return claim.name === '' && apartMs > 0 ? askedAt - claim.madeAt >= LOST_MS : this.#absences.provenBy(claim, askedAt, apartMs);
    }
    this.#absences.forget(claim);
    if (!order.isOver) return false;
    if (isLongKnown(claim, askedAt)) return true;
    claim.overSince ??= askedAt;
    return askedAt - claim.overSince >= apartMs;
  }

  /** Quantity that a claim will close beyond what its listed order shows; a change of an order may be listed later than the order. */
  #unseen({ qty, filled, madeAt }: Claim, order: ClosingOrder | undefined, isSettled: boolean, askedAt: number): Decimal {
    if (order === undefined) return atLeastZero(qty - filled);
    return isSettled && askedAt - madeAt >= this.#options.apartMs ? 0n : atLeastZero(qty - filled - order.left);
  }

  #end(what: string, position: Position, claim: Claim): void {
    position.claims.delete(claim);
    this.#absences.forget(claim);
    if (claim.isNoted) this.#noted.delete(keyOf(what, claim.name));
    if (position.claims.size === 0 && this.#positions.get(what) === position) this.#positions.delete(what);
  }

  #forgetOld(): void {
    const { clock, apartMs } = this.#options;
    const now = clock.monotonic();
    if (now - this.#forgotAt < FORGET_EVERY_MS) return;
    this.#forgotAt = now;
    for (const [what, position] of this.#positions) {
      for (const claim of position.claims) {
        const isShown = claim.isNoted && claim.overSince !== undefined && now - claim.overSince >= apartMs;
        if (claim.settled !== undefined && (isShown || claim.madeAt < now - FORGET_MS)) this.#end(what, position, claim);
      }
    }
  }
}

/** Whether an order has been on its way for so long that what its list shows as filled is in the position. */
function isLongKnown({ isNoted, madeAt }: Claim, askedAt: number): boolean {
  return isNoted && askedAt - madeAt >= LOST_MS;
}

/** @param what begins with the account. */
function keyOf(what: string, name: string): string {
  return `${what.split('/', 1)[0]}/${name}`;
}
