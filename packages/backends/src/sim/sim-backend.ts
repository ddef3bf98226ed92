import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { Emitter } from '@svc-gateway/contract/emitter';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { metadata, quote, system } from '@svc-gateway/contract/operations';
import { PageKeys } from '@svc-gateway/contract/page-keys';
import {
  type Backend,
  BackendFailure,
  type BackendStatus,
  type CallContext,
  type CredentialRefresh,
  type FeeEstimate,
  type LifecycleSnapshot,
  type NotifyPush,
  type PacketId,
  type PushEvent,
  type QuotePush,
  type QuoteStream,
  type ResponseMessage,
  type StreamsListener,
  type TradingTerms,
} from '@svc-gateway/gateway/backend';
import { answers } from '@svc-gateway/simulator/answers';
import { isOffloaded } from '@svc-gateway/simulator/answers/offloaded';
import { estimateFees } from '@svc-gateway/simulator/brokerage';
import { Refusal } from '@svc-gateway/simulator/refusal';
import type { RunningSimulation } from '@svc-gateway/simulator/simulation';
import { StorageFailure, type Store } from '@svc-gateway/storage';
import { AccountPushes } from './account-pushes.js';
import type { AnswerThread } from './answer-thread.js';
import { refusal, remarked, success, successOnce } from './answers.js';
import { Lifecycle } from './lifecycle.js';
import { readyNotices } from './notices.js';
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
  readonly #simulation: RunningSimulation;
  readonly #logger: DefectLogger;
  readonly #lifecycle: Lifecycle;
  readonly #streams: Streams;
  readonly #accountPushes: AccountPushes;
  readonly #reminderPushes: ReminderPushes;
  readonly #optionEventPushes: OptionEventPushes;
  readonly #recordedDay: RecordedDay | undefined;
  readonly #thread: AnswerThread | undefined;
  readonly #clock: Clock;
  readonly #report: (message: string) => void;
  readonly #listeners = new Emitter<PushEvent>();
  readonly #streamsListeners = new Set<StreamsListener>();

  constructor({ simulation, clock, logger, thread, recordedDay, report = () => {} }: SimBackendOptions) {
    this.#simulation = simulation;
    this.#clock = clock;
    this.#thread = thread;
    this.#recordedDay = recordedDay;
    this.#report = report;
    this.journal = simulation.store;
    this.#logger = logger;
    this.#lifecycle = new Lifecycle(clock);
    const emit = (event: PushEvent) => this.#emit(event);
    this.#streams = new Streams(simulation, emit);
    this.#accountPushes = new AccountPushes(simulation, emit);
    const onDefect = (what: string) => (error: unknown) => logger.error({ err: error }, `${what} could not be told`);
    this.#reminderPushes = new ReminderPushes(simulation, emit, onDefect('a price reminder'));
    this.#optionEventPushes = new OptionEventPushes(simulation, emit, onDefect('option events'));
  }

  async start(): Promise<void> {
    if (this.#lifecycle.state !== 'idle') throw new Error(`a backend starts once; this one is ${this.#lifecycle.state}`);
    this.#lifecycle.enter('connecting', 'start');
    this.#lifecycle.enter('authenticating', 'the simulation needs no login');
    this.#streams.start();
    this.#accountPushes.start();
    this.#reminderPushes.start();
    this.#optionEventPushes.start();
    this.#lifecycle.enter('ready', 'the simulation runs in this process');
    this.#play();
    for (const notice of readyNotices()) this.#emit(notice);
  }

  async stop(): Promise<void> {
    if (this.#lifecycle.state === 'stopped') return;
    this.#recordedDay?.stop();
    this.#streams.stop();
    this.#accountPushes.stop();
    this.#reminderPushes.stop();
    this.#optionEventPushes.stop();
    this.#lifecycle.enter('stopped', 'stop');
    await Promise.all([this.#thread?.stop(), this.#simulation.close()]);
  }

  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    const answer = answers.get(operation.name);
    if (answer === undefined) throw new Error(`the simulated backend does not answer ${operation.name}`);
    try {
      const recorded = this.#recordedDay?.answer(operation, request);
      if (recorded !== undefined) return recorded;
      const opened = this.#pageKeys.open(operation, request);
      if (typeof opened === 'string') return refusal(operation.messages, new Refusal(opened));
      if (this.#thread !== undefined && isOffloaded(operation, opened)) return this.#offload(this.#thread, operation, opened, context);
      const preparing = prepare(this.#simulation, request);
      const answered = () => {
        const lateRejection = operation.effect === 'read' ? undefined : context.lateRejection?.();
        if (lateRejection !== undefined) throw lateRejection;
        return answer(this.#simulation, opened, context);
      };
      const outcome = preparing === undefined ? answered() : preparing.then(answered);
      const respond = (settled: unknown) => this.#respond(operation, request, settled);
      if (!(outcome instanceof Promise)) return respond(outcome);
      return outcome.then(respond, (error: unknown) => this.#defect(operation, context, error));
    } catch (error) {
      return this.#defect(operation, context, error);
    }
  }

  placedUnder(packet: PacketId): { readonly orderID: bigint; readonly orderIDEx: string } | undefined {
    const answer = this.#simulation.brokerage.records.packets.answerTo(packet);
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
    await prepare(this.#simulation, request);
    let remark = '';
    const brokerage = this.#simulation.brokerage.trial((text) => {
      remark = text;
    });
    const outcome = await answer({ ...this.#simulation, brokerage }, request, context);
    if (outcome instanceof Refusal) return refusal(operation.messages, outcome);
    return remark === '' ? undefined : remarked(operation.messages, remark);
  }

  estimateFees(request: PlaceC2S, price: Decimal): FeeEstimate | undefined {
    const estimate = estimateFees(this.#simulation, request, price);
    if (estimate instanceof Refusal) return undefined;
    return { currency: estimate.currency, items: estimate.items.map(({ title, value }) => ({ title, amount: value })) };
  }

  tradingTerms({ market, code }: Security): TradingTerms | undefined {
    const instrument = this.#simulation.listings.find({ market, code })?.instrument;
    return instrument && { multiplier: instrument.multiplier, currency: instrument.currency };
  }

  exchangeRate(from: string, to: string): Decimal | undefined {
    return this.#simulation.brokerage.valuer.rates.rate(from, to);
  }

  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const recorded = streams.filter((stream) => this.#recordedDay?.has(stream));
    const preparing = prepareStreams(this.#simulation, streams);
    if (preparing !== undefined) await preparing;
    const refused = this.#streams.subscribe(streams.filter((stream) => !recorded.includes(stream)));
    if (refused === undefined) for (const stream of recorded) this.#recordedDay?.subscribe(stream);
    return refused === undefined ? success(QotSub, create(QotSub.S2CSchema)) : refusal(QotSub, refused);
  }

  unserved(streams: readonly QuoteStream[]): readonly QuoteStream[] {
    return this.#streams.unserved(streams.filter((stream) => !this.#recordedDay?.has(stream)));
  }

  async unsubscribe(streams: readonly QuoteStream[]): Promise<undefined> {
    for (const stream of streams) this.#recordedDay?.unsubscribe(stream);
    this.#streams.unsubscribe(streams);
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.#recordedDay?.has(stream) ? this.#recordedDay.current(stream) : this.#streams.current(stream);
  }

  notices(): readonly NotifyPush[] {
    return readyNotices();
  }

  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    const refused = this.#accountPushes.subscribe(accIds);
    return refused === undefined ? success(TrdSubAccPush, create(TrdSubAccPush.S2CSchema)) : refusal(TrdSubAccPush, refused);
  }

  onPush(listener: (event: PushEvent) => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Nothing is ever lost between here and the simulation; a recording may lack something. */
  onStreams(listener: StreamsListener): () => void {
    this.#streamsListeners.add(listener);
    return () => this.#streamsListeners.delete(listener);
  }

  readiness(): LifecycleSnapshot | undefined {
    return this.#lifecycle.state === 'ready' ? undefined : this.status().platform;
  }

  status(): BackendStatus {
    return this.#lifecycle.status();
  }

  onLifecycle(listener: (status: BackendStatus) => void): () => void {
    return this.#lifecycle.onChange(listener);
  }

  async refreshCredentials(): Promise<CredentialRefresh> {
    return 'not_applicable';
  }

  #play(): void {
    const { recordedMarket: market } = this.#simulation;
    if (market === undefined) return;
    this.#recordedDay?.start({
      facts: this.#simulation,
      market,
      clock: this.#clock,
      emit: (event) => this.#emit(event),
      lost: (streams, { from, events, reason: before }) => {
        const reason = before === undefined ? `the recording lacks ${events} events` : `when this was recorded: ${before}`;
        for (const listener of this.#streamsListeners) {
          listener.lost({ streams, accIds: [], from, reason });
          void listener.restore({ streams, accIds: [] });
        }
      },
      report: this.#report,
    });
  }

  #emit(event: PushEvent): void {
    this.#listeners.emit(event);
  }

  #respond(operation: Operation, request: Message, outcome: unknown): ResponseMessage {
    const { messages, effect } = operation;
    if (outcome instanceof Refusal) return refusal(messages, outcome);
    if (effect !== 'read') return success(messages, outcome as Message);
    this.#pageKeys.seal(operation, request, outcome as Message);
    const response = successOnce(messages, outcome as Message);
    if (this.#simulation.world.calendarMode === 'open' && tellsHours.has(operation)) response.retMsg = HELD_OPEN;
    return response;
  }

  /** The gateway answers what is thrown here with status 500. Of a disk that has failed it tells by itself, once. */
  #defect(operation: Operation, { requestId, signal }: CallContext, error: unknown): never {
    const isNone = error instanceof StorageFailure || error instanceof BackendFailure || error === signal.reason;
    if (!isNone) this.#logger.error({ err: error, operation: operation.name, requestId }, 'an answer of the simulation failed');
    throw error;
  }
}

/** Answers from which a program could learn when markets trade. */
const tellsHours: ReadonlySet<Operation> = new Set<Operation>([metadata.getTradingDays, quote.getMarketState, system.getGlobalState]);
const HELD_OPEN =
  'the simulated clock is held open (--sim-clock open): every market trades on every day, around the clock; --sim-clock calendar has the real hours and holidays';
