import { rehabType, subType } from '../../contract/enums.js';
import { parseSymbol, symbolOf } from '../../contract/markets.js';
import type { QuoteStream } from '../backend.js';

/** Qot_Common.SubType of tick-by-tick trades: the one quote type of which every event counts. */
export const SUB_TYPE_TICKER = 4;
const SUB_TYPE_RT = 5;

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

/** What one stream is known by; equal for equal streams. */
export function streamKey({ symbol, subType, rehabType, extendedTime }: QuoteStream): string {
  return `${symbol} ${subType} ${rehabType}${extendedTime ? ' x' : ''}`;
}

/** The symbol of a {@link streamKey}. */
export function symbolOfKey(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

/** The key of a symbol's stream as it is when nothing is said of it: K-lines adjusted forward, no extended hours. */
export function plainKey(symbol: string, subType: number): string {
  return streamKey({ symbol, subType, rehabType: isKline(subType) ? REHAB_DEFAULT : REHAB_NONE, extendedTime: false });
}

/** The keys of every stream of a symbol and type: each adjustment (K-lines), with and without extended hours. */
export function variantKeys(symbol: string, subType: number): readonly string[] {
  const rehabTypes = isKline(subType) ? [...adjustments] : [REHAB_NONE];
  return rehabTypes.flatMap((rehabType) => [false, true].map((extendedTime) => streamKey({ symbol, subType, rehabType, extendedTime })));
}

/** What a stream costs of the subscription quota: one per symbol and type, whatever the adjustments. */
export function quotaKey({ symbol, subType }: QuoteStream): string {
  return `${symbol} ${subType}`;
}

/** A symbols × types request, in the terms of the protocol. */
export interface StreamSelection {
  readonly securityList: readonly { readonly market: number; readonly code: string }[];
  readonly subTypeList: readonly number[];
  readonly regPushRehabTypeList: readonly number[];
  readonly extendedTime?: boolean;
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
        const stream: QuoteStream = { symbol, subType: type, rehabType: rehab, extendedTime };
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
