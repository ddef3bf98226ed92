import type { Decimal } from '@svc-gateway/contract/decimal';
import { parseSymbol } from '@svc-gateway/contract/markets';
import { catalogue } from './catalogue.js';
import { instrumentId } from './hash.js';
import type { Instrument } from './instrument.js';
import { roundToTick } from './ticks.js';

/** A share or fund that no table names: what is known of it. */
export interface Newcomer {
  /** "HK.01234". */
  readonly symbol: string;
  readonly kind: 'equity' | 'etf';
  /** A realistic price. */
  readonly price: Decimal;
  /** Without it, the symbol. */
  readonly name?: string;
  /** "2004-06-16". */
  readonly listDate?: string;
  readonly lotSize?: number;
}

/** Shares of a company without known figures: a middling one. */
const SHARES_ISSUED = 1_000_000_000n;
const DAILY_VOLUME = 5_000_000;
const VOLATILITY = 0.35;
const LIST_DATE = '2010-01-04';

/** The instrument that a newcomer is; its terms are those of its market's others. undefined in a market that has none of the kind. */
export function newcomer({ symbol, kind, price, name = symbol, listDate = LIST_DATE, lotSize }: Newcomer): Instrument | undefined {
  const parsed = parseSymbol(symbol);
  const like = parsed === undefined ? undefined : catalogue(parsed.market.name).find((one) => one.kind === kind);
  if (parsed === undefined || like === undefined) return undefined;
  const { industry: _, ...terms } = like;
  return {
    ...terms,
    symbol,
    code: parsed.code,
    id: instrumentId(symbol),
    name,
    listDate,
    lotSize: lotSize ?? like.lotSize,
    referencePrice: roundToTick(like.tickTable, price, 'nearest'),
    sharesIssued: SHARES_ISSUED,
    dailyVolume: DAILY_VOLUME,
    volatility: VOLATILITY,
  };
}
