import type { Message } from '@bufbuild/protobuf';
import type { ProtocolOperation } from '../connection/upstream.js';

/** A request as frequency limits see it: its id and, where messages of the id differ in their cost, the message. */
export interface Request {
  readonly asked: Pick<ProtocolOperation, 'name' | 'protoId'>;
  /** The operation's `C2S`; undefined where only bytes are known, of an id that nobody declared. */
  readonly c2s: Message | undefined;
}

/** Fields of a `C2S` by name: the rules are about fields that only some messages have. */
export function fieldsOf(c2s: Message | undefined): Readonly<Record<string, unknown>> {
  return (c2s ?? {}) as unknown as Readonly<Record<string, unknown>>;
}

/** Fields that name a market, or what is in one. */
const MARKET_FIELDS = ['security', 'securityList', 'owner', 'plate', 'market'] as const;

/** Markets or account of a request: a server may be silent for one of them, and answer for others. */
export function scopeOf(c2s: Message | undefined): string {
  const fields = fieldsOf(c2s);
  const { header } = fields as { readonly header?: { readonly accID: bigint } };
  const markets = MARKET_FIELDS.flatMap((name) => marketsIn(fields[name]));
  return [...new Set(markets)].sort((a, b) => a - b).join() || String(header?.accID ?? '');
}

function marketsIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.flatMap(marketsIn);
  return typeof value === 'object' && value !== null ? marketsIn((value as { readonly market?: unknown }).market) : [];
}
