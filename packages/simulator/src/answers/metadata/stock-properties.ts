import { AccumulateField, FinancialField } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import type {
  PropertyBroker,
  PropertyCumulative,
  PropertyFeatured,
  PropertyFinancial,
  PropertySimple,
} from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { addDays, requireDay } from '@svc-gateway/contract/time';
import { brokers } from '../../market/index.js';
import { Refusal } from '../../refusal.js';
import { keyOf, mix, normal, uniform } from '../../rng/random.js';
import { accumulated, barsOf } from '../../screen/bar-figures.js';
import type { Figure } from '../../screen/column-snapshot.js';
import { financialFigure, type Report } from '../../screen/financial-figures.js';
import * as quotes from '../../screen/quote-figures.js';
import * as shares from '../../screen/share-figures.js';
import { threePlaces, turnover } from '../../view/figures.js';
import type { Instrument } from '../../world/instrument.js';

/**
 * Properties of Qot_StockScreen by their numbers. The definitions leave the enumerations to the server; these are the ones that they
 * name, and those that programs in public use.
 */
const simple: ReadonlyMap<number, Figure> = new Map([
  [2201, quotes.price],
  [2202, quotes.openPrice],
  [2203, quotes.previousClose],
  [2204, quotes.highPrice],
  [2205, quotes.lowPrice],
  [2207, quotes.bidPrice],
  [2208, quotes.askPrice],
  [2301, shares.marketValue],
]);

/** Text properties: code, name and industry. */
export const basicProperties = { code: 1101, name: 1102, industry: 1103 } as const;

const DAYS_MAX = 250;

/** Change over days as a part (0.05 is 5 %), and in money. */
const cumulative: ReadonlyMap<number, (days: number) => Figure> = new Map([
  [3101, changeOver],
  [3102, changeRateOver],
]);

const financial: ReadonlyMap<number, FinancialField> = new Map([
  [4101, FinancialField.FinancialField_NetProfit],
  [4102, FinancialField.FinancialField_NetProfitGrowth],
]);

/** PropertyFinancial.term: the first and the second quarter by themselves, the last one that is out, the fiscal year. */
const terms: ReadonlyMap<number, Report> = new Map<number, Report>([
  [1, { through: 1, quarters: 1 }],
  [2, { through: 2, quarters: 1 }],
  [10, 'latest'],
  [100, { through: 4, quarters: 4 }],
]);
const ANNUAL = 100;

export function simpleFigure({ name }: PropertySimple, path: string): Figure | Refusal {
  return simple.get(name) ?? unserved(path, name, simple.keys());
}

export function cumulativeFigure({ name, days, periodAverage }: PropertyCumulative, path: string): Figure | Refusal {
  const of = cumulative.get(name);
  if (of === undefined) return unserved(path, name, cumulative.keys());
  if (periodAverage !== 0) return new Refusal(`${path}.period_average: averages over periods are not served`, 'broker.value');
  const count = days || 1;
  return count > DAYS_MAX ? new Refusal(`${path}.days: ${count} is out of range, accepted: 1 to ${DAYS_MAX}`, 'broker.value') : of(count);
}

export function financialFigureOf(property: PropertyFinancial, path: string): Figure | Refusal {
  const { name, term, duration, year, periodAverage, futureDuration } = property;
  const field = financial.get(name);
  if (field === undefined) return unserved(path, name, financial.keys());
  if (duration !== 0n || year !== 0 || periodAverage !== 0 || futureDuration !== 0)
    return new Refusal(`${path}: duration, year, period_average and future_duration are not served`, 'broker.value');
  const report = terms.get(term || ANNUAL);
  if (report === undefined)
    return new Refusal(`${path}.term: ${term} is not served; served: ${[...terms.keys()].join(', ')}`, 'broker.value');
  return financialFigure(field, report);
}

export function unserved(path: string, name: number, served: Iterable<number>): Refusal {
  return new Refusal(`${path}.name: property ${name} is not served; served: ${[...served].join(', ')}`, 'broker.value');
}

function changeRateOver(days: number): Figure {
  const percent = accumulated(AccumulateField.AccumulateField_ChangeRate, days);
  return { ...percent, key: `part changed over ${days}`, of: (facts, row) => percent.of(facts, row) / 100 };
}

function changeOver(days: number): Figure {
  const part = changeRateOver(days);
  return {
    ...part,
    key: `change over ${days}`,
    of: (facts, row) => {
      const last = quotes.price.of(facts, row);
      return threePlaces(last - last / (1 + part.of(facts, row)));
    },
  };
}

/** Qot_StockScreen's Featured and Broker properties. */

const CHIPS_PROFIT_RATIO = 5101;
/** Qot_Common.KLType of day bars, and Qot_StockScreen's period of them. */
const KL_DAY = 2;
const DAY = 11;
/** Days over which shares change hands: those bought before count as bought then. */
const CHIPS_DAYS = 250;
const SPEED = 1;

const TOP_DEFAULT = 10;
const TOP_MAX = 100;

/** By number. */
const brokerFigures: ReadonlyMap<number, (days: number, parameter: number | undefined, path: string) => Figure | Refusal> = new Map([
  [6101, concentration],
  [6102, holdingsChange],
  [6103, brokerCount],
]);

export function featuredFigureOf({ name, period, rangePeriod, firstCustomParam }: PropertyFeatured, path: string): Figure | Refusal {
  if (name !== CHIPS_PROFIT_RATIO) return unserved(path, name, [CHIPS_PROFIT_RATIO]);
  if (period !== 0 && period !== DAY) return new Refusal(`${path}.period: ${period} is not served; served: ${DAY} (day)`, 'broker.value');
  if (rangePeriod !== 0 || firstCustomParam !== 0n)
    return new Refusal(`${path}: range_period and first_custom_param say nothing of property ${name}; leave them out`);
  return chipsInProfit;
}

