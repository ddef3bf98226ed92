import { create } from '@bufbuild/protobuf';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Gap, NotifyPush } from '../backend.js';
import { NOTIFY } from './push-messages.js';

/** A gap whose end is not known yet. */
interface OpenGap {
  /** Epoch ms. */
  readonly from: number;
  readonly reason: string;
}

/** A gap that is over, and what was missing in it. */
export interface ClosedGap extends Gap {
  /** Stream keys. */
  readonly streams: ReadonlySet<string>;
  readonly accIds: ReadonlySet<bigint>;
}

/** Open gaps of streams and accounts, each since its first unrecovered loss. */
export class Gaps {
  readonly #streams = new Map<string, OpenGap>();
  readonly #accounts = new Map<bigint, OpenGap>();

  /** Streams and accounts whose pushes are missing now. */
  get size(): number {
    return this.#streams.size + this.#accounts.size;
  }

  /** Pushes of these are missing since `from` (epoch ms). */
  open(streams: readonly string[], accIds: readonly bigint[], from: number, reason: string): void {
    const gap = { from, reason };
    for (const key of streams) if (!this.#streams.has(key)) this.#streams.set(key, gap);
    for (const accId of accIds) if (!this.#accounts.has(accId)) this.#accounts.set(accId, gap);
  }

  /** These are back, or nobody wants them any more. One gap for each loss that has anything to show for it. */
  close(streams: Iterable<string>, accIds: Iterable<bigint>, now: number): readonly ClosedGap[] {
    const closed = new Map<OpenGap, { readonly streams: Set<string>; readonly accIds: Set<bigint> }>();
    const ended = (gap: OpenGap) => getOrInsert(closed, gap, () => ({ streams: new Set(), accIds: new Set() }));
    for (const key of streams) {
      const gap = this.#streams.get(key);
      if (gap !== undefined) ended(gap).streams.add(key);
      this.#streams.delete(key);
    }
    for (const accId of accIds) {
      const gap = this.#accounts.get(accId);
      if (gap !== undefined) ended(gap).accIds.add(accId);
      this.#accounts.delete(accId);
    }
    const to = new Date(now).toISOString();
    return [...closed].map(([{ from, reason }, parts]) => ({ from: new Date(from).toISOString(), to, reason, ...parts }));
  }

  /** Forgets unwanted streams and accounts. */
  prune(isWanted: (key: string) => boolean, isRegistered: (accId: bigint) => boolean): void {
    for (const key of this.#streams.keys()) if (!isWanted(key)) this.#streams.delete(key);
    for (const accId of this.#accounts.keys()) if (!isRegistered(accId)) this.#accounts.delete(accId);
  }

  /** Forgets the gap of a stream that starts anew: its subscribers missed nothing. */
  forget(key: string): void {
    this.#streams.delete(key);
  }

  /** Whether an account's pushes are missing. */
  hasAccount(accId: bigint): boolean {
    return this.#accounts.has(accId);
  }
}

/** Tells of a gap, and of what came to an end in it. The message has no field for either: clients of the protocol read its text. */
export function gapNotice({ from, to, reason }: Gap, ended: readonly string[] = []): NotifyPush {
  const lost = ended.length === 0 ? '' : `; no longer available: ${ended.join('; ')}`;
  return notice(`events of ${from} to ${to} are missing: ${reason}${lost}`, { from, to, reason });
}

/** A notice to people. The public protocol has no event for it: a gateway event of no type, in words. */
export function notice(desc: string, gap?: Gap): NotifyPush {
  const event = create(Notify.GtwEventSchema, { eventType: Notify.GtwEventType.GtwEventType_None, desc });
  const s2c = create(Notify.S2CSchema, { type: Notify.NotifyType.NotifyType_GtwEvent, event });
  const message = create(Notify.ResponseSchema, { retType: 0, s2c });
  return { type: 'notify', protoId: NOTIFY, message, ...(gap === undefined ? {} : { gap }) };
}

/** Tells whether the backend's quotes and trading are to be had. */
export function connectionNotice(qotLogined: boolean, trdLogined: boolean): NotifyPush {
  const connectStatus = create(Notify.ConnectStatusSchema, { qotLogined, trdLogined });
  const s2c = create(Notify.S2CSchema, { type: Notify.NotifyType.NotifyType_ConnStatus, connectStatus });
  return { type: 'notify', protoId: NOTIFY, message: create(Notify.ResponseSchema, { retType: 0, s2c }) };
}
