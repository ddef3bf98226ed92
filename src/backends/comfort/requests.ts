import type { Message } from '@bufbuild/protobuf';
import type { Asked } from '../framed/index.js';

/** What goes first where requests wait for their turn: who gets out before who gets in, and reads last. */
export type Priority = 'cancel' | 'order' | 'read';

/** How long somebody waits. */
export interface Patience {
  /** When the caller stops waiting, in milliseconds of `Clock.monotonic`. */
  readonly deadline: number;
  /** Aborted when nobody waits any more; that of a write never is. */
  readonly signal: AbortSignal;
}

/** What a request is asked of: by its id and, where messages of the id differ in what they cost, by the message itself. */
export interface Request {
  readonly asked: Pick<Asked, 'name' | 'protoId'>;
  /** The operation's `C2S`; undefined where only bytes are known, of an id that nobody declared. */
  readonly c2s: Message | undefined;
}

/** Less than this before its deadline, a request is not worth sending: no answer could come in time. */
export const ANSWER_MS_MIN = 100;

/** Fields of a `C2S` by name: the rules are about fields that only some messages have. */
export function fieldsOf(c2s: Message | undefined): Readonly<Record<string, unknown>> {
  return (c2s ?? {}) as unknown as Readonly<Record<string, unknown>>;
}

/** The account that a trading request is about; undefined for any other. */
export function accountOf(c2s: Message | undefined): bigint | undefined {
  return (fieldsOf(c2s).header as { accID?: bigint } | undefined)?.accID;
}

/** Whole seconds for `Retry-After`. */
export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1000));
}
