import { rehabType, subType } from '@svc-gateway/contract/enums';
import { parseSymbol, symbolOf } from '@svc-gateway/contract/markets';
import type { QuoteStream } from '../backend.js';

/** Qot_Common.SubType of tick-by-tick trades: the one quote type of which every event counts. */
export const SUB_TYPE_TICKER = 4;
const SUB_TYPE_RT = 5;
const SUB_TYPE_ORDER_BOOK = 2;

const members = new Map(subType.members.map((member) => [member.public, member.name]));
const klines = new Set(subType.members.filter(({ name }) => name.startsWith('KL_')).map((member) => member.public));
const adjustments = new Set(rehabType.members.map((member) => member.public));
/** Adjustment of K-line pushes that name none (Qot_Sub.C2S.regPushRehabTypeList): forward. */
const REHAB_DEFAULT = 1;
const REHAB_NONE = 0;

/** Whether pushes of this type carry K-lines, and so an adjustment. */
export function isKline(type: number): boolean {
  return klines.has(type);
}

/** Key of a stream; equal for equal streams. */
export function streamKey({ symbol, subType, rehabType, extendedTime, orderDetail }: QuoteStream): string {
  return `${symbol} ${subType} ${rehabType}${extendedTime ? ' x' : ''}${orderDetail ? ' d' : ''}`;
}

/** The stream of a {@link streamKey}. */
export function streamOfKey(key: string): QuoteStream {
  const [symbol = '', subType, rehabType, ...variants] = key.split(' ');
  const stream = { symbol, subType: Number(subType), rehabType: Number(rehabType), extendedTime: variants.includes('x') };
  return variants.includes('d') ? { ...stream, orderDetail: true } : stream;
}

/** The key of the stream of a security's order book with the orders behind each level. */
export function orderDetailKey(security: { readonly market: number; readonly code: string } | undefined): string {
  return detailKey(security === undefined ? undefined : symbolOf(security));
}

function detailKey(symbol = ''): string {
  return `${symbol} ${SUB_TYPE_ORDER_BOOK} ${REHAB_NONE} d`;
}

/** The stream that has more of the same data than this one, orders or extended hours: whoever receives both is given only that. */
export function fullerKey(stream: QuoteStream): string | undefined {
  const { symbol, subType, extendedTime, orderDetail } = stream;
  if (subType === SUB_TYPE_ORDER_BOOK && !orderDetail) return detailKey(symbol);
  return !extendedTime && hasExtendedTime(symbol, subType) ? streamKey({ ...stream, extendedTime: true }) : undefined;
}

/** The stream that this one has all the data of. */
export function poorerKey(stream: QuoteStream): string | undefined {
  if (stream.orderDetail) return plainKey(stream.symbol, stream.subType);
  return stream.extendedTime ? streamKey({ ...stream, extendedTime: false }) : undefined;
}

