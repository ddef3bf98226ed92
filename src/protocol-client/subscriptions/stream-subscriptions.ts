import { create, type MessageShape } from '@bufbuild/protobuf';
import { SubType } from '../../contract/generated/Qot_Common_pb.js';
import type { ResponseSchema as SubInfoSchema } from '../../contract/generated/Qot_GetSubInfo_pb.js';
import * as QotRegQotPush from '../../contract/generated/Qot_RegQotPush_pb.js';
import { parseSymbol, symbolOf } from '../../contract/markets.js';
import { quote, subscription } from '../../contract/operations/index.js';
import type { QuoteStream, ResponseMessage, UnsubscribeRefusal } from '../../gateway/backend.js';
import { streamKey } from '../../gateway/push/index.js';
import type { ProtocolOperation, RequestOptions, Upstream } from '../connection/upstream.js';
import { type QuoteStreams, requestsOf } from './quote-streams.js';

const asked = subscription.subscribe;
const askedInfo = subscription.querySubscription;
const registered: ProtocolOperation<typeof QotRegQotPush> = { name: 'register for pushes', protoId: 3002, messages: QotRegQotPush };
const SUCCEEDED = 0;
/** The least time that servers keep a subscription. */
const HELD_MS_MIN = 60_000;

/** The quote streams of one connection: starts and ends them at its server, pushes included. */
export class StreamSubscriptions {
  readonly #upstream: Upstream;
  readonly #running: QuoteStreams;
  readonly #options: () => RequestOptions;
  /** Keys of the streams that the server has said it would deliver. */
  readonly #confirmed = new Set<string>();

  /** @param options of each request. */
  constructor(upstream: Upstream, running: QuoteStreams, options: () => RequestOptions) {
    this.#upstream = upstream;
    this.#running = running;
    this.#options = options;
  }

