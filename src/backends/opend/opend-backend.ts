import type { KeyObject } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '../../contract/clock.js';
import type { Decimal } from '../../contract/decimal.js';
import { type S2C as Notice, ResponseSchema as NotifyResponse, NotifyType } from '../../contract/generated/Notify_pb.js';
import type { Security } from '../../contract/generated/Qot_Common_pb.js';
import type { C2S as GetBasicQotC2S } from '../../contract/generated/Qot_GetBasicQot_pb.js';
import { isTrading, type Operation } from '../../contract/operation.js';
import { account, quote, system } from '../../contract/operations/index.js';
import {
  type Backend,
  BackendFailure,
  BackendRefused,
  type BackendStatus,
  BackendTimeout,
  type BrokerSnapshot,
  type CallContext,
  type CredentialRefresh,
  type HeldAnswer,
  type LifecycleSnapshot,
  type NotifyPush,
  type PushEvent,
  type QuotePush,
  type QuoteStream,
  type ResponseMessage,
  type StreamsListener,
  type SubscriptionQuotas,
  type TradingTerms,
} from '../../gateway/backend.js';
import {
  AccountListCheck,
  CipherUnknown,
  castsDoubt,
  type Dial,
  dialTcp,
  type Endpoint,
  ForexRates,
  type Greeting,
  hideMarks,
  isOwnConcern,
  lostBy,
  Orders,
  PacketIds,
  type PushFrame,
  pushedQuotes,
  QuoteStreams,
  type RequestOptions,
  readAccounts,
  readFills,
  readOrders,
  readPush,
  readUpstreamState,
  recoveredTrades,
  reminderPushOf,
  SellableQuantities,
  ServerWatch,
  Session,
  StaleAnswers,
  StateLog,
  SubscribingClient,
  TradingTermsCache,
  tradePushOf,
  type Upstream,
  type UpstreamState,
  understood,
} from '../../protocol-client/index.js';
import { packetEncAlgo } from '../../wire/index.js';
import { quoteRightsBy, rightsWanted } from './quote-rights.js';
import { RoleKeeper, scopes } from './role-keeper.js';
import type { Role } from './roles.js';

/** Where what happens is logged; pino's logger is one. */
interface BridgeLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface OpendBackendOptions {
  readonly endpoint: Endpoint;
  /** The private key that the upstream has too. */
  readonly rsaKey?: KeyObject;
  readonly clock: Clock;
  readonly logger: BridgeLogger;
  /** Shown to the upstream's operator. */
  readonly clientId: string;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
  readonly dial?: Dial;
}

const NOTIFY = 1003;
/** The protocol's messages that this client knows: 10.11. */
const CLIENT_VERSION = 1011;
/** How long the bridge waits for what it asks by itself. */
const OWN_MS_MAX = 10_000;
/** Clocks of two machines differ, and pushes wait on their way: what is this much older than a loss may still have been lost. */
const SKEW_MS = 60_000;
/** Modes that upstreams know; the newer one is asked for first. */
const algorithms: readonly number[] = [packetEncAlgo.aesCbc, packetEncAlgo.ownEcb];
const neverAborted = new AbortController().signal;

/** An upstream daemon that speaks the public protocol and has logged in by itself, as a backend. */
export class OpendBackend implements Backend {
  readonly name = 'opend';
  /** What an upstream does not say: it is taken for real. */
  readonly simulated = false;
  readonly replaysWrites = false;
  readonly #options: OpendBackendOptions;
  readonly #session: Session;
  readonly #packets: PacketIds;
  readonly #client: SubscribingClient;
  readonly #orders: Orders;
  /** What is asked on nobody's behalf who could go away, in its turn. */
  readonly #reads: Upstream;
  readonly #terms: TradingTermsCache;
  readonly #rates: ForexRates;
  readonly #sellable: SellableQuantities;
  readonly #accountList: AccountListCheck;
  readonly #keeper: RoleKeeper;
  readonly #log: StateLog;
  readonly #streams = new QuoteStreams();
  readonly #watch: ServerWatch;
  readonly #held: StaleAnswers;
  readonly #pushListeners = new Set<(event: PushEvent) => void>();
  readonly #streamsListeners = new Set<StreamsListener>();
  /** What the upstream said of itself last. */
  #state: UpstreamState | undefined;
  #greeting: Greeting | undefined;
  /** How bodies are sealed. CBC hides what repeats; an upstream that does not know it is spoken to in the protocol's own mode. */
  #algorithm: number = packetEncAlgo.aesCbc;
  /** Accounts whose pushes are wanted. */
  #wantedAccounts: readonly bigint[] = [];
  /** Those that it was told last: a push may come before its answer. */
  #toldAccounts: ReadonlySet<bigint> = new Set();
  /** The upstream has not taken the last list of accounts that it was told. */
  #untold = false;

