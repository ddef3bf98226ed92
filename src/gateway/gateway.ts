import { randomUUID } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { SteadyTime } from '../access/index.js';
import { type Access, type Authentication, type KeyChanges, type KeyRecord, scopeMask, type TradingHalt } from '../access/index.js';
import type { Clock } from '../contract/clock.js';
import { Emitter } from '../contract/emitter.js';
import type { Security } from '../contract/generated/Qot_Common_pb.js';
import type { TrdAcc } from '../contract/generated/Trd_Common_pb.js';
import type { C2S as PlaceC2S } from '../contract/generated/Trd_PlaceOrder_pb.js';
import type { Operation } from '../contract/operation.js';
import { account, quote, subscription, system, trade } from '../contract/operations/index.js';
import { Rejection } from '../contract/rejection.js';
import type { Store } from '../storage/index.js';
import type { Backend, BackendStatus, BrokerSnapshot, CallContext, LifecycleSnapshot, ResponseMessage } from './backend.js';
import { defaultBounds, type GatewayBounds } from './bounds.js';
import { BracketService, bracketHandlers } from './brackets/index.js';
import { CredentialRefresher } from './credential-refresher.js';
import { type Halted, Halting, type HaltOrder, type Resumed } from './halting.js';
import { type Caller, type Credential, type Identity, identityOf, ownerOfKey } from './identity.js';
import { InFlight } from './in-flight.js';
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
import type { CertificateStatus, RecordingStatus, Trouble } from './operator-status.js';
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
import { Pipeline } from './pipeline.js';
import { type Preview, Previewer } from './preview/index.js';
import type { Entitled, Permits } from './push/index.js';
import { connectionNotice, PushHub } from './push/index.js';
import { permitsOf } from './push-permits.js';
import { awaitedConnection, severedConnection } from './readiness.js';
import { RefusalThrottle } from './refusal-throttle.js';
import { RefusedOrders } from './refused-orders.js';
import { type Answer, following, payloadOf } from './responses.js';
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
  /** Why nothing may be traded, where the state folder turned out not to be the newest. */
  readonly tradingHalt?: string;
  /** Where the trade password is kept, for unlocks asked for by tools. Without it they cannot unlock. */
  readonly tradePassword?: TradePasswordSource;
  /** How long a caller waits for an answer of the backend that does not say so itself; 30 seconds by default. */
  readonly requestTimeoutMs?: number;
  /** Backlog in bytes at which a push connection is closed. */
  readonly pushBacklogBytesMax: number;
  /** Limits on what one key may hold or have in flight. */
  readonly bounds?: Partial<GatewayBounds>;
  /** Whether there is no room for one more read beside so many requests under way: it is refused. */
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

