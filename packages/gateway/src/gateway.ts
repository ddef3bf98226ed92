import { randomUUID } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { Access, SteadyTime, TradingHalt } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { TrdAcc } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, subscription, system, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Store } from '@svc-gateway/storage';
import { Admissions } from './admissions.js';
import type { Backend, CallContext, ResponseMessage } from './backend.js';
import { defaultBounds, type GatewayBounds } from './bounds.js';
import { BracketService, bracketHandlers } from './brackets/index.js';
import { CredentialRefresher } from './credential-refresher.js';
import { type Halted, Halting, type HaltOrder, type Resumed } from './halting.js';
import type { Caller, Identity } from './identity.js';
import { InFlight } from './in-flight.js';
import { KeyWatch, keyOf } from './key-watch.js';
import { capabilityWith4Minutes, historyKlineWith4Minutes, klineWith4Minutes } from './kline-4min.js';
import { adminHandlers } from './local/admin.js';
import { delayStatistics } from './local/delay-statistics.js';
import { getFunds } from './local/funds.js';
import { haltHandlers } from './local/halts.js';
import { alone, type LocalOperations } from './local/index.js';
import { pushHandlers } from './local/push.js';
import { getUserInfo } from './local/user-info.js';
import { whoami } from './local/whoami.js';
import type { Logger } from './logger.js';
import { LongPolls } from './long-polls/index.js';
import { Meter } from './meter.js';
import type { CertificateStatus, RecordingStatus } from './operator-status.js';
import { OrderDetail } from './order-detail.js';
import { AccountContext } from './orders/account-context.js';
import { AccountOrders } from './orders/account-orders.js';
import { CancelAll } from './orders/cancel-all.js';
import { IdempotencyKeys } from './orders/idempotency.js';
import { type OrderStanding, orderStanding } from './orders/order-standing.js';
import { ProtectiveOrders } from './orders/protective-orders.js';
import type { TradePasswordSource } from './orders/trade-password.js';
import { UnlockThrottle } from './orders/unlock-throttle.js';
import type { Valuing } from './orders/valuation.js';
import { Writes } from './orders/writes.js';
import { Pipeline } from './pipeline/index.js';
import { type Preview, Previewer } from './preview/index.js';
import { PushHub } from './push/index.js';
import { permitsOf } from './push-permits.js';
import { Readiness } from './readiness.js';
import { RefusalThrottle } from './refusal-throttle.js';
import { RefusedOrders } from './refused-orders.js';
import { type Answer, following, payloadOf } from './responses.js';
import { StorageStatus } from './storage-status.js';
import { readingMarketOf } from './traded-accounts.js';
import { UndeclaredCalls } from './undeclared.js';
import { UNKEPT } from './ways-out.js';

