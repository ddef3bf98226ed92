import type { Clock } from '@svc-gateway/contract/clock';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { NotifyPush, PushEvent, StreamScope, StreamsLost } from '../backend.js';
import type { AccountRegistrations, EndedAccount } from './accounts.js';
import type { EventFrames } from './event-frames.js';
import { type ClosedGap, Gaps, gapNotice } from './gaps.js';
import type { Member } from './member.js';
import type { Members } from './members.js';
import { RETRY_MS_MIN, type Retries } from './retries.js';
import { nameOfSubType, symbolOfKey } from './streams.js';
import type { Ended, Restored, Subscriptions } from './subscriptions.js';

export interface GapAnnouncerDeps {
  readonly subscriptions: Subscriptions;
  readonly accounts: AccountRegistrations;
  readonly retries: Retries;
  readonly clock: Clock;
  readonly members: Members;
  readonly framesOf: (event: PushEvent) => EventFrames;
  /** Pushes a stream's current data to members that had a first push of it. */
  readonly refresh: (key: string) => void;
  /** Order and fill events of these accounts arrive again. */
  readonly onRestored: (accIds: readonly bigint[]) => void;
  /** Called with a message for the log. */
  readonly onGap: (message: string) => void;
  readonly onDefect: (error: unknown) => void;
}

/** Restores lost streams and accounts, and announces each gap to the members that missed events. */
export class GapAnnouncer {
  readonly #gaps = new Gaps();
  #count = 0;

  constructor(private readonly deps: GapAnnouncerDeps) {}

  /** Gaps that were announced so far. */
  get count(): number {
    return this.#count;
  }

  /** Streams and accounts whose pushes are missing now. */
  get missing(): number {
    return this.#gaps.size;
  }

  /** Forgets the gap of a stream that starts anew: its subscribers missed nothing. */
  began(key: string): void {
    this.#gaps.forget(key);
  }

  /** Announces an account's gap before its missed events are pushed. */
  recovers(accId: bigint): void {
    if (this.#gaps.hasAccount(accId)) this.#close([], [accId], []);
  }

  /** The backend has lost these. */
  lost({ streams, accIds, from, reason }: StreamsLost): void {
    this.#prune();
    const missed = { streams: this.deps.subscriptions.lost(streams), accIds: this.deps.accounts.lost(accIds) };
    if (missed.streams.length === 0 && missed.accIds.length === 0) return;
    this.#gaps.open(missed.streams, missed.accIds, from, reason);
    this.deps.onGap(`pushes interrupted: ${reason}; ${missed.streams.length} streams and ${missed.accIds.length} accounts are affected`);
  }

  /** The backend can start these again; resolves when they are, or have ended, and whoever missed something has been told. */
  async restore(scope: StreamScope): Promise<void> {
    const [streams, accounts] = await Promise.all([
      this.deps.subscriptions.restore(scope.streams),
      this.deps.accounts.restore(scope.accIds),
    ]);
    this.deps.onRestored(accounts.accIds);
    if (accounts.failure !== undefined) this.deps.onGap(`order and fill pushes could not be restored: ${accounts.failure}`);
    const ended = [...streams.ended.map(endOfStream), ...accounts.ended.map(endOfAccount)];
    for (const { text } of ended) this.deps.onGap(`pushes end: ${text}`);
    const keys = [...streams.keys, ...streams.ended.map(({ subscription }) => subscription.key)];
    this.#close(keys, [...accounts.accIds, ...accounts.ended.map(({ accId }) => accId)], ended);
    this.#prune();
    if (streams.overdue().length > 0 || this.deps.accounts.overdue().length > 0) this.#restoreLater(streams);
  }

  /** Retries streams that the backend did not restore in time, unless its connection is lost first: the restoration then covers them. */
  #restoreLater({ overdue }: Restored): void {
    this.deps.onGap('the backend did not restore all pushes in time; trying again');
    this.deps.retries.schedule(RETRY_MS_MIN, () => {
      const scope = { streams: overdue(), accIds: this.deps.accounts.overdue() };
      if (scope.streams.length > 0 || scope.accIds.length > 0) this.restore(scope).catch(this.deps.onDefect);
    });
  }

