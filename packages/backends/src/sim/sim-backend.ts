import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { Emitter } from '@svc-gateway/contract/emitter';
import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import { GtwEventType, NotifyType } from '@svc-gateway/contract/generated/Notify_pb';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { metadata, quote, system } from '@svc-gateway/contract/operations';
import { PageKeys } from '@svc-gateway/contract/page-keys';
import type {
  Backend,
  BackendStatus,
  CallContext,
  CredentialRefresh,
  FeeEstimate,
  LifecycleSnapshot,
  NotifyPush,
  PacketId,
  PushEvent,
  QuotePush,
  QuoteStream,
  ResponseMessage,
  TradingTerms,
} from '@svc-gateway/gateway/backend';
import { BackendFailure } from '@svc-gateway/gateway/backend-failures';
import { StreamListeners } from '@svc-gateway/gateway/stream-listeners';
import { Lifecycle } from '@svc-gateway/protocol-client/connection/lifecycle';
import { noticeOf, programNotice } from '@svc-gateway/protocol-client/notices';
import { answers } from '@svc-gateway/simulator/answers';
import { isOffloaded } from '@svc-gateway/simulator/answers/offloaded';
import { estimateFees } from '@svc-gateway/simulator/brokerage';
import { Refusal } from '@svc-gateway/simulator/refusal';
import type { RunningSimulation } from '@svc-gateway/simulator/simulation';
import { SIMULATED } from '@svc-gateway/simulator/view/server';
import { StorageFailure, type Store } from '@svc-gateway/storage';
import { AccountPushes } from './account-pushes.js';
import type { AnswerThread } from './answer-thread.js';
import { refusal, remarked, success, successOnce } from './answers.js';
import { OptionEventPushes } from './option-event-pushes.js';
import { prepare, prepareStreams } from './prepare.js';
import type { RecordedDay } from './recorded-day.js';
import { ReminderPushes } from './reminder-pushes.js';
import { Streams } from './streams.js';

/** Where defects of handlers are told; pino's logger is one. */
interface DefectLogger {
  error(details: object, message: string): void;
}

interface SimBackendOptions {
  /** Closed when the backend stops. */
  readonly simulation: RunningSimulation;
  readonly clock: Clock;
  readonly logger: DefectLogger;
  /** Answers what takes long; without it, that is answered in the event loop. */
  readonly thread?: AnswerThread | undefined;
  /** A day to be played: the simulation has its symbols. */
  readonly recordedDay?: RecordedDay;
  /** Told when the recorded day is over, or what of it cannot be read. */
  readonly report?: (message: string) => void;
}

/** Both the platform and the broker: the simulation runs inside this process, and its connection is never lost. */
const BROKER = { brokerId: 1001, name: 'Simulated Securities' };

/** The simulated brokerage as a backend, inside the daemon's process: calls are answered in the turn in which they are made where their handlers can. */
export function createSimBackend(options: SimBackendOptions): Backend {
  return new SimBackend(options);
}

class SimBackend implements Backend {
  readonly name = 'sim';
  readonly simulated = true;
  readonly replaysWrites = true;
  readonly listsCurrent = true;
  readonly journal: Store;
  readonly #pageKeys = new PageKeys();
  readonly #connection: Lifecycle;
  readonly #statusListeners = new Emitter<BackendStatus>();
  readonly onLifecycle = this.#statusListeners.on;
  readonly #streams: Streams;
  readonly #accountPushes: AccountPushes;
  /** Sources of pushes. */
  readonly #sources: readonly { start(): void; stop(): void }[];
  readonly #listeners = new Emitter<PushEvent>();
  readonly onPush = this.#listeners.on;
  readonly #streamListeners = new StreamListeners();
  /** Nothing is ever lost between here and the simulation; a recording may lack something. */
  readonly onStreams = this.#streamListeners.on;

