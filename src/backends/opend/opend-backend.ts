import type { KeyObject } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '../../contract/clock.js';
import type { Decimal } from '../../contract/decimal.js';
import { type S2C as Notice, ResponseSchema as NotifyResponse, NotifyType } from '../../contract/generated/Notify_pb.js';
import type { Security } from '../../contract/generated/Qot_Common_pb.js';
import type { TrdAcc } from '../../contract/generated/Trd_Common_pb.js';
import type { Operation } from '../../contract/operation.js';
import { account } from '../../contract/operations/index.js';
import {
  type Backend,
  BackendFailure,
  type BackendStatus,
  type BrokerSnapshot,
  type CallContext,
  type CredentialRefresh,
  type LifecycleSnapshot,
  type NotifyPush,
  type PushEvent,
  type QuotePush,
  type QuoteStream,
  type ResponseMessage,
  type StreamsListener,
  type TradingTerms,
  type UnsubscribeRefusal,
} from '../../gateway/backend.js';
import {
  type AskOptions,
  type Dial,
  dialTcp,
  type Endpoint,
  hideMarks,
  Orders,
  PacketIds,
  type PushFrame,
  QuoteStreams,
  readAccounts,
  readFills,
  readOrders,
  readPush,
  recoveredTrades,
  Session,
  subscribeAt,
  tradePushOf,
  type Upstream,
  unsubscribeAt,
} from '../framed/index.js';
import { type SideName, Sides, sideNames } from './sides.js';
import { readUpstreamState, type UpstreamState } from './upstream-state.js';

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
  readonly random?: () => number;
  readonly dial?: Dial;
}

const NOTIFY = 1003;
/** The protocol's messages that this client knows: 10.11. */
const CLIENT_VERSION = 1011;
/** Common.PacketEncAlgo: AES in CBC mode. */
const AES_CBC = 2;
/** Between two looks at whether the upstream is still logged in; a notice of it is followed by one at once. */
const LOOK_MS = 15_000;
/** How long the bridge waits for what it asks by itself. */
const OWN_MS_MAX = 10_000;
/** Between two tries to restore what an upstream that is there refuses. */
const RETRY_MS = 5_000;
/** Clocks of two machines: what is this much older than a loss may still have been lost. */
const SKEW_MS = 5_000;

/** What of one side was lost, and since when. */
interface Loss {
  readonly from: number;
}

/** An upstream daemon that speaks the public protocol and has logged in by itself, as a backend. */
export class OpendBackend implements Backend {
  readonly name = 'opend';
  /** What an upstream does not say: it is taken for real. */
  readonly simulated = false;
  readonly replaysWrites = false;
  readonly #options: OpendBackendOptions;
  readonly #session: Session;
  readonly #sides: Sides;
  readonly #streams = new QuoteStreams();
  readonly #packets: PacketIds;
  readonly #orders: Orders;
  readonly #pushListeners = new Set<(event: PushEvent) => void>();
  readonly #streamsListeners = new Set<StreamsListener>();
  /** What the upstream said of itself last. */
  #state: UpstreamState | undefined;
  /** When it last said that a side is to be had, epoch ms. */
  readonly #goodAt: Record<SideName, number> = { quotes: 0, trading: 0 };
  #accounts: readonly TrdAcc[] = [];
  /** Accounts whose pushes are wanted. */
  #wantedAccounts: readonly bigint[] = [];
  readonly #losses: Record<SideName, Loss | undefined> = { quotes: undefined, trading: undefined };
  /** Counts the losses of a side: a restoration that is older than the last one is void. */
  readonly #epochs: Record<SideName, number> = { quotes: 0, trading: 0 };
  /** Sides that are being restored. */
  readonly #bringing = new Set<SideName>();
  #cancelLook: () => void = () => undefined;

