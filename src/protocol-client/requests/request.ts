import type { Message } from '@bufbuild/protobuf';
import type { ProtocolOperation } from '../connection/upstream.js';

/** What goes first where requests wait for their turn: who gets out before who gets in, and reads last. */
export type Priority = 'cancel' | 'order' | 'read';

/** How long somebody waits. */
export interface Deadline {
  /** When the caller stops waiting, in milliseconds of `Clock.monotonic`. */
  readonly deadline: number;
  /** Aborted when nobody waits any more; that of a write never is. */
  readonly signal: AbortSignal;
  /** Time for the server to answer once it has been asked, in milliseconds. */
  readonly answerMs?: number | undefined;
}

/** What a request is asked of: by its id and, where messages of the id differ in what they cost, by the message itself. */
export interface Request {
  readonly asked: Pick<ProtocolOperation, 'name' | 'protoId'>;
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

/** Fields that name a market, or what is in one. */
const MARKET_FIELDS = ['security', 'securityList', 'owner', 'plate', 'market'] as const;

/** Whom a request is about: a server may be silent for one market or account, and answer for others. */
export function scopeOf(c2s: Message | undefined): string {
  const fields = fieldsOf(c2s);
  const markets = MARKET_FIELDS.flatMap((name) => marketsIn(fields[name]));
  return [...new Set(markets)].sort((a, b) => a - b).join() || String(accountOf(c2s) ?? '');
}

function marketsIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(marketsIn);
  return typeof value === 'object' && value !== null ? marketsIn((value as { readonly market?: unknown }).market) : [];
}

/** Whole seconds for `Retry-After`. */
export function secondsUntil(time: number, now: number): number {
  return Math.max(1, Math.ceil((time - now) / 1000));
}
