import type { KeyObject } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '../contract/clock.js';
import type { Decimal } from '../contract/decimal.js';
import { type S2C as Notice, ResponseSchema as NotifyResponse, NotifyType } from '../contract/generated/Notify_pb.js';
import type { Security } from '../contract/generated/Qot_Common_pb.js';
import type { C2S as GetBasicQotC2S } from '../contract/generated/Qot_GetBasicQot_pb.js';
import type { TrdAcc } from '../contract/generated/Trd_Common_pb.js';
import { ResponseSchema as SubAccPushResponse } from '../contract/generated/Trd_SubAccPush_pb.js';
import { parseSymbol } from '../contract/markets.js';
import { isTrading, type Operation } from '../contract/operation.js';
import { account, quote, system } from '../contract/operations/index.js';
import {
  type Backend,
  BackendFailure,
  BackendRefused,
  type BackendStatus,
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
  type StreamScope,
  type StreamsListener,
  type SubscriptionQuotas,
  type TradingTerms,
  type UnsubscribeRefusal,
} from '../gateway/backend.js';
import { packetEncAlgo } from '../wire/index.js';
import { CipherUnknown, ConnectFailure } from './connection/connect-failure.js';
import type { Greeting, PushFrame } from './connection/connection.js';
import type { Dial, Endpoint } from './connection/dial.js';
import { PacketIds } from './connection/packet-ids.js';
import { readPush } from './connection/push-bodies.js';
import { Session } from './connection/session.js';
import { StateLog } from './connection/state-log.js';
import type { RequestOptions, Upstream } from './connection/upstream.js';
import { quoteRightsBy, rightsWanted } from './quote-rights.js';
import { reminderPushOf } from './reminder-pushes.js';
import { StaleAnswers } from './requests/answer-caches.js';
import type { RateLimitedClient } from './requests/rate-limited-client.js';
import { understood } from './requests/refusals.js';
import { RoleKeeper } from './roles.js';
import { castsDoubt, isOwnConcern, lostBy, type Role, readUpstreamState, type UpstreamState } from './server-state.js';
import { ServerWatch } from './server-watch.js';
import { limitedClient, type ServerRules } from './subscriptions/live-reader.js';
import { pushedQuotes } from './subscriptions/pushed-quotes.js';
import { QuoteStreams } from './subscriptions/quote-streams.js';
import type { SubscriptionReconciler } from './subscriptions/reconciler.js';
import { AccountListCheck } from './trading/account-list-check.js';
import { ForexRates } from './trading/forex-rates.js';
import { Orders } from './trading/orders.js';
import { hideMarks } from './trading/remark-mark.js';
import { SellableQuantities } from './trading/sellable-quantities.js';
import { readAccounts, readFills, readOrders, recoveredTrades, tradePushOf } from './trading/trades.js';
import { TradingTermsCache } from './trading/trading-terms.js';

/** Log of a client; pino's logger is one. */
export interface ClientLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface ProtocolClientOptions {
  readonly name: Backend['name'];
  /** Server in log lines: "the upstream", "the brokerage". */
  readonly server: string;
  /** Details of every log line: which connection of several it is. */
  readonly logDetails?: object;
  /** One of several connections in reasons for gaps: "the platform", or the name of a broker. */
  readonly label?: string | undefined;
  /** Trading over this connection is of the accounts that it lists; other connections trade others. */
  readonly ownAccountsOnly?: boolean;
  readonly roles: readonly Role[];
  readonly clock: Clock;
  readonly logger: ClientLogger;
  /** Uniform in [0, 1); for back-off. */
  readonly random: () => number;
  readonly dial: Dial;
  /** Private key that both sides have: bodies are encrypted. */
  readonly rsaKey?: KeyObject | undefined;
  /** Asked before each try. A {@link ConnectFailure} that is final ends the connection for good. */
  readonly endpoint: () => Endpoint | Promise<Endpoint>;
  /** Introduction to the server, asked before each try after {@link endpoint}. */
  readonly clientId: () => string;
  readonly rules: ServerRules;
  /**
   * A login that the server lacks is waited for on the connection (`wait`), or the connection is made anew (`reconnect`). Where the
   * server does not say its state, a connection that reconnects is used as it is.
   */
  readonly missingLogin: 'wait' | 'reconnect';
  /** Called when the server has let the client in, when it refused a handshake, and when the connection is no good though it stands. */
  readonly onAccepted?: () => void;
  readonly onConnectFailed?: (failure: Error) => void;
  readonly onUseless?: () => void;
}

