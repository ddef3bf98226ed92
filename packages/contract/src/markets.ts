/**
 * The quote markets, and what follows from one: its protocol numbers, time zone and currency.
 * Numbers are those of `Qot_Common.QotMarket` and `Trd_Common.TrdSecMarket`.
 */

export interface QuoteMarketInfo {
  readonly name: QuoteMarket;
  /** Qot_Common.QotMarket. */
  readonly number: number;
  /** Trd_Common.TrdSecMarket of securities listed here. */
  readonly secMarket: number;
  /** IANA zone of the exchange: the zone of every time text of the market. */
  readonly timeZone: string;
  readonly currency: Currency;
}

export type QuoteMarket = 'HK' | 'US' | 'SH' | 'SZ' | 'SG' | 'JP' | 'MY' | 'FX';
export type Currency = 'HKD' | 'USD' | 'CNH' | 'SGD' | 'JPY' | 'MYR' | 'AUD' | 'CAD';

export const quoteMarkets: readonly QuoteMarketInfo[] = [
  { name: 'HK', number: 1, secMarket: 1, timeZone: 'Asia/Hong_Kong', currency: 'HKD' },
  { name: 'US', number: 11, secMarket: 2, timeZone: 'America/New_York', currency: 'USD' },
  { name: 'SH', number: 21, secMarket: 31, timeZone: 'Asia/Shanghai', currency: 'CNH' },
  { name: 'SZ', number: 22, secMarket: 32, timeZone: 'Asia/Shanghai', currency: 'CNH' },
  { name: 'SG', number: 31, secMarket: 41, timeZone: 'Asia/Singapore', currency: 'SGD' },
  { name: 'JP', number: 41, secMarket: 51, timeZone: 'Asia/Tokyo', currency: 'JPY' },
  { name: 'MY', number: 61, secMarket: 71, timeZone: 'Asia/Kuala_Lumpur', currency: 'MYR' },
  { name: 'FX', number: 81, secMarket: 91, timeZone: 'UTC', currency: 'USD' },
];

/** Qot_Common.QotMarket. */
const HK = 1;
const HK_FUTURE = 2;

const byName = new Map<string, QuoteMarketInfo>(quoteMarkets.map((market) => [market.name, market]));
const byNumber = new Map<number, QuoteMarketInfo>(quoteMarkets.map((market) => [market.number, market]));
const bySecMarket = new Map<number, QuoteMarketInfo>(quoteMarkets.map((market) => [market.secMarket, market]));

// Other spellings that callers use. HK futures are quoted in market HK since the protocol retired HK_FUTURE (2).
const aliases: Readonly<Record<string, QuoteMarket>> = { HK_FUTURE: 'HK', CN: 'SH' };

/** The market that a name of an interface ("HK", "HK_FUTURE", "CN") means. */
function quoteMarketNamed(name: string): QuoteMarketInfo | undefined {
  return byName.get(aliases[name] ?? name);
}

/** The market of a Qot_Common.QotMarket number; 2 (HK_FUTURE) means HK. */
export function quoteMarketNumbered(number: number): QuoteMarketInfo | undefined {
  return byNumber.get(number === HK_FUTURE ? HK : number);
}

/** The market of a Trd_Common.TrdSecMarket number. */
export function quoteMarketOfSecMarket(number: number): QuoteMarketInfo | undefined {
  return bySecMarket.get(number);
}

/** The names under which a limit may allow the days of a Qot_Common.TradeDateMarket; none for an unknown number. */
export function marketsOfTradeDates(number: number): readonly string[] {
  return tradeDateMarkets.get(number) ?? [];
}

const tradeDateMarkets: ReadonlyMap<number, readonly string[]> = new Map([
  [1, ['HK']],
  [2, ['US']],
  [3, ['SH', 'SZ']],
  [4, ['HKCC', 'SH', 'SZ']],
  [5, ['HK']],
  [6, ['JP']],
  [7, ['SG']],
  [8, ['SG']],
  [9, ['MY']],
  [10, ['JP']],
]);

/** The market by its canonical name. */
export function quoteMarket(name: QuoteMarket): QuoteMarketInfo {
  const market = byName.get(name);
  if (market === undefined) throw new Error(`no quote market ${name}`);
  return market;
}

/** Trading markets of futures (Trd_Common.TrdMarket): that of all, and those of simulated accounts by region. */
export const futuresMarkets: ReadonlySet<number> = new Set([5, 10, 11, 12, 13]);
/** The one of all futures. */
const FUTURES = 5;

/** Whether a trading market covers that of an order or a position: itself, and the market of all futures also the simulated ones. */
export function coversTradingMarket(asked: number, own: number): boolean {
  return asked === own || (asked === FUTURES && futuresMarkets.has(own));
}

/** HK futures moved to market HK; the old number stays accepted in requests, and is written as the new one. */
export function renumberMarket(security: { market: number }): void {
  if (security.market === HK_FUTURE) security.market = HK;
}

/** Letters, digits and the signs that markets use: "00700", "BRK.B", ".SPX", "TCH260330C500000". No spaces: a code is no sentence. */
const CODE_TEXT = /^[\w.$^&/:+=#@*-]{1,64}$/;

/** Whether a text can be the code of a security, in any market. */
export function isCode(text: string): boolean {
  return CODE_TEXT.test(text);
}

/** "HK.00700" → its market and code; undefined when the text has no known market or no code. */
export function parseSymbol(text: string): { market: QuoteMarketInfo; code: string } | undefined {
  const dot = text.indexOf('.');
  if (dot <= 0) return undefined;
  const name = text.slice(0, dot);
  const market = quoteMarketNamed(name) ?? quoteMarketNamed(name.toUpperCase());
  const code = text.slice(dot + 1);
  return market === undefined || !isCode(code) ? undefined : { market, code };
}

/** The canonical symbol, "HK.00700", of a protocol Security; undefined for an unknown market number. */
export function symbolOf(security: { market: number; code: string }): string | undefined {
  const market = quoteMarketNumbered(security.market);
  return market === undefined ? undefined : `${market.name}.${security.code}`;
}

/** The protocol's key of a security in pushes: "1_00700". */
export function secKeyOf(security: { market: number; code: string }): string {
  return `${security.market}_${security.code}`;
}