  constructor(options: OpendBackendOptions) {
    this.#options = options;
    const { clock, endpoint, rsaKey, clientId, logger, random = Math.random, dial = dialTcp } = options;
    this.#sides = new Sides(clock);
    this.#session = new Session({
      clock,
      random,
      dial,
      endpoint: () => endpoint,
      introduction: () => ({ clientId, clientVersion: CLIENT_VERSION, packetEncAlgo: AES_CBC }),
      ...(rsaKey === undefined ? {} : { rsaKey }),
      prepare: (upstream, greeting) => {
        this.#packets.connected(greeting.connId);
        return this.#learn(upstream);
      },
      onLost: (reason, heardAt) => this.#disconnected(reason, heardAt),
      onPush: (frame) => this.#received(frame),
      onLifecycle: () => this.#follow(),
      onDefect: (error) => logger.error({ err: error }, 'the bridge to the upstream failed'),
    });
    this.#packets = new PacketIds(this.#session);
    this.#orders = new Orders({ upstream: this.#packets, clock, whenTrading: (deadline) => this.#whenTrading(deadline) });
  }

  async start(): Promise<void> {
    this.#session.start();
  }

  async stop(): Promise<void> {
    this.#cancelLook();
    this.#session.stop();
  }

  async call(operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage> {
    const writes = operation.effect === 'order' || operation.effect === 'write';
    return hideMarks(await (writes ? this.#orders.call(operation, request) : this.#packets.request(operation, request, context)));
  }

  tradingTerms(_security: Security, _context: CallContext): TradingTerms | undefined {
    return undefined;
  }

  /** The public protocol has no exchange rates. */
  exchangeRate(): Decimal | undefined {
    return undefined;
  }

  subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    return subscribeAt(this.#session, this.#streams, streams, () => this.#own());
  }

  unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    return unsubscribeAt(this.#session, this.#streams, streams, () => this.#own());
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.#streams.current(stream);
  }

  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    const asked = account.subAccPush;
    const c2s = create(asked.messages.C2SSchema, { accIDList: [...accIds] });
    const answer = await this.#session.request(asked, c2s, this.#own());
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
    return this.#sides.status();
  }

  readiness({ group }: Operation): LifecycleSnapshot | BrokerSnapshot | undefined {
    const trading = group === 'trade' || group === 'account';
    if (this.#sides.state(trading ? 'trading' : 'quotes') === 'ready') return undefined;
    const { platform, brokers } = this.#sides.status();
    return trading ? brokers[0] : platform;
  }

  onLifecycle(listener: (status: BackendStatus) => void): () => void {
    return this.#sides.onChange(listener);
  }

  async refreshCredentials(): Promise<CredentialRefresh> {
    return 'not_applicable';
  }

  /** Resolves to true once trading is to be had, to false where that takes until `deadline`, or for ever. */
  #whenTrading(deadline: number): Promise<boolean> {
    const state = () => this.#sides.state('trading');
    if (state() === 'ready') return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (trading: boolean) => {
        stopListening();
        cancel();
        resolve(trading);
      };
      const { clock } = this.#options;
      const cancel = clock.after(Math.max(0, deadline - clock.monotonic()), () => settle(false));
      const stopListening = this.#sides.onChange(() => {
        if (state() === 'ready') settle(true);
        else if (state() === 'failed' || state() === 'stopped') settle(false);
      });
    });
  }

  /** How long the bridge waits for what it asks by itself. */
  #own(): AskOptions {
    return { deadline: this.#options.clock.monotonic() + OWN_MS_MAX };
  }

  #emit(event: PushEvent): void {
    for (const listener of this.#pushListeners) listener(event);
  }

  #received(frame: PushFrame): void {
    const quotes = this.#streams.take(frame);
    if (quotes !== undefined) {
      for (const push of quotes) this.#emit(push);
      return;
    }
    const trade = tradePushOf(frame);
    if (trade !== undefined) this.#emit({ ...trade, message: hideMarks(trade.message) });
    else if (frame.protoId === NOTIFY) this.#noticed(frame);
  }

  /** Passes a notice on, and looks at what it may be about. */
  #noticed(frame: PushFrame): void {
    const message = readPush<Notice>(NotifyResponse, frame);
    if (message === undefined) return;
    const { type } = message.s2c;
    // Whether quotes and trading are to be had the gateway tells by itself, and quotas here are its own.
    const own = type === NotifyType.NotifyType_ConnStatus || type === NotifyType.NotifyType_UsedQuota;
    if (!own) this.#emit({ type: 'notify', protoId: NOTIFY, message });
    if (this.#session.lifecycle.state === 'ready') void this.#look();
  }

  /** The connection's own states. */
  #follow(): void {
    const { lifecycleState: state, lastLifecycleEvent: event = '' } = this.#session.lifecycle.snapshot;
    this.#options.logger.info({ state, event }, 'the connection to the upstream');
    if (state === 'ready') {
      this.#judge();
      this.#scheduleLook();
    } else {
      this.#cancelLook();
      this.#sides.follow(state, event);
    }
  }

  #disconnected(reason: string, heardAt: number): void {
    this.#accounts = [];
    this.#lose('quotes', heardAt, reason);
    this.#lose('trading', heardAt, reason);
  }

  /** Nothing of a side is sure to have come since `from`. */
  #lose(side: SideName, from: number, reason: string): void {
    this.#epochs[side] += 1;
    this.#losses[side] ??= { from };
    if (side === 'quotes') this.#streams.clear();
    const scope = side === 'quotes' ? ({ streams: 'all', accIds: [] } as const) : ({ streams: [], accIds: 'all' } as const);
    for (const listener of this.#streamsListeners) listener.lost({ ...scope, from, reason });
  }

  async #learn(upstream: Upstream): Promise<void> {
    this.#state = await readUpstreamState(upstream, this.#own());
  }

  #scheduleLook(): void {
    this.#cancelLook();
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => {
      void this.#look();
      this.#scheduleLook();
    });
  }

  /** Asks the upstream how it is; one that does not answer is left to the watchdog of its connection. */
  async #look(): Promise<void> {
    try {
      await this.#learn(this.#session);
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      return;
    }
    if (this.#session.lifecycle.state === 'ready') this.#judge();
  }

  /** Brings each side where the upstream says that it is. */
  #judge(): void {
    for (const side of sideNames) {
      const missing = this.#state?.missing[side];
      const state = this.#sides.state(side);
      if (missing === undefined) {
        this.#goodAt[side] = this.#options.clock.now();
        this.#sides.resume(side, 'the upstream is logged in');
        if (this.#sides.state(side) === 'authenticating') void this.#bring(side);
      } else if (state === 'ready' || (state === 'authenticating' && this.#bringing.has(side))) {
        this.#lose(side, this.#goodAt[side], missing);
        this.#sides.enter(side, 'reconnecting', missing);
      } else {
        this.#sides.note(side, missing);
      }
    }
  }

  /** Restores what was lost of a side, and makes it ready. */
  async #bring(side: SideName): Promise<void> {
    if (this.#bringing.has(side)) return;
    this.#bringing.add(side);
    const epoch = this.#epochs[side];
    const isCurrent = () => this.#epochs[side] === epoch && this.#sides.state(side) === 'authenticating';
    try {
      await (side === 'quotes' ? this.#restoreQuotes() : this.#restoreTrading(isCurrent));
      if (!isCurrent()) return;
      this.#losses[side] = undefined;
      this.#sides.enter(side, 'ready', 'connected, and everything is restored');
    } catch (thrown) {
      if (!isCurrent()) return;
      if (!(thrown instanceof BackendFailure)) this.#options.logger.error({ err: thrown }, 'what was lost could not be restored');
      this.#sides.note(side, `what was lost could not be restored: ${thrown instanceof Error ? thrown.message : thrown}`);
      this.#options.clock.after(RETRY_MS, () => {
        if (isCurrent()) void this.#bring(side);
      });
    } finally {
      this.#bringing.delete(side);
      // The side was lost and is back while this was under way.
      if (this.#epochs[side] !== epoch && this.#sides.state(side) === 'authenticating') void this.#bring(side);
    }
  }

  async #restoreQuotes(): Promise<void> {
    for (const listener of this.#streamsListeners) await listener.restore({ streams: 'all', accIds: [] });
  }

  async #restoreTrading(isCurrent: () => boolean): Promise<void> {
    this.#accounts = (await readAccounts(this.#session, this.#own())) ?? [];
    for (const listener of this.#streamsListeners) await listener.restore({ streams: [], accIds: 'all' });
    const loss = this.#losses.trading;
    if (loss === undefined || !isCurrent()) return;
    for (const accId of this.#wantedAccounts) {
      const of = this.#accounts.find(({ accID }) => accID === accId);
      if (of === undefined) continue;
      const orders = await readOrders(this.#session, of, this.#own());
      const fills = await readFills(this.#session, of, this.#own());
      if (!isCurrent()) return;
      if ('refused' in orders) {
        this.#options.logger.warn({ reason: orders.refused }, 'what became of orders meanwhile could not be read');
        continue;
      }
      for (const push of recoveredTrades(of, orders, 'refused' in fills ? [] : fills, loss.from - SKEW_MS)) this.#emit(push);
    }
  }
}
