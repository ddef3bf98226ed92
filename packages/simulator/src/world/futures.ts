import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { businessDayFrom, monthAfter, tradingDaysOf, yearOf } from './business-days.js';
import type { CalendarName } from './calendar.js';
import { catalogue } from './catalogue.js';
import { LISTED_MONTHS, lastDayOf, listsMonth, monthsByVolume, monthsFrom } from './contract-cycle.js';
import { type FutureProduct, futureProducts } from './data/futures.js';
import { exact } from './exact.js';
import { type Future, type Instrument, instrumentOf } from './instrument.js';
import { flatTickTable } from './tick-tables.js';

const VOLUME_MIN = 50;

// All of it is pure, so that one memory serves every world. Years have two digits: there are a hundred of months.
const contracts = new Map<string, Future>();
const products = new Map(futureProducts.map((product) => [`${product.market}.${product.root}`.toUpperCase(), product]));

let continuous: readonly Future[] | undefined;

/** The continuous contracts, "HSImain". */
export function continuousContracts(): readonly Future[] {
  continuous ??= futureProducts.map((product) => contract(product, 'main', product.listed));
  return continuous;
}

/** The continuous contract of every product (of a market), followed by its dated ones that are listed on the day of its calendar, in order of expiry. */
export function contractsOn(dayOf: (calendar: CalendarName) => string, market?: QuoteMarket): readonly Future[] {
  const mains = market === undefined ? continuousContracts() : continuousContracts().filter((main) => main.market === market);
  return mains.flatMap((main) => {
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

/**
 * The contract of a month is listed on the day after that of the same month a year before has expired: a product always has the
 * same number of contracts, one for each of its months.
 */
function contractOf(product: FutureProduct, month: string): Future {
  const key = `${product.market}.${product.root} ${month}`;
  const known = contracts.get(key);
  if (known !== undefined) return known;
  const days = tradingDaysOf(product.calendar);
  const yearBefore = lastDayOf(product, monthAfter(month, -LISTED_MONTHS));
  const listed = yearBefore < product.listed ? businessDayFrom(product.listed, days) : days.nextTradingDay(yearBefore);
  const label = month.slice(2).replace('-', '');
  const found = contract(product, label, listed, month);
  contracts.set(key, found);
  return found;
}

function contract(product: FutureProduct, label: string, listDate: string, month?: string): Future {
  const { market, root, name, exchange, currency, calendar, volatility } = product;
  return instrumentOf<Future>({
    market,
    code: `${root}${label}`,
    name: `${name} (${label})`,
    kind: 'future',
    exchange,
    currency,
    multiplier: exact(product.multiplier),
    tickTable: flatTickTable(`${market}-${root}`, product.tick),
    listDate,
    ...(month === undefined ? {} : { lastTradingDay: lastDayOf(product, month) }),
    referencePrice: exact(product.price),
    dailyVolume: product.traded,
    volatility: volatility / 100,
    calendar,
    future: month === undefined ? { product } : { product, month },
  });
}

/** Whether an instrument is a product's continuous contract. */
export function isContinuous(instrument: Instrument): boolean {
  return instrument.kind === 'future' && instrument.future.month === undefined;
}

/**
 * The dated contract that a continuous one is on a day ("2026-11-20"): the front month up to its second trading day before the last, and the next
 * one from then on. Other instruments are themselves.
 */
export function tradedOn(instrument: Instrument, day: string): Instrument {
  if (instrument.kind !== 'future' || instrument.future.month !== undefined) return instrument;
  const { product } = instrument.future;
  const [month] = monthsByVolume(product, day);
  return month === undefined ? instrument : contractOf(product, month);
}

/**
 * Underlying of a product's contracts: its index, or where the world has none, the continuous contract of the product
 * itself or of the one that it shares the spot price with. The latter stands for the spot price and does not trade.
 */
export function spotInstrument({ market, root, underlying, spotOf = root }: FutureProduct): Instrument {
  const index = underlying === undefined ? undefined : catalogue(market).find(({ symbol }) => symbol === underlying);
  const spot = index ?? continuousContracts().find(({ symbol }) => symbol === `${market}.${spotOf}main`);
  if (spot === undefined) throw new Error(`${market}.${root} follows nothing that the world has`);
  return spot;
}

/** The continuous contract of a contract's product; undefined for what is no dated contract. */
export function continuousOf(instrument: Instrument): Future | undefined {
  if (instrument.kind !== 'future' || instrument.future.month === undefined) return undefined;
  const { product } = instrument.future;
  return continuousContracts().find(({ future }) => future.product === product);
}

/**
 * Typical contracts (shares, units) traded on a day. Of a product's contracts the main one trades most, see {@link tradedOn}. Each later one trades
 * a fifth of the one before.
 */
export function typicalVolume(instrument: Instrument, day: string): number {
  if (instrument.kind !== 'future' || instrument.future.month === undefined) return instrument.dailyVolume;
  const { product, month } = instrument.future;
  const order = monthsByVolume(product, day);
  const position = order.indexOf(month);
  return Math.max(VOLUME_MIN, Math.round(product.traded / 5 ** (position < 0 ? order.length : position)));
}

/** Yearly cost of carry of an index by its futures, as a fraction; undefined without futures. */
export function carryOf({ symbol }: Instrument): number | undefined {
  const contract = continuousContracts().find(({ future }) => future.product.underlying === symbol);
  return contract === undefined ? undefined : contract.future.product.carry / 100;
}

/** The number that every month of a product shares, above 0: 0 for what is no ordinary monthly future. */
export function linkageId(instrument: Instrument): bigint {
  if (instrument.kind !== 'future' || instrument.future.month === undefined) return 0n;
  const { product } = instrument.future;
  return BigInt(futureProducts.indexOf(product) + 1);
}
