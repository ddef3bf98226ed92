import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import { shown, shownMessage } from '@svc-gateway/contract/shown';
import { withoutKeyTexts } from './key-text.js';

export type AuditInterface = 'rest' | 'ws' | 'mcp' | 'grpc' | 'core-ws' | 'core-tcp' | 'daemon';
export type AuditOutcome = 'allow' | 'reject' | 'trade';

/** Order that went to the backend, as the trail records it. */
export interface AuditTrade {
  readonly accId: bigint;
  readonly orderId?: string | undefined;
  readonly bracketId?: string | undefined;
  readonly symbol?: string | undefined;
  readonly side?: string | undefined;
  readonly qty?: Decimal | undefined;
  readonly price?: Decimal | undefined;
}

/** One decision about one request. */
export interface AuditEvent {
  readonly iface: AuditInterface;
  /** The path, tool, method or operation that was asked for. */
  readonly endpoint: string;
  /** null for a caller without a key. */
  readonly keyId: string | null;
  readonly outcome: AuditOutcome;
  /** Why, in words; for limits "limit: rate limit exceeded: …". Empty where there is nothing to explain. */
  readonly reason: string;
  /** Code of a refusal: "limit.order_value" for a gate. */
  readonly code?: string | undefined;
  readonly requestId: string;
  readonly trade?: AuditTrade | undefined;
}

/**
 * The line of an event: JSON in ASCII, without a line feed and without any key text that a caller wrote into
 * a path or a field. `target` tells these lines apart in a log that holds others as well.
 *
 * @param time ISO 8601, UTC.
 */
export function auditLine({ iface, endpoint, keyId, outcome, reason, code, requestId, trade }: AuditEvent, time: string): string {
  const key = keyId === null ? 'null' : quoted(keyId);
  const why = reason === '' ? '""' : quoted(shownMessage(withoutKeyTexts(reason)));
  const coded = reason === '' || code === undefined ? '' : `,"code":"${code}"`;
  const traded = trade === undefined ? '' : tradeFields(trade);
  const head = `{"time":"${time}","target":"audit","iface":"${iface}","endpoint":${cleaned(endpoint)},"key_id":${key}`;
  return `${head},"outcome":"${outcome}","reason":${why}${coded},"request_id":${quoted(requestId)}${traded}}`;
}

/** Account ids and amounts are JSON numbers, exact to the last digit. */
function tradeFields({ accId, orderId, bracketId, symbol, side, qty, price }: AuditTrade): string {
  let fields = `,"acc_id":${accId}`;
  if (orderId !== undefined) fields += `,"order_id":${cleaned(orderId)}`;
  if (bracketId !== undefined) fields += `,"bracket_id":${cleaned(bracketId)}`;
  if (symbol !== undefined) fields += `,"symbol":${cleaned(symbol)}`;
  if (side !== undefined) fields += `,"side":${cleaned(side)}`;
  if (qty !== undefined) fields += `,"qty":${formatDecimal(qty)}`;
  if (price !== undefined) fields += `,"price":${formatDecimal(price)}`;
  return fields;
}

function cleaned(text: string): string {
  return quoted(shown(withoutKeyTexts(text)));
}

/** A JSON string in ASCII, whatever the text: one byte a character, and no reader can mistake its encoding. */
function quoted(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
