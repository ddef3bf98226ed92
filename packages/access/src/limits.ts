import { type Decimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { type JsonNode, type ObjectNode, readDocument } from '@svc-gateway/contract/json/document';
import { type Currency, parseSymbol } from '@svc-gateway/contract/markets';
import { type HoursWindow, parseHoursWindow } from './hours-window.js';
import { Faults, listOf, nullable, oneOf, optionalField, type Read, readObject, readString, shown } from './json-fields.js';
import { err, ok, type Result } from './result.js';
import { SymbolSet } from './symbol-set.js';

export const tradeSides = ['BUY', 'SELL', 'SELL_SHORT', 'BUY_BACK'] as const;
export type TradeSide = (typeof tradeSides)[number];

/** Names a market list may hold: quote markets and trading markets. `CN` stands for Shanghai and Shenzhen both. */
const limitMarkets = ['HK', 'US', 'CN', 'SH', 'SZ', 'HKCC', 'FUTURES', 'HK_FUTURE', 'SG', 'JP', 'AU', 'MY', 'CA', 'FX'] as const;

/** Currencies that limits may be in. */
const limitCurrencies = ['HKD', 'USD', 'CNH', 'SGD', 'JPY', 'MYR', 'AUD', 'CAD'] as const satisfies readonly Currency[];

/** The limits of a key, or of the daemon's start-up flags. null = not limited. */
export interface Limits {
  /** Never empty: an empty list in the file limits nothing. Holds SH and SZ wherever it holds CN. */
  readonly allowedMarkets: ReadonlySet<string> | null;
  /** Canonical symbols, "HK.00700". The empty set allows none. */
  readonly allowedSymbols: SymbolSet | null;
  /** The empty set allows none. */
  readonly allowedTrdSides: ReadonlySet<TradeSide> | null;
  readonly hoursWindow: HoursWindow | null;
  /** Quantity × price × multiplier of one order: for each currency by itself, or in `limitsCurrency`. */
  readonly maxOrderValue: Decimal | null;
  /** Sum over a UTC day: for each currency by itself, or in `limitsCurrency`. */
  readonly maxDailyValue: Decimal | null;
  /** Loss of the order's account today from which no more risk is taken, per currency or in `limitsCurrency`. */
  readonly maxDailyLoss: Decimal | null;
  /** The one currency that the caps are in, all others converted; null = the caps hold for each currency by itself. */
  readonly limitsCurrency: Currency | null;
  /** Orders in any 60 seconds; 0 allows none. */
  readonly maxOrdersPerMinute: number | null;
  /** Orders that may be open at a time; 0 allows none. */
  readonly maxOpenOrders: number | null;
  /** Never empty: an empty list in the file limits nothing. */
  readonly allowedAccIds: ReadonlySet<bigint> | null;
}

export const unlimited: Limits = {
  allowedMarkets: null,
  allowedSymbols: null,
  allowedTrdSides: null,
  hoursWindow: null,
  maxOrderValue: null,
  maxDailyValue: null,
  maxDailyLoss: null,
  limitsCurrency: null,
  maxOrdersPerMinute: null,
  maxOpenOrders: null,
  allowedAccIds: null,
};

/** Whether any of the markets that something belongs to (its trading market, its quote market) is allowed. */
export function allowsMarket(limits: Limits, markets: readonly string[]): boolean {
  const { allowedMarkets } = limits;
  return allowedMarkets === null || markets.some((market) => allowedMarkets.has(market));
}

/** {@link allowsMarket} of what belongs to one market only: every read of a quote asks it. */
export function allowsOneMarket({ allowedMarkets }: Limits, market: string): boolean {
  return allowedMarkets === null || allowedMarkets.has(market);
}

export function allowsSymbol(limits: Limits, symbol: string): boolean {
  return limits.allowedSymbols === null || limits.allowedSymbols.has(symbol);
}

/** {@link allowsSymbol} of a security, by the name of its market and its code. */
export function allowsCode({ allowedSymbols }: Limits, market: string, code: string): boolean {
  return allowedSymbols === null || allowedSymbols.hasCode(market, code);
}

export function allowsAccount(limits: Limits, accId: bigint): boolean {
  return limits.allowedAccIds === null || limits.allowedAccIds.has(accId);
}

/** The highest number of orders that a limit may be. */
const ORDERS_MAX = 100_000;
const UINT64_MAX = 2n ** 64n - 1n;

const readSymbol: Read<string> = (node, path, faults) => {
  const text = readString(node, path, faults);
  if (text === undefined) return undefined;
  const symbol = parseSymbol(text);
  if (symbol === undefined) return faults.add(node.start, `${path} must be MARKET.CODE, for example HK.00700; found ${shown(node)}`);
  return `${symbol.market.name}.${symbol.code}`;
};

const readWindow: Read<HoursWindow> = (node, path, faults) => {
  const text = readString(node, path, faults);
  if (text === undefined) return undefined;
  return parseHoursWindow(text) ?? faults.add(node.start, `${path} must be HH:MM-HH:MM, 00:00 to 23:59; found ${shown(node)}`);
};

const readAmount: Read<Decimal> = (node, path, faults) => {
  const value = node.kind === 'number' ? parseDecimal(node.text) : undefined;
  if (value !== undefined && value >= 0n) return value;
  return faults.add(node.start, `${path} must be a non-negative number with at most nine decimal places; found ${shown(node)}`);
};

const readCount: Read<number> = (node, path, faults) => {
  const count = node.kind === 'number' && /^\d+$/.test(node.text) ? Number(node.text) : Number.NaN;
  if (count <= ORDERS_MAX) return count;
  return faults.add(node.start, `${path} must be a whole number from 0 to ${ORDERS_MAX}; found ${shown(node)}`);
};

const readAccId: Read<bigint> = (node, path, faults) => {
  const text = node.kind === 'number' ? node.text : node.kind === 'string' ? node.value : '';
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && value <= UINT64_MAX) return value;
  return faults.add(node.start, `${path} must be an account id, 0 to ${UINT64_MAX}, as a number or a decimal string; found ${shown(node)}`);
};