  /** Forgets gaps of unwanted streams and accounts. */
  #prune(): void {
    const { subscriptions, accounts } = this.deps;
    this.#gaps.prune(
      (key) => subscriptions.receivers(key).length > 0,
      (accId) => accounts.receivers(accId).length > 0,
    );
  }

  /** Tells a member that events since `from` (epoch ms) of all that it receives and may see are missing. */
  missed(member: Member, from: number, reason: string): void {
    const { clock, subscriptions, framesOf } = this.deps;
    const gap = gapNotice({ from: new Date(from).toISOString(), to: new Date(clock.now()).toISOString(), reason });
    const received = member.owners.flatMap((owner) => subscriptions.list(owner).map(({ key }) => key));
    const seen = [...received, ...member.accounts()].filter((of) => member.permits({ ...gap, about: aboutOf([of]) }));
    const notice = { ...gap, about: aboutOf(seen) };
    if (member.receives(notice)) member.connection.push(framesOf(notice));
  }

  #close(streams: readonly string[], accIds: readonly bigint[], ended: readonly EndOfPushes[]): void {
    for (const gap of this.#gaps.close(streams, accIds, this.deps.clock.now())) {
      this.#count += 1;
      this.deps.onGap(`pushes restored after a gap from ${gap.from} to ${gap.to}: ${gap.reason}`);
      this.#announce(gap, ended);
      for (const key of gap.streams) this.deps.refresh(key);
    }
  }

  /** Tells whom events of a gap would have gone to, each of what is its own and what it may see. */
  #announce(gap: ClosedGap, ended: readonly EndOfPushes[]): void {
    const over = ended.filter(({ of }) => (typeof of === 'string' ? gap.streams.has(of) : gap.accIds.has(of)));
    const missing = new Map<string, Missing>();
    const missed = (owner: string, of: Missing[number]) => {
      getOrInsert(missing, owner, () => []).push(of);
    };
    for (const key of gap.streams) for (const owner of this.deps.subscriptions.receivers(key)) missed(owner, key);
    for (const accId of gap.accIds) for (const owner of this.deps.accounts.receivers(accId)) missed(owner, accId);
    for (const { owner, of } of over) missed(owner, of);
    const whole = gapNotice(gap);
    for (const member of this.deps.members.receivingAny([...missing.keys()])) {
      const about = aboutOf(member.owners.flatMap((owner) => missing.get(owner) ?? []));
      if (!member.receives({ ...whole, about })) continue;
      const sees = (of: Missing[number]) => member.permits({ ...whole, about: aboutOf([of]) });
      const own = over.filter(({ owner, of }) => member.owners.includes(owner) && sees(of)).map(({ text }) => text);
      member.connection.push(this.deps.framesOf({ ...(own.length === 0 ? whole : gapNotice(gap, own)), about }));
    }
  }
}

/** Pushes that an owner receives no more, and did not end itself. */
interface EndOfPushes {
  readonly owner: string;
  /** The key of a stream, or an account. */
  readonly of: string | bigint;
  readonly text: string;
}

/** Keys of streams, and accounts. */
type Missing = (string | bigint)[];

/** "HK.00700 1 (Basic): no right". */
function endOfStream({ subscription: { owner, key, stream }, reason }: Ended): EndOfPushes {
  return { owner, of: key, text: `${stream.symbol} ${nameOfSubType(stream.subType)}: ${reason}` };
}

/** "orders and fills of account 12: no such account". */
function endOfAccount({ owner, accId, reason }: EndedAccount): EndOfPushes {
  return { owner, of: accId, text: `orders and fills of account ${accId}: ${reason}` };
}

function aboutOf(missing: Missing): NonNullable<NotifyPush['about']> {
  return {
    symbols: missing.filter((of) => typeof of === 'string').map(symbolOfKey),
    accIds: missing.filter((of) => typeof of === 'bigint'),
  };
}
