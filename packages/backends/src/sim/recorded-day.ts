import { create, type Message, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type BasicQot, type SecurityStaticBasic, SecurityType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S as GetBasicQot } from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import * as GetBroker from '@svc-gateway/contract/generated/Qot_GetBroker_pb';
import type { S2C as StaticInfo } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import type { S2C as UpdateBasicQotS2C } from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import type { S2C as UpdateBrokerS2C } from '@svc-gateway/contract/generated/Qot_UpdateBroker_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { quote } from '@svc-gateway/contract/operations';
import type { Gap, NotifyPush, PushEvent, QuotePush, QuoteStream, ResponseMessage } from '@svc-gateway/gateway/backend';
import { payloadOf, streamKey, streamOfKey } from '@svc-gateway/gateway/push';
import { pushedQuotes } from '@svc-gateway/protocol-client/subscriptions/pushed-quotes';
import { Playback, type PlaybackListener, type RecordedEvent, type RecordedLoss, type Source } from '@svc-gateway/recording';
import type { RecordedMarket } from '@svc-gateway/simulator/market';
import type { RecordedSymbol } from '@svc-gateway/simulator/simulation';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import type { Listing } from '@svc-gateway/simulator/view/listings';
import { success } from './answers.js';
import { ProtoId, updateOf } from './recorded-updates.js';

type QuoteSource = Extract<Source, { kind: 'quote' }>;

/** Where a day is played. */
export interface Stage {
  readonly facts: Facts<'world' | 'listings'>;
  readonly market: RecordedMarket;
  readonly clock: Clock;
  readonly emit: (event: PushEvent) => void;
  /** Pushes of these streams are missing between two moments (epoch ms). */
  readonly lost: (streams: readonly QuoteStream[], loss: RecordedLoss) => void;
  /** For the log. */
  readonly report: (message: string) => void;
}

/**
 * A recorded day that takes the place of simulated data: its pushes come as they came then, its quotes and books are what callers
 * trade against, and a request that was answered then is answered so again.
 */
export class RecordedDay {
  readonly #playback: Playback;
  /** Every stream with a push, by its key, whenever that comes. */
  readonly #streams: ReadonlyMap<string, QuoteStream>;
  readonly symbols: readonly RecordedSymbol[];
  /** Events before the start, for the market that is built later. */
  #past: RecordedEvent[];
  readonly #latest = new Map<string, RecordedEvent>();
  /** By operation and request. */
  readonly #answers = new Map<string, ResponseMessage>();
  readonly #wanted = new Map<string, QuoteStream>();
  #stage: Stage | undefined;

  private constructor(playback: Playback, scan: Scan) {
    this.#playback = playback;
    this.#streams = scan.streams;
    this.symbols = scan.recordedSymbols();
    this.#past = scan.past;
  }

  /** Looks through the recording in a folder, to be played from `start` (epoch ms) on. Rejects where it cannot be read. */
  static async open(folder: string, start: number): Promise<RecordedDay> {
    const scan = new Scan();
    const playback = await Playback.open(folder, start, (event, isPast) => scan.see(event, isPast));
    return new RecordedDay(playback, scan);
  }

  /** When its first and its last event came, epoch ms. */
  get span(): { readonly from: number; readonly to: number } {
    return this.#playback.span;
  }

