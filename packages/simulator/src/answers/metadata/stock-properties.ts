import { AccumulateField, FinancialField } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import type { PropertyCumulative, PropertyFinancial, PropertySimple } from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { Refusal } from '../../refusal.js';
import { accumulated } from '../../screen/bar-figures.js';
import { financialFigure, type Report } from '../../screen/financial-figures.js';
import type { Figure } from '../../screen/index.js';
import * as quotes from '../../screen/quote-figures.js';
import * as shares from '../../screen/share-figures.js';

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
      return Math.round((last - last / (1 + part.of(facts, row))) * 1000) / 1000;
    },
  };
}
