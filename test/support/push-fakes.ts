import { create } from '@bufbuild/protobuf';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as QotUpdateKL from '@svc-gateway/contract/generated/Qot_UpdateKL_pb';
import * as QotUpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { parseSymbol, secKeyOf } from '@svc-gateway/contract/markets';
import type {
  NotifyPush,
  PushEvent,
  QuotePush,
  QuoteStream,
  ResponseMessage,
  StreamsListener,
  TradePush,
  UnsubscribeRefusal,
} from '@svc-gateway/gateway/backend';
import type { PushSink } from '../../packages/gateway/src/push/connection.js';
import type { PushFormat } from '../../packages/gateway/src/push/format.js';
import { BytesFrame } from '../../packages/gateway/src/push/frame.js';
import type { PushBackend } from '../../packages/gateway/src/push/hub.js';
import { decimalNumbers } from '../../packages/gateway/src/push/numbering.js';
import { payloadOf, pushMessagesOf } from '../../packages/gateway/src/push/push-messages.js';
import { isKline, streamKey } from '../../packages/gateway/src/push/streams.js';

/** Fakes for the tests of the push path. */

export function stream(symbol: string, subType = 1, rehabType = 0, extendedTime = false): QuoteStream {
  return { symbol, subType, rehabType, extendedTime };
}

/** A quote event of a stream; `mark` is its current price, which tells events apart. */
export function quote(of: QuoteStream, mark: number): QuotePush {
  const { market, code } = parseSymbol(of.symbol) ?? { market: { number: 0 }, code: '' };
  const security = { market: market.number, code };
  const secKey = secKeyOf(security);
  if (of.subType === 4) {
    const tickerList = [{ time: '2026-08-03 10:00:00', sequence: BigInt(mark), dir: 1, price: mark, volume: 100n, turnover: mark * 100 }];
    const message = create(QotUpdateTicker.ResponseSchema, { retType: 0, s2c: { security, tickerList } });
    return { type: 'quote', protoId: 3011, stream: of, secKey, message };
  }
  if (isKline(of.subType)) {
    const message = create(QotUpdateKL.ResponseSchema, {
      retType: 0,
      s2c: { rehabType: of.rehabType, klType: 2, security, klList: [{ time: '2026-08-03', isBlank: false, closePrice: mark }] },
    });
    return { type: 'quote', protoId: 3007, stream: of, secKey, message };
  }
  const prices = { priceSpread: 0.2, highPrice: mark, openPrice: mark, lowPrice: mark, curPrice: mark, lastClosePrice: mark };
  const rates = { turnover: mark, turnoverRate: 0, amplitude: 0 };
  const basicQot = { security, isSuspended: false, listTime: '', updateTime: '', ...prices, volume: 1n, ...rates };
  const message = create(QotUpdateBasicQot.ResponseSchema, { retType: 0, s2c: { basicQotList: [basicQot] } });
  return { type: 'quote', protoId: 3005, stream: of, secKey, message };
}

const order = {
  trdSide: 1,
  orderType: 1,
  orderStatus: 5,
  orderIDEx: 'x',
  code: '00700',
  name: '',
  qty: 100,
  createTime: '',
  updateTime: '',
};

export function trade(accId: bigint, trdMarket: number, orderID: bigint): TradePush {
  const message = create(TrdUpdateOrder.ResponseSchema, {
    retType: 0,
    s2c: { header: { trdEnv: 0, accID: accId, trdMarket }, order: { ...order, orderID } },
  });
  return { type: 'trade', protoId: 2208, accId, trdMarket, message };
}

export function notify(desc: string): NotifyPush {
  const message = create(Notify.ResponseSchema, { retType: 0, s2c: { type: 1, event: { eventType: 0, desc } } });
  return { type: 'notify', protoId: 1003, message };
}

export function answer(retType = 0, retMsg = ''): ResponseMessage {
  return create(QotSub.ResponseSchema, { retType, retMsg, errCode: 0 });
}

