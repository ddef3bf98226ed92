import type { Message } from '@bufbuild/protobuf';
import type { Decimal } from '../../contract/decimal.js';
import * as Notify from '../../contract/generated/Notify_pb.js';
import type { Security } from '../../contract/generated/Qot_Common_pb.js';
import type { Operation } from '../../contract/operation.js';
import type {
  CallContext,
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
  type AskOptions,
  ForexRates,
  type PushFrame,
  QuoteStreams,
  readPush,
  subscribeAt,
  TradingTermsCache,
  unservedAt,
  unsubscribeAt,
} from '../framed/index.js';
import { Point, type PointParts } from './point.js';

/** What a connection tells the backend. */
export interface PointEvents {
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
  readonly point: Point;
  readonly #parts: PointParts;
  readonly #events: PointEvents;
  readonly #streams = new QuoteStreams();
  readonly #terms: TradingTermsCache;
  readonly #rates: ForexRates;
  #broken = false;

  constructor(parts: PointParts, events: PointEvents) {
    this.#parts = parts;
    this.#events = events;
    this.point = new Point({
      ...parts,
      endpointIn: ({ platform }) => platform,
      prepare: () => this.#restore(),
      onLost: (reason, heardAt) => this.#lost(reason, heardAt),
      onPush: (frame) => this.#pushed(frame),
    });
    this.#terms = new TradingTermsCache(this.point.session, parts.clock);
    this.#rates = new ForexRates(this.point.session, parts.clock);
  }

  call(operation: Operation, request: Message, context: CallContext): Promise<ResponseMessage> {
    return this.point.session.request(operation, request, context);
  }

  subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    return subscribeAt(this.point.session, this.#streams, streams, () => this.#own());
  }

  unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    return unservedAt(this.point.session, this.#streams, streams, () => this.#own());
  }

  unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    return unsubscribeAt(this.point.session, this.#streams, streams, () => this.#own());
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

  #own(): AskOptions {
    return { deadline: this.#parts.clock.monotonic() + OWN_MS_MAX };
  }

  async #restore(): Promise<void> {
    if (!this.#broken) return;
    await this.#events.restore({ streams: 'all', accIds: NO_ACCOUNTS });
    this.#broken = false;
  }

  #lost(reason: string, from: number): void {
    this.#broken = true;
    this.#streams.clear();
    this.#events.lost({ streams: 'all', accIds: NO_ACCOUNTS, from, reason: `the connection to the platform was lost: ${reason}` });
  }

  #pushed(frame: PushFrame): void {
    const quotes = this.#streams.take(frame);
    if (quotes !== undefined) {
      for (const event of quotes) this.#events.push(event);
      return;
    }
    const message = frame.protoId === NOTIFY ? readPush(Notify.ResponseSchema, frame) : undefined;
    if (message !== undefined) this.#events.push({ type: 'notify', protoId: NOTIFY, message });
  }
}
