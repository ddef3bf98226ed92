import { create, type Message } from '@bufbuild/protobuf';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import type {
  BackendStatus,
  BrokerSnapshot,
  CallContext,
  LifecycleSnapshot,
  LifecycleState,
  PushEvent,
  QuotePush,
  QuoteStream,
  ResponseMessage,
  StreamScope,
  StreamsListener,
  UnsubscribeRefusal,
} from '@svc-gateway/gateway';
import { HK_MARGIN, US_MARGIN } from './accounts.js';
import { ScriptedBackend, succeed } from './gateway.js';

/** A call that waits for its answer. */
export interface PendingCall {
  readonly operation: string;
  readonly request: Message;
  readonly context: CallContext;
  /** Answers it; with a success by default. */
  readonly answer: (response?: ResponseMessage) => void;
  readonly fail: (failure: Error) => void;
}

const nothing: QuoteStream = { symbol: '', subType: 0, rehabType: 0, extendedTime: false };
const HK_BROKER = 1001;
const US_BROKER = 1007;
const brokerOf = new Map<bigint, number>([
  [BigInt(HK_MARGIN), HK_BROKER],
  [BigInt(US_MARGIN), US_BROKER],
]);

/** A remote backend with a platform and two brokers, as far as the gateway sees of it: it stalls, drops and refuses as a test says. */
export class FaultyBackend extends ScriptedBackend {
  override readonly name = 'opend';
  override simulated = false;
  override replaysWrites = false;
  /** Operations whose calls wait in {@link pending}. */
  readonly stalled = new Set<string>();
  readonly pending: PendingCall[] = [];
  readonly subscribed = new Set<string>();
  readonly asked: string[] = [];
  accounts: readonly bigint[] = [];
  /** Accounts whose pushes are refused. */
  readonly refusedAccounts = new Set<bigint>();
  /** Streams that cannot be subscribed to, and why not. */
  readonly unavailable = new Map<string, string>();
  /** Streams that it does not release. */
  keep: (streams: readonly QuoteStream[]) => UnsubscribeRefusal | undefined = () => undefined;
  /** Changes of subscriptions are taken and never answered, against the port's word. */
  silent = false;
  /** Current pushes of streams, by "HK.00700 1". */
  readonly currents = new Map<string, QuotePush>();
  readonly #states = new Map<number | 'platform', { state: LifecycleState; event?: string }>();
  readonly #lifecycleListeners = new Set<(status: BackendStatus) => void>();
  readonly #pushListeners = new Set<(event: PushEvent) => void>();
  readonly #waiting: { readonly what: () => boolean; readonly resolve: () => void }[] = [];
  #streams: StreamsListener | undefined;

  override call(operation: Operation, request: Message, context?: CallContext): ResponseMessage | Promise<ResponseMessage> {
    if (!this.stalled.has(operation.name) || context === undefined) return super.call(operation, request);
    this.calls.push({ operation: operation.name, request });
    return new Promise((resolve, reject) => {
      const answer = (response = succeed(operation, request)) => resolve(response);
      this.pending.push({ operation: operation.name, request, context, answer, fail: reject });
      this.#look();
    });
  }

  /** The call of this number that has come to wait. */
  async waiting(number = 0): Promise<PendingCall> {
    await this.when(() => this.pending.length > number);
    const call = this.pending[number];
    if (call === undefined) throw new Error('no such call');
    return call;
  }

