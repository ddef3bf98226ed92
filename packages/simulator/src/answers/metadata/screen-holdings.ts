import type { PropertyBroker, PropertyFeatured } from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { addDays, requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { barsOf } from '../../screen/bar-figures.js';
import type { Figure } from '../../screen/index.js';
import { brokerHoldings } from '../../view/broker-holdings.js';
import { turnover } from '../../view/figures.js';
import { unserved } from './stock-properties.js';

/** Qot_StockScreen's Featured and Broker properties. */

const CHIPS_PROFIT_RATIO = 5101;
/** Qot_Common.KLType of day bars, and Qot_StockScreen's period of them. */
const KL_DAY = 2;
const DAY = 11;
/** Days over which shares change hands: those bought before count as bought then. */
const CHIPS_DAYS = 250;
const SPEED = 1;

const DAYS_MAX = 250;
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
    return held === 0 ? Number.NaN : rounded((100 * inProfit) / held);
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
      return on(0).size === 0 ? Number.NaN : rounded(of(on));
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
