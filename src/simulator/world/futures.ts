import { businessDayFrom, businessDaysOf, monthAfter, tradingDaysOf, yearOf } from './business-days.js';
import type { CalendarName } from './calendar.js';
import { type FutureProduct, futureProducts } from './data/futures.js';
import { exact } from './exact.js';
import type { Future, Instrument } from './instrument.js';
import { instrumentId } from './instrument-id.js';
import { lastTradeDate } from './last-trade.js';
import { flatTickTable } from './tick-tables.js';

/**
 * The contract of a month is listed on the day after that of the same month a year before has expired: a product always has the
 * same number of contracts, one for each of its months.
 */
const LISTED_MONTHS = 12;
/** Days before its last one at which a contract hands over to the next: positions are rolled by then. */
const ROLL_DAYS = 2;
const VOLUME_MIN = 50;
const CONTRACTS_REMEMBERED_MAX = 20_000;
const LAST_DAYS_REMEMBERED_MAX = 20_000;

// All of it is pure, so that one memory serves every world.
const contracts = new Map<string, Future>();
const lastDays = new Map<string, string>();
const products = new Map(futureProducts.map((product) => [`${product.market}.${product.root}`.toUpperCase(), product]));

let continuous: readonly Future[] | undefined;

/** The continuous contracts, "HSImain". */
export function continuousContracts(): readonly Future[] {
  continuous ??= futureProducts.map((product) => contract(product, 'main', 'main', product.listed));
  return continuous;
}

/** Every product's continuous contract, followed by its dated ones that are listed on the day of its calendar, in order of expiry. */
export function contractsOn(dayOf: (calendar: CalendarName) => string): readonly Future[] {
  return continuousContracts().flatMap((main) => {
    const day = dayOf(main.calendar);
    const { product } = main.future;
    const dated = monthsFrom(product, day).map((month) => contractOf(product, month));
    return [main, ...dated.filter(({ listDate }) => listDate <= day)];
  });
}

/** The dated contract of a symbol in upper case, "HK.HSI2612", whether or not it is listed now; undefined when no product ever lists it. `year`: see {@link yearOf}. */
export function understandFuture(symbol: string, year: number): Future | undefined {
  const match = /^(.+?)(\d\d)(\d\d)$/.exec(symbol);
  const [, root = '', digits = '', number = ''] = match ?? [];
  const product = products.get(root);
  if (product === undefined) return undefined;
  const month = `${yearOf(digits, year)}-${number}`;
  return listsMonth(product, month) && lastDayOf(product, month) >= product.listed ? contractOf(product, month) : undefined;
}

function contractOf(product: FutureProduct, month: string): Future {
  const key = `${product.market}.${product.root} ${month}`;
  const known = contracts.get(key);
  if (known !== undefined) return known;
  const days = tradingDaysOf(product.calendar);
  const yearBefore = lastDayOf(product, monthAfter(month, -LISTED_MONTHS));
  const listed = yearBefore < product.listed ? businessDayFrom(product.listed, days) : days.nextTradingDay(yearBefore);
  const label = month.slice(2).replace('-', '');
  const found = contract(product, label, label, listed, month);
  if (contracts.size >= CONTRACTS_REMEMBERED_MAX) contracts.clear();
  contracts.set(key, found);
  return found;
}

function contract(product: FutureProduct, suffix: string, label: string, listDate: string, month?: string): Future {
  const { market, root, name, exchange, currency, calendar, volatility } = product;
  const code = `${root}${suffix}`;
  const symbol = `${market}.${code}`;
  return {
    symbol,
    market,
    code,
    id: instrumentId(symbol),
    name: `${name} (${label})`,
    kind: 'future',
    exchange,
    currency,
    lotSize: 1,
    multiplier: exact(product.multiplier),
    tickTable: flatTickTable(`${market}-${root}`, product.tick),
    listDate,
    ...(month === undefined ? {} : { lastTradingDay: lastDayOf(product, month) }),
    referencePrice: exact(product.price),
    sharesIssued: 0n,
    dailyVolume: product.traded,
    volatility: volatility / 100,
    calendar,
    future: month === undefined ? { product } : { product, month },
  };
}

/** Whether an instrument is a product's continuous contract. */
export function isContinuous(instrument: Instrument): boolean {
  return instrument.kind === 'future' && instrument.future.month === undefined;
}

/**
 * Typical contracts (shares, units) traded on a day. Of a product's contracts the front month trades most, until it is rolled a few
 * days before it expires; then it and the next one change places. Each later one trades a fifth of the one before.
 */
export function typicalVolume(instrument: Instrument, day: string): number {
  if (instrument.kind !== 'future' || instrument.future.month === undefined) return instrument.dailyVolume;
  const { product, month } = instrument.future;
  const months = monthsFrom(product, day);
  const [front, next] = months;
  const order = front !== undefined && next !== undefined && isRolled(product, front, day) ? [next, front, ...months.slice(2)] : months;
  const position = order.indexOf(month);
  return Math.max(VOLUME_MIN, Math.round(product.traded / 5 ** (position < 0 ? order.length : position)));
}

function isRolled(product: FutureProduct, month: string, day: string): boolean {
  const calendar = businessDaysOf(product.calendar);
  let rolls = lastDayOf(product, month);
  for (let days = 0; days < ROLL_DAYS; days += 1) rolls = calendar.previousTradingDay(rolls);
  return day > rolls;
}

/** The months of a product that expire on `day` or later and are listed by then, in order. */
function monthsFrom(product: FutureProduct, day: string): string[] {
  const months: string[] = [];
  // Energy expires in the month before the contract's own.
  for (let ahead = 0, month = day.slice(0, 7); ahead <= LISTED_MONTHS + 1; ahead += 1, month = monthAfter(month)) {
    if (listsMonth(product, month) && lastDayOf(product, month) >= day) months.push(month);
  }
  return months;
}

function listsMonth({ months }: FutureProduct, month: string): boolean {
  const number = Number(month.slice(5));
  if (number < 1 || number > 12) return false;
  if (months === 'monthly') return true;
  return months === 'quarterly' ? number % 3 === 0 : months.includes(number);
}

function lastDayOf(product: FutureProduct, month: string): string {
  const key = `${product.lastTrade} ${product.calendar} ${month}`;
  let day = lastDays.get(key);
  if (day === undefined) {
    day = lastTradeDate(product.lastTrade, month, businessDaysOf(product.calendar));
    if (lastDays.size >= LAST_DAYS_REMEMBERED_MAX) lastDays.clear();
    lastDays.set(key, day);
  }
  return day;
}