/**
 * Percent of the shares that were bought below the last price: each day, as many change hands as its turnover rate says, from all holders alike, at prices
 * spread evenly between its low and its high.
 */
const chipsInProfit: Figure = {
  key: 'chips in profit',
  lasts: 'moment',
  speed: SPEED,
  of: (facts, row) => {
    const { instrument } = row.listing;
    const calendar = facts.world.calendar(instrument);
    const last = Number(row.quote.last);
    let [held, inProfit] = [0, 0];
    for (const { start, volume, low, high } of barsOf(facts, row, KL_DAY, CHIPS_DAYS)) {
      const traded = Math.min(1, turnover(facts.companies, instrument, calendar.tradingDay(start), volume));
      const [from, to] = [Number(low), Number(high)];
      const below = to > from ? Math.min(1, Math.max(0, (last - from) / (to - from))) : Number(last > from);
      held = held * (1 - traded) + traded;
      inProfit = inProfit * (1 - traded) + traded * below;
    }
    return held === 0 ? Number.NaN : threePlaces((100 * inProfit) / held);
  },
};

export function brokerFigureOf({ name, days, param }: PropertyBroker, path: string): Figure | Refusal {
  const of = brokerFigures.get(name);
  if (of === undefined) return unserved(path, name, brokerFigures.keys());
  if (days < 0 || days > DAYS_MAX) return new Refusal(`${path}.days: ${days} is out of range, accepted: 1 to ${DAYS_MAX}`, 'broker.value');
  if (param !== '' && !/^[1-9]\d{0,8}$/.test(param))
    return new Refusal(`${path}.param: expected a positive whole number as text`, 'broker.value');
  return of(days || 1, param === '' ? undefined : Number(param), path);
}

/** Percent of all brokers' holdings that the largest ones have, the mean of so many days. */
function concentration(days: number, top = TOP_DEFAULT, path: string): Figure | Refusal {
  if (top > TOP_MAX) return new Refusal(`${path}.param: ${top} is out of range, accepted: 1 to ${TOP_MAX} brokers`, 'broker.value');
  return ofHoldings(`broker concentration ${top} ${days}`, (on) => {
    const parts = Array.from({ length: days }, (_, back) => {
      const held = [...on(back).values()].sort((a, b) => b - a);
      return sum(held.slice(0, top)) / sum(held);
    });
    return (100 * sum(parts)) / days;
  });
}

/** Percent by which the holding of a broker, or of all together, has grown over so many days. */
function holdingsChange(days: number, broker: number | undefined): Figure {
  return ofHoldings(`broker change ${broker ?? 'all'} ${days}`, (on) => {
    const held = (back: number) => (broker === undefined ? sum([...on(back).values()]) : (on(back).get(broker) ?? Number.NaN));
    return 100 * (held(0) / held(days) - 1);
  });
}

function brokerCount(days: number, parameter: number | undefined, path: string): Figure | Refusal {
  if (days !== 1 || parameter !== undefined) return new Refusal(`${path}: days and param say nothing of property 6103; leave them out`);
  return ofHoldings('broker count', (on) => on(0).size);
}

/** A figure of the holdings so many days ago. Holdings are told the day after. */
function ofHoldings(key: string, of: (on: (back: number) => ReadonlyMap<number, number>) => number): Figure {
  return {
    key,
    lasts: 'day',
    speed: SPEED,
    of: (_, { listing: { instrument }, quote }) => {
      const on = (back: number) => brokerHoldings(instrument, requireDay(addDays(quote.tradingDay, -1 - back)));
      return on(0).size === 0 ? Number.NaN : threePlaces(of(on));
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Share of the brokers that hold a share, and how unequal their holdings are: the deviation of their logarithms. */
const HOLDERS = 0.6;
const SPREAD = 1.5;
/** A holding moves over weeks to months, by at most this part of itself either way. */
const SWING = 0.3;
const PERIOD_DAYS = { least: 20, more: 160 };
/** Part of the issued shares that lies with brokers. */
const HELD = { least: 0.3, more: 0.6 };

/**
 * Part of a Hong Kong share's issued shares that each broker holds for its clients on a day (days since 1970-01-01), by the broker's number; those that
 * hold none are left out. Empty elsewhere: only Hong Kong's clearing house publishes holdings. Invented, a pure function of symbol and day.
 */
function brokerHoldings(instrument: Instrument, day: number): ReadonlyMap<number, number> {
  const holdings = new Map<number, number>();
  if (instrument.market !== 'HK') return holdings;
  const key = keyOf(`holdings|${instrument.symbol}`);
  let typical = 0;
  for (const { id } of brokers) {
    const stream = mix(key, id);
    if (uniform(stream, 0) >= HOLDERS) continue;
    const weight = Math.exp(SPREAD * normal(stream, 1));
    const period = PERIOD_DAYS.least + PERIOD_DAYS.more * uniform(stream, 2);
    typical += weight;
    holdings.set(id, weight * (1 + SWING * Math.sin(2 * Math.PI * (day / period + uniform(stream, 3)))));
  }
  const held = HELD.least + HELD.more * uniform(key, 0);
  // At the most, all of them together swing upwards at once.
  for (const [id, weight] of holdings) holdings.set(id, (held * weight) / typical / (1 + SWING));
  return holdings;
}
