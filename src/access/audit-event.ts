import { type Decimal, formatDecimal } from '../contract/decimal.js';
import { withoutKeyTexts } from './key-text.js';

export type AuditInterface = 'rest' | 'ws' | 'mcp' | 'grpc' | 'core-ws' | 'core-tcp' | 'daemon';
export type AuditOutcome = 'allow' | 'reject' | 'trade';

/** What the trail says of an order that went to the backend. */
export interface AuditTrade {
  readonly accId: bigint;
  readonly orderId?: string;
  readonly symbol?: string;
  readonly side?: string;
  readonly qty?: Decimal;
  readonly price?: Decimal;
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
  /** Of a refusal, what says no: "limit.order_value" for a gate. */
  readonly code?: string | undefined;
  readonly requestId: string;
  readonly trade?: AuditTrade | undefined;
}

/**
 * The event as one line of JSON in ASCII, without the line feed and without any key text that a caller wrote into a path or a
 * field. `target` tells it apart in a log that holds other lines as well.
 */
export function auditLine(event: AuditEvent, time: string): string {
  // Assembled by hand, of few parts: this runs for every request, and JSON.stringify takes several times as long.
  const keyId = event.keyId === null ? 'null' : quote(event.keyId);
  const middle = middleOf(event.iface, event.endpoint);
  const code = event.code === undefined ? '' : `,"code":"${event.code}"`;
  const outcome =
    event.reason === '' ? unexplained[event.outcome] : `${explained[event.outcome]}${quote(event.reason)}${code},"request_id":`;
  const line = `{"time":"${time}${middle}${keyId}${outcome}${quote(event.requestId)}`;
  return withoutKeyTexts(event.trade === undefined ? `${line}}` : `${line}${tradeFields(event.trade)}}`);
}

/** Account ids and amounts are JSON numbers, exact to the last digit. */
function tradeFields(trade: AuditTrade): string {
  let fields = `,"acc_id":${trade.accId}`;
  if (trade.orderId !== undefined) fields += `,"order_id":${quote(trade.orderId)}`;
  if (trade.symbol !== undefined) fields += `,"symbol":${quote(trade.symbol)}`;
  if (trade.side !== undefined) fields += `,"side":${quote(trade.side)}`;
  if (trade.qty !== undefined) fields += `,"qty":${formatDecimal(trade.qty)}`;
  if (trade.price !== undefined) fields += `,"price":${formatDecimal(trade.price)}`;
  return fields;
}

const explained = {
  allow: ',"outcome":"allow","reason":',
  reject: ',"outcome":"reject","reason":',
  trade: ',"outcome":"trade","reason":',
} as const satisfies Record<AuditOutcome, string>;
const unexplained = {
  allow: ',"outcome":"allow","reason":"","request_id":',
  reject: ',"outcome":"reject","reason":"","request_id":',
  trade: ',"outcome":"trade","reason":"","request_id":',
} as const satisfies Record<AuditOutcome, string>;

const MIDDLES_MAX = 1_000;
const middles = new Map<string, { readonly iface: AuditInterface; readonly text: string }>();

/** What stands between the time and the key's id: of interfaces and endpoints there are few, so that each is put together once. */
function middleOf(iface: AuditInterface, endpoint: string): string {
  const known = middles.get(endpoint);
  if (known?.iface === iface) return known.text;
  const text = inOnePiece(`","target":"audit","iface":"${iface}","endpoint":${quote(endpoint)},"key_id":`);
  // A caller can make up paths, but not fill the memory with them.
  if (middles.size < MIDDLES_MAX) middles.set(endpoint, { iface, text });
  return text;
}

/** The same ASCII text without the engine's tree of the parts it was made of, which each copy of it would walk again. */
function inOnePiece(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** In ASCII, whatever the text: a file of bytes that need no encoding is cheaper to write, and no reader can mistake it. */
function quote(text: string): string {
  if (text === '') return '""';
  if (PLAIN.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** ISO 8601 UTC texts of moments that mostly lie in one millisecond or second: what the last call can give is kept from it. */
export class IsoTime {
  #now = Number.NaN;
  #text = '';
  #second = Number.NaN;
  #prefix = '';

  format(now: number): string {
    if (now === this.#now) return this.#text;
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#prefix = new Date(second * 1000).toISOString().slice(0, 20);
    }
    const ms = Math.floor(now - second * 1000);
    this.#now = now;
    this.#text = `${this.#prefix}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
    return this.#text;
  }
}