  /** Begins. Recorded symbols that the stage does not know are passed over. */
  start(stage: Stage): void {
    this.#stage = stage;
    for (const event of this.#past) this.#take(event);
    this.#past = [];
    const listener: PlaybackListener = {
      event: (event) => this.#take(event),
      loss: (loss) => this.#lost(stage, loss),
      end: () => stage.report('the recording is over: no more recorded pushes'),
      problem: (message) => stage.report(message),
    };
    void this.#playback.play(stage.clock, listener);
  }

  stop(): void {
    this.#playback.stop();
    this.#wanted.clear();
  }

  /** Whether the pushes of a stream were recorded. */
  has(stream: QuoteStream): boolean {
    return this.#streams.has(streamKey(stream)) && this.#listing(stream.symbol) !== undefined;
  }

  subscribe(stream: QuoteStream): void {
    this.#wanted.set(streamKey(stream), stream);
  }

  unsubscribe(stream: QuoteStream): void {
    this.#wanted.delete(streamKey(stream));
  }

  /** The newest push of a recorded stream. */
  current(stream: QuoteStream): QuotePush | undefined {
    const event = this.#latest.get(streamKey(stream));
    return event && pushOf(event, stream);
  }

  /** The recorded answer to a request; undefined where the simulation answers. */
  answer(operation: Operation, request: Message): ResponseMessage | undefined {
    if (operation === quote.getQuote) return pushedQuotes(request as GetBasicQot, (symbol) => this.#newest(symbol, SubType.quote));
    if (operation === quote.getBroker) return this.#brokers((request as GetBroker.C2S).security);
    // The market knows more past answers to the other pushed kinds than the recording.
    if (fromMarket.has(operation)) return undefined;
    return this.#answers.size === 0
      ? undefined
      : this.#answers.get(answerKey(operation.name, toBinary(operation.messages.C2SSchema, request)));
  }

  #brokers(security: { readonly market: number; readonly code: string } | undefined): ResponseMessage | undefined {
    const push = security && this.#newest(symbolOf(security), SubType.broker);
    const payload = push && (payloadOf(push) as UpdateBrokerS2C | undefined);
    if (payload === undefined) return undefined;
    const { security: named, name, brokerAskList, brokerBidList } = payload;
    return success(
      GetBroker,
      create(GetBroker.S2CSchema, { security: named as NonNullable<typeof named>, name, brokerAskList, brokerBidList }),
    );
  }

  /** The newest push of a symbol and type. */
  #newest(symbol: string | undefined, subType: number): ResponseMessage | undefined {
    const key = symbol && streamKey({ symbol, subType, rehabType: 0, extendedTime: false });
    return key === undefined ? undefined : (this.#latest.get(key)?.message as ResponseMessage | undefined);
  }

  #take(event: RecordedEvent): void {
    const { source, message } = event;
    if (source.kind === 'answer') this.#answers.set(`${source.operation} ${source.request}`, message as ResponseMessage);
    else if (source.kind === 'quote') this.#push(source, event);
    else if (source.kind === 'notify') this.#stage?.emit(noticeOf(source.protoId, event));
  }

  #lost(stage: Stage, loss: RecordedLoss): void {
    const keys = loss.streams ?? [...this.#wanted.keys()];
    const streams = keys.flatMap((key) => this.#wanted.get(key) ?? []);
    if (streams.length > 0) stage.lost(streams, loss);
  }

  #push(source: QuoteSource, event: RecordedEvent): void {
    const listing = this.#listing(source.symbol);
    if (listing === undefined || this.#stage === undefined) return;
    const key = streamKey(source);
    this.#latest.set(key, event);
    const { market, facts, emit } = this.#stage;
    const calendar = facts.world.calendar(listing.instrument);
    const update = updateOf(event, listing, (time) => calendar.tradingDay(time));
    if (update !== undefined) market.update(listing.instrument, update);
    const stream = this.#wanted.get(key);
    if (stream !== undefined) emit(pushOf(event, stream));
  }

  #listing(symbol: string): Listing | undefined {
    return this.#stage?.facts.listings.named(symbol);
  }
}

/** Qot_Common.SubType. */
const SubType = { quote: 1, broker: 14 } as const;

/** Answered from the market that the recorded pushes make up. */
const fromMarket: ReadonlySet<Operation> = new Set<Operation>([quote.getOrderBook, quote.getTicker, quote.getRt, quote.getKline]);