  /** Resolves when `what` is so; looked at when something is asked of the backend. */
  async when(what: () => boolean): Promise<void> {
    if (!what()) await new Promise<void>((resolve) => this.#waiting.push({ what, resolve }));
  }

  /** Moves one connection's lifecycle. */
  connection(which: number | 'platform', state: LifecycleState, event?: string): void {
    this.#states.set(which, { state, ...(event === undefined ? {} : { event }) });
    for (const listener of this.#lifecycleListeners) listener(this.status());
  }

  /** Pushes stop. */
  lose(scope: StreamScope, from: number, reason: string): void {
    this.subscribed.clear();
    this.#streams?.lost({ ...scope, from, reason });
  }

  /** The connection is back: resolves when the gateway has restored what it wants. */
  async restore(scope: StreamScope): Promise<void> {
    await this.#streams?.restore(scope);
  }

  push(event: PushEvent): void {
    for (const listener of this.#pushListeners) listener(event);
  }

  override status(): BackendStatus {
    const broker = (brokerId: number, name: string): BrokerSnapshot => ({ brokerId, name, ...this.#snapshot(brokerId) });
    return { platform: this.#snapshot('platform'), brokers: [broker(HK_BROKER, 'HK Securities'), broker(US_BROKER, 'US Securities')] };
  }

  override readiness({ group }: Operation, request: Message): LifecycleSnapshot | undefined {
    const { platform, brokers } = this.status();
    const { header, accIDList } = request as { header?: { accID: bigint }; accIDList?: bigint[] };
    const named = header === undefined ? (accIDList ?? []) : [header.accID];
    const needed =
      group === 'trade' || named.length > 0
        ? brokers.filter(({ brokerId }) => named.some((id) => brokerOf.get(id) === brokerId))
        : [platform];
    return needed.find(({ lifecycleState }) => lifecycleState !== 'ready');
  }

  override onLifecycle(listener: (status: BackendStatus) => void): () => void {
    this.#lifecycleListeners.add(listener);
    return () => this.#lifecycleListeners.delete(listener);
  }

  override onStreams(listener: StreamsListener): () => void {
    this.#streams = listener;
    return () => undefined;
  }

  override onPush(listener: (event: PushEvent) => void): () => void {
    this.#pushListeners.add(listener);
    return () => this.#pushListeners.delete(listener);
  }

  override async subscribe(streams: readonly QuoteStream[] = []): Promise<ResponseMessage> {
    this.asked.push(`+${streams.map(({ symbol }) => symbol).join()}`);
    if (this.silent) return this.#never();
    const refused = streams.map(({ symbol }) => this.unavailable.get(symbol)).find((reason) => reason !== undefined);
    if (refused === undefined) for (const { symbol } of streams) this.subscribed.add(symbol);
    this.#look();
    return create(QotSub.ResponseSchema, refused === undefined ? { retType: 0 } : { retType: -1, retMsg: refused }) as ResponseMessage;
  }

  override current({ symbol, subType }: QuoteStream = nothing): QuotePush | undefined {
    return this.currents.get(`${symbol} ${subType}`);
  }

  override async unsubscribe(streams: readonly QuoteStream[] = []): Promise<UnsubscribeRefusal | undefined> {
    this.asked.push(`-${streams.map(({ symbol }) => symbol).join()}`);
    if (this.silent) return this.#never();
    const kept = this.keep(streams);
    for (const stream of streams) if (!kept?.streams.includes(stream)) this.subscribed.delete(stream.symbol);
    this.#look();
    return kept;
  }

  override async subscribeAccounts(accIds: readonly bigint[] = []): Promise<ResponseMessage> {
    this.asked.push(`accounts ${accIds.join()}`);
    if (this.silent) return this.#never();
    if (accIds.some((accId) => this.refusedAccounts.has(accId))) {
      return create(TrdSubAccPush.ResponseSchema, { retType: -1, retMsg: 'account closed' }) as ResponseMessage;
    }
    this.accounts = accIds;
    return create(TrdSubAccPush.ResponseSchema, { retType: 0 }) as ResponseMessage;
  }

  #snapshot(which: number | 'platform'): LifecycleSnapshot {
    const { state = 'ready', event } = this.#states.get(which) ?? {};
    const figures = { lifecycleGeneration: 1, reconnectAttempts: 0, reconnectSuccesses: 0, reconnectFailures: 0 };
    return { lifecycleState: state, ...figures, ...(event === undefined ? {} : { lastLifecycleEvent: event }) };
  }

  #never(): Promise<never> {
    this.#look();
    return new Promise(() => undefined);
  }

  #look(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.what()) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }
}