  /**
   * Starts streams. They run from before they are asked for, so that a first push is not missed; where the server refuses one
   * request, its answer is that of all.
   */
  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const fresh = streams.filter((stream) => !this.#running.has(stream));
    this.#running.begin(fresh);
    let answer = create(asked.messages.ResponseSchema, { retType: SUCCEEDED, s2c: {} }) as ResponseMessage;
    try {
      for (const request of requestsOf(fresh.map((stream) => this.#asRunning(stream)))) {
        const c2s = create(asked.messages.C2SSchema, { ...request, isSubOrUnSub: true, isRegOrUnRegPush: true, isFirstPush: true });
        answer = await this.#upstream.request(asked, c2s, this.#options());
        if (answer.retType !== SUCCEEDED) break;
      }
    } catch (thrown) {
      this.#running.end(fresh);
      throw thrown;
    }
    if (answer.retType !== SUCCEEDED) this.#running.end(fresh);
    else for (const stream of fresh) if (this.#running.has(stream)) this.#confirmed.add(streamKey(stream));
    return answer;
  }

  /** Ends streams: a symbol's data of one type end at the server when no stream of it is left. */
  async unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    this.#end(streams);
    await this.#withoutOrders(streams);
    const used = new Set(this.#running.all.map(unitOf));
    const idle = streams.filter((stream) => !used.has(unitOf(stream)));
    for (const { securityList, subTypeList } of requestsOf(idle)) {
      const c2s = create(asked.messages.C2SSchema, { securityList, subTypeList, isSubOrUnSub: false });
      const { retType, retMsg } = await this.#upstream.request(asked, c2s, this.#options());
      if (retType !== SUCCEEDED) return { streams: idle, message: retMsg, retryAfterMs: HELD_MS_MIN };
    }
    return undefined;
  }

  /**
   * Which of these streams the server refuses, each by itself, though their symbol exists. Those that it does not refuse are as they
   * were afterwards.
   */
  async unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    const symbols = [...new Set(streams.map(({ symbol }) => symbol))].flatMap((symbol) => parseSymbol(symbol) ?? []);
    const securityList = symbols.map(({ market, code }) => ({ market: market.number, code }));
    const { messages } = quote.getStaticInfo;
    // A list with a symbol that does not exist is refused as a whole.
    const known = await this.#upstream.request(quote.getStaticInfo, create(messages.C2SSchema, { securityList }), this.#options());
    if (known.retType !== SUCCEEDED) return [];
    const isRefused = async (stream: QuoteStream) => {
      if (this.#running.has(stream)) return false;
      const { retType } = await this.subscribe([stream]);
      if (retType === SUCCEEDED) await this.unsubscribe([stream]);
      return retType !== SUCCEEDED;
    };
    const refused = await Promise.all(streams.map(isRefused));
    return streams.filter((_, index) => refused[index]);
  }

  /**
   * Subscribes once more to streams that the server says it delivers, and registers for their pushes. Nothing is pushed from its memory,
   * as that would pass for a sign of life; what it refuses was refused before.
   */
  async resubscribe(streams: readonly QuoteStream[]): Promise<void> {
    const { C2SSchema } = registered.messages;
    for (const request of requestsOf(streams.map((stream) => this.#asRunning(stream)))) {
      const { securityList, subTypeList, regPushRehabTypeList: rehabTypeList = [] } = request;
      const c2s = create(asked.messages.C2SSchema, { ...request, isSubOrUnSub: true, isRegOrUnRegPush: true, isFirstPush: false });
      await this.#upstream.request(asked, c2s, this.#options());
      const registration = create(C2SSchema, { securityList, subTypeList, rehabTypeList, isRegOrUnReg: true, isFirstPush: false });
      await this.#upstream.request(registered, registration, this.#options());
    }
  }

  /** Nothing is subscribed to any more. */
  clear(): void {
    this.#running.clear();
    this.#confirmed.clear();
  }

  /** Ends the streams that the server, by its own account, has forgotten, and says which; none where it gives no account. */
  async endForgotten(): Promise<readonly QuoteStream[]> {
    // What is asked for meanwhile may not be in the account.
    const before = this.#confirmedStreams();
    const answer = await this.#upstream.request(askedInfo, create(askedInfo.messages.C2SSchema, { isReqAllConn: false }), this.#options());
    const { s2c } = answer as MessageShape<typeof SubInfoSchema>;
    if (answer.retType !== SUCCEEDED || s2c === undefined) return [];
    const own = s2c.connSubInfoList.filter(({ isOwnConnData }) => isOwnConnData).flatMap(({ subInfoList }) => subInfoList);
    const delivered = new Set(
      own.flatMap(({ subType, securityList }) => securityList.map((security) => unitOf({ symbol: symbolOf(security) ?? '', subType }))),
    );
    const still = new Set(this.#confirmedStreams());
    const forgotten = before.filter((stream) => still.has(stream) && !delivered.has(unitOf(stream)));
    this.#end(forgotten);
    return forgotten;
  }

  /** A server has one subscription to a symbol's book: with the orders behind its levels as long as any stream wants them. */
  #asRunning(stream: QuoteStream): QuoteStream {
    const wantsOrders = ({ symbol, subType, orderDetail }: QuoteStream) =>
      orderDetail === true && symbol === stream.symbol && subType === stream.subType;
    return stream.subType === SubType.SubType_OrderBook && this.#running.all.some(wantsOrders) ? { ...stream, orderDetail: true } : stream;
  }

  /** Books of which these were the last to want the orders, and that others still receive, go on without them. */
  async #withoutOrders(ended: readonly QuoteStream[]): Promise<void> {
    const units = new Set(ended.filter(({ orderDetail }) => orderDetail).map(unitOf));
    if (units.size === 0) return;
    const left = this.#running.all.filter((stream) => units.has(unitOf(stream)) && !stream.orderDetail);
    for (const request of requestsOf(left)) {
      const c2s = create(asked.messages.C2SSchema, { ...request, isSubOrUnSub: true, isRegOrUnRegPush: true, isFirstPush: false });
      // Refused or not, nobody is shown what he did not ask for.
      await this.#upstream.request(asked, c2s, this.#options());
    }
  }

  #confirmedStreams(): readonly QuoteStream[] {
    return this.#running.all.filter((stream) => this.#confirmed.has(streamKey(stream)));
  }

  #end(streams: readonly QuoteStream[]): void {
    this.#running.end(streams);
    for (const stream of streams) this.#confirmed.delete(streamKey(stream));
  }
}

function unitOf({ symbol, subType }: Pick<QuoteStream, 'symbol' | 'subType'>): string {
  return `${symbol} ${subType}`;
}
