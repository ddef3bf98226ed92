import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@svc-gateway/contract/clock';
import { acceptedNumbers, listAccepted, memberNamed, subType } from '@svc-gateway/contract/enums';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { isJsonObject, type JsonObject } from '@svc-gateway/contract/json/value';
import { parseSymbol } from '@svc-gateway/contract/markets';
import { httpStatusOf } from '@svc-gateway/contract/rejection';
import { Command, InvalidArgumentError } from 'commander';
import { WebSocket } from 'ws';
import { judge } from './answer.js';
import { exitStatus } from './exit-status.js';
import { explain } from './http-client.js';
import { layOutJson } from './json-layout.js';
import { addressOf, resolveTarget, type Target, type TargetOptions, withTargetOptions } from './target.js';
import { processTerminal, type Terminal } from './terminal.js';

interface WatchOptions extends TargetOptions {
  readonly types: readonly number[];
  readonly retry?: true;
  readonly pretty?: true;
}

/** End of a connection to the push stream. */
interface Ending {
  readonly status: number;
  /** Reason; undefined if the user asked for the end. */
  readonly message: string | undefined;
  /** True if a new connection may succeed; false if the daemon refused. */
  readonly retryable: boolean;
}

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 30_000;
const HANDSHAKE_MS_MAX = 10_000;
/** Close codes of a refusal: policy (RFC 6455), and the gateway's "key no longer in force". */
const FINAL_CLOSE_CODES: readonly number[] = [1008, 4401];
/** Time for the peer to answer our close. */
const CLOSE_MS_MAX = 1_000;
/** The daemon pings every 30 s: after two missing pings it counts as gone. */
const SILENCE_MS_MAX = 70_000;
const SUBSCRIBE_ID = 1;
const HTTP_OK = 200;
/** Stands for a refusal whose code this version does not know. */
const HTTP_REFUSED = 400;

/** `svcctl watch [symbols...]`: subscribes on a `/ws` connection of its own and prints each frame unchanged, one a line. */
export function watchCommand(terminal: Terminal = processTerminal): Command {
  const command = withTargetOptions(new Command('watch'))
    .description('print live pushes, one JSON frame a line, until Ctrl-C')
    .argument('[symbols...]', 'symbols to subscribe to (MARKET.CODE); if omitted, only existing subscriptions')
    .option('--types <list>', 'data types, by number or name (Basic, OrderBook, Ticker, …)', parseTypes, [1])
    .option('--retry', 'reconnect when the connection is lost')
    .option('--pretty', 'indent the JSON of each frame');
  return command.action(async (symbols: string[], options: WatchOptions) => {
    const bad = symbols.find((symbol) => parseSymbol(symbol) === undefined);
    if (bad !== undefined) {
      return command.error(`error: ${JSON.stringify(bad)} is not MARKET.CODE, such as HK.00700`, { exitCode: exitStatus.usage });
    }
    const target = resolveTarget(options, terminal.env);
    if (!target.ok) return command.error(`error: ${target.error}`, { exitCode: exitStatus.usage });
    const print: Printer = (frame) => {
      terminal.out(`${options.pretty ? layOutJson(frame) : frame}\n`);
      return terminal.drained();
    };
    const subscription = symbols.length === 0 ? undefined : { symbols, subTypes: options.types };
    const { status, message } = await watch(target.value, subscription, print, options.retry === true, terminal);
    if (message !== undefined) return command.error(`error: ${message}`, { exitCode: status });
  });
}

function parseTypes(text: string): number[] {
  const accepted = acceptedNumbers(subType, 'rest');
  return text.split(',').map((item) => {
    const word = item.trim();
    const member = /^\d+$/.test(word) ? accepted.get(Number(word)) : memberNamed(subType, word);
    if (member === undefined) throw new InvalidArgumentError(`${JSON.stringify(word)} is not one of ${listAccepted(subType, 'rest')}.`);
    return member.public;
  });
}

/** Prints a frame. The returned promise must settle before the next one. */
type Printer = (frame: string) => Promise<unknown> | undefined;

interface Subscription {
  readonly symbols: readonly string[];
  readonly subTypes: readonly number[];
}

/** Watches until interrupted or refused; with `retry` also through lost connections, with exponential back-off and full jitter. */
async function watch(
  target: Target,
  subscription: Subscription | undefined,
  print: Printer,
  retry: boolean,
  terminal: Terminal,
): Promise<Ending> {
  const interruption = new AbortController();
  const restore = terminal.onInterrupt(() => interruption.abort());
  try {
    for (let failures = 0; ; failures++) {
      const ending = await connectOnce(target, subscription, interruption.signal, terminal.after, (frame) => {
        failures = 0;
        return print(frame);
      });
      if (!retry || !ending.retryable || interruption.signal.aborted) return ending;
      const wait = Math.round(terminal.random() * Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** failures));
      terminal.explain(`${ending.message}; trying again in ${wait} ms\n`);
      await delay(wait, undefined, { signal: interruption.signal }).catch(() => undefined);
      if (interruption.signal.aborted) return { ...ending, message: undefined };
    }
  } finally {
    restore();
  }
}