/** The symbol of a {@link streamKey}. */
export function symbolOfKey(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

/** The key of a symbol's stream as it is when nothing is said of it: K-lines adjusted forward, no extended hours. */
export function plainKey(symbol: string, subType: number): string {
  return streamKey({ symbol, subType, rehabType: isKline(subType) ? REHAB_DEFAULT : REHAB_NONE, extendedTime: false });
}

/** The keys of every stream of a symbol and type: each adjustment (K-lines), with and without extended hours, and orders (order books). */
export function variantKeys(symbol: string, subType: number): readonly string[] {
  const rehabTypes = isKline(subType) ? [...adjustments] : [REHAB_NONE];
  const keys = rehabTypes.flatMap((rehabType) =>
    [false, true].map((extendedTime) => streamKey({ symbol, subType, rehabType, extendedTime })),
  );
  return subType === SUB_TYPE_ORDER_BOOK ? [...keys, detailKey(symbol)] : keys;
}

/** Held streams that a subscription to `streams` replaces: the same data with other hours, or with or without the orders. */
export function replacedBy(streams: readonly QuoteStream[], held: readonly QuoteStream[]): readonly QuoteStream[] {
  const wanted = new Map(streams.map((stream) => [quotaKey(stream), stream]));
  return held.filter((stream) => {
    const other = wanted.get(quotaKey(stream));
    return other !== undefined && (other.extendedTime !== stream.extendedTime || other.orderDetail !== stream.orderDetail);
  });
}

/** Streams with the hours, and with the orders or without them, with which `held` has them: a registration for pushes names neither. */
export function asHeld(streams: readonly QuoteStream[], held: readonly QuoteStream[]): readonly QuoteStream[] {
  const known = new Map(held.map((stream) => [quotaKey(stream), stream]));
  return streams.map((stream) => {
    const { extendedTime = false, orderDetail } = known.get(quotaKey(stream)) ?? {};
    return { ...stream, extendedTime, ...(orderDetail ? { orderDetail } : {}) };
  });
}

/** Quota unit of a stream: one per symbol and type, whatever the adjustments. */
export function quotaKey({ symbol, subType }: QuoteStream): string {
  return `${symbol} ${subType}`;
}

/** A symbols × types request, in the terms of the protocol. */
export interface StreamSelection {
  readonly securityList: readonly { readonly market: number; readonly code: string }[];
  readonly subTypeList: readonly number[];
  readonly regPushRehabTypeList: readonly number[];
  readonly extendedTime?: boolean;
  readonly isSubOrderBookDetail?: boolean;
}

export type Expansion = { readonly ok: true; readonly streams: readonly QuoteStream[] } | { readonly ok: false; readonly message: string };

/** The distinct streams that a request names: each symbol × each type × (K-lines only) each adjustment. */
export function expandStreams(selection: StreamSelection): Expansion {
  if (selection.securityList.length === 0) return refuse('no symbol given: name at least one in "symbols"');
  if (selection.subTypeList.length === 0) return refuse('no type given: name at least one in "sub_types"');
  for (const type of selection.subTypeList) {
    if (!members.has(type)) return refuse(`sub_types: unknown subscription type ${type}, accepted: ${listMembers()}`);
  }
  for (const rehab of selection.regPushRehabTypeList) {
    if (!adjustments.has(rehab)) return refuse(`reg_push_rehab_type_list: unknown adjustment ${rehab}, accepted: 0, 1, 2`);
  }
  const streams = new Map<string, QuoteStream>();
  for (const security of selection.securityList) {
    const symbol = symbolOf(security);
    if (symbol === undefined) return refuse(`symbols: no quote market has the number ${security.market}`);
    for (const type of selection.subTypeList) {
      for (const rehab of rehabTypes(type, selection.regPushRehabTypeList)) {
        const extendedTime = selection.extendedTime === true && hasExtendedTime(symbol, type);
        const detailed = selection.isSubOrderBookDetail === true && hasOrderDetail(symbol, type);
        const plain: QuoteStream = { symbol, subType: type, rehabType: rehab, extendedTime };
        const stream: QuoteStream = detailed ? { ...plain, orderDetail: true } : plain;
        streams.set(streamKey(stream), stream);
      }
    }
  }
  return { ok: true, streams: [...streams.values()] };
}

function rehabTypes(type: number, named: readonly number[]): readonly number[] {
  if (!isKline(type)) return [REHAB_NONE];
  return named.length === 0 ? [REHAB_DEFAULT] : named;
}

/** Qot_Sub.C2S.extendedTime: US real-time K-lines, RT and tickers only. */
function hasExtendedTime(symbol: string, type: number): boolean {
  return parseSymbol(symbol)?.market.name === 'US' && (isKline(type) || type === SUB_TYPE_RT || type === SUB_TYPE_TICKER);
}

/** Qot_Sub.C2S.isSubOrderBookDetail: order books of Hong Kong only, whose exchange publishes the orders (SF rights). */
function hasOrderDetail(symbol: string, type: number): boolean {
  return type === SUB_TYPE_ORDER_BOOK && parseSymbol(symbol)?.market.name === 'HK';
}

/** "14 (Broker)". */
export function nameOfSubType(type: number): string {
  return `${type} (${members.get(type)})`;
}

function listMembers(): string {
  return [...members.keys()].map(nameOfSubType).join(', ');
}

function refuse(message: string): Expansion {
  return { ok: false, message };
}
