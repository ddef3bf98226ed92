import { type Decimal, formatDecimal } from '../contract/decimal.js';

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
  readonly requestId: string;
  readonly trade?: AuditTrade | undefined;
}

/** The event as one line of JSON in ASCII, without the line feed. `target` tells it apart in a log that holds other lines as well. */
export function auditLine(event: AuditEvent, time: string): string {
  // Assembled by hand: this runs for every request, and JSON.stringify of the whole takes three times as long.
  const keyId = event.keyId === null ? 'null' : quote(event.keyId);
  const line =
    `{"time":"${time}","target":"audit","iface":"${event.iface}","endpoint":${quoteName(event.endpoint)},"key_id":${keyId},` +
    `"outcome":"${event.outcome}","reason":${quote(event.reason)},"request_id":${quote(event.requestId)}`;
  return event.trade === undefined ? `${line}}` : `${line}${tradeFields(event.trade)}}`;
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

const NAMES_MAX = 1_000;
const quotedNames = new Map<string, string>();

/** For texts of which there are few, so that each is quoted once. */
function quoteName(name: string): string {
  let quoted = quotedNames.get(name);
  if (quoted === undefined) {
    quoted = quote(name);
    // A caller can make up paths, but not fill the memory with them.
    if (quotedNames.size < NAMES_MAX) quotedNames.set(name, quoted);
  }
  return quoted;
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
