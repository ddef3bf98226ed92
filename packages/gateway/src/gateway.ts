import { randomUUID } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { SteadyTime, TradingHalt } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { TrdAcc } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, subscription, system, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { Admissions } from './admissions.js';
import type { CallContext, ResponseMessage } from './backend.js';
import { defaultBounds, type GatewayBounds } from './bounds.js';
import { BracketService, bracketHandlers } from './brackets/index.js';
import { CredentialRefresher } from './credential-refresher.js';
import type { GatewayBase } from './gateway-base.js';
import { type Halted, Halting, type HaltOrder, type Resumed } from './halting.js';
import { IdempotencyKeys } from './idempotency/keys.js';
import type { Caller, Identity } from './identity.js';
import { InFlight } from './in-flight.js';
import { KeyWatch, keyOf } from './key-watch.js';
import { capabilityWith4Minutes, historyKlineWith4Minutes, klineWith4Minutes } from './kline-4min.js';
import { listedSymbols } from './listed-symbols.js';
import { adminHandlers } from './local/admin.js';
import { delayStatistics } from './local/delay-statistics.js';
import { getFunds } from './local/funds.js';
import { haltHandlers } from './local/halts.js';
import { alone, type LocalOperations } from './local/index.js';
import { pushHandlers } from './local/push.js';
import { getUserInfo } from './local/user-info.js';
import { whoami } from './local/whoami.js';
import { LongPolls } from './long-polls/index.js';
import { Meter } from './meter.js';
import type { CertificateStatus, RecordingStatus } from './operator-status.js';
import { OrderDetail } from './order-detail.js';
import { AccountContext } from './orders/account-context.js';
import { AccountOrders } from './orders/account-orders.js';
import { CancelAll } from './orders/cancel-all.js';
import { ProtectiveOrders } from './orders/protective-orders.js';
import { type OrderStanding, orderStanding } from './orders/reads.js';
import { type TradePasswordSource, UnlockThrottle } from './orders/unlocking.js';
import { Writes } from './orders/writes.js';
import { Pipeline } from './pipeline/index.js';
import { type Preview, Previewer } from './preview/index.js';
import { PushHub } from './push/index.js';
import { permitsOf } from './push-permits.js';
import { Readiness } from './readiness.js';
import { RefusalThrottle } from './refusal-throttle.js';
import { RefusedOrders } from './refused-orders.js';
import { type Answer, following, payloadOf } from './responses.js';
import { unkeptText } from './storage-outage.js';
import { StorageStatus } from './storage-status.js';
import { readingMarketOf } from './traded-accounts.js';
import { UndeclaredCalls } from './undeclared.js';
import type { Valuing } from './valuation/valuation.js';

export interface GatewayOptions extends Pick<GatewayBase, 'access' | 'backend' | 'clock' | 'store' | 'logger' | 'switches'> {
  /** Clock by which the backend times its calls; defaults to `clock`. */
  readonly backendClock?: Clock;
  /** Steady time of the same store. */
  readonly time: SteadyTime;
  readonly version: string;
  /** Reason why trading is halted: the state folder is not the newest. */
  readonly tradingHalt?: string;
  /** Source of the trade password for unlocks by tools; without it they cannot unlock. */
  readonly tradePassword?: TradePasswordSource;
  /** How long a caller waits for an answer of the backend that does not say so itself; 30 seconds by default. */
  readonly requestTimeoutMs?: number;
  /** Backlog in bytes at which a push connection is closed. */
  readonly pushBacklogBytesMax: number;
  /** Limits on what one key may hold or have in flight. */
  readonly bounds?: Partial<GatewayBounds>;
  /** True if memory has no room for another read beside this many requests in flight: the read is refused. */
  readonly isShortOfMemory?: (underWay: number) => boolean;
  /** Begins the daemon's shutdown. */
  readonly shutdown: () => void;
  /** Takes up what has changed on disk, as SIGHUP does; the audit trail names it by the request's id. */
  readonly reload?: (requestId: string) => void;
  /** undefined without TLS. */
  readonly certificate?: () => CertificateStatus;
  /** undefined where nothing is recorded. */
  readonly recording?: () => RecordingStatus;
  /** Lines of the daemon's log that were never written; 0 by default. */
  readonly logLinesLost?: () => number;
}

/** Longer than backends wait for a server of theirs, shorter than most HTTP clients wait. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How long the answer to a new order waits to say how it stands. */
const STANDING_MS_MAX = 2_000;
/** Calls in flight over all keys, as a multiple of the bound of one key. */
const KEYS_FULL = 4;
type AccountsFound = readonly TrdAcc[] | Rejection;

