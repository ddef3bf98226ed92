import { parseSymbol, type QuoteMarket } from './markets.js';
import { shown } from './shown.js';

/**
 * Spellings that other programs use for a security, and the symbols they probably mean. It knows forms, not listings: who knows
 * what is listed keeps the candidates that are.
 */

/** Names of markets and exchanges elsewhere, as prefix ("HKEX:700") or suffix ("0700.HK", "7203.T"). */
const marketWords: ReadonlyMap<string, QuoteMarket> = new Map(
  Object.entries({
    HK: ['HK', 'HKG', 'HKEX', 'SEHK', 'XHKG'],
    US: ['US', 'USA', 'NASDAQ', 'NYSE', 'AMEX', 'ARCA', 'NYSEARCA', 'BATS', 'XNAS', 'XNYS', 'O', 'N', 'OQ'],
    SH: ['SH', 'SS', 'SSE', 'SHSE', 'XSHG', 'CN', 'CH'],
    SZ: ['SZ', 'SZSE', 'XSHE'],
    SG: ['SG', 'SI', 'SGX', 'SP', 'XSES'],
    JP: ['JP', 'T', 'TYO', 'TSE', 'XTKS'],
    MY: ['MY', 'KL', 'KLSE', 'MK', 'XKLS'],
    FX: ['FX', 'FOREX'],
  } satisfies Record<QuoteMarket, string[]>).flatMap(([market, words]) =>
    words.map((word): [string, QuoteMarket] => [word, market as QuoteMarket]),
  ),
);

/** Indices by the names that they go by elsewhere. */
const indices: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'HK.800000': ['HSI', '^HSI'],
    'HK.800100': ['HSCEI', 'HSCE', '^HSCE'],
    'HK.800700': ['HSTECH', '^HSTECH'],
    'US..SPX': ['SPX', '^SPX', '^GSPC', 'GSPC'],
    'US..DJI': ['DJI', '^DJI', 'DJIA'],
    'US..IXIC': ['IXIC', '^IXIC', 'COMP'],
    'US..NDX': ['NDX', '^NDX'],
    'US..VIX': ['VIX', '^VIX'],
  }).flatMap(([symbol, names]) => names.map((name): [string, string] => [name, symbol])),
);

/** Digits of a code by its market. */
const WIDTHS: Partial<Record<QuoteMarket, number>> = { HK: 5, SH: 6, SZ: 6, JP: 4, MY: 4 };
const currencies =
  /^(AUD|CAD|CHF|CNH|CNY|EUR|GBP|HKD|JPY|KRW|MYR|NZD|SGD|USD)[/-]?(AUD|CAD|CHF|CNH|CNY|EUR|GBP|HKD|JPY|KRW|MYR|NZD|SGD|USD)(=X)?$/;
/** The Options Clearing Corporation's code: root, date, C or P, and the strike in thousandths, eight digits. */
const occ = /^([A-Z.]{1,6}) *(\d{6})([CP])(\d{8})$/;
/** Ticker of a share in the US, with a class where it has several: AAPL, BRK-B. Longer words are names. */
const ticker = /^[A-Z]{1,5}([-/_ ][A-Z])?$/;
/** Longer texts are no symbol of anybody's. */
const LENGTH_MAX = 40;

/** Symbols that a text probably means, the likeliest first; empty where it has no form that is known. */
export function symbolsMeant(text: string): readonly string[] {
  if (text.length > LENGTH_MAX) return [];
  const spelled = text
    .trim()
    .toUpperCase()
    .replace(/^\$/, '')
    .replace(/ EQUITY$/, '');
  const meant = new Set([...withMarket(spelled), ...withoutMarket(spelled)]);
  const given = parseSymbol(text);
  if (given !== undefined) meant.delete(`${given.market.name}.${given.code}`);
  return [...meant];
}

/** "; in that form, listed or not: HK.00700", for texts that are read before anybody can look up what is listed; or nothing. */
export function spelledAs(text: string): string {
  const forms = symbolsMeant(text);
  return forms.length === 0 ? '' : `; in that form, listed or not: ${forms.join(' or ')}`;
}

/**
 * A code as exchanges list it: in capitals, but for the continuous contracts of futures, "HSImain". Brokerages that take any case list orders and
 * positions under this one, by which they are found again.
 */
export function listedCode(code: string, { isFuture }: { readonly isFuture: boolean }): string {
  const capitals = code.toUpperCase();
  return isFuture ? capitals.replace(/(?<=.)(MAIN|CURRENT)$/, (suffix) => suffix.toLowerCase()) : capitals;
}

/** Text for an unknown security, the same for reads and writes. `meant`: a listed symbol that is probably meant. */
export function unknownSymbol(symbol: string, meant: string | undefined): string {
  return `unknown symbol ${shown(symbol)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function withMarket(text: string): string[] {
  const parts = [
    /^(?<market>[A-Z]+)[.:](?<code>.+)$/,
    /^(?<code>.+)[.: ](?<market>[A-Z]+)$/,
    /^(?<market>HK|SH|SZ|SG|JP|MY)(?<code>\d{3,6})$/,
  ].map((form) => form.exec(text)?.groups);
  return parts.flatMap((groups) => {
    const market = marketWords.get(groups?.market ?? '');
    return market === undefined ? [] : codesIn(market, groups?.code ?? '');
  });
}

function withoutMarket(text: string): string[] {
  const index = indices.get(text);
  if (index !== undefined) return [index];
  const pair = currencies.exec(text);
  if (pair !== null) return [`FX.${pair[1]}${pair[2]}`];
  if (/^\d{6}$/.test(text)) return [`${/^[569]/.test(text) ? 'SH' : 'SZ'}.${text}`];
  if (/^\d{1,5}$/.test(text)) return [...codesIn('HK', text), ...(text.length === 4 ? [`JP.${text}`, `MY.${text}`] : [])];
  if (/^[A-Z]{1,3}=F$/.test(text)) return [`US.${text.slice(0, -2)}main`];
  if (ticker.test(text)) return codesIn('US', text);
  return /^[A-Z]{1,5}\.[A-Z]$/.test(text) || occ.test(text) ? codesIn('US', text) : [];
}

/** The symbols that a code may be in a market. */
function codesIn(market: QuoteMarket, code: string): string[] {
  const width = WIDTHS[market];
  if (/^\d+$/.test(code) && width !== undefined) {
    const digits = code.replace(/^0+(?=\d)/, '');
    return digits.length <= width ? [`${market}.${digits.padStart(width, '0')}`] : [];
  }
  const index = indices.get(code);
  if (index !== undefined) return [index];
  if (market === 'FX') return [`FX.${code.replace(/[/-]|=X$/g, '')}`];
  const option = occ.exec(code);
  if (option !== null) return [`${market}.${option[1]}${option[2]}${option[3]}${Number(option[4])}`];
  // Classes of shares: BRK-B, BRK/B, BRK_B, BRK B.
  const share = /^([A-Z]{1,5})[-/_ ]([A-Z])$/.exec(code);
  if (share !== null) return [`${market}.${share[1]}.${share[2]}`];
  return /^[A-Z0-9.]{1,32}$/.test(code) ? [`${market}.${code}`] : [];
}
