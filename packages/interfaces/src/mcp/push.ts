import type { ServerResponse } from 'node:http';
import { type PushConnection, type PushSink, STALLED_BYTES } from '@svc-gateway/gateway/push';
import { accountKinds, type ResourceKind, symbolKinds } from './resource-kinds.js';

/** An event as `/ws` frames it, with 64-bit integers as strings: the client's JSON parser rounds. */
export interface PushFrame {
  readonly type: 'quote' | 'trade' | 'notify';
  readonly symbol?: string;
  readonly sub_type?: number;
  readonly acc_id?: string;
  /** Symbols and accounts that a gap affects. */
  readonly about?: { readonly symbols: readonly string[]; readonly acc_ids: readonly string[] };
  readonly [name: string]: unknown;
}

/** Buffered bytes of a sink without a stream: just enough to make the hub hold events back. */
const NOT_NOW = STALLED_BYTES + 1;

/**
 * Sink of a client's events: its stream of server-sent events, while one is open. In between the hub keeps what a
 * slow reader gets: the newest of each quote, every order and fill. Once it is clear that nobody listens
 * ({@link deafen}) nothing is kept, and the next stream begins with the notice of a gap.
 */
export class EventSink implements PushSink {
  readonly #deliver: (frame: PushFrame) => void;
  readonly #onClose: (reason: string) => void;
  #connection: PushConnection | undefined;
  #stream: ServerResponse | undefined;
  /** Events received before the hub knew that no stream is open. */
  #early: PushFrame[] = [];
  /** Since when nothing is kept, epoch ms. */
  #deafSince: number | undefined;

  constructor(deliver: (frame: PushFrame) => void, onClose: (reason: string) => void) {
    this.#deliver = deliver;
    this.#onClose = onClose;
  }

  /** The client's stream, while it is open. */
  get stream(): ServerResponse | undefined {
    return this.#stream;
  }

  get bufferedBytes(): number {
    return this.#stream?.writableLength ?? (this.#deafSince === undefined ? NOT_NOW : 0);
  }

  write(frames: Buffer): number {
    if (this.#deafSince !== undefined) return 0;
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
    // A graceful end would keep the buffered data for as long as the client does not read.
    if (stream !== undefined && stream.writableLength > 0) stream.destroy();
  }

  /** Sets the source of the events. */
  attach(connection: PushConnection): void {
    this.#connection = connection;
  }

  /** Drops waiting and new events until a stream is opened, as all since this moment (epoch ms). */
  deafen(since: number): void {
    if (this.#stream !== undefined) return;
    this.#deafSince ??= since;
    this.#early = [];
    this.#connection?.drained();
  }

  /** Drops early events of a key that has changed; the hub filters those that it keeps. */
  forget(): void {
    this.#early = [];
  }

  /** Takes the stream that the client has opened. The notice of a gap comes first where events since a moment (epoch ms) were dropped. */
  opened(stream: ServerResponse, missedSince = this.#deafSince): void {
    if (stream.destroyed) return;
    this.#stream = stream;
    this.#deafSince = undefined;
    if (missedSince !== undefined) this.#connection?.missed(missedSince, 'events that came meanwhile are not kept any more');
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

/** Addresses of the resources that an event changes, or may change after a gap. */
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

/** Addresses without duplicates: a gap may affect several streams of one security. */
function addressesOf(kinds: readonly ResourceKind[], values: readonly string[] = []): string[] {
  return [...new Set(values)].flatMap((value) => kinds.map(({ prefix }) => `${prefix}${value}`));
}