  constructor(options: OpendBackendOptions) {
    this.#options = options;
    const { clock, endpoint, rsaKey, clientId, logger, random = Math.random, dial = dialTcp } = options;
    const onDefect = (error: unknown) => logger.error({ err: error }, 'the bridge to the upstream failed');
    this.#log = new StateLog(clock, logger, {}, 'the connection to the upstream');
    this.#session = new Session({
      clock,
      random,
      dial,
      endpoint: () => endpoint,
      introduction: () => ({ clientId, clientVersion: CLIENT_VERSION, packetEncAlgo: this.#algorithm }),
      ...(rsaKey === undefined ? {} : { rsaKey }),
      prepare: (upstream, greeting) => this.#connected(upstream, greeting),
      onLost: (reason, heardAt) => this.#keeper.disconnected(reason, heardAt),
      onPush: (frame) => this.#received(frame),
      onLifecycle: () => this.#follow(),
      onDefect,
      onFailed: (failure) => {
        if (failure instanceof CipherUnknown)
          this.#algorithm = algorithms.find((other) => other !== this.#algorithm) ?? packetEncAlgo.aesCbc;
      },
    });
    this.#keeper = new RoleKeeper({
      clock,
      onLost: (role, lost) => {
        if (role === 'quotes') this.#forgetStreams();
        for (const listener of this.#streamsListeners) listener.lost(lost);
      },
      restore: (role, since, isCurrent) => this.#restore(role, since, isCurrent),
      onDefect,
    });
    this.#watch = new ServerWatch({
      clock,
      readState: () => readUpstreamState(this.#session, this.#own()),
      onState: (state) => this.#judge(state),
      onUnknown: (reason) => logger.warn({ reason }, 'the upstream does not say how it is'),
      streams: () => this.#streams.all,
      verify: () => this.#client.verify({ ...this.#own(), signal: neverAborted }),
      resubscribe: (streams) => this.#client.resubscribe(streams),
      onMissed: (streams, from, reason) => this.#missed(streams, from, reason),
      renew: (reason, from) => this.#session.renew(reason, from),
    });
    this.#held = new StaleAnswers(clock);
    this.#packets = new PacketIds(this.#session);
    this.#client = new SubscribingClient(this.#packets, clock);
    this.#reads = this.#client.own;
    this.#terms = new TradingTermsCache(this.#reads, clock);
    this.#rates = new ForexRates(this.#reads, clock);
    this.#sellable = new SellableQuantities(this.#reads, clock, (event) => this.#emit(event));
    this.#accountList = new AccountListCheck({
      upstream: this.#reads,
      options: () => this.#own(),
      connection: () => (this.#keeper.roleStates.state('trading') === 'ready' ? this.#greeting : undefined),
      onRefused: (reason) => {
        if (this.#state !== undefined) this.#keeper.judge({ ...this.#state.missing, trading: reason });
      },
      onDefect,
    });
    this.#orders = new Orders({
      ask: (operation, request, deadline) => this.#reads.request(operation, request, { deadline }),
      write: (operation, request, departure) => this.#reads.request(operation, request, departure),
      clock,
      onFound: (order) => this.#sellable.push(order),
      whenTrading: (deadline) => this.#whenTrading(deadline),
    });
  }

  async start(): Promise<void> {
    this.#session.start();
  }

  async stop(): Promise<void> {
    this.#watch.end();
    this.#keeper.stop();
    this.#orders.stop();
    this.#client.stop();
    this.#session.stop();
  }

  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    if (operation === quote.getQuote) {
      const pushed = pushedQuotes(this.#streams, request as GetBasicQotC2S);
      if (pushed !== undefined) return pushed;
    }
    if (operation === system.getQuoteRights) return this.#quoteRights(request, context);
    const writes = operation.effect === 'order' || operation.effect === 'write';
    const answer = writes ? this.#orders.call(operation, request, context) : this.#client.call(operation, request, context);
    const shown = (response: ResponseMessage) => {
      this.#held.note(operation, request, response);
      return hideMarks(response);
    };
    if (operation === account.listAccounts) return this.#accountList.note(answer).then(shown);
    return answer instanceof Promise ? answer.then(shown) : shown(answer);
  }

  held(operation: Operation, request: Message): HeldAnswer | undefined {
    return this.#held.get(operation, request);
  }

  /** As it is: what a packet id in it says is the caller's own concern. */
  callBytes(protoId: number, body: Uint8Array, { deadline, withheld }: CallContext): Promise<Uint8Array> {
    return this.#client.callBytes(protoId, body, { deadline, withheld, signal: neverAborted });
  }

  tradingTerms(security: Security, context: CallContext): TradingTerms | undefined | Promise<TradingTerms | undefined> {
    return this.#terms.of(security, context);
  }

  /** From forex quotes, which the logins of many upstreams have no right to: then there is none. */
  exchangeRate(from: string, to: string, context: CallContext): Decimal | undefined | Promise<Decimal | undefined> {
    return this.#rates.rate(from, to, context);
  }

  /** They run from before they are asked for: a first push is not missed. */
  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const fresh = streams.filter((stream) => !this.#streams.has(stream));
    this.#streams.begin(fresh);
    let held = false;
    try {
      const answer = await this.#client.subscribe(streams);
      held = answer.retType === 0;
      return answer;
    } finally {
      if (!held) this.#streams.end(fresh);
    }
  }

  unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    return this.#client.unserved(streams);
  }

  async unsubscribe(streams: readonly QuoteStream[]): Promise<undefined> {
    this.#streams.end(streams);
    this.#client.unsubscribe(streams);
  }

  subscriptionQuotas(): SubscriptionQuotas | undefined {
    return this.#client.lastQuota();
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.#streams.current(stream);
  }

  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    const asked = account.subAccPush;
    const c2s = create(asked.messages.C2SSchema, { accIDList: [...accIds] });
    this.#untold = true;
    this.#toldAccounts = new Set(accIds);
    // An upstream that has lost its trading login refuses what it will take later.
    const answer = understood(asked.name, await this.#session.request(asked, c2s, this.#own()));
    this.#untold = false;
    if (answer.retType === 0) this.#wantedAccounts = accIds;
    return answer;
  }

  notices(): readonly NotifyPush[] {
    const status = this.#state?.global.programStatus;
    if (status === undefined) return [];
    const s2c = { type: NotifyType.NotifyType_ProgramStatus, programStatus: { programStatus: status } };
    return [{ type: 'notify', protoId: NOTIFY, message: create(NotifyResponse, { retType: 0, s2c }) }];
  }

  onPush(listener: (event: PushEvent) => void): () => void {
    this.#pushListeners.add(listener);
    return () => this.#pushListeners.delete(listener);
  }

  onStreams(listener: StreamsListener): () => void {
    this.#streamsListeners.add(listener);
    return () => this.#streamsListeners.delete(listener);
  }

  status(): BackendStatus {
    return this.#keeper.roleStates.status();
  }

  readiness(operation: Operation): LifecycleSnapshot | BrokerSnapshot | undefined {
    const role = isTrading(operation) ? 'trading' : 'quotes';
    return this.#keeper.roleStates.awaited(role);
  }

  onLifecycle(listener: (status: BackendStatus) => void): () => void {
    return this.#keeper.roleStates.onChange(listener);
  }

  async refreshCredentials(): Promise<CredentialRefresh> {
    return 'not_applicable';
  }

  async #quoteRights(request: Message, context: CallContext): Promise<ResponseMessage> {
    try {
      return await this.#client.call(system.getQuoteRights, request, context);
    } catch (thrown) {
      if (!(thrown instanceof BackendRefused && thrown.code === 'backend.unsupported')) throw thrown;
      return quoteRightsBy(await this.#client.call(system.getUserInfo, rightsWanted, context));
    }
  }

  /** Resolves to true once trading is to be had, to false where that takes until `deadline`, or for ever. */
  #whenTrading(deadline: number): Promise<boolean> {
    const { clock } = this.#options;
    const { roleStates } = this.#keeper;
    return roleStates.whenReady('trading', (expire) => clock.after(Math.max(0, deadline - clock.monotonic()), expire));
  }

  /** How long the bridge waits for what it asks by itself. */
  #own(): RequestOptions {
    return { deadline: this.#options.clock.monotonic() + OWN_MS_MAX };
  }

  #emit(event: PushEvent): void {
    for (const listener of this.#pushListeners) listener(event);
  }

  #received(frame: PushFrame): void {
    const quotes = this.#streams.take(frame);
    if (quotes !== undefined) {
      for (const push of quotes) {
        this.#watch.heard(push.stream);
        this.#emit(push);
      }
      return;
    }
    const trade = tradePushOf(frame);
    if (trade !== undefined) {
      // Nobody asked for any other account's: each would have its positions read.
      if (!this.#toldAccounts.has(trade.accId)) return;
      this.#client.tradeChanged();
      this.#sellable.push({ ...trade, message: hideMarks(trade.message) });
    } else if (frame.protoId === NOTIFY) {
      this.#noticed(frame);
    } else {
      const reminder = reminderPushOf(frame);
      if (reminder !== undefined) this.#emit(reminder);
    }
  }

  /** Passes a notice on, and looks at what it may be about. */
  #noticed(frame: PushFrame): void {
    const message = readPush<Notice>(NotifyResponse, frame);
    if (message === undefined) return;
    const { type } = message.s2c;
    if (!isOwnConcern(type)) this.#emit({ type: 'notify', protoId: NOTIFY, message });
    if (this.#session.lifecycle.state === 'ready' && this.#state !== undefined) {
      this.#keeper.judge({ ...this.#state.missing, ...lostBy(message.s2c) });
    }
    this.#watch.look(castsDoubt(type));
  }

  /** A connection is made: nothing of the one before it holds. */
  async #connected(upstream: Upstream, greeting: Greeting): Promise<void> {
    const before = this.#greeting;
    this.#greeting = greeting;
    this.#packets.connected(greeting.connId);
    const another = before !== undefined && (before.userId !== greeting.userId || before.serverVersion !== greeting.serverVersion);
    this.#client.reset(another);
    if (another) this.#held.clear();
    this.#state = await readUpstreamState(upstream, this.#own());
    this.#client.recognise(false);
    void this.#recognise(upstream, greeting);
  }

  /** Operations of our own are answered by none but another gateway. One that does not answer keeps nobody waiting. */
  async #recognise(upstream: Upstream, greeting: Greeting): Promise<void> {
    const asked = system.getQuoteRights;
    try {
      const { retType } = await upstream.request(asked, create(asked.messages.C2SSchema), this.#own());
      if (this.#greeting === greeting) this.#client.recognise(retType === 0);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) this.#options.logger.error({ err: thrown }, 'the upstream could not be recognised');
    }
  }

  /** The connection's own states. */
  #follow(): void {
    const { snapshot } = this.#session.lifecycle;
    const { lifecycleState: state, lastLifecycleEvent: event = '' } = snapshot;
    this.#log.note(snapshot);
    if (state === 'ready') {
      if (this.#state !== undefined) this.#keeper.judge(this.#state.missing);
      this.#watch.begin();
    } else {
      this.#watch.end();
      this.#keeper.follow(state, event);
    }
  }

  /** Takes up what the upstream says of itself. */
  async #judge(state: UpstreamState): Promise<void> {
    this.#state = state;
    this.#keeper.judge(state.missing);
    this.#accountList.check();
    await this.#client.quota();
  }

  /** Nothing is subscribed to any more, as far as anybody knows. */
  #forgetStreams(): void {
    this.#streams.clear();
    this.#client.reset(false);
  }

  async #missed(streams: readonly QuoteStream[], from: number, reason: string): Promise<void> {
    const scope = { streams, accIds: [] };
    for (const listener of this.#streamsListeners) listener.lost({ ...scope, from, reason });
    for (const listener of this.#streamsListeners) await listener.restore(scope);
  }

  async #restore(role: Role, since: number | undefined, isCurrent: () => boolean): Promise<void> {
    const accounts = role === 'quotes' ? [] : await readAccounts(this.#reads, this.#own());
    if (role === 'trading') this.#untold = false;
    for (const listener of this.#streamsListeners) await listener.restore(scopes[role]);
    // Events before the upstream has the list are not pushed: the role is tried again, and looks back once more.
    if (role === 'trading' && this.#untold) throw new BackendTimeout('the upstream did not take the accounts whose pushes are wanted');
    if (role === 'quotes' || since === undefined) return;
    for (const of of accounts) {
      if (!isCurrent() || !this.#wantedAccounts.includes(of.accID)) continue;
      const orders = await readOrders(this.#reads, of, this.#own());
      const fills = await readFills(this.#reads, of, this.#own());
      if (!isCurrent()) return;
      if ('refused' in orders) this.#options.logger.warn({ reason: orders.refused }, 'what became of orders meanwhile cannot be read');
      // Simulated accounts have no fills to ask for.
      const found = recoveredTrades(of, 'refused' in orders ? [] : orders, 'refused' in fills ? [] : fills, since - SKEW_MS);
      for (const push of found) this.#sellable.push(push);
    }
    await this.#sellable.idle();
  }
}
