import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { backOff } from './back-off.js';
import { type ClientMessage, readClientMessage } from './client-message.js';
import type { Endpoint } from './endpoint.js';
import { discard, MESSAGE_BYTES_MAX, readAnswer, streamStart } from './gateway-answer.js';
import { inputLines } from './input-lines.js';
import { Link } from './link.js';
import type { OutputLines } from './output-lines.js';
import { errorAnswer, INVALID_REQUEST, type RpcError, SERVER_ERROR } from './rpc-error.js';
import type { ServerMessage } from './server-message.js';

export interface BridgeOptions {
  readonly endpoint: Endpoint;
  readonly output: OutputLines;
  /** Tells a person. */
  readonly explain: (line: string) => void;
  readonly random: () => number;
}

interface UnderWay {
  readonly message: ClientMessage;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const MESSAGES_UNDER_WAY_MAX = 1_024;
const BYTES_UNDER_WAY_MAX = 64 * 1024 * 1024;
/** What is under way at the end of the input may still be answered within this. */
const LAST_ANSWERS_MS_MAX = 10_000;
const RESUMPTIONS_MAX = 5;
const HTTP_OK = 200;

/** Passes JSON-RPC messages between lines and the gateway's HTTP endpoint, as they are written. */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #link: Link;
  readonly #underWay = new Set<UnderWay>();
  #bytesUnderWay = 0;

  constructor(options: BridgeOptions) {
    this.#options = options;
    const { endpoint, output, explain, random } = options;
    this.#link = new Link({ endpoint, deliver: (text) => output.write(text), explain, random });
  }

  /**
   * Runs until the input ends or `interrupted` is aborted. At the end of the input, what is under way is finished within
   * ten seconds; an interruption ends it at once. Either way the session is ended.
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
      await this.#link.end();
    }
  }

  async #take(bytes: Uint8Array): Promise<void> {
    const read = readClientMessage(bytes);
    if (!read.ok) return this.#refuse(read.error);
    const message = read.value;
    if (message.kind === 'request' || message.kind === 'batch') {
      const answered = this.#track(message, (signal) => this.#answer(message, signal));
      // What follows belongs to the session that this one begins.
      if (beginsSession(message)) await answered;
      return;
    }
    if (message.cancels !== undefined && this.#cancel(message.cancels) === 'done') return;
    const accepted = this.#track(message, () => this.#tell(message));
    if (message.method !== 'notifications/initialized') return;
    await accepted;
    this.#link.listen();
  }

  /** Runs an exchange and counts it; refuses it where too much is under way. */
  async #track(message: ClientMessage, exchange: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { length } = message.bytes;
    if (this.#underWay.size >= MESSAGES_UNDER_WAY_MAX || this.#bytesUnderWay + length > BYTES_UNDER_WAY_MAX) {
      const busy = { code: SERVER_ERROR, message: `${this.#underWay.size} messages are under way: wait for answers before sending more` };
      if (message.ids.length === 0) this.#options.explain(`${message.method ?? 'an answer'} was dropped: ${busy.message}`);
      return this.#answerWith(message.ids, busy);
    }
    const abort = new AbortController();
    this.#bytesUnderWay += length;
    const done = exchange(abort.signal).finally(() => {
      this.#bytesUnderWay -= length;
      this.#underWay.delete(entry);
    });
    const entry = { message, abort, done };
    this.#underWay.add(entry);
    await done;
  }

  /**
   * Calls a request off here. Without sessions, that is how the gateway learns of it too: `done`. In a session it is to be
   * told as well.
   */
  #cancel(id: string): 'done' | 'tell' {
    let outcome: 'done' | 'tell' = this.#link.sessionless ? 'done' : 'tell';
    for (const { message, abort } of this.#underWay) {
      if (message.kind !== 'request' || message.ids[0] !== id) continue;
      abort.abort();
      outcome = message.claim === undefined ? 'tell' : 'done';
    }
    return outcome;
  }

  async #tell(message: ClientMessage): Promise<void> {
    const refusal = await this.#link.oneWay(message);
    if (refusal !== undefined) this.#options.explain(`${message.method ?? 'an answer to the gateway'} was not accepted: ${refusal}`);
  }

  /** Gets each request of the message exactly one answer: the gateway's, or why there is none. */
  async #answer(message: ClientMessage, signal: AbortSignal): Promise<void> {
    const unanswered = new Set(message.ids);
    const reason = await this.#relay(message, unanswered, signal);
    // Nobody waits for the answer of a request that was called off.
    if (!signal.aborted) await this.#answerWith(unanswered, reason);
  }

  async #relay(message: ClientMessage, unanswered: Set<string>, signal: AbortSignal): Promise<RpcError> {
    const sent = beginsSession(message) ? await this.#link.begin(message, signal) : await this.#link.request(message, signal);
    if (!sent.ok) {
      const what = sent.error.sent ? 'gateway connection lost, the request may have been carried out' : 'gateway connect failed';
      return { code: SERVER_ERROR, message: `${what}: ${sent.error.message}` };
    }
    const deliver = (answer: ServerMessage): Promise<void> => {
      if (signal.aborted) return Promise.resolve();
      if (beginsSession(message)) this.#link.adopt(message, answer, sent.value);
      settle(unanswered, answer);
      return this.#options.output.write(answer.text);
    };
    const position = streamStart();
    let reason = await readAnswer(sent.value, position, deliver);
    for (let failures = 0; unanswered.size > 0 && position.lastEventId !== undefined && failures < RESUMPTIONS_MAX; failures++) {
      await backOff(failures, position.retryMs, this.#options.random, signal);
      if (signal.aborted) break;
      const resumed = await this.#link.resume(position.lastEventId, signal);
      if (!resumed.ok) continue;
      if (resumed.value.statusCode !== HTTP_OK) {
        discard(resumed.value);
        break;
      }
      reason = await readAnswer(resumed.value, position, deliver);
    }
    return reason ?? { code: SERVER_ERROR, message: 'gateway connection lost before the answer: the request may have been carried out' };
  }

  /** Waits for what is under way, but not for streams that have no end. */
  async #lastAnswers(interrupted: AbortSignal): Promise<void> {
    for (const { message, abort } of this.#underWay) if (message.method === 'subscriptions/listen') abort.abort();
    const answered = new AbortController();
    const signal = AbortSignal.any([answered.signal, interrupted]);
    const enough = delay(LAST_ANSWERS_MS_MAX, undefined, { signal }).catch(() => {});
    await Promise.race([Promise.all([...this.#underWay].map(({ done }) => done)), enough]);
    answered.abort();
  }

  #abandon(): void {
    for (const { abort } of this.#underWay) abort.abort();
  }

  async #answerWith(ids: Iterable<string>, reason: RpcError): Promise<void> {
    for (const id of ids) await this.#options.output.write(errorAnswer(id, reason));
  }

  #refuse(reason: RpcError): Promise<void> {
    return this.#answerWith(['null'], reason);
  }
}

/** Whether it is the handshake of a revision with sessions. */
function beginsSession({ method, kind, claim }: ClientMessage): boolean {
  return kind === 'request' && method === 'initialize' && claim === undefined;
}

/** A POST of one request has one answer, whatever its id looks like once it is parsed. */
function settle(unanswered: Set<string>, { answers }: ServerMessage): void {
  if (answers.length > 0 && unanswered.size === 1) unanswered.clear();
  for (const id of answers) unanswered.delete(id);
}
