import { create, type DescMessage } from '@bufbuild/protobuf';
import { type Security, SubType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as QotUpdateBroker from '@svc-gateway/contract/generated/Qot_UpdateBroker_pb';
import * as QotUpdateKL from '@svc-gateway/contract/generated/Qot_UpdateKL_pb';
import * as QotUpdateOrderBook from '@svc-gateway/contract/generated/Qot_UpdateOrderBook_pb';
import * as QotUpdateRT from '@svc-gateway/contract/generated/Qot_UpdateRT_pb';
import * as QotUpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import { secKeyOf, symbolOf } from '@svc-gateway/contract/markets';
import type { QuotePush, QuoteStream, ResponseMessage } from '@svc-gateway/gateway/backend';
import { streamKey, withoutOrders } from '@svc-gateway/gateway/push';
import { klineSubTypes } from '@svc-gateway/wire';
import { readPush } from '../connection/bodies.js';
import type { PushFrame } from '../connection/upstream.js';
import { SeenTicks } from './seen-ticks.js';

/** One security's part of a push. */
interface Piece {
  readonly security: Security | undefined;
  readonly subType: number | undefined;
  readonly rehabType: number;
  readonly message: ResponseMessage;
}

interface PushKind {
  readonly schema: DescMessage;
  /** Qot_Common.SubType; that of a K-line is in its push. */
  readonly subType?: number;
}

const REHAB_NONE = 0;
const PUSHED_BOOK = 3013;

const kinds: ReadonlyMap<number, PushKind> = new Map<number, PushKind>([
  [3005, { schema: QotUpdateBasicQot.ResponseSchema, subType: SubType.SubType_Basic }],
  [3007, { schema: QotUpdateKL.ResponseSchema }],
  [3009, { schema: QotUpdateRT.ResponseSchema, subType: SubType.SubType_RT }],
  [3011, { schema: QotUpdateTicker.ResponseSchema, subType: SubType.SubType_Ticker }],
  [PUSHED_BOOK, { schema: QotUpdateOrderBook.ResponseSchema, subType: SubType.SubType_OrderBook }],
  [3015, { schema: QotUpdateBroker.ResponseSchema, subType: SubType.SubType_Broker }],
]);

/** Payload of a push: of quotes a list, of anything else the data of one security. */
type Pushed = Partial<Pick<QotUpdateBasicQot.S2C, 'basicQotList'> & Pick<QotUpdateKL.S2C, 'security' | 'klType' | 'rehabType'>>;

function piecesOf({ subType }: PushKind, message: ResponseMessage & { readonly s2c: Pushed }): readonly Piece[] {
  const { basicQotList = [], security, klType = 0, rehabType = REHAB_NONE } = message.s2c;
  if (basicQotList.length > 1) {
    return basicQotList.map((quote) => {
      const alone = create(QotUpdateBasicQot.ResponseSchema, { retType: 0, s2c: { basicQotList: [quote] } });
      return { security: quote.security, subType, rehabType, message: alone };
    });
  }
  return [{ security: security ?? basicQotList[0]?.security, subType: subType ?? klineSubTypes.get(klType), rehabType, message }];
}

interface Running {
  readonly stream: QuoteStream;
  last: QuotePush | undefined;
}

/**
 * The quote streams that run at one server, and the routing of its pushes to them. A push does not say whether it has extended hours:
 * it goes to the streams with and without them.
 */
export class QuoteStreams {
  /** Running streams by symbol, type and adjustment, as pushes name them, and then by their keys. */
  readonly #byPush = new Map<string, Map<string, Running>>();
  readonly #seenTicks = new SeenTicks();

  /** Every stream that runs. */
  get all(): readonly QuoteStream[] {
    return [...this.#byPush.values()].flatMap((siblings) => [...siblings.values()].map(({ stream }) => stream));
  }

  /** Starts streams; one that runs goes on, with its last push. */
  begin(streams: readonly QuoteStream[]): void {
    for (const stream of streams) {
      const siblings = this.#byPush.get(pushKeyOf(stream)) ?? new Map<string, Running>();
      if (siblings.has(streamKey(stream))) continue;
      const running: Running = { stream, last: undefined };
      for (const sibling of siblings.values()) running.last ??= lastFor(stream, sibling);
      siblings.set(streamKey(stream), running);
      this.#byPush.set(pushKeyOf(stream), siblings);
    }
  }

  end(streams: readonly QuoteStream[]): void {
    for (const stream of streams) {
      const push = pushKeyOf(stream);
      const siblings = this.#byPush.get(push);
      siblings?.delete(streamKey(stream));
      if (siblings?.size === 0) this.#byPush.delete(push);
      if (stream.subType === SubType.SubType_Ticker && !this.#byPush.has(push)) this.#seenTicks.forget(stream.symbol);
    }
  }

  /** Ends all streams. Ticks that were passed on are not passed on again. */
  clear(): void {
    this.#byPush.clear();
  }

  /** Last push of a stream. */
  current(stream: QuoteStream): QuotePush | undefined {
    return this.#byPush.get(pushKeyOf(stream))?.get(streamKey(stream))?.last;
  }

  /** Last push of a symbol and type without adjustment, to whichever of its streams. */
  newest(symbol: string, type: number): QuotePush | undefined {
    for (const { last } of this.#byPush.get(pushKey(symbol, type, REHAB_NONE))?.values() ?? []) if (last !== undefined) return last;
    return undefined;
  }

  /** The pushes that a frame is to the streams that run; undefined where it is no quote. */
  take(frame: PushFrame): readonly QuotePush[] | undefined {
    const kind = kinds.get(frame.protoId);
    if (kind === undefined) return undefined;
    const message = readPush<Pushed>(kind.schema, frame);
    if (message === undefined) return [];
    const pushes: QuotePush[] = [];
    for (const { security, subType, rehabType, message: whole } of piecesOf(kind, message)) {
      const symbol = security === undefined ? undefined : symbolOf(security);
      const listening = this.#byPush.get(pushKey(symbol ?? '', subType ?? 0, rehabType));
      if (security === undefined || symbol === undefined || listening === undefined) continue;
      const told = subType === SubType.SubType_Ticker ? this.#untold(symbol, whole) : whole;
      const bare = frame.protoId === PUSHED_BOOK ? withoutOrders(whole) : undefined;
      for (const running of listening.values()) {
        const said = told ?? whole;
        running.last = {
          type: 'quote',
          protoId: frame.protoId,
          stream: running.stream,
          secKey: secKeyOf(security),
          message: running.stream.orderDetail ? said : (bare ?? said),
        };
        if (told !== undefined) pushes.push(running.last);
      }
    }
    return pushes;
  }

  /** A push of ticks without those that were told already; undefined where it has no others. */
  #untold(symbol: string, message: ResponseMessage): ResponseMessage | undefined {
    const { s2c } = message as QotUpdateTicker.Response;
    const tickerList = s2c === undefined ? [] : this.#seenTicks.take(symbol, s2c.tickerList);
    if (tickerList.length === s2c?.tickerList.length) return message;
    if (s2c === undefined || tickerList.length === 0) return undefined;
    return create(QotUpdateTicker.ResponseSchema, { retType: 0, s2c: { ...s2c, tickerList: [...tickerList] } }) as ResponseMessage;
  }
}

/** Last push of another stream of the same data, for one that begins; undefined where it lacks the orders of the book. */
function lastFor(stream: QuoteStream, { last }: Running): QuotePush | undefined {
  if (last === undefined || (stream.orderDetail && !last.stream.orderDetail)) return undefined;
  const message = last.stream.orderDetail && !stream.orderDetail ? withoutOrders(last.message) : last.message;
  return { ...last, stream, message };
}

function pushKeyOf({ symbol, subType, rehabType }: QuoteStream): string {
  return pushKey(symbol, subType, rehabType);
}

function pushKey(symbol: string, type: number, rehabType: number): string {
  return `${symbol} ${type} ${rehabType}`;
}
