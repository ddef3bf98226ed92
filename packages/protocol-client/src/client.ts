import { create, type Message } from '@bufbuild/protobuf';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { Emitter } from '@svc-gateway/contract/emitter';
import { type S2C as Notice, ResponseSchema as NotifyResponse } from '@svc-gateway/contract/generated/Notify_pb';
import { type Security, SubType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S as GetBasicQotC2S } from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import type { TrdAcc } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { isTrading, type Operation } from '@svc-gateway/contract/operation';
import { account, quote, system } from '@svc-gateway/contract/operations';
import { securityOf } from '@svc-gateway/contract/security';
import type {
  Backend,
  BackendStatus,
  BrokerSnapshot,
  CallContext,
  CredentialRefresh,
  HeldAnswer,
  LifecycleSnapshot,
  NotifyPush,
  PushEvent,
  QuotePush,
  QuoteStream,
  ResponseMessage,
  StreamScope,
  SubscriptionQuotas,
  TradingTerms,
  UnsubscribeRefusal,
} from '@svc-gateway/gateway/backend';
import { BackendFailure } from '@svc-gateway/gateway/backend-failures';
import { StreamListeners } from '@svc-gateway/gateway/stream-listeners';
import type { ProtocolClientOptions } from './client-options.js';
import { readPush } from './connection/bodies.js';
import { ConnectFailure } from './connection/connect-failure.js';
import type { Greeting } from './connection/handshake.js';
import { Session } from './connection/session.js';
import { StateLog } from './connection/state-log.js';
import type { PushFrame, RequestOptions, Upstream } from './connection/upstream.js';
import { NOTIFY, programNotice } from './notices.js';
import { readQuoteRights } from './quote-rights.js';
import { reminderPushOf } from './reminder-pushes.js';
import { StaleAnswers } from './requests/answer-caches.js';
import type { RateLimitedClient } from './requests/rate-limited-client.js';
import { RoleKeeper } from './roles.js';
import { castsDoubt, isGateway, isOwnConcern, lostBy, type Role, readUpstreamState, type UpstreamState } from './server-state.js';
import { ServerWatch } from './server-watch.js';
import { limitedClient } from './subscriptions/live-reader.js';
import { pushedQuotes } from './subscriptions/pushed-quotes.js';
import type { SubscriptionReconciler } from './subscriptions/reconciler.js';
import { ForexRates } from './trading/forex-rates.js';
import { hideMarks } from './trading/remark-mark.js';
import { tradePushOf } from './trading/trades.js';
import { Trading } from './trading/trading.js';
import { readTradingTerms } from './trading/trading-terms.js';