const readers = {
  allowed_markets: nullable(listOf('markets', oneOf('market', limitMarkets))),
  allowed_symbols: nullable(listOf('symbols', readSymbol)),
  max_order_value: nullable(readAmount),
  max_daily_value: nullable(readAmount),
  max_daily_loss: nullable(readAmount),
  limits_currency: nullable(oneOf('currency', limitCurrencies)),
  hours_window: nullable(readWindow),
  max_orders_per_minute: nullable(readCount),
  max_open_orders: nullable(readCount),
  allowed_trd_sides: nullable(listOf('sides', oneOf('side', tradeSides))),
  allowed_acc_ids: nullable(listOf('account ids', readAccId)),
};
type LimitField = keyof typeof readers;
const limitFields = Object.keys(readers) as readonly LimitField[];

/** The `limits` object of a key record. An absent field or null does not limit. */
export const readLimits: Read<Limits> = (node, path, faults) => {
  const object = readObject(node, path, limitFields, faults);
  return object === undefined ? undefined : limitsOf(object, path, faults);
};

function limitsOf(object: ObjectNode, path: string, faults: Faults): Limits {
  const field = <T>(name: LimitField, read: Read<T | null>): T | null => optionalField(object, path, name, read, null, faults) ?? null;
  const markets = field('allowed_markets', readers.allowed_markets);
  const symbols = field('allowed_symbols', readers.allowed_symbols);
  const sides = field('allowed_trd_sides', readers.allowed_trd_sides);
  const accIds = field('allowed_acc_ids', readers.allowed_acc_ids);
  return {
    allowedMarkets: markets === null || markets.length === 0 ? null : withChina(markets),
    allowedSymbols: symbols === null ? null : new SymbolSet(symbols),
    allowedTrdSides: sides === null ? null : new Set(sides),
    hoursWindow: field('hours_window', readers.hours_window),
    maxOrderValue: field('max_order_value', readers.max_order_value),
    maxDailyValue: field('max_daily_value', readers.max_daily_value),
    maxDailyLoss: field('max_daily_loss', readers.max_daily_loss),
    limitsCurrency: field('limits_currency', readers.limits_currency),
    maxOrdersPerMinute: field('max_orders_per_minute', readers.max_orders_per_minute),
    maxOpenOrders: field('max_open_orders', readers.max_open_orders),
    allowedAccIds: accIds === null || accIds.length === 0 ? null : new Set(accIds),
  };
}

function withChina(markets: readonly string[]): ReadonlySet<string> {
  return new Set(markets.includes('CN') ? [...markets, 'SH', 'SZ'] : markets);
}

/** The limits as start-up flags and `gen-key` options spell them: lists separated by commas, numbers as written. */
export interface LimitFlags {
  readonly allowedMarkets?: string | undefined;
  readonly allowedSymbols?: string | undefined;
  readonly allowedTrdSides?: string | undefined;
  readonly hoursWindow?: string | undefined;
  readonly maxOrderValue?: string | undefined;
  readonly maxDailyValue?: string | undefined;
  readonly maxDailyLoss?: string | undefined;
  readonly limitsCurrency?: string | undefined;
  readonly maxOrdersPerMinute?: string | undefined;
  readonly maxOpenOrders?: string | undefined;
  readonly allowedAccIds?: string | undefined;
}

/** Limits made from flags: to be applied, and as the JSON text of a `limits` object whose numbers are exactly those given. */
export interface FlagLimits {
  readonly limits: Limits;
  readonly json: string;
}

/** Reads flags by the rules of the keys file. The error begins with the flag's name: "--hours-window must be …". */
export function limitsFromFlags(flags: LimitFlags): Result<FlagLimits, string> {
  const parts: string[] = [];
  for (const field of limitFields) {
    const text = flags[camelCase(field)];
    if (text === undefined) continue;
    const json = flagJson(field, text);
    const faults = new Faults();
    const node = readDocument(json);
    if (node.ok) readers[field](node.value, `--${field.replaceAll('_', '-')}`, faults);
    const message = node.ok ? faults.first?.message : node.error.message;
    if (message !== undefined) return err(message);
    parts.push(`${JSON.stringify(field)}: ${json}`);
  }
  const json = `{${parts.join(', ')}}`;
  return ok({ limits: limitsOfJson(json), json });
}

function limitsOfJson(json: string): Limits {
  const parsed = readDocument(json);
  const node: JsonNode | undefined = parsed.ok ? parsed.value : undefined;
  if (node?.kind !== 'object') throw new Error(`no limits object: ${json}`);
  return limitsOf(node, 'limits', new Faults());
}

const listFields: readonly LimitField[] = ['allowed_markets', 'allowed_symbols', 'allowed_trd_sides', 'allowed_acc_ids'];
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d{0,40})(?:\.\d{1,20})?$/;

function flagJson(field: LimitField, text: string): string {
  if (!listFields.includes(field)) return flagScalar(text);
  const items = text.split(',').map((item) => item.trim());
  return `[${items
    .filter((item) => item !== '')
    .map(flagScalar)
    .join(', ')}]`;
}

function flagScalar(text: string): string {
  return PLAIN_NUMBER.test(text) ? text : JSON.stringify(text);
}

function camelCase(field: LimitField): keyof LimitFlags {
  return field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as keyof LimitFlags;
}
