import { type Decimal, formatDecimal } from '../contract/decimal.js';
import { shown, shownMessage } from '../contract/shown.js';
import { type AsciiBuffer, quote } from './ascii-buffer.js';
import { withoutKeyTexts } from './key-text.js';

export type AuditInterface = 'rest' | 'ws' | 'mcp' | 'grpc' | 'core-ws' | 'core-tcp' | 'daemon';
export type AuditOutcome = 'allow' | 'reject' | 'trade';

/** What the trail says of an order that went to the backend. */
export interface AuditTrade {
  readonly accId: bigint;
  readonly orderId?: string | undefined;
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
  /** Of a refusal, what says no: "limit.order_value" for a gate. */
  readonly code?: string | undefined;
  readonly requestId: string;
  readonly trade?: AuditTrade | undefined;
}

/**
 * Writes events as lines of JSON in ASCII, without the line feed and without any key text that a caller wrote into a path or a
 * field. `target` tells them apart in a log that holds other lines as well.
 */
export class AuditLines {
  readonly #time = new IsoTime();
  /** By interface and endpoint. */
  readonly #heads = new Map<AuditInterface, Map<string, Head>>();
  #headCount = 0;

  /** The line of an event at `now`, epoch ms. Of few parts, most of them ready: this runs for every request. */
  write(event: AuditEvent, now: number, out: AsciiBuffer): void {
    const { outcome, reason, code, keyId, trade } = event;
    out.bytes(this.#head(event.iface, event.endpoint, now));
    if (keyId === null) out.text('null');
    else out.quoted(keyId);
    if (reason === '') out.bytes(unexplained[outcome]);
    else {
      out.bytes(explained[outcome]);
      out.quoted(shownMessage(withoutKeyTexts(reason)));
      if (code !== undefined) out.text(`,"code":"${code}"`);
      out.text(',"request_id":');
    }
    out.quoted(event.requestId);
    if (trade !== undefined) writeTrade(trade, out);
    out.byte(CLOSING_BRACE);
  }

  /** All up to the key's id, which for the requests of one millisecond is mostly the same. */
  #head(iface: AuditInterface, endpoint: string, now: number): Uint8Array {
    const head = this.#heads.get(iface)?.get(endpoint) ?? this.#newHead(iface, endpoint);
    if (head.now !== now) {
      head.now = now;
      head.bytes = Buffer.from(`{"time":"${this.#time.format(now)}${head.text}`, 'latin1');
    }
    return head.bytes;
  }

  #newHead(iface: AuditInterface, endpoint: string): Head {
    const text = `","target":"audit","iface":"${iface}","endpoint":${quote(shown(withoutKeyTexts(endpoint)))},"key_id":`;
    const head = { text, now: Number.NaN, bytes: NOTHING };
    // A caller can make up paths, but not fill the memory with them.
    if (this.#headCount < HEADS_MAX) {
      this.#headCount += 1;
      // A text of its own: a part of a long request would keep the whole of it.
      const name = Buffer.from(endpoint).toString();
      const known = this.#heads.get(iface);
      if (known === undefined) this.#heads.set(iface, new Map([[name, head]]));
      else known.set(name, head);
    }
    return head;
  }
}

/** The beginning of a line. */
interface Head {
  /** After the time. */
  readonly text: string;
  /** The time that stands in `bytes`, epoch ms. */
  now: number;
  bytes: Uint8Array;
}

const HEADS_MAX = 1_000;
const CLOSING_BRACE = 0x7d;
const NOTHING = Buffer.alloc(0);

/** Account ids and amounts are JSON numbers, exact to the last digit. */
function writeTrade({ accId, orderId, symbol, side, qty, price }: AuditTrade, out: AsciiBuffer): void {
  out.text(`,"acc_id":${accId}`);
  if (orderId !== undefined) writeField(',"order_id":', orderId, out);
  if (symbol !== undefined) writeField(',"symbol":', symbol, out);
  if (side !== undefined) writeField(',"side":', side, out);
  if (qty !== undefined) {
    out.text(',"qty":');
    out.text(formatDecimal(qty));
  }
  if (price !== undefined) {
    out.text(',"price":');
    out.text(formatDecimal(price));
  }
}

function writeField(name: string, text: string, out: AsciiBuffer): void {
  out.text(name);
  out.quoted(shown(withoutKeyTexts(text)));
}

const explained = {
  allow: Buffer.from(',"outcome":"allow","reason":'),
  reject: Buffer.from(',"outcome":"reject","reason":'),
  trade: Buffer.from(',"outcome":"trade","reason":'),
} as const satisfies Record<AuditOutcome, Uint8Array>;
const unexplained = {
  allow: Buffer.from(',"outcome":"allow","reason":"","request_id":'),
  reject: Buffer.from(',"outcome":"reject","reason":"","request_id":'),
  trade: Buffer.from(',"outcome":"trade","reason":"","request_id":'),
} as const satisfies Record<AuditOutcome, Uint8Array>;

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
