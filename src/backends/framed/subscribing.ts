import { create } from '@bufbuild/protobuf';
import { parseSymbol } from '../../contract/markets.js';
import { quote, subscription } from '../../contract/operations/index.js';
import type { QuoteStream, ResponseMessage, UnsubscribeRefusal } from '../../gateway/backend.js';
import { type QuoteStreams, requestsOf } from './quote-streams.js';
import type { AskOptions, Upstream } from './upstream.js';

const asked = subscription.subscribe;
const SUCCEEDED = 0;
/** The least time that servers keep a subscription. */
const HELD_MS_MIN = 60_000;

/**
 * Starts streams at a server, pushes included. They run from before they are asked for, so that a first push is not missed; where
 * the server refuses one request, its answer is that of all, and earlier ones go on.
 */
export async function subscribeAt(
  upstream: Upstream,
  running: QuoteStreams,
  streams: readonly QuoteStream[],
  options: () => AskOptions,
): Promise<ResponseMessage> {
  const fresh = streams.filter((stream) => !running.has(stream));
  running.begin(fresh);
  let answer = create(asked.messages.ResponseSchema, { retType: SUCCEEDED, s2c: {} }) as ResponseMessage;
  try {
    for (const request of requestsOf(fresh)) {
      const c2s = create(asked.messages.C2SSchema, { ...request, isSubOrUnSub: true, isRegOrUnRegPush: true, isFirstPush: true });
      answer = await upstream.request(asked, c2s, options());
      if (answer.retType !== SUCCEEDED) break;
    }
  } catch (thrown) {
    running.end(fresh);
    throw thrown;
  }
  if (answer.retType !== SUCCEEDED) running.end(fresh);
  return answer;
}

/**
 * Which of these streams a server refuses, each by itself, though their symbol exists. Those that it does not refuse are as they
 * were afterwards.
 */
export async function unservedAt(
  upstream: Upstream,
  running: QuoteStreams,
  streams: readonly QuoteStream[],
  options: () => AskOptions,
): Promise<readonly QuoteStream[]> {
  const refused: QuoteStream[] = [];
  const probe = async (stream: QuoteStream) => {
    if (running.has(stream)) return;
    const { retType } = await subscribeAt(upstream, running, [stream], options);
    if (retType !== SUCCEEDED) refused.push(stream);
    else await unsubscribeAt(upstream, running, [stream], options);
  };
  for (const stream of streams) await probe(stream);
  if (refused.length === 0) return [];
  const symbols = [...new Set(refused.map(({ symbol }) => symbol))].flatMap((symbol) => parseSymbol(symbol) ?? []);
  const securityList = symbols.map(({ market, code }) => ({ market: market.number, code }));
  const { messages } = quote.getStaticInfo;
  // A list with a symbol that does not exist is refused as a whole.
  const answer = await upstream.request(quote.getStaticInfo, create(messages.C2SSchema, { securityList }), options());
  return answer.retType === SUCCEEDED ? refused : [];
}

/** Ends streams at a server: a symbol's data of one type ends when no stream of it is left. */
export async function unsubscribeAt(
  upstream: Upstream,
  running: QuoteStreams,
  streams: readonly QuoteStream[],
  options: () => AskOptions,
): Promise<UnsubscribeRefusal | undefined> {
  running.end(streams);
  const used = new Set(running.all.map(unitOf));
  const idle = streams.filter((stream) => !used.has(unitOf(stream)));
  for (const { securityList, subTypeList } of requestsOf(idle)) {
    const c2s = create(asked.messages.C2SSchema, { securityList, subTypeList, isSubOrUnSub: false });
    const { retType, retMsg } = await upstream.request(asked, c2s, options());
    if (retType !== SUCCEEDED) return { streams: idle, message: retMsg, retryAfterMs: HELD_MS_MIN };
  }
  return undefined;
}

function unitOf({ symbol, subType }: QuoteStream): string {
  return `${symbol} ${subType}`;
}
