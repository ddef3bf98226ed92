import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** How a call ended, as the client saw it. */
export interface GrpcOutcome {
  /** Name of the status: "OK", "PERMISSION_DENIED"; "OPEN" for a stream that was opened. */
  readonly code: string;
  readonly details: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface CallOutcome extends GrpcOutcome {
  /** The `GatewayResponse` without its body. */
  readonly answer?: { readonly ret_type: number; readonly ret_msg: string; readonly proto_id: number };
  /** The `Response` in its body, by the names of the `.proto`; 64-bit integers as text. */
  // biome-ignore lint/suspicious/noExplicitAny: what reflection found
  readonly message?: Readonly<Record<string, any>>;
  /** Its body as it came, of a call that named no type. */
  readonly body?: Uint8Array;
}

export interface PushedEvent {
  readonly proto_id: number;
  readonly sec_key?: string;
  readonly sub_type?: number;
  readonly event_type: string;
  readonly acc_id?: string;
  readonly body: Uint8Array;
}

export interface CallWish {
  readonly key?: string | undefined;
  readonly protoId: number;
  /** The package of the messages: "Qot_GetBasicQot". */
  readonly type?: string;
  /** The `C2S`. */
  readonly request?: object;
  /** In place of a message: bytes as they are. */
  readonly body?: Uint8Array;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly deadlineMs?: number;
  /** A name by which {@link GrpcClient.cancel} finds the call. */
  readonly cancel?: string;
}

interface Told {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: string;
  readonly stream?: string;
  readonly event?: unknown;
  readonly ended?: GrpcOutcome;
}

const script = join(import.meta.dirname, 'grpc-peer.mjs');

/** The client of grpc-peer.mjs, in a process of its own. */
export class GrpcClient {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  readonly #streams = new Map<string, GrpcStream>();
  #count = 0;

  /** `channel`: options of the library's channel. */
  constructor(url: string, ca?: string, channel: Readonly<Record<string, number>> = {}) {
    const parameters = JSON.stringify({ address: new URL(url).host, ca, channel });
    this.#child = fork(script, [parameters], { serialization: 'advanced' });
    this.#child.on('message', (told: Told) => this.#hear(told));
    this.#child.once('exit', (status) => {
      for (const { reject } of this.#answers.values()) reject(new Error(`the client ended with status ${status}`));
    });
  }

  services(): Promise<string[]> {
    return this.#ask('services', {});
  }

  call(wish: CallWish): Promise<CallOutcome> {
    return this.#ask('call', wish);
  }

  check(service: string): Promise<GrpcOutcome & { answer?: { status: string } }> {
    return this.#ask('check', { service });
  }

  /** The `Response` of an event. */
  // biome-ignore lint/suspicious/noExplicitAny: what reflection found
  decode(type: string, { body }: PushedEvent): Promise<any> {
    return this.#ask('decode', { type, body });
  }

  /** Opens a push stream: see {@link GrpcStream.opened}. */
  async open(wish: { key?: string | undefined; event_types?: string[]; symbols?: string[] } = {}): Promise<GrpcStream<PushedEvent>> {
    const stream = this.#stream<PushedEvent>();
    stream.opened = await this.#ask('open', { stream: stream.name, ...wish });
    return stream;
  }

  async watch(service: string): Promise<GrpcStream<{ status: string }>> {
    const stream = this.#stream<{ status: string }>();
    await this.#ask('watch', { stream: stream.name, service });
    return stream;
  }

  /** Stops, or goes on, reading a stream; ends a stream or a call. */
  act(command: 'pause' | 'resume' | 'cancel', stream: string): Promise<void> {
    return this.#ask(command, { stream });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }

  #stream<T>(): GrpcStream<T> {
    const stream = new GrpcStream<T>(`stream-${++this.#count}`);
    this.#streams.set(stream.name, stream as GrpcStream);
    return stream;
  }

  #ask<T>(command: string, parameters: object): Promise<T> {
    const id = ++this.#count;
    return new Promise<T>((resolve, reject) => {
      this.#answers.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#child.send({ id, command, ...parameters });
    });
  }

  #hear({ id, result, error, stream, event, ended }: Told): void {
    if (id !== undefined) {
      const answer = this.#answers.get(id);
      this.#answers.delete(id);
      if (error === undefined) answer?.resolve(result);
      else answer?.reject(new Error(error));
    }
    if (stream !== undefined) this.#streams.get(stream)?.hear(event, ended);
  }
}

/** A stream and its events so far. */
export class GrpcStream<T = unknown> {
  readonly events: T[] = [];
  opened: GrpcOutcome = { code: 'OPEN', details: '', metadata: {} };
  ended: GrpcOutcome | undefined;
  #wake: () => void = () => undefined;

  constructor(readonly name: string) {}

  hear(event: unknown, ended: GrpcOutcome | undefined): void {
    if (event !== undefined) this.events.push(event as T);
    this.ended ??= ended;
    this.#wake();
  }

  /** The first event that fits, come or to come; throws when the stream ends without one. */
  async next(fits: (event: T) => boolean = () => true): Promise<T> {
    for (;;) {
      const found = this.events.find(fits);
      if (found !== undefined) return found;
      if (this.ended !== undefined) throw new Error(`the stream ended with ${this.ended.code}: ${this.ended.details}`);
      await this.#change();
    }
  }

  async end(): Promise<GrpcOutcome> {
    while (this.ended === undefined) await this.#change();
    return this.ended;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