/** RFC 6455, section 7.4.1. */
const CLOSE_GOING_AWAY = 1001;

function everyAccount() {
  return create(account.listAccounts.messages.C2SSchema, { userID: 0n, needGeneralSecAccount: true });
}

/** Everything between the interfaces and the backend, made once. */
export class Gateway {
  readonly meter = new Meter();
  readonly push: PushHub;
  readonly readiness: Readiness;
  readonly keys: KeyWatch;
  readonly admissions: Admissions;
  readonly #halting: Halting;
  readonly #base: GatewayBase;
  readonly #pipeline: Pipeline;
  readonly #undeclared: UndeclaredCalls;
  readonly #idempotency: IdempotencyKeys;
  readonly #longPolls: LongPolls;
  readonly #brackets: BracketService;

  constructor(options: GatewayOptions) {
    const { access, backend, clock, store, logger, switches, time, version } = options;
    const { backendClock = clock, requestTimeoutMs = REQUEST_TIMEOUT_MS, tradingHalt } = options;
    const base: GatewayBase = { access, backend, clock, backendClock, store, logger, switches, requestTimeoutMs, tradingHalt };
    this.#base = base;
    const { meter } = this;
    const bounds = { ...defaultBounds, ...options.bounds };
    const push = new PushHub({
      ...{ backend, clock, store },
      maxBacklogBytes: options.pushBacklogBytesMax,
      subscriptionsPerKey: bounds.subscriptions,
      greeting: () => backend.notices(),
      onDefect: (error) => logger.error({ err: error }, 'an event could not be pushed'),
      onGap: (message) => logger.warn({}, message),
      onPublished: ({ stream }, ms) => meter.push(stream.subType, ms),
      keyHashOf: (owner) => keyOf(access, owner)?.hash,
    });
    this.push = push;
    const idempotency = new IdempotencyKeys({ store, time, clock, keysMax: bounds.idempotencyKeys });
    this.#idempotency = idempotency;
    const storage = new StorageStatus(store);
    storage.onChange(() => {
      if (storage.failure === undefined) logger.info({}, 'the database accepts writes again');
      else logger.error({ reason: storage.failure }, 'the database accepts no writes');
    });
    const inFlight = new InFlight({ perOwner: bounds.calls, inAll: KEYS_FULL * bounds.calls }, options.isShortOfMemory);
    this.#longPolls = new LongPolls({
      ...base,
      hub: push,
      perOwner: bounds.waits,
      review: (caller, request) => this.#pipeline.entrance.review(subscription.waitFor, caller, request),
      permitsOf: ({ key }) => permitsOf(access, key),
      watchExpiry: ({ key }) => key !== undefined && this.keys.watch(key),
    });
    this.keys = new KeyWatch({ ...base, push, waits: this.#longPolls });
    this.readiness = new Readiness({ ...base, storage, notify: (notice) => push.notify(notice) });
    const orders = new AccountOrders({ backend, gates: access.gates, clock: backendClock });
    const tradingEnabled = switches.has('--enable-trading') && tradingHalt === undefined;
    const brackets = new BracketService({
      ...base,
      orders,
      hub: push,
      recordedInOrder: backend.journal === store,
      mayTrade: tradingEnabled,
      onStorageFailure: (failure) => storage.failed(failure),
    });
    this.#brackets = brackets;
    this.#halting = new Halting({ ...base, orders, push, brackets });
    const accountContext = new AccountContext(backend, access, orders, (accId) => brackets.isProtectiveOrder(accId));
    const protective = new ProtectiveOrders({ ...base, orders, brackets });
    const refusedOrders = new RefusedOrders(access, clock);
    const quotaOf = (owner: string) => push.subscriptions.quotaOf(owner);
    const local: LocalOperations = {
      ...bracketHandlers(brackets, access, protective, backend),
      ...adminHandlers({
        ...base,
        refresher: new CredentialRefresher(backend, logger),
        version,
        startedAt: clock.now(),
        tradingEnabled,
        pushCounts: () => ({ connections: push.connections().length, subscriptions: push.subscriptions.usedQuota }),
        shutdown: options.shutdown,
        reload: options.reload ?? (() => undefined),
        certificate: options.certificate ?? (() => undefined),
        troubles: () => this.readiness.troubles(),
      }),
      ...haltHandlers(this.#halting),
      ...pushHandlers(push, backend, access),
      [system.whoami.name]: whoami({ ...base, accountContext }),
      // `wait_for` checks readiness itself.
      [subscription.waitFor.name]: alone((call) => this.#longPolls.answer(call)),
      [trade.getRefusals.name]: refusedOrders.operation,
      [system.getDelayStatistics.name]: delayStatistics(meter, access),
      [system.getQuoteCapability.name]: capabilityWith4Minutes(backend, quotaOf),
      [system.getUserInfo.name]: getUserInfo(backend, quotaOf),
      [account.getFunds.name]: getFunds(backend),
      [quote.getKline.name]: klineWith4Minutes(backend),
      [quote.getHistoryKline.name]: historyKlineWith4Minutes(backend),
    };
    const cancelAll = new CancelAll({ ...base, orders, protective, brackets });
    const valuing: Valuing = { backend, orders, entryTerms: (accId, order) => brackets.entryTerms(accId, order) };
    this.#pipeline = new Pipeline({
      ...base,
      ...{ idempotency, inFlight, local, meter, orders, protective, refusedOrders, storage },
      refusals: new RefusalThrottle(clock, bounds.refusalsPerSecond),
      unlocks: new UnlockThrottle(store, time),
      orderDetail: new OrderDetail(push.subscriptions),
      writes: new Writes({ ...base, accountContext, brackets, cancelAll, inFlight, meter, orders, valuing }),
      previewer: new Previewer({ ...base, accountContext, cancelAll, valuing, refuseBracket: (keyId) => brackets.refuseFull(keyId) }),
      keyUsed: (keyId) => push.idleKeys.used(keyId),
      tradePassword: options.tradePassword ?? (async () => undefined),
    });
    const { entrance, failures } = this.#pipeline;
    this.#undeclared = new UndeclaredCalls({ ...base, inFlight, entrance, failures });
    this.admissions = new Admissions({ ...base, push, keys: this.keys, connectionsPerKey: bounds.connections, entrance });
    meter.watch({
      ...{ access, backend, idempotency, inFlight, push, readiness: this.readiness, storage },
      recording: options.recording,
      logLinesLost: options.logLinesLost ?? (() => 0),
    });
    push.takeUp((owner) => this.keys.entitled(owner));
    let isRestored = false;
    backend.onLifecycle(() => {
      if (isRestored || this.readiness.awaited() !== undefined) return;
      isRestored = true;
      push.restore().catch((error: unknown) => logger.error({ err: error }, 'pushes of before the start could not be restored'));
    });
  }

  /** A keys file is in force: every request needs a key. */
  get scopeMode(): boolean {
    return this.#base.access.scopeMode;
  }

  /** Everything comes from the simulated brokerage. */
  get simulated(): boolean {
    return this.#base.backend.simulated;
  }

  /** Whether a start-up switch is on: "--enable-trading". */
  isSwitchedOn(name: string): boolean {
    return this.#base.switches.has(name);
  }

  /** Orders to take no more risk that are in force: cancels and reads are served. */
  halts(): readonly TradingHalt[] {
    return this.#base.access.gates.halts.all();
  }

  /** Halts what adds risk on the word of the daemon's own user; who comes in over an interface asks for the operation. */
  halt(order: HaltOrder): Promise<Halted | Rejection> {
    return this.#halting.halt(order, this.#ownContext());
  }

  /** Ends a halt on the word of the daemon's own user. */
  resume(order: Pick<HaltOrder, 'keyId' | 'by'>): Promise<Resumed> {
    return this.#halting.resume(order, this.#ownContext());
  }

  /** Warning that what is changed now is remembered in memory alone; undefined while the disk takes writes. */
  get unkept(): string | undefined {
    const { failure } = this.#base.store;
    return failure && unkeptText(failure);
  }

  #ownContext(): CallContext {
    const { backendClock, requestTimeoutMs } = this.#base;
    return { requestId: randomUUID(), deadline: backendClock.monotonic() + requestTimeoutMs, signal: new AbortController().signal };
  }

  /** Answers one request: see {@link Pipeline}. */
  call(operation: Operation, caller: Caller, decode: () => Message | Rejection): Answer | Promise<Answer> {
    return this.#pipeline.call(operation, caller, decode);
  }

  /** Previews a write that waits for a person's word: see {@link Pipeline.ask}. */
  ask(operation: Operation, caller: Caller, decode: () => Message | Rejection): Promise<Preview | ResponseMessage | Rejection | undefined> {
    return this.#pipeline.ask(operation, caller, decode);
  }

  /** Refuses a request of an operation for a reason of its interface's: see {@link Pipeline.refuse}. */
  refuse(operation: Operation, caller: Caller, refusal: Rejection, request?: Message): Promise<Rejection> {
    return this.#pipeline.refuse(operation, caller, refusal, request);
  }

  /** How an order stands that was just placed, and its market: beside the answer, and never in its way. */
  orderStanding(request: PlaceC2S, orderIDEx: string): Promise<OrderStanding> {
    const { backend, backendClock } = this.#base;
    const context = { ...this.#ownContext(), deadline: backendClock.monotonic() + STANDING_MS_MAX };
    return orderStanding(backend, request, orderIDEx, context);
  }

  /** The money that a security's prices are in; undefined where the backend does not know the security. */
  async priceCurrency(security: Security): Promise<string | undefined> {
    try {
      return (await this.#base.backend.tradingTerms(security, this.#ownContext()))?.currency;
    } catch {
      return undefined;
    }
  }

  /** The symbols under which the backend lists those that a caller wants to hear of: see {@link listedSymbols}. */
  listedSymbols(symbols: ReadonlySet<string>, field: string): Promise<ReadonlySet<string> | Rejection> {
    return listedSymbols(this.#base.backend, symbols, field, this.#ownContext());
  }

  /** Says what a write would do and meet, without sending it: see {@link Pipeline.preview}. */
  preview(operation: Operation, caller: Caller, decode: () => Message | Rejection): Promise<Preview | ResponseMessage | Rejection> {
    return this.#pipeline.preview(operation, caller, decode);
  }

  /** Logs a defect that an interface met while it wrote an answer: what the caller is told instead. */
  defect(caller: Caller, thrown: unknown): Rejection {
    return this.#pipeline.failures.defect(caller, thrown);
  }

  /** Names a caller, or says why its credential is no good; nothing is recorded. */
  identify(caller: Caller): Identity | Rejection {
    return this.#pipeline.entrance.identify(caller);
  }

  /** Whether a caller can use an operation at all: for lists of what it can do. Nothing is recorded. */
  mayUse(operation: Operation, caller: Caller, identity: Identity): boolean {
    return this.#pipeline.entrance.authorise(operation, caller, identity) === undefined;
  }

  /**
   * The accounts that a caller of an operation may name, where the interface lets it name them by something else. Not
   * recorded: the call that follows is.
   */
  accountsFor(operation: Operation, caller: Caller): AccountsFound | Promise<AccountsFound> {
    const identity = this.#pipeline.entrance.identify(caller);
    if (identity instanceof Rejection) return identity;
    const refused = this.#pipeline.entrance.authorise(operation, caller, identity);
    if (refused !== undefined) return refused;
    return following(this.#pipeline.lookUp(account.listAccounts, caller, identity, everyAccount()), (response) => {
      if (response instanceof Rejection) return response;
      const accounts = payloadOf(account.listAccounts, response)?.accList;
      return accounts ?? new Rejection('backend.not_ready', `the account list was refused: ${response.retMsg}`);
    });
  }

  /** The trading market in which a caller reads an account as a whole, where it names none. */
  readingMarketOf(account: TrdAcc, { key }: Identity): number {
    return readingMarketOf(account, this.#base.access, key);
  }

  /** Server facts for the handshake of a public protocol client; zero while the backend cannot say. Not recorded. */
  async serverFacts(caller: Caller, identity: Identity): Promise<{ readonly version: number; readonly userId: bigint }> {
    const [state, user] = await Promise.all([
      this.#pipeline.lookUp(system.getGlobalState, caller, identity, create(system.getGlobalState.messages.C2SSchema, { userID: 0n })),
      this.#pipeline.lookUp(system.getUserInfo, caller, identity, create(system.getUserInfo.messages.C2SSchema)),
    ]);
    const version = state instanceof Rejection ? undefined : payloadOf(system.getGlobalState, state)?.serverVer;
    const userId = user instanceof Rejection ? undefined : payloadOf(system.getUserInfo, user)?.userID;
    return { version: version ?? 0, userId: userId ?? 0n };
  }

  /** Passes on a request of an id that maps to no operation; undefined where it does not pass: see {@link UndeclaredCalls}. */
  callUndeclared(protoId: number, caller: Caller, body: Uint8Array): Promise<Uint8Array | Rejection | undefined> {
    return this.#undeclared.call(protoId, caller, body);
  }

  /** Ends all long polls, so that shutdown need not wait for them. */
  endWaits(): void {
    this.#longPolls.stop();
  }

  /** New requests are no longer ready to be served; those under way are answered. */
  stop(): void {
    this.readiness.stop();
    this.endWaits();
    this.#brackets.stop();
    this.#idempotency.stop();
    this.keys.stop();
    this.push.stop(CLOSE_GOING_AWAY, 'the daemon is shutting down');
  }

  /** Whether a key is as it was when its bearer was named. What is kept for later is given out only while it is. */
  isAsItWas(identity: Identity): boolean {
    return this.#pipeline.entrance.isAsItWas(identity);
  }
}