const NOTIFY = 1003;
/** Version of the protocol's messages that this client knows: 10.11. */
const CLIENT_VERSION = 1011;
/** Timeout of the client's own requests. */
const OWN_MS_MAX = 10_000;
/** Clocks of two machines differ, and pushes wait on their way: events this much older than a loss may have been lost. */
const SKEW_MS = 60_000;
/** Ciphers that servers know; the first is asked for first, as CBC hides repetition. */
const algorithms: readonly number[] = [packetEncAlgo.aesCbc, packetEncAlgo.ownEcb];
/** The public protocol does not name the broker behind a server. */
const BROKER = { brokerId: 0, name: 'upstream' };

/**
 * A connection to a server of the public protocol, used for quotes, for trading, or for both, with everything that makes it hold:
 * reconnection, restoration, rate limits, subscriptions, and the search for orders whose answer was lost. It implements the backend
 * port by itself; several of them with one role each make a brokerage that is logged in to.
 */
export class ProtocolClient implements Backend {
  readonly name: Backend['name'];
  /** An upstream never says whether it is simulated; assume real money. */
  readonly simulated = false;
  /** Packet ids count for one connection only. */
  readonly replaysWrites = false;
  readonly session: Session;
  readonly #options: ProtocolClientOptions;
  readonly #packets: PacketIds;
  readonly #requests: RateLimitedClient;
  readonly #subscriptions: SubscriptionReconciler;
  /** Rate-limited requests of the client itself. */
  readonly #own: Upstream;
  readonly #orders: Orders;
  readonly #terms: TradingTermsCache;
  readonly #rates: ForexRates;
  readonly #sellable: SellableQuantities;
  readonly #accountList: AccountListCheck;
  readonly #roles: RoleKeeper;
  readonly #streams = new QuoteStreams();
  readonly #watch: ServerWatch;
  readonly #stale: StaleAnswers;
  readonly #pushListeners = new Set<(event: PushEvent) => void>();
  readonly #streamsListeners = new Set<StreamsListener>();
  readonly #lifecycleListeners = new Set<(status: BackendStatus) => void>();
  #greeting: Greeting | undefined;
  /** The server's last word on its own state. */
  #state: UpstreamState | undefined;
  #algorithm: number = packetEncAlgo.aesCbc;
  #accounts: readonly TrdAcc[] | undefined;
  /** Accounts whose pushes are wanted; other pushes are dropped. */
  #wantedAccounts: readonly bigint[] = [];
  /** Accounts that this connection's server has answered for; undefined before. */
  #toldAccounts: string | undefined;