/** A backend that does as it is told, and remembers. Its answers can be held back and given later, in any order. */
export class FakeBackend implements PushBackend {
  readonly running = new Set<string>();
  readonly calls: string[] = [];
  readonly currents = new Map<string, QuotePush>();
  accounts: readonly bigint[] = [];
  refuse: (streams: readonly QuoteStream[]) => ResponseMessage | undefined = () => undefined;
  refuseAccounts: ResponseMessage | undefined;
  /** Streams that it does not release. */
  keep: (streams: readonly QuoteStream[]) => UnsubscribeRefusal | undefined = () => undefined;
  streams: StreamsListener | undefined;
  /** While set, calls wait until {@link settle}. */
  holding = false;
  #held: { readonly settle: () => void; readonly fail: (error: Error) => void }[] = [];
  #listeners = new Set<(event: PushEvent) => void>();

  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    this.calls.push(`+${streams.map(streamKey).join(',')}`);
    await this.#hold();
    const refusal = this.refuse(streams);
    if (refusal !== undefined) return refusal;
    for (const one of streams) this.running.add(streamKey(one));
    return answer();
  }

  async unsubscribe(streams: readonly QuoteStream[]): Promise<UnsubscribeRefusal | undefined> {
    this.calls.push(`-${streams.map(streamKey).join(',')}`);
    await this.#hold();
    // Ending a stream that does not run is no error.
    const runs = streams.filter((one) => this.running.has(streamKey(one)));
    const kept = runs.length === 0 ? undefined : this.keep(runs);
    for (const one of streams) if (!kept?.streams.includes(one)) this.running.delete(streamKey(one));
    return kept;
  }

  onStreams(listener: StreamsListener): () => void {
    this.streams = listener;
    return () => undefined;
  }

  current(of: QuoteStream): QuotePush | undefined {
    return this.currents.get(streamKey(of));
  }

  async subscribeAccounts(accIds: readonly bigint[]): Promise<ResponseMessage> {
    await this.#hold();
    if (this.refuseAccounts !== undefined) return this.refuseAccounts;
    this.accounts = accIds;
    return answer();
  }

  onPush(listener: (event: PushEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  push(event: PushEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Loses its connection: what runs stops, and what waits fails. */
  drop(): void {
    this.running.clear();
    for (const { fail } of this.#held.splice(0)) fail(new Error('connection lost'));
  }

  /** How many calls wait. */
  get held(): number {
    return this.#held.length;
  }

  /** Answers the held call at this place, the oldest by default. */
  settle(index = 0): void {
    this.#held.splice(index, 1)[0]?.settle();
  }

  async #hold(): Promise<void> {
    if (this.holding) await new Promise<void>((settle, fail) => this.#held.push({ settle, fail }));
  }
}

/** A format of these tests: lines of JSON. It counts what it is asked to encode. */
export function lineFormat(): PushFormat & { readonly encoded: PushEvent[] } {
  const encoded: PushEvent[] = [];
  const frame = (type: string, fields: object, body: string, content: BytesFrame['content']) => {
    const rest = JSON.stringify(fields).slice(1, -1);
    const head = Buffer.from(`{"type":"${type}","seq":`);
    return new BytesFrame(content, head, Buffer.from(`,${rest},"body":${body}}\n`));
  };
  const bodyOf = ({ protoId, message }: PushEvent) =>
    messageWriter(pushMessagesOf(protoId).S2CSchema, 'rest')(payloadOf(message) ?? create(Notify.S2CSchema));
  return {
    encoded,
    numbering: decimalNumbers,
    event(event, content) {
      const stream = event.type === 'quote' ? { symbol: event.stream.symbol, sub_type: event.stream.subType } : {};
      const made = frame(event.type, { proto_id: event.protoId, ...stream }, bodyOf(event), content);
      encoded.push(event);
      return made;
    },
    gap({ notice, next, dropped }, content) {
      const { symbol, subType } = next.stream;
      return frame('notify', { proto_id: notice.protoId, symbol, sub_type: subType, dropped }, bodyOf(notice), content);
    },
  };
}

/** A line that is no event. */
export function lineOf(text: string): BytesFrame {
  return new BytesFrame({ kind: 'kept' }, Buffer.from(`${text}\n`), undefined, false);
}

/** A frame as a client sees it. */
export interface ReadFrame {
  readonly [field: string]: unknown;
  readonly seq: number;
}

/** A sink that keeps what it is given; its buffer can be made to look full. */
export class FakeSink implements PushSink {
  bufferedBytes = 0;
  /** While set, what is written stays in the buffer. */
  stuck = false;
  writes = 0;
  closed: { code: number; reason: string } | undefined;
  #data: Buffer[] = [];

  write(frames: Buffer): number {
    this.writes += 1;
    // A socket that has taken the bytes does not look at the buffer again; one that has not, does so later.
    this.#data.push(this.stuck ? frames : Buffer.from(frames));
    if (this.stuck) this.bufferedBytes += frames.length;
    return this.bufferedBytes;
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  /** The peer reads again. */
  drain(): void {
    this.stuck = false;
    this.bufferedBytes = 0;
    this.#data = this.#data.map((bytes) => Buffer.from(bytes));
  }

  /** Everything written so far. */
  bytes(): Buffer {
    return Buffer.concat(this.#data);
  }

  /** Lines written so far, oldest first: of {@link lineFormat}. */
  texts(): string[] {
    return this.bytes().toString().split('\n').slice(0, -1);
  }

  frames(): ReadFrame[] {
    return this.texts().map((text) => JSON.parse(text));
  }
}

/** Lets microtasks run: what the hub writes at the end of a turn is written after it. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
