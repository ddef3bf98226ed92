import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isJSONRPCResponse, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { type ClientMessage, readClientMessage } from './client-message.js';
import type { Endpoint } from './endpoint.js';
import { GatewayClient } from './gateway-client.js';
import { errorAnswer, GatewayError, INVALID_REQUEST, MESSAGE_BYTES_MAX, type RpcError, SERVER_ERROR, tooLong } from './gateway-error.js';
import { inputLines } from './input-lines.js';
import type { OutputLines } from './output-lines.js';

export interface BridgeOptions {
  readonly endpoint: Endpoint;
  readonly output: OutputLines;
  /** Prints a line for people. */
  readonly explain: (line: string) => void;
}

interface Pending {
  readonly message: ClientMessage;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const PENDING_MAX = 1_024;
const PENDING_BYTES_MAX = 64 * 1024 * 1024;
/** Time for the answers to pending requests after the end of the input. */
const LAST_ANSWERS_MS_MAX = 10_000;

const lost: RpcError = {
  code: SERVER_ERROR,
  message: 'gateway connection lost before the answer: the request may have been carried out',
};

/** Passes JSON-RPC messages between lines and the gateway's HTTP endpoint. */
export class Bridge {
  readonly #client: GatewayClient;
  readonly #pending = new Set<Pending>();
  #pendingBytes = 0;

  constructor(private readonly options: BridgeOptions) {
    const { endpoint, output, explain } = options;
    this.#client = new GatewayClient({ endpoint, explain, drained: () => output.drained(), deliver: (message) => this.#deliver(message) });
  }

  /**
   * Runs until the input ends or `interrupted` is aborted. At the end of the input, pending requests have ten seconds; an
   * interruption ends them at once. Either way the session is ended.
   */
  async run(input: Readable, interrupted: AbortSignal): Promise<void> {
    const stop = () => {
      input.destroy();
      this.#abandon();
    };
    interrupted.addEventListener('abort', stop, { once: true });
    if (interrupted.aborted) stop();
    try {
      for await (const line of inputLines(input, MESSAGE_BYTES_MAX)) {
        if (line.kind === 'line') await this.#take(line.bytes);
        else
          await this.#refuse({
            code: INVALID_REQUEST,
            message: `a message of ${line.length} bytes; at most ${MESSAGE_BYTES_MAX} are accepted`,
          });
      }
      await this.#lastAnswers(interrupted);
    } catch (thrown) {
      if (!interrupted.aborted) throw thrown;
    } finally {
      interrupted.removeEventListener('abort', stop);
      this.#abandon();
      await this.#client.end();
    }
  }

  async #take(bytes: Uint8Array): Promise<void> {
    const read = readClientMessage(bytes);
    if (!read.ok) return this.#refuse(read.error);
    const message = read.value;
    if (message.kind === 'request' || message.kind === 'batch') {
      const answered = this.#track(message, (signal) => this.#answer(message, signal));
      // The messages that follow belong to the session that this one begins.
      if (beginsSession(message)) await answered;
      return;
    }
    if (message.cancels !== undefined && this.#cancel(message.cancels) === 'done') return;
    const accepted = this.#track(message, () => this.#tell(message));
    if (message.method !== 'notifications/initialized') return;
    await accepted;
    this.#client.listen();
  }

  /** Counts an exchange while it runs; refuses it if too many are pending. */
  async #track(message: ClientMessage, exchange: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { length } = message.bytes;
    if (this.#pending.size >= PENDING_MAX || this.#pendingBytes + length > PENDING_BYTES_MAX) {
      const busy = { code: SERVER_ERROR, message: `${this.#pending.size} messages are under way: wait for answers before sending more` };
      if (message.ids.length === 0) this.options.explain(`${message.method ?? 'an answer'} was dropped: ${busy.message}`);
      return this.#answerWith(message.ids, busy);
    }
    const abort = new AbortController();
    this.#pendingBytes += length;
    const done = exchange(abort.signal).finally(() => {
      this.#pendingBytes -= length;
      this.#pending.delete(entry);
    });
    const entry = { message, abort, done };
    this.#pending.add(entry);
    await done;
  }

  /**
   * Cancels a request here. Without sessions, its closed stream tells the gateway: `done`. In a session the gateway needs
   * the notification too: `tell`.
   */
  #cancel(id: string): 'done' | 'tell' {
    let outcome: 'done' | 'tell' = this.#client.sessionless ? 'done' : 'tell';
    for (const { message, abort } of this.#pending) {
      if (message.kind !== 'request' || message.ids[0] !== id) continue;
      abort.abort();
      outcome = message.claim === undefined ? 'tell' : 'done';
    }
    return outcome;
  }

  async #tell(message: ClientMessage): Promise<void> {
    await this.#client.oneWay(message).catch((thrown: Error) => {
      this.options.explain(`${message.method ?? 'an answer to the gateway'} was not accepted: ${thrown.message}`);
    });
  }

  /** Gets each request of the message exactly one answer: the gateway's, or the reason why there is none. */
  async #answer(message: ClientMessage, signal: AbortSignal): Promise<void> {
    const unanswered = new Set(message.ids);
    const deliver = (answer: JSONRPCMessage) => {
      if (signal.aborted) return;
      if (!isJSONRPCResponse(answer)) return this.#deliver(answer);
      const id = JSON.stringify(answer.id ?? null);
      // The one answer to one request carries its id, however the parsers have rounded it.
      const exact = unanswered.size === 1 && message.kind === 'request' ? message.ids[0] : id;
      if (exact !== undefined) unanswered.delete(exact);
      this.#deliver(answer, exact);
    };
    let reason = lost;
    try {
      await (beginsSession(message) ? this.#client.begin(message, signal, deliver) : this.#client.request(message, signal, deliver));
    } catch (thrown) {
      if (thrown instanceof GatewayError) reason = thrown.error;
      else if (!(thrown instanceof DOMException)) throw thrown;
    }
    // Nobody waits for the answer to a cancelled request.
    if (!signal.aborted) await this.#answerWith(unanswered, reason);
  }

  /** Waits for pending requests, but not for streams without an end. */
  async #lastAnswers(interrupted: AbortSignal): Promise<void> {
    for (const { message, abort } of this.#pending) if (message.method === 'subscriptions/listen') abort.abort();
    const answered = new AbortController();
    const signal = AbortSignal.any([answered.signal, interrupted]);
    const enough = delay(LAST_ANSWERS_MS_MAX, undefined, { signal }).catch(() => {});
    await Promise.race([Promise.all([...this.#pending].map(({ done }) => done)), enough]);
    answered.abort();
  }

  #abandon(): void {
    for (const { abort } of this.#pending) abort.abort();
  }

  #deliver(message: JSONRPCMessage, id?: string): void {
    const text = JSON.stringify(message);
    const fits = Buffer.byteLength(text) <= MESSAGE_BYTES_MAX;
    if (fits) void this.options.output.write(text);
    else if (id !== undefined) void this.options.output.write(errorAnswer(id, tooLong));
  }

  async #answerWith(ids: Iterable<string>, reason: RpcError): Promise<void> {
    for (const id of ids) await this.options.output.write(errorAnswer(id, reason));
  }

  #refuse(reason: RpcError): Promise<void> {
    return this.#answerWith(['null'], reason);
  }
}

/** True for the handshake of a revision with sessions. */
function beginsSession({ method, kind, claim }: ClientMessage): boolean {
  return kind === 'request' && method === 'initialize' && claim === undefined;
}