function connectOnce(
  target: Target,
  subscription: Subscription | undefined,
  interrupted: AbortSignal,
  after: Clock['after'],
  onFrame: Printer,
): Promise<Ending> {
  return new Promise((resolve) => {
    const socket = openSocket(target);
    let ending: Ending | undefined;
    let endSilence = () => {};
    const end = (status: number, message: string | undefined, retryable = false) => {
      ending ??= { status, message, retryable };
      socket.close();
      setTimeout(() => socket.terminate(), CLOSE_MS_MAX).unref();
    };
    const onInterrupt = () => end(exitStatus.ok, undefined);
    interrupted.addEventListener('abort', onInterrupt, { once: true });
    const heard = () => {
      // A paused socket delivers no pings: the timer stops.
      if (socket.readyState !== WebSocket.OPEN || socket.isPaused) return;
      endSilence();
      endSilence = after(SILENCE_MS_MAX, () => {
        const seconds = SILENCE_MS_MAX / 1000;
        end(exitStatus.unanswered, `nothing from the daemon for ${seconds} s, not even a ping: the connection is given up`, true);
        // A silent peer would not answer a close either.
        socket.terminate();
      });
    };
    // Pauses while stdout is full: the daemon conflates for slow readers, so nothing piles up here.
    const holdWhile = (busy: Promise<unknown> | undefined) => {
      if (busy === undefined) return;
      socket.pause();
      endSilence();
      busy.then(() => {
        socket.resume();
        heard();
      });
    };
    socket.on('ping', heard);
    socket.on('open', () => {
      heard();
      if (interrupted.aborted) return onInterrupt();
      if (subscription === undefined) return;
      const { symbols, subTypes } = subscription;
      socket.send(JSON.stringify({ op: 'subscribe', id: SUBSCRIBE_ID, symbols, sub_types: subTypes }));
    });
    socket.on('message', (data) => {
      heard();
      const text = data.toString();
      const refusal = refusedSubscription(text);
      if (refusal !== undefined) end(refusal.status, `subscription refused: ${refusal.reason}`);
      else holdWhile(onFrame(text));
    });
    socket.on('unexpected-response', (_, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const verdict = judge({ status, body: Buffer.concat(chunks).toString(), retryAfterSeconds: undefined });
        const refused = status >= 400 && status < 500;
        end(refused ? exitStatus.refused : exitStatus.unreachable, verdict.message ?? `no push stream there (HTTP ${status})`, !refused);
      });
    });
    socket.on('error', (error) => end(exitStatus.unreachable, explain(error, target.url), true));
    socket.on('close', (code, reason) => {
      endSilence();
      interrupted.removeEventListener('abort', onInterrupt);
      const final = FINAL_CLOSE_CODES.includes(code);
      const why = reason.length === 0 ? '' : `: ${reason.toString()}`;
      resolve(
        ending ?? {
          status: final ? exitStatus.refused : exitStatus.unanswered,
          message: `the daemon closed the push stream (code ${code}${why})`,
          retryable: !final,
        },
      );
    });
  });
}

function openSocket({ url, apiKey, ca }: Target): WebSocket {
  const address = addressOf(url, '/ws');
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(address, {
    handshakeTimeout: HANDSHAKE_MS_MAX,
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
    ...(ca === undefined ? {} : { ca }),
  });
}

/** Exit status of a refused subscription, as for a call, and its reason; undefined for every other frame. */
function refusedSubscription(text: string): { readonly status: number; readonly reason: string } | undefined {
  // Only acknowledgements are parsed: other frames keep every digit.
  if (!text.startsWith('{"type":"ack"')) return undefined;
  const parsed = parseJson(text);
  const ack = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
  if (ack === undefined || ack.id !== SUBSCRIBE_ID || !isRefusal(ack)) return undefined;
  // Only the gateway's own refusals have an error; they are told by the status that they have over HTTP.
  const httpStatus = typeof ack.error === 'string' ? (httpStatusOf(String(ack.code)) ?? HTTP_REFUSED) : HTTP_OK;
  const { status } = judge({ status: httpStatus, body: text, retryAfterSeconds: undefined });
  return { status, reason: String(ack.error ?? ack.ret_msg ?? 'no reason given') };
}

function isRefusal(ack: JsonObject): boolean {
  return typeof ack.error === 'string' || (ack.ret_type !== undefined && ack.ret_type !== 0);
}
