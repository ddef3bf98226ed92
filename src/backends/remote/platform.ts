import type { Message } from '@bufbuild/protobuf';
import type { Decimal } from '../../contract/decimal.js';
import * as Notify from '../../contract/generated/Notify_pb.js';
import type { Security } from '../../contract/generated/Qot_Common_pb.js';
import type { C2S as GetBasicQotC2S } from '../../contract/generated/Qot_GetBasicQot_pb.js';
import type { Operation } from '../../contract/operation.js';
import { quote } from '../../contract/operations/index.js';
import type {
  CallContext,
  HeldAnswer,
  PushEvent,
  QuotePush,
  QuoteStream,
  ResponseMessage,
  StreamScope,
  StreamsLost,
  TradingTerms,
  UnsubscribeRefusal,
} from '../../gateway/index.js';
import {
  ForexRates,
  type Greeting,
  isOwnConcern,
  type PushFrame,
  pushedQuotes,
  QuoteStreams,
  type RequestOptions,
  readPush,
  reminderPushOf,
  StaleAnswers,
  StreamSubscriptions,
  TradingTermsCache,
} from '../../protocol-client/index.js';
import { type ConnectionDeps, EndpointConnection } from './endpoint-connection.js';

/** What a connection tells the backend. */
export interface ConnectionEvents {
  push(event: PushEvent): void;
  lost(lost: StreamsLost): void;
  restore(scope: StreamScope): Promise<void>;
}

const NOTIFY = 1003;
/** How long the backend waits for what it asks by itself. */
const OWN_MS_MAX = 10_000;
const NO_ACCOUNTS: readonly bigint[] = [];

/** The connection that quotes come over: its streams end with it, and are begun anew by the next. */
export class Platform {
  readonly point: EndpointConnection;
  readonly #parts: ConnectionDeps;
  readonly #events: ConnectionEvents;
  readonly #streams = new QuoteStreams();
  readonly #subscriptions: StreamSubscriptions;
  readonly #held: StaleAnswers;
  readonly #terms: TradingTermsCache;
  readonly #rates: ForexRates;
  #greeting: Greeting | undefined;
  /** Epoch ms: since then streams are missing. */
  #lostFrom: number | undefined;

  constructor(parts: ConnectionDeps, events: ConnectionEvents) {
    const { clock } = parts;
    this.#parts = parts;
    this.#events = events;
    this.point = new EndpointConnection({
      ...parts,
      name: 'the platform',
      role: 'quotes',
      endpointIn: ({ platform }) => platform,
      prepare: (_, greeting) => this.#restore(greeting),
      onLost: (reason, heardAt) => this.#lost(reason, heardAt),
      onPush: (frame) => this.#pushed(frame),
      streams: {
        all: () => this.#streams.all,
        verify: () => this.#subscriptions.endForgotten(),
        resubscribe: (streams) => this.#subscriptions.resubscribe(streams),
        onMissed: (streams, from, reason) => this.#missed(streams, from, reason),
      },
    });
    this.#subscriptions = new StreamSubscriptions(this.point.session, this.#streams, () => this.#own());
    this.#held = new StaleAnswers(clock);
    this.#terms = new TradingTermsCache(this.point.requests.own, clock);
    this.#rates = new ForexRates(this.point.requests.own, clock);
  }

  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    if (operation === quote.getQuote) {
      const pushed = pushedQuotes(this.#streams, request as GetBasicQotC2S);
      if (pushed !== undefined) return pushed;
    }
    const answer = this.point.requests.call(operation, request, context);
    const noted = (response: ResponseMessage) => {
      this.#held.note(operation, request, response);
      return response;
    };
    return answer instanceof Promise ? answer.then(noted) : noted(answer);
  }

  held(operation: Operation, request: Message): HeldAnswer | undefined {
    return this.#held.get(operation, request);
  }

  subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    return this.#subscriptions.subscribe(streams);
  }

  unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    return this.#subscriptions.unserved(streams);
  }

  unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    return this.#subscriptions.unsubscribe(streams);
  }

  tradingTerms(security: Security, context: CallContext): TradingTerms | undefined | Promise<TradingTerms | undefined> {
    return this.#terms.of(security, context);
  }

  exchangeRate(from: string, to: string, context: CallContext): Decimal | undefined | Promise<Decimal | undefined> {
    return this.#rates.rate(from, to, context);
  }

  current(stream: QuoteStream): QuotePush | undefined {
    return this.#streams.current(stream);
  }

  #own(): RequestOptions {
    return { deadline: this.#parts.clock.monotonic() + OWN_MS_MAX };
  }

  async #restore(greeting: Greeting): Promise<void> {
    const before = this.#greeting;
    this.#greeting = greeting;
    // What another user was told may not be for this one.
    if (before !== undefined && before.userId !== greeting.userId) this.#held.clear();
    if (this.#lostFrom === undefined) return;
    await this.#events.restore({ streams: 'all', accIds: NO_ACCOUNTS });
    // What was lost again meanwhile is for the next connection to restore.
    if (this.point.session.greeting === greeting) this.#lostFrom = undefined;
  }

  #lost(reason: string, heardAt: number): void {
    this.#lostFrom ??= heardAt;
    this.#subscriptions.clear();
    const from = this.#lostFrom;
    this.#events.lost({ streams: 'all', accIds: NO_ACCOUNTS, from, reason: `the connection to the platform was lost: ${reason}` });
  }

  async #missed(streams: readonly QuoteStream[], from: number, reason: string): Promise<void> {
    const scope = { streams, accIds: NO_ACCOUNTS };
    this.#events.lost({ ...scope, from, reason });
    await this.#events.restore(scope);
  }

  #pushed(frame: PushFrame): void {
    const quotes = this.#streams.take(frame);
    if (quotes !== undefined) {
      for (const event of quotes) {
        this.point.watch.heard(event.stream);
        this.#events.push(event);
      }
      return;
    }
    const message = frame.protoId === NOTIFY ? readPush<Notify.S2C>(Notify.ResponseSchema, frame) : undefined;
    if (message === undefined) {
      const reminder = reminderPushOf(frame);
      if (reminder !== undefined) this.#events.push(reminder);
      return;
    }
    this.point.noticed(message.s2c);
    if (!isOwnConcern(message.s2c.type)) this.#events.push({ type: 'notify', protoId: NOTIFY, message });
  }
}