  constructor(options: ProtocolClientOptions) {
    this.#options = options;
    const { name, server, logDetails = {}, roles, clock, logger, random, dial, endpoint, rsaKey, missingLogin } = options;
    const onDefect = (error: unknown) => logger.error({ ...logDetails, err: error }, `a connection to ${server} failed`);
    const log = new StateLog(clock, logger, logDetails, `the connection to ${server}`);
    this.name = name;
    this.session = new Session({
      clock,
      random,
      dial,
      endpoint,
      introduction: () => ({ clientId: options.clientId(), clientVersion: CLIENT_VERSION, packetEncAlgo: this.#algorithm }),
      ...(rsaKey === undefined ? {} : { rsaKey }),
      prepare: (upstream, greeting) => this.#connected(upstream, greeting),
      onLost: (reason, heardAt) => this.#roles.disconnected(reason, heardAt),
      onPush: (frame) => this.#received(frame),
      onLifecycle: () => {
        log.note(this.session.lifecycle.snapshot);
        this.#follow();
      },
      onDefect,
      onFailed: (failure) => {
        if (failure instanceof CipherUnknown)
          this.#algorithm = algorithms.find((other) => other !== this.#algorithm) ?? packetEncAlgo.aesCbc;
        options.onConnectFailed?.(failure);
      },
    });
    this.#packets = new PacketIds(this.session);
    const { requests, subscriptions } = limitedClient(this.#packets, clock, options.rules);
    this.#requests = requests;
    this.#subscriptions = subscriptions;
    this.#own = requests.own;
    this.#roles = new RoleKeeper({
      clock,
      roles,
      onLost: (role, from, reason) => this.#lost(role, from, reason),
      restore: (role, since, isCurrent) => this.#restore(role, since, isCurrent),
      renew: missingLogin === 'reconnect' ? (reason) => this.session.renew(reason) : undefined,
      onChange: () => {
        const status = this.status();
        for (const listener of this.#lifecycleListeners) listener(status);
      },
      onDefect,
    });
    this.#watch = new ServerWatch({
      clock,
      readState: () => readUpstreamState(this.session, this.#soon()),
      onState: (state) => this.#judge(state),
      onUnknown: (reason) => logger.warn({ ...logDetails, reason }, `${server} does not say how it is`),
      streams: () => this.#streams.all,
      verify: () => this.#subscriptions.verify(this.#soon()),
      resubscribe: (streams) => this.#subscriptions.resubscribe(streams),
      onMissed: (streams, from, reason) => this.#missed({ streams, accIds: [] }, from, reason),
      renew: (reason, from) => {
        options.onUseless?.();
        this.session.renew(reason, from);
      },
    });
    this.#stale = new StaleAnswers(clock);
    this.#terms = new TradingTermsCache(this.#own, clock);
    this.#rates = new ForexRates(this.#own, clock);
    this.#sellable = new SellableQuantities(this.#own, clock, (event) => this.#emit(event));
    this.#accountList = new AccountListCheck({
      upstream: this.#own,
      options: () => this.#soon(),
      connection: () => (roles.includes('trading') && this.#roles.state('trading') === 'ready' ? this.#greeting : undefined),
      onListed: (accounts) => {
        this.#accounts = accounts;
      },
      onRefused: (reason) => this.#roles.judge({ ...this.#state?.missing, trading: reason }),
      onDefect,
    });
    this.#orders = new Orders({
      ask: (operation, request, deadline) => this.#own.request(operation, request, { deadline }),
      write: (operation, request, departure) => this.#own.request(operation, request, departure),
      clock,
      onFound: (order) => this.#sellable.push(order),
      whenTrading: (deadline) => this.#roles.whenReady('trading', deadline),
    });
  }

  async start(): Promise<void> {
    this.session.start();
  }

  async stop(): Promise<void> {
    this.#watch.end();
    this.#roles.stop();
    this.#orders.stop();
    this.#requests.stop();
    this.#subscriptions.stop();
    this.session.stop();
  }

  /** Ends the connection for good, and says that its pushes end. */
  end(reason: string): void {
    if (this.session.greeting !== undefined) this.#roles.disconnected(reason, this.#options.clock.now());
    void this.stop();
  }

  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    if (operation === quote.getQuote) {
      const pushed = pushedQuotes(this.#streams, request as GetBasicQotC2S);
      if (pushed !== undefined) return pushed;
    }
    if (operation === system.getQuoteRights) return this.#quoteRights(request, context);
    const writes = operation.effect === 'order' || operation.effect === 'write';
    const answer = writes ? this.#orders.call(operation, request, context) : this.#requests.call(operation, request, context);
    const shown = (response: ResponseMessage) => {
      this.#stale.note(operation, request, response);
      return hideMarks(response);
    };
    if (operation === account.listAccounts) return this.#accountList.note(answer).then(shown);
    return answer instanceof Promise ? answer.then(shown) : shown(answer);
  }

  held(operation: Operation, request: Message): HeldAnswer | undefined {
    return this.#stale.get(operation, request);
  }

  /** The bytes pass unchanged: a packet id in them is the caller's own. */
  callBytes(protoId: number, body: Uint8Array, { deadline, withheld }: CallContext): Promise<Uint8Array> {
    return this.#requests.callBytes(protoId, body, { ...this.#soon(), deadline, withheld });
  }

  tradingTerms(security: Security, context: CallContext): TradingTerms | undefined | Promise<TradingTerms | undefined> {
    return this.#terms.of(security, context);
  }

  /** Rates come from forex quotes; logins without a right to them have none. */
  exchangeRate(from: string, to: string, context: CallContext): Decimal | undefined | Promise<Decimal | undefined> {
    return this.#rates.rate(from, to, context);
  }

  /** Streams run from before they are asked for, so that a first push is not missed. */
  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const fresh = streams.filter((stream) => !this.#streams.has(stream));
    this.#streams.begin(fresh);
    let held = false;
    try {
      const answer = await this.#subscriptions.subscribe(streams);
      held = answer.retType === 0;
      return answer;
    } finally {
      if (!held) this.#streams.end(fresh);
    }
  }

  async unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    const symbols = [...new Set(streams.map(({ symbol }) => symbol))].flatMap((symbol) => parseSymbol(symbol) ?? []);
    const securityList = symbols.map(({ market, code }) => ({ market: market.number, code }));
    const request = create(quote.getStaticInfo.messages.C2SSchema, { securityList });
    // A list with a symbol that does not exist is refused as a whole.
    const { retType } = await this.#own.request(quote.getStaticInfo, request, this.#soon());
    return retType === 0 ? this.#subscriptions.unserved(streams, this.#soon()) : [];
  }

  unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    this.#streams.end(streams);
    return this.#subscriptions.unsubscribe(streams);
  }

  subscriptionQuotas(): SubscriptionQuotas | undefined {
    return this.#subscriptions.lastFigures();
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.#streams.current(stream);
  }

  /** Accounts that are wanted while the connection is away are asked for when it is back. */
  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    this.#wantedAccounts = accIds;
    return this.session.greeting === undefined ? accountsTaken() : this.#tellAccounts();
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
    const [first = 'quotes'] = this.#options.roles;
    const platform = this.#roles.snapshot(first);
    return { platform, brokers: this.#options.roles.includes('trading') ? [{ ...BROKER, ...this.#roles.snapshot('trading') }] : [] };
  }

  readiness(operation: Operation): LifecycleSnapshot | BrokerSnapshot | undefined {
    const { platform, brokers } = this.status();
    const awaited = isTrading(operation) ? brokers[0] : platform;
    return awaited?.lifecycleState === 'ready' ? undefined : awaited;
  }

  onLifecycle(listener: (status: BackendStatus) => void): () => void {
    this.#lifecycleListeners.add(listener);
    return () => this.#lifecycleListeners.delete(listener);
  }

  async refreshCredentials(): Promise<CredentialRefresh> {
    return 'not_applicable';
  }

  /** State of a role, with its counters and times. */
  snapshot(role: Role): LifecycleSnapshot {
    return this.#roles.snapshot(role);
  }

  /** Accounts that the server listed last; undefined while it never did. */
  get accounts(): readonly TrdAcc[] | undefined {
    return this.#accounts;
  }

  /** Quote rights, from the user's information where the server has no operation for them. */
  async #quoteRights(request: Message, context: CallContext): Promise<ResponseMessage> {
    try {
      return await this.#requests.call(system.getQuoteRights, request, context);
    } catch (thrown) {
      if (!(thrown instanceof BackendRefused && thrown.code === 'backend.unsupported')) throw thrown;
      return quoteRightsBy(await this.#requests.call(system.getUserInfo, rightsWanted, context));
    }
  }

  /** Deadline of the client's own requests, which nobody gives up. */
  #soon(): RequestOptions & { readonly signal: AbortSignal } {
    return { deadline: this.#options.clock.monotonic() + OWN_MS_MAX, signal: new AbortController().signal };
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
      // Positions are read for each push: accounts that nobody asked for are dropped first.
      if (!this.#wantedAccounts.includes(trade.accId)) return;
      this.#requests.tradeChanged();
      this.#sellable.push({ ...trade, message: hideMarks(trade.message) });
    } else if (frame.protoId === NOTIFY) {
      this.#noticed(frame);
    } else {
      const reminder = this.#options.roles.includes('quotes') ? reminderPushOf(frame) : undefined;
      if (reminder !== undefined) this.#emit(reminder);
    }
  }

  /** Notices are passed on by the connection for quotes; what they are about is looked at by every connection. */
  #noticed(frame: PushFrame): void {
    const message = readPush<Notice>(NotifyResponse, frame);
    if (message === undefined) return;
    const { type } = message.s2c;
    if (!isOwnConcern(type) && this.#options.roles.includes('quotes')) this.#emit({ type: 'notify', protoId: NOTIFY, message });
    if (this.session.lifecycle.state === 'ready') this.#roles.judge({ ...this.#state?.missing, ...lostBy(message.s2c) });
    this.#watch.look(castsDoubt(type));
  }

  /** Prepares a new connection: nothing that an earlier one said holds, and another user or server may say otherwise. */
  async #connected(upstream: Upstream, greeting: Greeting): Promise<void> {
    const before = this.#greeting;
    this.#options.onAccepted?.();
    this.#greeting = greeting;
    this.#toldAccounts = undefined;
    this.#packets.connected(greeting.connId);
    const another = before !== undefined && (before.userId !== greeting.userId || before.serverVersion !== greeting.serverVersion);
    this.#requests.reset(another);
    this.#subscriptions.reset();
    if (another) this.#stale.clear();
    this.#state = await this.#readState(upstream);
    if (this.#options.rules.limits === 'when refused') return;
    this.#requests.sender.pace('at once');
    void this.#recognise(upstream, greeting);
  }

  async #readState(upstream: Upstream): Promise<UpstreamState | undefined> {
    const { missingLogin, roles, logger, logDetails, server } = this.#options;
    let state: UpstreamState;
    try {
      state = await readUpstreamState(upstream, this.#soon());
    } catch (thrown) {
      if (missingLogin === 'wait' || !(thrown instanceof ConnectFailure)) throw thrown;
      logger.warn({ ...logDetails, reason: thrown.message }, `${server} does not say how it is`);
      return undefined;
    }
    const why = missingLogin === 'wait' ? undefined : roles.map((role) => state.missing[role]).find((missing) => missing !== undefined);
    if (why !== undefined) throw new ConnectFailure(why);
    return state;
  }

  /**
   * Only another gateway answers operations of our own. It keeps the limits of the server behind it, and has none itself; it is not
   * waited for.
   */
  async #recognise(upstream: Upstream, greeting: Greeting): Promise<void> {
    const asked = system.getQuoteRights;
    try {
      const { retType } = await upstream.request(asked, create(asked.messages.C2SSchema), this.#soon());
      if (this.#greeting === greeting) this.#requests.sender.pace(retType === 0 ? 'when refused' : 'at once');
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) this.#options.logger.error({ err: thrown }, 'the upstream could not be recognised');
    }
  }

  /** Brings the roles in line with the connection. */
  #follow(): void {
    const { lifecycleState: state, lastLifecycleEvent: event = '' } = this.session.lifecycle.snapshot;
    if (state === 'ready') {
      this.#roles.judge(this.#state?.missing ?? {});
      this.#watch.begin();
    } else {
      this.#watch.end();
      this.#roles.follow(state, event);
    }
  }

  async #judge(state: UpstreamState): Promise<void> {
    this.#state = state;
    this.#roles.judge(state.missing);
    this.#accountList.check();
    await this.#subscriptions.figures();
  }

  #scopeOf(role: Role): StreamScope {
    if (role === 'quotes') return { streams: 'all', accIds: [] };
    return { streams: [], accIds: this.#options.ownAccountsOnly ? (this.#accounts ?? []).map(({ accID }) => accID) : 'all' };
  }

  #lost(role: Role, from: number, why: string): void {
    if (role === 'quotes') {
      this.#streams.clear();
      this.#subscriptions.reset();
      this.#requests.reset(false);
    }
    const { label } = this.#options;
    const reason = label === undefined ? why : `the connection to ${label} was lost: ${why}`;
    for (const listener of this.#streamsListeners) listener.lost({ ...this.#scopeOf(role), from, reason });
  }

  /** Pushes of the scope were missed since `from` (epoch ms) though the connection stands. */
  async #missed(scope: StreamScope, from: number, reason: string): Promise<void> {
    for (const listener of this.#streamsListeners) listener.lost({ ...scope, from, reason });
    await this.#subscribeAgain(scope);
  }

  /** The gateway subscribes again to everything that is still wanted. */
  async #subscribeAgain(scope: StreamScope): Promise<void> {
    for (const listener of this.#streamsListeners) await listener.restore(scope);
  }

  async #restore(role: Role, since: number | undefined, isCurrent: () => boolean): Promise<void> {
    if (role === 'quotes') return this.#subscribeAgain(this.#scopeOf(role));
    // Everything else goes by the accounts.
    const accounts = await readAccounts(this.#own, this.#soon());
    this.#accounts = accounts;
    if (!isCurrent()) return;
    await this.#subscribeAgain(this.#scopeOf(role));
    if (!isCurrent()) return;
    // Events before the server has the list are not pushed.
    await this.#tellAccounts();
    if (since === undefined) return;
    for (const of of accounts) if (this.#wantedAccounts.includes(of.accID) && isCurrent()) await this.#recover(of, since, isCurrent);
    await this.#sellable.idle();
  }

  /** Pushes what happened in an account since `since` as recovered. An account that does not say keeps no other from trading. */
  async #recover(of: TrdAcc, since: number, isCurrent: () => boolean): Promise<void> {
    const { logger, logDetails, server } = this.#options;
    const orders = await readOrders(this.#own, of, this.#soon());
    const fills = await readFills(this.#own, of, this.#soon());
    if (!isCurrent()) return;
    // Simulated accounts have no fills to ask for.
    if ('refused' in orders) {
      const details = { ...logDetails, acc_id: String(of.accID), reason: orders.refused };
      logger.warn(details, `orders of the time when ${server} was away could not be read`);
    }
    const found = recoveredTrades(of, 'refused' in orders ? [] : orders, 'refused' in fills ? [] : fills, since - SKEW_MS);
    for (const push of found) this.#sellable.push(push);
  }

  /** Tells the server the accounts whose pushes are wanted, unless it has answered for them on this connection. */
  async #tellAccounts(): Promise<ResponseMessage> {
    const accIds = this.#wantedAccounts;
    const told = accIds.join();
    if (told === this.#toldAccounts) return accountsTaken();
    const asked = account.subAccPush;
    const c2s = create(asked.messages.C2SSchema, { accIDList: [...accIds] });
    // A server that has lost its trading login refuses now and takes them later.
    const answer = understood(asked.name, await this.session.request(asked, c2s, this.#soon()));
    this.#toldAccounts = answer.retType === 0 ? told : undefined;
    return answer;
  }
}

function accountsTaken(): ResponseMessage {
  return create(SubAccPushResponse, { retType: 0, s2c: {} }) as ResponseMessage;
}
