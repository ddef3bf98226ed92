import { Backoff } from './backoff.js';
import { type Fields, fieldsOf, type Json, numberOf, textOf } from './json.js';

/** Where the push stream stands. */
export type StreamState =
  | { readonly kind: 'off' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** `until`: when the next try is due, by the clock given. */
  | { readonly kind: 'waiting'; readonly until: number; readonly why: string }
  /** The daemon ended it because of the key, and does not take it back by itself. */
  | { readonly kind: 'refused'; readonly why: string };

/** An open or opening connection. */
export interface Socket {
  send(text: string): void;
  close(): void;
}

/** Events of a connection; none follows `close`. */
export interface SocketEvents {
  readonly onOpen: () => void;
  readonly onMessage: (data: unknown) => void;
  readonly onClose: (code: number, reason: string) => void;
}

/** Time and sockets, so that tests can give their own. */
export interface StreamMeans {
  readonly open: (events: SocketEvents) => Socket;
  readonly now: () => number;
  readonly random: () => number;
  /** Calls back once after this many milliseconds; returns what takes that back. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

export interface StreamEvents {
  readonly onState: (state: StreamState) => void;
  readonly onFrame: (frame: Fields) => void;
  /** A subscription was refused, in the daemon's words. */
  readonly onRefused: (symbol: string, words: string) => void;
  /** Frames were lost between two of them: `seq` jumped. */
  readonly onGap: () => void;
}

/** Sub_types 1 and 2: the basic quote and the order book, for bid and ask. */
const SUB_TYPES = [1, 2];
/** The daemon answers a ping at once: silence for longer than this after one is a dead connection. */
const PING_MS = 10_000;
const SILENCE_MS = 8_000;
/** A handshake takes a moment, over a slow network a few. */
const OPEN_MS_MAX = 10_000;
/** A connection that has lived this long was a good one. */
const GOOD_MS = 10_000;
/** The daemon's close code for a key that was revoked, expired or narrowed. */
const KEY_ENDED = 4401;

/**
 * The push stream `/ws`: connects again with back-off, subscribes again to what is wanted, and takes a connection that has fallen
 * silent for dead rather than trusting it.
 */
export class Stream {
  #state: StreamState = { kind: 'off' };
  #socket: Socket | undefined;
  readonly #wanted = new Set<string>();
  readonly #asked = new Map<string, string>();
  readonly #backoff: Backoff;
  #commands = 0;
  #tries = 0;
  #lastSeq: number | undefined;
  #heardAt = 0;
  #cancels: (() => void)[] = [];

  constructor(
    readonly means: StreamMeans,
    readonly events: StreamEvents,
  ) {
    this.#backoff = new Backoff(means.random);
  }

  get state(): StreamState {
    return this.#state;
  }

  /** When anything came last, by the clock given; 0 before anything did. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Connects now, also where the next try would be later. */
  start(): void {
    if (this.#state.kind === 'live' || this.#state.kind === 'connecting') return;
    this.#connect();
  }

  /** Closes the connection, and with it what is subscribed. */
  stop(): void {
    this.#drop();
    this.#become({ kind: 'off' });
  }

  /** Follows a symbol from now on, over every connection. */
  subscribe(symbol: string): void {
    if (this.#wanted.has(symbol)) return;
    this.#wanted.add(symbol);
    if (this.#state.kind === 'live') this.#command('subscribe', symbol);
  }

  unsubscribe(symbol: string): void {
    if (this.#wanted.delete(symbol) && this.#state.kind === 'live') this.#command('unsubscribe', symbol);
  }

  #connect(): void {
    this.#drop();
    this.#become({ kind: 'connecting' });
    const tries = this.#tries;
    // Events of a connection that was given up are ignored.
    const ifCurrent =
      <T extends unknown[]>(handle: (...told: T) => void) =>
      (...told: T) => {
        if (tries === this.#tries) handle(...told);
      };
    this.#socket = this.means.open({
      onOpen: ifCurrent(() => this.#opened()),
      onMessage: ifCurrent((data: unknown) => this.#message(data)),
      onClose: ifCurrent((code: number, reason: string) => this.#closed(code, reason)),
    });
    this.#later(OPEN_MS_MAX, () => this.#lost('no answer from the daemon'));
  }

  #opened(): void {
    this.#cancelAll();
    this.#hear();
    this.#lastSeq = undefined;
    this.#become({ kind: 'live' });
    for (const symbol of this.#wanted) this.#command('subscribe', symbol);
    this.#later(GOOD_MS, () => this.#backoff.reset());
    this.#beat();
  }

  #closed(code: number, reason: string): void {
    if (code !== KEY_ENDED) {
      this.#lost(reason === '' ? 'the connection was lost' : reason);
      return;
    }
    this.#drop();
    this.#become({ kind: 'refused', why: reason === '' ? 'the key is no longer accepted' : reason });
  }

  #message(data: unknown): void {
    this.#hear();
    if (typeof data !== 'string') return;
    const frame = fieldsOf(JSON.parse(data) as Json);
    if (frame.type === 'ack') {
      this.#acknowledged(frame);
      return;
    }
    const seq = numberOf(frame.seq);
    if (seq !== undefined && this.#lastSeq !== undefined && seq !== this.#lastSeq + 1) this.events.onGap();
    this.#lastSeq = seq;
    this.events.onFrame(frame);
  }

  #acknowledged(frame: Fields): void {
    const id = textOf(frame.id);
    const symbol = this.#asked.get(id);
    this.#asked.delete(id);
    if (symbol !== undefined && frame.ret_type !== 0 && this.#wanted.has(symbol)) this.events.onRefused(symbol, textOf(frame.ret_msg));
  }

  #command(op: 'subscribe' | 'unsubscribe', symbol: string): void {
    this.#commands += 1;
    if (op === 'subscribe') this.#asked.set(String(this.#commands), symbol);
    this.#send({ op, id: this.#commands, symbols: [symbol], sub_types: SUB_TYPES });
  }

  /** Asks for a sign of life, time and again; whatever is heard is one. */
  #beat(): void {
    this.#later(PING_MS, () => {
      const askedAt = this.means.now();
      this.#commands += 1;
      this.#send({ op: 'ping', id: this.#commands });
      this.#later(SILENCE_MS, () => {
        if (this.#heardAt < askedAt) this.#lost('the stream fell silent');
      });
      this.#beat();
    });
  }

  #send(command: Json): void {
    this.#socket?.send(JSON.stringify(command));
  }

  #hear(): void {
    this.#heardAt = this.means.now();
  }

  #lost(why: string): void {
    this.#drop();
    const pause = this.#backoff.next();
    this.#become({ kind: 'waiting', until: this.means.now() + pause, why });
    this.#later(pause, () => this.#connect());
  }

  /** Ends the connection without a word to anybody, and every timer. */
  #drop(): void {
    this.#cancelAll();
    this.#asked.clear();
    const socket = this.#socket;
    this.#socket = undefined;
    this.#tries += 1;
    socket?.close();
  }

  #later(milliseconds: number, callback: () => void): void {
    this.#cancels.push(this.means.after(milliseconds, callback));
  }

  #cancelAll(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #become(state: StreamState): void {
    this.#state = state;
    this.events.onState(state);
  }
}