export interface GatewayOptions {
  readonly access: Access;
  readonly backend: Backend;
  readonly clock: Clock;
  /** Clock by which the backend times its calls; defaults to `clock`. */
  readonly backendClock?: Clock;
  /** Steady time of the same store. */
  readonly time: SteadyTime;
  readonly store: Store;
  readonly logger: Logger;
  readonly version: string;
  /** Start-up switches that are on: "--enable-trading". */
  readonly switches: ReadonlySet<string>;
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
  readonly #options: GatewayOptions;
  readonly #pipeline: Pipeline;
  readonly #undeclared: UndeclaredCalls;
  readonly #idempotency: IdempotencyKeys;
  readonly #longPolls: LongPolls;
  readonly #brackets: BracketService;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { access, backend, clock, backendClock = clock, time, store, logger, version, switches } = options;
    const bounds = { ...defaultBounds, ...options.bounds };
    this.push = new PushHub({
      backend,
      clock,
      store,
      maxBacklogBytes: options.pushBacklogBytesMax,
      subscriptionsPerKey: bounds.subscriptions,
      greeting: () => backend.notices(),
      onDefect: (error) => logger.error({ err: error }, 'an event could not be pushed'),
      onGap: (message) => logger.warn({}, message),
      onPublished: ({ stream }, ms) => this.meter.push(stream.subType, ms),
      keyHashOf: (owner) => keyOf(access, owner)?.hash,
    });
    this.#idempotency = new IdempotencyKeys({ store, time, clock, keysMax: bounds.idempotencyKeys });
    const storage = new StorageStatus(store);
    storage.onChange(() => {
      if (storage.failure === undefined) logger.info({}, 'the database accepts writes again');
      else logger.error({ reason: storage.failure }, 'the database accepts no writes');
    });
    const inFlight = new InFlight({ perOwner: bounds.calls, inAll: KEYS_FULL * bounds.calls }, options.isShortOfMemory);
    const refresher = new CredentialRefresher(backend, logger);
    this.#longPolls = new LongPolls({
      hub: this.push,
      backend,
      clock,
      backendClock,
      perOwner: bounds.waits,
      review: (caller, request) => this.#pipeline.review(subscription.waitFor, caller, request),
      permitsOf: ({ key }) => permitsOf(access, key),
      watchExpiry: ({ key }) => key !== undefined && this.keys.watch(key),
    });
    this.keys = new KeyWatch({ access, clock, push: this.push, waits: this.#longPolls, logger });
    this.readiness = new Readiness({ backend, audit: access.audit, storage, notify: (notice) => this.push.notify(notice) });
    const recordedInOrder = backend.journal === store;
    const orders = new AccountOrders({ backend, gates: access.gates, clock: backendClock });
    this.#brackets = new BracketService({
      orders,
      backend,
      access,
      store,
      hub: this.push,
      clock,
      backendClock,
      recordedInOrder,
      logger,
      mayTrade: switches.has('--enable-trading') && options.tradingHalt === undefined,
      onStorageFailure: (failure) => storage.failed(failure),
    });
    this.#halting = new Halting({ access, backend, orders, clock, backendClock, push: this.push, brackets: this.#brackets, logger });
    const accountContext = new AccountContext(backend, access, orders, (accId) => this.#brackets.isProtectiveOrder(accId));
    const protective = new ProtectiveOrders({ access, backend, orders, brackets: this.#brackets });
    const refusedOrders = new RefusedOrders(access, clock);
    const local: LocalOperations = {
      ...bracketHandlers(this.#brackets, access, protective, backend),
      ...adminHandlers({
        access,
        backend,
        clock,
        refresher,
        version,
        startedAt: clock.now(),
        tradingEnabled: switches.has('--enable-trading') && options.tradingHalt === undefined,
        pushCounts: () => ({ connections: this.push.connections().length, subscriptions: this.push.subscriptions.usedQuota }),
        shutdown: options.shutdown,
        reload: options.reload ?? (() => undefined),
        certificate: options.certificate ?? (() => undefined),
        troubles: () => this.readiness.troubles(),
      }),
      ...haltHandlers(this.#halting),
      ...pushHandlers(this.push, backend, access),
      [system.whoami.name]: whoami({ access, backend, accountContext, clock, switches }),
      // `wait_for` checks readiness itself.
      [subscription.waitFor.name]: alone((call) => this.#longPolls.answer(call)),
      [trade.getRefusals.name]: refusedOrders.operation,
      [system.getDelayStatistics.name]: delayStatistics(this.meter, options.access),
      [system.getQuoteCapability.name]: capabilityWith4Minutes(backend, (owner) => this.push.subscriptions.quotaOf(owner)),
      [system.getUserInfo.name]: getUserInfo(backend, (owner) => this.push.subscriptions.quotaOf(owner)),
      [account.getFunds.name]: getFunds(backend),
      [quote.getKline.name]: klineWith4Minutes(backend),
      [quote.getHistoryKline.name]: historyKlineWith4Minutes(backend),
    };
    const cancelAll = new CancelAll({ access, backend, clock: backendClock, orders, protective, brackets: this.#brackets });
    const valuing: Valuing = { backend, orders, entryTerms: (accId, order) => this.#brackets.entryTerms(accId, order) };
    const writes = new Writes(
      backend,
      access,
      { clock, backendClock },
      this.meter,
      inFlight,
      accountContext,
      orders,
      store,
      this.#brackets,
      cancelAll,
      valuing,
    );
    this.#pipeline = new Pipeline({
      access,
      backend,
      store,
      clock,
      backendClock,
      idempotency: this.#idempotency,
      refusals: new RefusalThrottle(clock, bounds.refusalsPerSecond),
      refusedOrders,
      unlocks: new UnlockThrottle(store, time),
      local,
      inFlight,
      orderDetail: new OrderDetail(this.push.subscriptions),
      requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      writes,
      orders,
      protective,
      previewer: new Previewer(backend, access, accountContext, clock, cancelAll, (keyId) => this.#brackets.refuseFull(keyId), valuing),
      meter: this.meter,
      logger,
      keyUsed: (keyId) => this.push.idleKeys.used(keyId),
      tradePassword: options.tradePassword ?? (async () => undefined),
      switches,
      storage,
      tradingHalt: options.tradingHalt,
    });
    this.#undeclared = new UndeclaredCalls({
      access,
      backend,
      clock: backendClock,
      inFlight,
      requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      switches,
      tradingHalt: options.tradingHalt,
      identify: (caller) => this.#pipeline.identify(caller),
      defect: (caller, thrown) => this.#pipeline.defect(caller, thrown),
    });
    this.admissions = new Admissions({
      access,
      push: this.push,
      keys: this.keys,
      connectionsPerKey: bounds.connections,
      identify: (caller) => this.#pipeline.identify(caller),
      authorise: (operation, caller, identity) => this.#pipeline.authorise(operation, caller, identity),
    });
    this.meter.watch({
      pushConnections: () => this.push.connections().length,
      subscriptions: () => this.push.subscriptions.usedQuota,
      idempotencyKeys: () => this.#idempotency.count,
      backendReady: () => this.readiness.awaited() === undefined,
      quotesReady: () => this.readiness.quotes,
      tradingReady: () => this.readiness.trading,
      reconnects: () => this.readiness.reconnects,
      callsInFlight: () => inFlight.size,
      gaps: () => this.push.gapCount,
      missingPushes: () => this.push.missing,
      subscriptionQuotas: () => backend.subscriptionQuotas?.(),
      storageWritable: () => storage.failure === undefined,
      auditFile: () => access.audit.fileStatus(),
      recording: options.recording,
      logLinesLost: options.logLinesLost ?? (() => 0),
    });
    this.push.takeUp((owner) => this.keys.entitled(owner));
    let isRestored = false;
    backend.onLifecycle(() => {
      if (isRestored || this.readiness.awaited() !== undefined) return;
      isRestored = true;
      this.push.restore().catch((error: unknown) => logger.error({ err: error }, 'pushes of before the start could not be restored'));
    });
  }

  /** A keys file is in force: every request needs a key. */
  get scopeMode(): boolean {
    return this.#options.access.scopeMode;
  }

  /** Everything comes from the simulated brokerage. */
  get simulated(): boolean {
    return this.#options.backend.simulated;
  }

  /** Whether a start-up switch is on: "--enable-trading". */
  isSwitchedOn(name: string): boolean {
    return this.#options.switches.has(name);
  }

  /** Orders to take no more risk that are in force: cancels and reads are served. */
  halts(): readonly TradingHalt[] {
    return this.#options.access.gates.halts.all();
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
    return this.#options.store.failure === undefined ? undefined : UNKEPT;
  }

  #ownContext(): CallContext {
    const { clock, backendClock = clock, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#options;
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
    const { clock, backend, backendClock = clock } = this.#options;
    const context = { ...this.#ownContext(), deadline: backendClock.monotonic() + STANDING_MS_MAX };
    return orderStanding(backend, request, orderIDEx, context);
  }

  /** The money that a security's prices are in; undefined where the backend does not know the security. */
  async priceCurrency(security: Security): Promise<string | undefined> {
    try {
      return (await this.#options.backend.tradingTerms(security, this.#ownContext()))?.currency;
    } catch {
      return undefined;
    }
  }

  /** Says what a write would do and meet, without sending it: see {@link Pipeline.preview}. */
  preview(operation: Operation, caller: Caller, decode: () => Message | Rejection): Promise<Preview | ResponseMessage | Rejection> {
    return this.#pipeline.preview(operation, caller, decode);
  }

  /** Logs a defect that an interface met while it wrote an answer: what the caller is told instead. */
  defect(caller: Caller, thrown: unknown): Rejection {
    return this.#pipeline.defect(caller, thrown);
  }

  /** Names a caller, or says why its credential is no good; nothing is recorded. */
  identify(caller: Caller): Identity | Rejection {
    return this.#pipeline.identify(caller);
  }

  /** Whether a caller can use an operation at all: for lists of what it can do. Nothing is recorded. */
  mayUse(operation: Operation, caller: Caller, identity: Identity): boolean {
    return this.#pipeline.authorise(operation, caller, identity) === undefined;
  }

  /**
   * The accounts that a caller of an operation may name, where the interface lets it name them by something else. Not
   * recorded: the call that follows is.
   */
  accountsFor(operation: Operation, caller: Caller): AccountsFound | Promise<AccountsFound> {
    const identity = this.#pipeline.identify(caller);
    if (identity instanceof Rejection) return identity;
    const refused = this.#pipeline.authorise(operation, caller, identity);
    if (refused !== undefined) return refused;
    return following(this.#pipeline.lookUp(account.listAccounts, caller, identity, everyAccount()), (response) => {
      if (response instanceof Rejection) return response;
      const accounts = payloadOf(account.listAccounts, response)?.accList;
      return accounts ?? new Rejection('backend.not_ready', `the account list was refused: ${response.retMsg}`);
    });
  }

  /** The trading market in which a caller reads an account as a whole, where it names none. */
  readingMarketOf(account: TrdAcc, { key }: Identity): number {
    return readingMarketOf(account, this.#options.access, key);
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
    return this.#pipeline.isAsItWas(identity);
  }
}
