import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { BasicQotSchema, type Security, SubType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type * as QotGetBasicQot from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import { parseSymbol, secKeyOf, symbolOf } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { quote } from '@svc-gateway/contract/operations';
import {
  type Backend,
  BackendLost,
  type BackendStatus,
  BackendUnsent,
  type CallContext,
  type LifecycleSnapshot,
  type LifecycleState,
  type PushEvent,
  type QuotePush,
  type QuoteStream,
  type ResponseMessage,
  type StreamsListener,
} from '@svc-gateway/gateway';

/** The source of prices. A real one holds a socket and rejects pending requests when the socket closes. */
export interface Feed {
  connect(): Promise<void>;
  close(): void;
  price(symbol: string, signal: AbortSignal): Promise<number | undefined>;
  watch(symbols: readonly string[]): Promise<void>;
  unwatch(symbols: readonly string[]): Promise<void>;
  onPrice(listener: (symbol: string, price: number) => void): void;
  onDrop(listener: (reason: string) => void): void;
}

const EVERYTHING = { streams: 'all', accIds: [] } as const;

/** Quotes of one feed, without trading: the smallest backend that keeps every promise of the port. */
export class FeedBackend implements Backend {
  readonly name = 'remote';
  readonly simulated = false;
  // This feed takes no orders. A backend that cannot find orders by packet id says false too.
  readonly replaysWrites = false;
  #platform: LifecycleSnapshot = {
    lifecycleState: 'idle',
    lifecycleGeneration: 0,
    reconnectAttempts: 0,
    reconnectSuccesses: 0,
    reconnectFailures: 0,
  };
  #heardAt: number;
  readonly #prices = new Map<string, number>();
  readonly #watched = new Map<string, QuoteStream>();
  readonly #pushListeners = new Set<(event: PushEvent) => void>();
  readonly #lifecycleListeners = new Set<(status: BackendStatus) => void>();
  readonly #streamsListeners = new Set<StreamsListener>();

  constructor(
    private readonly feed: Feed,
    private readonly clock: Clock,
  ) {
    this.#heardAt = clock.now();
    feed.onPrice((symbol, price) => this.#priced(symbol, price));
    feed.onDrop((reason) => void this.#dropped(reason));
  }

  async start(): Promise<void> {
    this.#enter('connecting', 'start');
    await this.feed.connect();
    this.#enter('ready', 'connected');
  }

  async stop(): Promise<void> {
    this.#enter('stopped', 'stop');
    this.feed.close();
  }

  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    if (operation !== quote.getQuote) return refuse(operation, `${operation.name} is not served by this backend`);
    if (this.#platform.lifecycleState !== 'ready') throw new BackendUnsent('the feed is not connected');
    const { securityList } = request as QotGetBasicQot.C2S;
    const known = securityList.map((security) => this.#prices.get(symbolOf(security) ?? ''));
    // Known prices are returned in the same turn. The rest is asked for, and dropped when nobody waits.
    if (known.every((price) => price !== undefined)) return quotes(operation, securityList, known);
    return this.#ask(operation, securityList, context);
  }

  async #ask(operation: Operation, securities: readonly Security[], { signal }: CallContext): Promise<ResponseMessage> {
    try {
      const prices = await Promise.all(securities.map((security) => this.feed.price(symbolOf(security) ?? '', signal)));
      const missing = prices.indexOf(undefined);
      return missing === -1 ? quotes(operation, securities, prices) : refuse(operation, `unknown code ${securities[missing]?.code}`);
    } catch (thrown) {
      throw new BackendLost(`the feed did not answer: ${thrown}`);
    }
  }

  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const unserved = streams.find(({ subType }) => subType !== SubType.SubType_Basic);
    if (unserved !== undefined) return create(QotSub.ResponseSchema, { retType: -1, retMsg: `${unserved.symbol} has quotes only` });
    await this.feed.watch(streams.map(({ symbol }) => symbol));
    for (const stream of streams) this.#watched.set(stream.symbol, stream);
    return create(QotSub.ResponseSchema, { retType: 0 });
  }

  async unsubscribe(streams: readonly QuoteStream[]): Promise<undefined> {
    for (const { symbol } of streams) this.#watched.delete(symbol);
    await this.feed.unwatch(streams.map(({ symbol }) => symbol));
  }

  current(stream: QuoteStream): QuotePush | undefined {
    const price = this.#prices.get(stream.symbol);
    return price === undefined ? undefined : pushOf(stream, price);
  }

  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    const none = accIds.length === 0;
    return create(TrdSubAccPush.ResponseSchema, none ? { retType: 0 } : { retType: -1, retMsg: 'this backend has no accounts' });
  }

  tradingTerms(): undefined {
    return undefined;
  }

  exchangeRate(): undefined {
    return undefined;
  }

  notices(): [] {
    return [];
  }

  readiness(): LifecycleSnapshot | undefined {
    return this.#platform.lifecycleState === 'ready' ? undefined : this.#platform;
  }

  status(): BackendStatus {
    return { platform: this.#platform, brokers: [] };
  }

  onPush(listener: (event: PushEvent) => void): () => void {
    this.#pushListeners.add(listener);
    return () => this.#pushListeners.delete(listener);
  }

  onStreams(listener: StreamsListener): () => void {
    this.#streamsListeners.add(listener);
    return () => this.#streamsListeners.delete(listener);
  }

  onLifecycle(listener: (status: BackendStatus) => void): () => void {
    this.#lifecycleListeners.add(listener);
    return () => this.#lifecycleListeners.delete(listener);
  }

  async refreshCredentials(): Promise<'not_applicable'> {
    return 'not_applicable';
  }

  /** Report the loss, reconnect, restore the streams, and only then become ready. */
  async #dropped(reason: string): Promise<void> {
    this.#enter('reconnecting', reason);
    this.#prices.clear();
    this.#watched.clear();
    for (const listener of this.#streamsListeners) listener.lost({ ...EVERYTHING, from: this.#heardAt, reason });
    // A real backend waits between attempts, longer each time.
    this.#enter('connecting', 'retrying');
    await this.feed.connect();
    this.#enter('authenticating', 'connected');
    for (const listener of this.#streamsListeners) await listener.restore(EVERYTHING);
    this.#enter('ready', 'streams are restored');
  }

  #priced(symbol: string, price: number): void {
    this.#heardAt = this.clock.now();
    this.#prices.set(symbol, price);
    const stream = this.#watched.get(symbol);
    if (stream !== undefined) for (const listener of this.#pushListeners) listener(pushOf(stream, price));
  }

  #enter(lifecycleState: LifecycleState, lastLifecycleEvent: string): void {
    const lifecycleGeneration = this.#platform.lifecycleGeneration + (lifecycleState === 'connecting' ? 1 : 0);
    this.#platform = { ...this.#platform, lifecycleState, lifecycleGeneration, lastLifecycleEvent };
    for (const listener of this.#lifecycleListeners) listener(this.status());
  }
}

function refuse({ messages }: Operation, retMsg: string): ResponseMessage {
  return create(messages.ResponseSchema, { retType: -1, retMsg } as Record<string, unknown>) as ResponseMessage;
}

function quotes({ messages }: Operation, securities: readonly Security[], prices: readonly (number | undefined)[]): ResponseMessage {
  const basicQotList = securities.map((security, index) => basicQot(security, prices[index] ?? 0));
  return create(messages.ResponseSchema, {
    retType: 0,
    s2c: create(messages.S2CSchema, { basicQotList } as Record<string, unknown>),
  } as Record<string, unknown>) as ResponseMessage;
}

function pushOf(stream: QuoteStream, price: number): QuotePush {
  const { market, code } = parseSymbol(stream.symbol) ?? { market: { number: 0 }, code: '' };
  const security = { market: market.number, code } as Security;
  const message = create(QotUpdateBasicQot.ResponseSchema, { retType: 0, s2c: { basicQotList: [basicQot(security, price)] } });
  return { type: 'quote', protoId: 3005, stream, secKey: secKeyOf(security), message };
}

function basicQot(security: Security, price: number) {
  const prices = { curPrice: price, openPrice: price, highPrice: price, lowPrice: price, lastClosePrice: price, priceSpread: 0 };
  const rest = { isSuspended: false, listTime: '', updateTime: '', volume: 0n, turnover: 0, turnoverRate: 0, amplitude: 0 };
  return create(BasicQotSchema, { security, ...prices, ...rest });
}
