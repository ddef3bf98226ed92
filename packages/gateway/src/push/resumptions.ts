import type { Clock } from '@svc-gateway/contract/clock';
import type { Gap, NotifyPush, PushEvent, TradePush } from '../backend.js';
import type { AccountRegistrations } from './accounts.js';
import type { EventFrames } from './event-frames.js';
import { gapNotice } from './gaps.js';
import type { Member, Resuming } from './member.js';
import { Retries } from './retries.js';
import { type Cursor, type NumberedTrade, TradeLog } from './trade-log.js';

/** How long an account is followed on for a connection of `/ws` that broke: it may come back and resume. */
const LINGER_MS = 60_000;

export interface ResumptionsDeps {
  readonly clock: Clock;
  readonly accounts: AccountRegistrations;
  readonly framesOf: (event: PushEvent) => EventFrames;
}

/** Numbers order and fill events, and sends a client that was away what it has missed, or tells it of the gap. */
export class Resumptions {
  readonly #trades: TradeLog;
  readonly #lingering: Retries;

  constructor(private readonly deps: ResumptionsDeps) {
    this.#trades = new TradeLog(() => deps.clock.now());
    this.#lingering = new Retries((ms, action) => deps.clock.after(ms, action));
  }

  /** Starts or stops following an account, as its first owner registers or its last one leaves. */
  follow(accId: bigint, isFollowed: boolean): void {
    this.#trades.follow(accId, isFollowed);
  }

  /** Events of these accounts are being missed. */
  lost(accIds: 'all' | readonly bigint[]): void {
    for (const accId of accIds === 'all' ? this.deps.accounts.desired() : accIds) this.#trades.follow(accId, false);
  }

  /** Resumes following the registered ones of these restored accounts. */
  restored(accIds: readonly bigint[]): void {
    for (const accId of accIds) if (this.deps.accounts.receivers(accId).length > 0) this.#trades.follow(accId, true);
  }

  add(event: TradePush): NumberedTrade {
    return this.#trades.add(event);
  }

  /** The accounts whose events a member receives. */
  accountsOf(member: Member): readonly bigint[] {
    return [...new Set(member.owners.flatMap((owner) => this.deps.accounts.of(owner)))];
  }

  /** The accounts whose events a member receives and may see: one that its key may not see any more stays registered, and is not named. */
  shownAccountsOf(member: Member): readonly bigint[] {
    return this.accountsOf(member).filter((accId) => member.permits(aboutAccounts(nothing, [accId])));
  }

  /** Has a member that was given none of its events yet begin after its cursor. */
  connected(member: Member): void {
    const { since } = member.options;
    if (since !== undefined) this.#send(member, { since, accIds: this.accountsOf(member), from: this.#trades.last });
  }

  /** Holds back a member's events until {@link release}, which begins with those of `accIds` after `since`. */
  hold(member: Member, since: Cursor | undefined, accIds: readonly bigint[]): void {
    member.resuming = { since, accIds, from: member.resuming?.from ?? this.#trades.last };
  }

  release(member: Member): void {
    const { resuming } = member;
    if (resuming === undefined) return;
    member.resuming = undefined;
    this.#send(member, resuming);
  }

  /** A member is gone, and with it its own registrations: at once, or where it may come back and nobody else has them, in a while. */
  left({ connection: { ownOwner }, options: { iface } }: Member): void {
    const { accounts } = this.deps;
    const lingers = (accId: bigint) => iface === 'ws' && accounts.receivers(accId).length === 1;
    const own = accounts.of(ownOwner);
    if (own.some(lingers)) this.#lingering.schedule(LINGER_MS, () => void accounts.unsubscribeAll(ownOwner));
    else void accounts.unsubscribeAll(ownOwner);
  }

  stop(): void {
    this.#lingering.stop();
  }

  /** Pushes what a member has missed, in order: of some accounts since its cursor, and of all that it receives what came while it waited. */
  #send(member: Member, { since, accIds, from }: Resuming): void {
    const { framesOf } = this.deps;
    // Accounts that the key may not see any more stay registered, and are not named.
    const seen = accIds.filter((accId) => member.receives(aboutAccounts(nothing, [accId])));
    const { gap, events } = since === undefined ? { gap: undefined, events: [] } : this.#trades.missed(since, seen);
    if (gap !== undefined && seen.length > 0) member.connection.push(framesOf(aboutAccounts(gap, seen)));
    const known = new Set(events);
    const received = new Set(this.accountsOf(member));
    const others = this.#trades.after(from).filter((event) => received.has(event.accId) && !known.has(event));
    for (const event of [...events, ...others].sort((a, b) => a.number - b.number)) {
      if (member.receives(event)) member.connection.push(framesOf(event.number > from ? event : { ...event, replayed: true }));
    }
  }
}

const nothing: Gap = { from: '', to: '', reason: '' };

function aboutAccounts(gap: Gap, accIds: readonly bigint[]): NotifyPush {
  return { ...gapNotice(gap), about: { symbols: [], accIds } };
}
