import { marketsOfTradeDates, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { tradingMarketName } from './market-names.js';

/** A market as a request names it, in the names that a list of markets may hold. */
export interface NamedMarket {
  /** Label in refusals. */
  readonly label: string;
  /** One of these must be allowed for access to the market as a whole. */
  readonly whole: readonly string[];
  /** One of these must be allowed to see the parts that the list allows. */
  readonly parts: readonly string[];
  /** True if the request names no market. */
  readonly every: boolean;
  /** Whether its securities are meant, what an account has in it, or its days. */
  readonly of: 'securities' | 'account' | 'days';
}

/** Markets by the numbers of one enumeration, each made once. */
export type Numbering = (number: number) => NamedMarket;

/** More than any enumeration of markets has. */
const MARKETS_MAX = 100;

function numbering(of: NamedMarket['of'], make: (number: number) => Pick<NamedMarket, 'label' | 'whole' | 'parts'>): Numbering {
  // The market of a field that names none, or 0. No restrictive list allows it.
  const every: NamedMarket = { label: 'every market', whole: [], parts: [], every: true, of };
  const known = new Map<number, NamedMarket>([[0, every]]);
  return (number) => {
    let market = known.get(number);
    if (market === undefined) {
      market = { ...make(number), every: false, of };
      // Callers can send any number: those that mean something are few.
      if (known.size < MARKETS_MAX) known.set(number, market);
    }
    return market;
  };
}

/** Qot_Common.QotMarket. */
export const quoteMarketOf = numbering('securities', (number) => {
  const name = quoteMarketNumbered(number)?.name;
  const names = name === undefined ? [] : [name];
  return { label: name ?? String(number), whole: names, parts: names };
});

/** Markets that allow a part of each trading market. */
const partsOf: Readonly<Record<string, readonly string[]>> = { CN: ['CN', 'SH', 'SZ'], FUTURES: ['FUTURES', 'HK_FUTURE'] };

/** Trd_Common.TrdMarket. */
export const tradingMarketOf = numbering('account', (number) => {
  const name = tradingMarketName(number);
  return { label: name, whole: [name], parts: partsOf[name] ?? [name] };
});

/** Whichever broker deals in it: leveraged forex is all of the forex market. */
const leveragedForex: NamedMarket = { label: 'FX', whole: ['FX'], parts: ['FX'], every: false, of: 'account' };
export const forexOf: Numbering = () => leveragedForex;

/** Its quotes. */
const forexQuotes: NamedMarket = { ...leveragedForex, of: 'securities' };
export const forexQuotesOf: Numbering = () => forexQuotes;

/** Qot_Common.TradeDateMarket. */
export const calendarOf = numbering('days', (number) => {
  const names = marketsOfTradeDates(number);
  return { label: names.join(' or ') || 'unknown', whole: names, parts: names };
});
