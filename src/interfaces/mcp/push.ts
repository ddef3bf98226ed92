import type { ServerResponse } from 'node:http';
import { type PushConnection, type PushSink, STALLED_BYTES } from '../../gateway/push/index.js';
import { accountKinds, type ResourceKind, symbolKinds } from './resource-kinds.js';

/** An event as `/ws` frames it, with 64-bit integers as strings: what reads it is a JSON parser that rounds. */
export interface PushFrame {
  readonly type: 'quote' | 'trade' | 'notify';
  readonly symbol?: string;
  readonly sub_type?: number;
  readonly acc_id?: string;
  /** Of the notice of a gap: what events are missing of. */
  readonly about?: { readonly symbols: readonly string[]; readonly acc_ids: readonly string[] };
  readonly [name: string]: unknown;
}

/** What a sink holds that takes nothing now: just enough for events to wait, as it counts against the backlog's bound. */
const NOT_NOW = STALLED_BYTES + 1;

/**
 * Where a client's events go: its stream of server-sent events, while it has one open. In between the hub keeps what a
 * slow reader would get: the newest of each quote, every order and fill. Once it is clear that nobody listens
 * ({@link deafen}) nothing is kept; the numbers of the events then show what is missing.
 */
export class EventSink implements PushSink {
  readonly #deliver: (frame: PushFrame) => void;
  readonly #onClose: (reason: string) => void;
  #connection: PushConnection | undefined;
  #stream: ServerResponse | undefined;
  /** What came before the hub learnt that there is no stream. */
  #early: PushFrame[] = [];
  #deaf = false;

  constructor(deliver: (frame: PushFrame) => void, onClose: (reason: string) => void) {
    this.#deliver = deliver;
    this.#onClose = onClose;
  }

  /** The client's stream, while it is open. */
  get stream(): ServerResponse | undefined {
    return this.#stream;
  }

  get bufferedBytes(): number {
    return this.#stream?.writableLength ?? (this.#deaf ? 0 : NOT_NOW);
  }

  write(frames: Buffer): number {
    if (this.#deaf) return 0;
    for (const line of frames.toString().split('\n')) {
      if (line === '') continue;
      const frame: PushFrame = JSON.parse(line);
      if (this.#stream === undefined) this.#early.push(frame);
      else this.#deliver(frame);
    }
    return this.bufferedBytes;
  }

  close(_code: number, reason: string): void {
    const stream = this.#stream;
    this.#onClose(reason);
    // Ended in order, a connection whose client does not read would keep what it holds for as long as the client likes.
    if (stream !== undefined && stream.writableLength > 0) stream.destroy();
  }

  /** The connection whose events come here. */
  attach(connection: PushConnection): void {
    this.#connection = connection;
  }

  /** Nobody listens: what waits and what comes is dropped until a stream is opened. */
  deafen(): void {
    if (this.#stream !== undefined) return;
    this.#deaf = true;
    this.#early = [];
    this.#connection?.drained();
  }

  /** Drops what came for a key that has been changed since; what the hub keeps it judges by itself. */
  forget(): void {
    this.#early = [];
  }

  /** The client has opened its stream, perhaps again. */
  opened(stream: ServerResponse): void {
    if (stream.destroyed) return;
    this.#stream = stream;
    this.#deaf = false;
    const early = this.#early;
    this.#early = [];
    for (const frame of early) this.#deliver(frame);
    this.#connection?.drained();
    stream.on('drain', () => this.#connection?.drained());
    stream.once('close', () => {
      if (this.#stream === stream) this.#stream = undefined;
    });
  }
}

/** The addresses of the resources that an event has changed, or may have: after a gap nobody knows. */
export function changedBy({ type, symbol, sub_type, acc_id, about }: PushFrame): readonly string[] {
  switch (type) {
    case 'quote':
      return symbolKinds.filter(({ subType }) => subType === sub_type).map(({ prefix }) => `${prefix}${symbol}`);
    case 'trade':
      return accountKinds.map(({ prefix }) => `${prefix}${acc_id}`);
    case 'notify':
      return [...addressesOf(symbolKinds, about?.symbols), ...addressesOf(accountKinds, about?.acc_ids)];
  }
}

/** Each only once: several streams of one security may have been lost. */
function addressesOf(kinds: readonly ResourceKind[], values: readonly string[] = []): string[] {
  return [...new Set(values)].flatMap((value) => kinds.map(({ prefix }) => `${prefix}${value}`));
}