/** A first pass over a recording. */
class Scan {
  readonly streams = new Map<string, QuoteStream>();
  readonly symbols = new Map<string, RecordedSymbol>();
  /** The first quote of a symbol, and what static information says of it. */
  readonly #quoted = new Map<string, BasicQot>();
  readonly #described = new Map<string, SecurityStaticBasic>();
  /** The newest of each source, but every trade: those make up the day's bars. */
  #newest = new Map<string, RecordedEvent>();
  readonly #trades: RecordedEvent[] = [];

  see(event: RecordedEvent, isPast: boolean): void {
    const { source } = event;
    if (source.kind === 'quote') {
      const { symbol } = source;
      this.streams.set(streamKey(source), streamOfKey(streamKey(source)));
      if (source.protoId === ProtoId.quote && !this.symbols.has(symbol)) this.#addSymbol(symbol, event);
      if (isPast && source.protoId === ProtoId.ticker) this.#trades.push(event);
      else if (isPast) this.#newest.set(streamKey(source), event);
    } else if (source.kind === 'answer') {
      if (source.operation === quote.getStaticInfo.name) this.#describe(event);
      if (isPast) this.#newest.set(`${source.operation} ${source.request}`, event);
    }
  }

  get past(): RecordedEvent[] {
    return [...this.#trades, ...this.#newest.values()];
  }

  recordedSymbols(): readonly RecordedSymbol[] {
    return [...this.symbols.values()].map((recorded) => {
      const security = securityOf(this.#quoted.get(recorded.symbol), this.#described.get(recorded.symbol));
      return security === undefined ? recorded : { ...recorded, security };
    });
  }

  #describe({ message }: RecordedEvent): void {
    for (const { basic } of (payloadOf(message) as StaticInfo | undefined)?.staticInfoList ?? []) {
      const symbol = basic?.security === undefined ? undefined : symbolOf(basic.security);
      if (basic !== undefined && symbol !== undefined) this.#described.set(symbol, basic);
    }
  }

  #addSymbol(symbol: string, { message, time }: RecordedEvent): void {
    const [basic] = (payloadOf(message) as UpdateBasicQotS2C | undefined)?.basicQotList ?? [];
    const previousClose = basic === undefined ? undefined : decimalFromNumber(basic.lastClosePrice);
    if (basic === undefined || previousClose === undefined || previousClose <= 0n) return;
    this.symbols.set(symbol, { symbol, previousClose, time });
    this.#quoted.set(symbol, basic);
  }
}

/** A notice as it came, with the gap that it announced. */
function noticeOf(protoId: number, { message, beside }: RecordedEvent): NotifyPush {
  const { gap } = (beside === '' ? {} : JSON.parse(beside)) as { readonly gap?: Gap };
  return { type: 'notify', protoId, message: message as ResponseMessage, ...(gap === undefined ? {} : { gap }) };
}

/** Security facts of a share or a fund in a recording; undefined for anything else. With only quotes recorded, it counts as a share. */
function securityOf(quoted: BasicQot | undefined, described: SecurityStaticBasic | undefined): RecordedSymbol['security'] {
  const secType = described?.secType ?? SecurityType.SecurityType_Eqty;
  const isContract = quoted?.optionExData !== undefined || quoted?.futureExData !== undefined || quoted?.warrantExData !== undefined;
  if (isContract || (secType !== SecurityType.SecurityType_Eqty && secType !== SecurityType.SecurityType_Trust)) return undefined;
  const name = described?.name || quoted?.name;
  const listDate = described?.listTime || quoted?.listTime;
  return {
    kind: secType === SecurityType.SecurityType_Eqty ? 'equity' : 'etf',
    ...(name ? { name } : {}),
    ...(listDate ? { listDate } : {}),
    ...(described === undefined || described.lotSize <= 0 ? {} : { lotSize: described.lotSize }),
  };
}

function pushOf({ source, message }: RecordedEvent, stream: QuoteStream): QuotePush {
  const { protoId, secKey } = source as QuoteSource;
  return { type: 'quote', protoId, secKey, stream, message: message as ResponseMessage };
}

function answerKey(operation: string, request: Uint8Array): string {
  return `${operation} ${Buffer.from(request).toString('base64')}`;
}