  constructor(private readonly options: SimBackendOptions) {
    const { simulation, clock, logger } = options;
    this.journal = simulation.store;
    this.#connection = new Lifecycle(clock, () => this.#statusListeners.emit(this.status()));
    const emit = (event: PushEvent) => this.#listeners.emit(event);
    this.#streams = new Streams(simulation, emit);
    this.#accountPushes = new AccountPushes(simulation, emit);
    const onDefect = (what: string) => (error: unknown) => logger.error({ err: error }, `${what} could not be told`);
    const reminders = new ReminderPushes(simulation, emit, onDefect('a price reminder'));
    const optionEvents = new OptionEventPushes(simulation, emit, onDefect('option events'));
    this.#sources = [this.#streams, this.#accountPushes, reminders, optionEvents];
  }

  async start(): Promise<void> {
    if (this.#connection.state !== 'idle') throw new Error(`a backend starts once; this one is ${this.#connection.state}`);
    this.#connection.enter('connecting', 'start');
    this.#connection.enter('authenticating', 'the simulation needs no login');
    for (const source of this.#sources) source.start();
    this.#connection.enter('ready', 'the simulation runs in this process');
    this.#play();
    for (const notice of readyNotices()) this.#listeners.emit(notice);
  }

  async stop(): Promise<void> {
    if (this.#connection.state === 'stopped') return;
    this.options.recordedDay?.stop();
    for (const source of this.#sources) source.stop();
    this.#connection.enter('stopped', 'stop');
    await Promise.all([this.options.thread?.stop(), this.options.simulation.close()]);
  }

  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    const answer = answers.get(operation.name);
    if (answer === undefined) throw new Error(`the simulated backend does not answer ${operation.name}`);
    try {
      const recorded = this.options.recordedDay?.answer(operation, request);
      if (recorded !== undefined) return recorded;
      const opened = this.#pageKeys.open(operation, request);
      if (typeof opened === 'string') return refusal(operation.messages, new Refusal(opened));
      if (this.options.thread !== undefined && isOffloaded(operation, opened))
        return this.#offload(this.options.thread, operation, opened, context);
      const preparing = prepare(this.options.simulation, request);
      const answered = () => {
        const lateRejection = operation.effect === 'read' ? undefined : context.lateRejection?.();
        if (lateRejection !== undefined) throw lateRejection;
        return answer(this.options.simulation, opened, context);
      };
      const outcome = preparing instanceof Promise ? preparing.then(answered) : answered();
      const respond = (settled: unknown) => this.#respond(operation, request, settled);
      if (!(outcome instanceof Promise)) return respond(outcome);
      return outcome.then(respond, (error: unknown) => this.#defect(operation, context, error));
    } catch (error) {
      return this.#defect(operation, context, error);
    }
  }

  placedUnder(packet: PacketId): { readonly orderID: bigint; readonly orderIDEx: string } | undefined {
    const answer = this.options.simulation.brokerage.records.packets.answerTo(packet);
    return answer && { orderID: answer.orderId, orderIDEx: answer.orderIdEx };
  }

  async #offload(thread: AnswerThread, operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage> {
    try {
      return this.#respond(operation, request, await thread.ask(operation, request, context.signal));
    } catch (error) {
      return this.#defect(operation, context, error);
    }
  }

  /** Runs the write's own code against a dry-run desk, which decides and changes nothing. */
  async check(operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage | undefined> {
    const answer = answers.get(operation.name);
    if (answer === undefined || operation.effect === 'read')
      throw new Error(`the simulated brokerage does not decide on ${operation.name}`);
    await prepare(this.options.simulation, request);
    let remark = '';
    const brokerage = this.options.simulation.brokerage.trial((text) => {
      remark = text;
    });
    const outcome = await answer({ ...this.options.simulation, brokerage }, request, context);
    if (outcome instanceof Refusal) return refusal(operation.messages, outcome);
    return remark === '' ? undefined : remarked(operation.messages, remark);
  }

  estimateFees(request: PlaceC2S, price: Decimal): FeeEstimate | undefined {
    const estimate = estimateFees(this.options.simulation, request, price);
    if (estimate instanceof Refusal) return undefined;
    return { currency: estimate.currency, items: estimate.items.map(({ title, value }) => ({ title, amount: value })) };
  }

  tradingTerms({ market, code }: Security): TradingTerms | undefined {
    const instrument = this.options.simulation.listings.find({ market, code })?.instrument;
    return instrument && { multiplier: instrument.multiplier, currency: instrument.currency };
  }

  exchangeRate(from: string, to: string): Decimal | undefined {
    return this.options.simulation.brokerage.valuer.rates.rate(from, to);
  }

  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const recorded = streams.filter((stream) => this.options.recordedDay?.has(stream));
    const preparing = prepareStreams(this.options.simulation, streams);
    if (preparing instanceof Promise) await preparing;
    const refused = this.#streams.subscribe(streams.filter((stream) => !recorded.includes(stream)));
    if (refused === undefined) for (const stream of recorded) this.options.recordedDay?.subscribe(stream);
    return refused === undefined ? success(QotSub, create(QotSub.S2CSchema)) : refusal(QotSub, refused);
  }

  unserved(streams: readonly QuoteStream[]): readonly QuoteStream[] {
    return this.#streams.unserved(streams.filter((stream) => !this.options.recordedDay?.has(stream)));
  }

  async unsubscribe(streams: readonly QuoteStream[]): Promise<undefined> {
    for (const stream of streams) this.options.recordedDay?.unsubscribe(stream);
    this.#streams.unsubscribe(streams);
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.options.recordedDay?.has(stream) ? this.options.recordedDay.current(stream) : this.#streams.current(stream);
  }

  notices(): readonly NotifyPush[] {
    return readyNotices();
  }

  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    const refused = this.#accountPushes.subscribe(accIds);
    return refused === undefined ? success(TrdSubAccPush, create(TrdSubAccPush.S2CSchema)) : refusal(TrdSubAccPush, refused);
  }

  readiness(): LifecycleSnapshot | undefined {
    return this.#connection.state === 'ready' ? undefined : this.status().platform;
  }

  status(): BackendStatus {
    const { snapshot } = this.#connection;
    return { platform: snapshot, brokers: [{ ...snapshot, ...BROKER }] };
  }

  async refreshCredentials(): Promise<CredentialRefresh> {
    return 'not_applicable';
  }

  #play(): void {
    const { recordedMarket: market } = this.options.simulation;
    if (market === undefined) return;
    this.options.recordedDay?.start({
      facts: this.options.simulation,
      market,
      clock: this.options.clock,
      emit: (event) => this.#listeners.emit(event),
      lost: (streams, { from, events, reason: before }) => {
        const reason = before === undefined ? `the recording lacks ${events} events` : `when this was recorded: ${before}`;
        this.#streamListeners.lost({ streams, accIds: [], from, reason });
        void this.#streamListeners.restore({ streams, accIds: [] });
      },
      report: this.options.report ?? (() => {}),
    });
  }

  #respond(operation: Operation, request: Message, outcome: unknown): ResponseMessage {
    const { messages, effect } = operation;
    if (outcome instanceof Refusal) return refusal(messages, outcome);
    if (effect !== 'read') return success(messages, outcome as Message);
    this.#pageKeys.seal(operation, request, outcome as Message);
    const response = successOnce(messages, outcome as Message);
    if (this.options.simulation.world.calendarMode === 'open' && tellsHours.has(operation)) response.retMsg = HELD_OPEN;
    return response;
  }

  /** The gateway answers what is thrown here with status 500. Of a disk that has failed it tells by itself, once. */
  #defect(operation: Operation, { requestId, signal }: CallContext, error: unknown): never {
    const isNone = error instanceof StorageFailure || error instanceof BackendFailure || error === signal.reason;
    if (!isNone) this.options.logger.error({ err: error, operation: operation.name, requestId }, 'an answer of the simulation failed');
    throw error;
  }
}

/** Answers from which a program could learn when markets trade. */
const tellsHours: ReadonlySet<Operation> = new Set<Operation>([metadata.getTradingDays, quote.getMarketState, system.getGlobalState]);
const HELD_OPEN =
  'the simulated clock is held open (--sim-clock open): every market trades on every day, around the clock; --sim-clock calendar has the real hours and holidays';

/** Notices once the backend is ready: that everything is simulated, and that it serves. */
function readyNotices(): readonly NotifyPush[] {
  return [
    noticeOf({ type: NotifyType.NotifyType_GtwEvent, event: { eventType: GtwEventType.GtwEventType_None, desc: SIMULATED } }),
    programNotice({ type: ProgramStatusType.ProgramStatusType_Ready, strExtDesc: SIMULATED }),
  ];
}