/** The owner of a push connection and its permits. */
export interface OpenedPush {
  readonly identity: Identity;
  readonly permits: Permits;
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
/** How often keys are looked at for their expiry, beside the moment itself. */
const KEY_WATCH_MS = 5_000;
const quoteScopes = scopeMask(['qot:read']);
const accountScopes = scopeMask(['acc:read']);
const realTrading = scopeMask(['trade:real']);
const metricsScopes = scopeMask(['metrics:read', 'admin']);

function everyAccount() {
  return create(account.listAccounts.messages.C2SSchema, { userID: 0n, needGeneralSecAccount: true });
}

/** Everything between the interfaces and the backend, made once. */
export class Gateway {
  readonly meter = new Meter();
  readonly push: PushHub;
  readonly #halting: Halting;
  readonly #options: GatewayOptions;
  readonly #pipeline: Pipeline;
  readonly #undeclared: UndeclaredCalls;
  readonly #idempotency: IdempotencyKeys;
  readonly #longPolls: LongPolls;
  readonly #brackets: BracketService;
  readonly #connectionsPerKey: number;
  #connectionsReady: readonly boolean[];
  readonly #expiries = new Map<string, () => void>();
  #cancelKeyWatch: () => void;
  readonly #keyListeners = new Emitter();
  readonly #keyWatchers = new Emitter();
  readonly #readyListeners = new Emitter<boolean>();
  #announcedReady: boolean;
  #stopping = false;

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
      keyHashOf: (owner) => this.#keyOf(owner)?.hash,
    });
    this.#idempotency = new IdempotencyKeys({ store, time, clock, keysMax: bounds.idempotencyKeys });
    this.#connectionsPerKey = bounds.connections;

    this.#connectionsReady = this.#readConnections();
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
      watchExpiry: ({ key }) => key !== undefined && this.#watchExpiry(key),
    });
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
      onStorageFailure: (failure) => this.#pipeline.storageFailed(failure),
    });
    this.#halting = new Halting({ access, backend, orders, clock, backendClock, push: this.push, brackets: this.#brackets, logger });
    const accountContext = new AccountContext(backend, access, orders, (accId) => this.#brackets.isProtectiveOrder(accId));
    const protective = new ProtectiveOrders({ access, backend, orders, brackets: this.#brackets });
    const refusedOrders = new RefusedOrders(access, clock);
    const local: LocalOperations = {
      ...bracketHandlers(this.#brackets, access, protective),
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
        troubles: () => this.troubles(),
      }),
      ...haltHandlers(this.#halting),
      ...pushHandlers(this.push, backend, access),
      [system.whoami.name]: whoami({ access, backend, accountContext, clock, switches }),
      // It looks by itself whether what it waits for can be heard of.
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
      onStorageStatus: () => {
        const { storageFailure } = this.#pipeline;
        if (storageFailure === undefined) logger.info({}, 'the database accepts writes again');
        else logger.error({ reason: storageFailure }, 'the database accepts no writes');
        this.#announceReady();
      },
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
    access.audit.onFileStatus(() => this.#announceReady());
    this.meter.watch({
      pushConnections: () => this.push.connections().length,
      subscriptions: () => this.push.subscriptions.usedQuota,
      idempotencyKeys: () => this.#idempotency.count,
      backendReady: () => this.awaited() === undefined,
      quotesReady: () => this.#readConnections()[0] === true,
      tradingReady: () => this.#readConnections()[1] === true,
      reconnects: () => this.#countReconnects(),
      callsInFlight: () => inFlight.size,
      gaps: () => this.push.gapCount,
      missingPushes: () => this.push.missing,
      subscriptionQuotas: () => backend.subscriptionQuotas?.(),
      storageWritable: () => this.#pipeline.storageFailure === undefined,
      auditFile: () => access.audit.fileStatus(),
      recording: options.recording,
      logLinesLost: options.logLinesLost ?? (() => 0),
    });
    this.#cancelKeyWatch = this.#scheduleKeyWatch();
    this.#announcedReady = this.ready;
    this.push.takeUp((owner) => this.#entitled(owner));
    let isRestored = false;
    backend.onLifecycle(() => {
      this.#announceConnections();
      this.#announceReady();
      if (isRestored || this.awaited() !== undefined) return;
      isRestored = true;
      this.push.restore().catch((error: unknown) => logger.error({ err: error }, 'pushes of before the start could not be restored'));
    });
    access.keyring?.onReload((outcome) => {
      if (outcome.ok) this.#applyKeyChanges(outcome.value);
    });
  }

  /** Rights that an owner of stored subscriptions has now. */
  #entitled(owner: string): Entitled {
    const { access, clock } = this.#options;
    if (!access.scopeMode) return { quotes: owner === 'anonymous', accounts: owner === 'anonymous' };
    const key = this.#keyOf(owner);
    if (key === undefined || !access.revalidate(key, clock.now()).ok) return { quotes: false, accounts: false };
    this.#watchExpiry(key);
    const may = (scopes: number) => access.authorise(key, scopes) === undefined;
    return { quotes: may(quoteScopes), accounts: may(accountScopes) };
  }

  /** The key of an owner; undefined for callers without one, and where the keys file has none of its id. */
  #keyOf(owner: string): KeyRecord | undefined {
    return owner.startsWith('key:') ? this.#options.access.keyring?.keyNamed(owner.slice('key:'.length)) : undefined;
  }

  /** A keys file is in force: every request needs a key. */
  get scopeMode(): boolean {
    return this.#options.access.scopeMode;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Everything comes from the simulated brokerage. */
  get simulated(): boolean {
    return this.#options.backend.simulated;
  }

  /** Whether a start-up switch is on: "--enable-trading". */
  isSwitchedOn(name: string): boolean {
    return this.#options.switches.has(name);
  }

  /** Every connection of the backend is ready, nothing keeps writes from being served, and the daemon is not on its way out. */
  get ready(): boolean {
    if (this.#stopping || this.awaited() !== undefined) return false;
    return this.troubles().every(({ stopsWrites }) => !stopsWrites);
  }

  /** Current failures of the daemon's own resources: the database, the audit file. */
  troubles(): readonly Trouble[] {
    const { audit } = this.#options.access;
    const [storage, trail] = [this.#pipeline.storageFailure, audit.fileStatus()?.failure];
    return [
      ...(storage === undefined ? [] : [{ message: `storage: ${storage}`, stopsWrites: true }]),
      ...(trail === undefined ? [] : [{ message: `audit: ${trail}`, stopsWrites: audit.required }]),
    ];
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

  /** Told whenever {@link ready} changes. Returns its own removal. */
  onReady(listener: (ready: boolean) => void): () => void {
    return this.#readyListeners.on(listener);
  }

  #announceReady(): void {
    if (this.ready === this.#announcedReady) return;
    this.#announcedReady = this.ready;
    this.#readyListeners.emit(this.ready);
  }

  /** Tells clients whether quotes and trading are to be had, as the public protocol does, when that changes. */
  #announceConnections(): void {
    const before = this.#connectionsReady;
    const ready = this.#readConnections();
    this.#connectionsReady = ready;
    const [quotes = false, trading = false] = ready;
    if (quotes !== before[0] || trading !== before[1]) this.push.notify(connectionNotice(quotes, trading));
  }

  /** Whether the platform is ready, and whether every broker is. */
  #readConnections(): readonly boolean[] {
    const { platform, brokers } = this.backendStatus();
    const [quotes, ...trading] = [platform, ...brokers].map(({ lifecycleState }) => lifecycleState === 'ready');
    return [quotes === true, trading.length === 0 ? quotes === true : trading.every(Boolean)];
  }

  #countReconnects(): number {
    const { platform, brokers } = this.backendStatus();
    return [platform, ...brokers].reduce((sum, { reconnectSuccesses }) => sum + reconnectSuccesses, 0);
  }

  /** The connection of the backend that is waited for; undefined when all are ready. */
  awaited(): LifecycleSnapshot | BrokerSnapshot | undefined {
    return awaitedConnection(this.backendStatus());
  }

  /** The connection of the backend that has no transport; undefined when all have. */
  severed(): LifecycleSnapshot | BrokerSnapshot | undefined {
    return severedConnection(this.backendStatus());
  }

  backendStatus(): BackendStatus {
    return this.#options.backend.status();
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
   * Judges a caller of an operation that the interface answers itself, from what the operation said before; recorded as a call is.
   */
  admit(operation: Operation, caller: Caller): Identity | Rejection {
    const identity = this.#pipeline.identify(caller);
    const keyId = identity instanceof Rejection ? identity.details.keyId : identity.key?.id;
    const refused = identity instanceof Rejection ? identity : this.#pipeline.authorise(operation, caller, identity);
    this.#audit(caller, keyId ?? null, refused);
    return refused ?? identity;
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

  /** Calls `listener` whenever a reload has put other keys in force; returns its removal. */
  onKeyChanges(listener: () => void): () => void {
    return this.#keyListeners.on(listener);
  }

  /** Calls `listener` every few seconds, to end what it holds for keys that are no good any more; returns its removal. */
  onKeyWatch(listener: () => void): () => void {
    return this.#keyWatchers.on(listener);
  }

  /**
   * Identifies the caller of a new push connection and its permits; a refusal is the interface's to audit. `unfit` is the
   * interface's own objection to the request, revealed only to authenticated callers.
   */
  openPush(caller: Caller, unfit?: Rejection): OpenedPush | Rejection {
    const identity = this.#pipeline.identify(caller);
    if (identity instanceof Rejection) return identity;
    const refused = this.#pipeline.authorise(quote.getQuote, caller, identity) ?? unfit;
    if (refused !== undefined) return refused;
    const full = caller.iface === 'mcp' ? undefined : this.#refuseConnection(identity);
    if (full !== undefined) return full;
    this.#audit(caller, identity.key?.id ?? null, undefined);
    if (identity.key !== undefined) this.#watchExpiry(identity.key);
    return { identity, permits: permitsOf(this.#options.access, identity.key) };
  }

  /**
   * Opens a connection that asks for operations and receives the pushes of its own subscriptions: who it is and what it may
   * see, or why not. Recorded as a call is. What it may do is judged for each of its requests, made with the key named here.
   */
  openSession(caller: Caller, credential: Credential): { readonly identity: Identity; readonly permits: Permits } | Rejection {
    const identity = identityOf(this.#authenticate(credential));
    const refused = identity instanceof Rejection ? identity : this.#refuseConnection(identity);
    const keyId = identity instanceof Rejection ? identity.details.keyId : identity.key?.id;
    this.#audit(caller, keyId ?? null, refused);
    if (identity instanceof Rejection) return identity;
    if (refused !== undefined) return refused;
    if (identity.key !== undefined) this.#watchExpiry(identity.key);
    return { identity, permits: permitsOf(this.#options.access, identity.key) };
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

  /** Whether the caller may read the metrics; scope mode asks for metrics:read or admin. */
  authoriseMetrics(caller: Caller): Rejection | undefined {
    if (!this.scopeMode) return undefined;
    const identity = this.#pipeline.identify(caller);
    if (identity instanceof Rejection) return identity;
    const denied = this.#options.access.authorise(identity.key, metricsScopes);
    if (denied !== undefined) return new Rejection(denied.code, denied.message);
    this.#audit(caller, identity.key?.id ?? null, undefined);
    return undefined;
  }

  /** Passes on a request of an id that maps to no operation; undefined where it does not pass: see {@link UndeclaredCalls}. */
  callUndeclared(protoId: number, caller: Caller, body: Uint8Array): Promise<Uint8Array | Rejection | undefined> {
    return this.#undeclared.call(protoId, caller, body);
  }

  /** Refuses a protocol id that maps to no operation. Only who may trade for real is told so: an id might be one of an order. */
  refuseUnmapped(caller: Caller, protoId: number): Rejection {
    const identity = this.#pipeline.identify(caller);
    const denied = identity instanceof Rejection ? undefined : this.#options.access.authorise(identity.key, realTrading);
    const rejection =
      identity instanceof Rejection
        ? identity
        : denied === undefined
          ? new Rejection('route.not_found', `protocol id ${protoId} is not served`)
          : new Rejection(denied.code, denied.message);
    this.auditRejection(caller, rejection);
    return rejection;
  }

  /** Records a refusal of something that never reached an operation: an unknown path, a foreign origin. */
  auditRejection(caller: Caller, rejection: Rejection): void {
    const identity = this.#pipeline.identify(caller);
    const keyId = identity instanceof Rejection ? identity.details.keyId : identity.key?.id;
    this.#audit(caller, keyId ?? null, rejection);
  }

  /** Ends the calls that wait for something to happen, so that nobody has to wait for them. */
  endWaits(): void {
    this.#longPolls.stop();
  }

  /** New requests are no longer ready to be served; those under way are answered. */
  stop(): void {
    this.#stopping = true;
    this.#announceReady();
    this.endWaits();
    this.#brackets.stop();
    this.#idempotency.stop();
    this.#cancelKeyWatch();
    for (const cancel of this.#expiries.values()) cancel();
    this.push.stop(CLOSE_GOING_AWAY, 'the daemon is shutting down');
  }

  /** Whether a key is as it was when its bearer was named. What is kept for later is given out only while it is. */
  isAsItWas(identity: Identity): boolean {
    return this.#pipeline.isAsItWas(identity);
  }

  #authenticate(credential: Credential): Authentication {
    const { access } = this.#options;
    switch (credential.kind) {
      case 'text':
        return access.authenticate(credential.text);
      case 'sdk':
        return access.authenticateSdk(credential.md5Hex);
      case 'id':
        return access.authenticateId(credential.id);
    }
  }

  #audit(caller: Caller, keyId: string | null, rejection: Rejection | undefined): void {
    const { iface, endpoint, requestId } = caller;
    const outcome = rejection === undefined ? 'allow' : 'reject';
    this.#options.access.audit.record({
      iface,
      endpoint,
      keyId,
      outcome,
      reason: rejection?.auditReason ?? '',
      code: rejection?.code,
      requestId,
    });
  }

  /** One more connection of a key, where it has as many as it may. */
  #refuseConnection({ key, owner }: Identity): Rejection | undefined {
    if (key === undefined || this.push.connectionsOf(owner) < this.#connectionsPerKey) return undefined;
    return new Rejection('limit.key_connections', `key "${key.id}" has reached its limit of ${this.#connectionsPerKey} open connections`, {
      retryAfterSeconds: 1,
    });
  }

  /** Ends a key's connections at the moment of its expiry. */
  #watchExpiry({ id, expiresAt }: KeyRecord): void {
    this.#expiries.get(id)?.();
    this.#expiries.delete(id);
    if (expiresAt !== null)
      this.#expiries.set(
        id,
        this.#options.clock.at(expiresAt, () => this.#endExpired()),
      );
  }

  /** The clock may have been set past an expiry, or back before one that has been acted on: keys are looked at again and again. */
  #scheduleKeyWatch(): () => void {
    return this.#options.clock.after(KEY_WATCH_MS, () => {
      this.#endExpired();
      this.#endIdle();
      this.#cancelKeyWatch = this.#scheduleKeyWatch();
    });
  }

  #endIdle(): void {
    for (const keyId of this.push.idleKeys.review()) {
      this.#options.logger.info({ key_id: keyId }, 'the subscriptions that the key made over REST have ended: it was not used for an hour');
    }
  }

  /** Ends what keys that are no good any more have open; what they ask for is refused in any case. */
  #endExpired(): void {
    const { keyring } = this.#options.access;
    if (keyring === undefined) return;
    for (const [owner, keyId] of this.push.owners()) {
      const judged = keyId === undefined ? undefined : keyring.authenticateId(keyId);
      if (judged?.ok !== false) continue;
      this.push.revokeOwner(owner, judged.code === 'auth.expired' ? 'key expired' : judged.message);
    }
    this.#longPolls.review();
    this.#keyWatchers.emit();
  }

  /** A reload holds for open connections at once: revoked keys lose them, narrowed ones the events they may no longer see. */
  #applyKeyChanges({ removed, changed }: KeyChanges): void {
    const { access } = this.#options;
    for (const key of removed) this.push.revokeOwner(ownerOfKey(key), 'key revoked');
    for (const { after } of changed) {
      this.#watchExpiry(after);
      const owner = ownerOfKey(after);
      const judged = access.revalidate(after);
      if (!judged.ok) {
        this.push.revokeOwner(owner, judged.message);
        continue;
      }
      const denied = access.authorise(after, quoteScopes);
      if (denied !== undefined) this.push.endStreams(owner, denied.message);
      this.push.updatePermits(owner, permitsOf(access, after));
    }
    this.#longPolls.review();
    this.#keyListeners.emit();
  }
}
