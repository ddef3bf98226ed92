import { SubType } from '../../contract/generated/Qot_Common_pb.js';
import { parseSymbol } from '../../contract/markets.js';
import type { QuoteStream } from '../../gateway/index.js';

/** What an upstream counts: one type of live data of one symbol, whatever its adjustments and hours. */
export interface QuotaUnitName {
  /** "HK.00700". */
  readonly symbol: string;
  /** Qot_Common.SubType. */
  readonly subType: number;
}

/** A unit, and what is known of it at the upstream. Times are of `Clock.monotonic`. */
export interface QuotaUnit extends QuotaUnitName {
  readonly key: string;
  /** `starting`: it is being subscribed to; `ending`: it is being given back. */
  state: 'absent' | 'starting' | 'present' | 'ending';
  /** When it was last subscribed to. */
  since: number;
  /** It has answered with data since then. */
  warm: boolean;
  /** Pushes are registered for, with these adjustments (Qot_Common.RehabType), with extended hours or without, with the orders of a book or without. */
  pushing: boolean;
  readonly rehabTypes: Set<number>;
  extendedTime: boolean;
  orderDetail: boolean;
  /** Streams that callers hold. */
  readonly streams: Map<string, QuoteStream>;
  /** Reads under way. */
  readers: number;
  /** When it was last read. */
  lastRead: number;
  /** It is not asked to end before this. */
  keptUntil: number;
}

/** It is only read, and what it says can be had without it: as a snapshot. */
export function isSpare({ subType, streams }: QuotaUnit): boolean {
  return subType === SubType.SubType_Basic && streams.size === 0;
}

export function unitKey({ symbol, subType }: QuotaUnitName): string {
  return `${symbol} ${subType}`;
}

export function newUnit({ symbol, subType }: QuotaUnitName): QuotaUnit {
  return {
    symbol,
    subType,
    key: unitKey({ symbol, subType }),
    state: 'absent',
    since: 0,
    warm: false,
    pushing: false,
    rehabTypes: new Set(),
    extendedTime: false,
    orderDetail: false,
    streams: new Map(),
    readers: 0,
    lastRead: Number.NEGATIVE_INFINITY,
    keptUntil: Number.NEGATIVE_INFINITY,
  };
}

/** Nobody uses it. */
export function isIdle({ streams, readers }: QuotaUnit): boolean {
  return streams.size === 0 && readers === 0;
}

/** What those who hold a unit's streams want of it, at one moment. */
export interface Wish {
  readonly unit: QuotaUnit;
  readonly pushes: boolean;
  /** Qot_Common.RehabType; of what is no K-line there is one, which says nothing. */
  readonly rehabTypes: readonly number[];
  readonly extendedTime: boolean;
  /** The orders behind each level of the book. */
  readonly orderDetail: boolean;
}

export function wishOf(unit: QuotaUnit): Wish {
  const streams = [...unit.streams.values()];
  return {
    unit,
    pushes: streams.length > 0,
    rehabTypes: [...new Set(streams.map(({ rehabType }) => rehabType))].sort((a, b) => a - b),
    // One subscription has one kind of hours: the longer, where callers differ.
    extendedTime: streams.some(({ extendedTime }) => extendedTime),
    orderDetail: streams.some(({ orderDetail }) => orderDetail),
  };
}

/** It is subscribed to with the hours that are wanted, and with the orders of a book if they are. Of a unit that is only read neither matters. */
export function isAsWished(unit: QuotaUnit): boolean {
  if (unit.streams.size === 0) return true;
  const { extendedTime, orderDetail } = wishOf(unit);
  return unit.extendedTime === extendedTime && unit.orderDetail === orderDetail;
}

/** The upstream delivers what is wanted of it. */
export function isServed(unit: QuotaUnit): boolean {
  if (unit.state !== 'present') return false;
  if (unit.streams.size === 0) return true;
  return unit.pushing && isAsWished(unit) && wishOf(unit).rehabTypes.every((rehabType) => unit.rehabTypes.has(rehabType));
}

/** The upstream has forgotten it. */
export function forget(unit: QuotaUnit): void {
  unit.state = 'absent';
  unit.warm = false;
  unit.pushing = false;
  unit.extendedTime = false;
  unit.orderDetail = false;
  unit.rehabTypes.clear();
}

/** Codes of options: the underlying, the expiry (yymmdd), call or put, the strike. */
const OPTION_CODE = /^(.+?)(\d{6})[CP]\d+$/;

/**
 * The contracts that an option counts with: "US.AAPL 260116", of its underlying and expiry. undefined for what is no option.
 */
export function optionSeries({ symbol }: QuotaUnitName): string | undefined {
  const parsed = parseSymbol(symbol);
  const match = parsed === undefined ? null : OPTION_CODE.exec(parsed.code);
  return match === null ? undefined : `${parsed?.market.name}.${match[1]} ${match[2]}`;
}