/** Timeout of the client's own requests. */
const OWN_MS_MAX = 10_000;
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
  readonly #requests: RateLimitedClient;
  readonly #subscriptions: SubscriptionReconciler;
  readonly #trading: Trading;
  readonly #rates: ForexRates;
  readonly #roles: RoleKeeper;
  readonly #watch: ServerWatch;
  readonly #stale: StaleAnswers;
  readonly #pushListeners = new Emitter<PushEvent>();
  readonly onPush = this.#pushListeners.on;
  readonly #streamListeners = new StreamListeners();
  readonly onStreams = this.#streamListeners.on;
  readonly #lifecycleListeners = new Emitter<BackendStatus>();
  readonly onLifecycle = this.#lifecycleListeners.on;
  #greeting: Greeting | undefined;
  /** The server's last word on its own state. */
  #state: UpstreamState | undefined;

  constructor(options: ProtocolClientOptions) {
    this.#options = options;
    const { name, server, logDetails = {}, roles, clock, logger, missingLogin } = options;
    const onDefect = (error: unknown) => logger.error({ ...logDetails, err: error }, `a connection to ${server} failed`);
    const log = new StateLog(clock, logger, logDetails, `the connection to ${server}`);
    this.name = name;
    this.session = new Session({
      ...options,
      prepare: (upstream, greeting) => this.#connected(upstream, greeting),
      onLost: (reason, heardAt) => this.#roles.disconnected(reason, heardAt),
      onPush: (frame) => this.#received(frame),
      onLifecycle: () => {
        log.note(this.session.lifecycle.snapshot);
        this.#follow();
      },
      onDefect,
    });
    const { requests, subscriptions } = limitedClient(this.session, clock, options.rules);
    this.#requests = requests;
    this.#subscriptions = subscriptions;
    this.#roles = new RoleKeeper({
      clock,
      roles,
      onLost: (role, from, reason) => this.#lost(role, from, reason),
      restore: (role, since, isCurrent) => this.#restore(role, since, isCurrent),
      renew: missingLogin === 'reconnect' ? (reason) => this.session.renew(reason) : undefined,
      onChange: () => this.#lifecycleListeners.emit(this.status()),
      onDefect,
    });
    this.#watch = new ServerWatch({
      clock,
      readState: () => readUpstreamState(this.session, this.#soon()),
      onState: (state) => this.#judge(state),
      onUnknown: (reason) => logger.warn({ ...logDetails, reason }, `${server} does not say how it is`),
      subscriptions,
      soon: () => this.#soon(),
      onMissed: (streams, from, reason) => this.#missed({ streams, accIds: [] }, from, reason),
      renew: (reason, from) => {
        options.onUseless?.();
        this.session.renew(reason, from);
      },
    });
    this.#stale = new StaleAnswers(clock);
    this.#rates = new ForexRates(requests, clock);
    this.#trading = new Trading({
      clock,
      upstream: requests,
      soon: () => this.#soon(),
      connection: () => (roles.includes('trading') && this.#roles.state('trading') === 'ready' ? this.#greeting : undefined),
      whenReady: (deadline) => this.#roles.whenReady('trading', deadline),
      onPush: (event) => this.#pushListeners.emit(event),
      onListRefused: (reason) => this.#roles.judge({ ...this.#state?.missing, trading: reason }),
      onSilent: (accId) =>
        logger.warn(
          { ...logDetails, acc_id: String(accId) },
          `${server} acknowledges orders without pushing them: the account is registered again`,
        ),
      onUnread: (details) => logger.warn({ ...logDetails, ...details }, `orders of the time when ${server} was away could not be read`),
      onDefect,
    });
  }

  async start(): Promise<void> {
    this.session.start();
  }

  async stop(): Promise<void> {
    this.#watch.end();
    this.#roles.stop();
    this.#trading.stop();
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
      const { streams } = this.#subscriptions;
      const pushed = pushedQuotes(request as GetBasicQotC2S, (symbol) => streams.newest(symbol, SubType.SubType_Basic)?.message);
      if (pushed !== undefined) return pushed;
    }
    if (operation === system.getQuoteRights) return readQuoteRights(this.#requests, request, context);
    const writes = operation.effect === 'order' || operation.effect === 'write';
    const answer = writes ? this.#trading.write(operation, request, context) : this.#requests.call(operation, request, context);
    const shown = (response: ResponseMessage) => {
      this.#stale.note(operation, request, response);
      return hideMarks(response);
    };
    if (operation === account.listAccounts) return this.#trading.noteList(answer).then(shown);
    return answer instanceof Promise ? answer.then(shown) : shown(answer);
  }

  held(operation: Operation, request: Message): HeldAnswer | undefined {
    return this.#stale.get(operation, request);
  }

  /** The bytes pass unchanged: a packet id in them is the caller's own. */
  callBytes(protoId: number, body: Uint8Array, { deadline, lateRejection }: CallContext): Promise<Uint8Array> {
    return this.#requests.requestBytes(protoId, body, { deadline, lateRejection });
  }

  tradingTerms(security: Security, context: CallContext): Promise<TradingTerms | undefined> {
    return readTradingTerms(this.#requests, security, context);
  }

  /** Rates come from forex quotes; logins without a right to them have none. */
  exchangeRate(from: string, to: string, context: CallContext): Promise<Decimal | undefined> {
    return this.#rates.rate(from, to, context);
  }

  subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    return this.#subscriptions.subscribe(streams);
  }

  async unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    const symbols = new Set(streams.map(({ symbol }) => symbol));
    const securityList = [...symbols].flatMap((symbol) => securityOf(symbol) ?? []);
    const request = create(quote.getStaticInfo.messages.C2SSchema, { securityList });
    // A list with a symbol that does not exist is refused as a whole.
    const { retType } = await this.#requests.request(quote.getStaticInfo, request, this.#soon());
    return retType === 0 ? this.#subscriptions.unserved(streams, this.#soon()) : [];
  }

  unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    return this.#subscriptions.unsubscribe(streams);
  }

  subscriptionQuotas(): SubscriptionQuotas | undefined {
    return this.#subscriptions.quota.figures();
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.#subscriptions.streams.current(stream);
  }

  subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    return this.#trading.subscribe(accIds, this.session.greeting !== undefined);
  }

  notices(): readonly NotifyPush[] {
    const status = this.#state?.global.programStatus;
    return status === undefined ? [] : [programNotice(status)];
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

  async refreshCredentials(): Promise<CredentialRefresh> {
    return 'not_applicable';
  }

  /** State of a role, with its counters and times. */
  snapshot(role: Role): LifecycleSnapshot {
    return this.#roles.snapshot(role);
  }

  /** Accounts that the server listed last; undefined while it never did. */
  get accounts(): readonly TrdAcc[] | undefined {
    return this.#trading.accounts;
  }

  /** Deadline of the client's own requests, which are never cancelled. */
  #soon(): RequestOptions {
    return { deadline: this.#options.clock.monotonic() + OWN_MS_MAX };
  }

  #received(frame: PushFrame): void {
    const quotes = this.#subscriptions.streams.take(frame);
    if (quotes !== undefined) {
      for (const push of quotes) {
        this.#watch.heard(push.stream);
        this.#pushListeners.emit(push);
      }
      return;
    }
    const trade = tradePushOf(frame);
    if (trade !== undefined) {
      if (this.#trading.push(trade)) this.#requests.tradeChanged();
    } else if (frame.protoId === NOTIFY) {
      this.#noticed(frame);
    } else {
      const reminder = this.#options.roles.includes('quotes') ? reminderPushOf(frame) : undefined;
      if (reminder !== undefined) this.#pushListeners.emit(reminder);
    }
  }

  /** Notices are passed on by the connection for quotes; what they are about is looked at by every connection. */
  #noticed(frame: PushFrame): void {
    const message = readPush<Notice>(NotifyResponse, frame);
    if (message === undefined) return;
    const { type } = message.s2c;
    if (!isOwnConcern(type) && this.#options.roles.includes('quotes'))
      this.#pushListeners.emit({ type: 'notify', protoId: NOTIFY, message });
    if (this.session.lifecycle.state === 'ready') this.#roles.judge({ ...this.#state?.missing, ...lostBy(message.s2c) });
    this.#watch.look(castsDoubt(type));
  }

  /** Prepares a new connection: nothing that an earlier one said holds, and another user or server may say otherwise. */
  async #connected(upstream: Upstream, greeting: Greeting): Promise<void> {
    const before = this.#greeting;
    this.#options.onAccepted?.();
    this.#greeting = greeting;
    this.#trading.connected();
    const another = before !== undefined && (before.userId !== greeting.userId || before.serverVersion !== greeting.serverVersion);
    this.#requests.reset(another);
    this.#subscriptions.reset();
    if (another) this.#stale.clear();
    this.#state = await this.#readState(upstream);
    if (this.#options.rules.limits === 'when refused') return;
    this.#requests.sender.limiter.begin('at once');
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

  /** Another gateway keeps the limits of the server behind it, and has none itself; it is not waited for. */
  async #recognise(upstream: Upstream, greeting: Greeting): Promise<void> {
    try {
      const limits = (await isGateway(upstream, this.#soon())) ? 'when refused' : 'at once';
      if (this.#greeting === greeting) this.#requests.sender.limiter.begin(limits);
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
    this.#trading.checkList();
    await this.#subscriptions.quota.learn();
  }

  #scopeOf(role: Role): StreamScope {
    if (role === 'quotes') return { streams: 'all', accIds: [] };
    return { streams: [], accIds: this.#options.ownAccountsOnly ? (this.accounts ?? []).map(({ accID }) => accID) : 'all' };
  }

  #lost(role: Role, from: number, why: string): void {
    if (role === 'quotes') {
      this.#subscriptions.reset();
      this.#requests.reset(false);
    }
    const { label } = this.#options;
    const reason = label === undefined ? why : `the connection to ${label} was lost: ${why}`;
    this.#streamListeners.lost({ ...this.#scopeOf(role), from, reason });
  }

  /** Pushes of the scope were missed since `from` (epoch ms) though the connection stands. */
  async #missed(scope: StreamScope, from: number, reason: string): Promise<void> {
    this.#streamListeners.lost({ ...scope, from, reason });
    await this.#streamListeners.restore(scope);
  }

  #restore(role: Role, since: number | undefined, isCurrent: () => boolean): Promise<void> {
    // The gateway subscribes again to whatever is still wanted.
    const subscribeAgain = () => this.#streamListeners.restore(this.#scopeOf(role));
    return role === 'quotes' ? subscribeAgain() : this.#trading.restore(since, isCurrent, subscribeAgain);
  }
}
