import { create } from '@bufbuild/protobuf';
import { F10Type, ValuationType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type ProfitGrowthRate,
  ProfitGrowthRate_ProfitGrowthItemSchema,
  ProfitGrowthRateSchema,
} from '@svc-gateway/contract/generated/Qot_GetValuationDetail_pb';
import { requireDay } from '@svc-gateway/contract/time';
import { known } from '../../view/optional-fields.js';
import { periodsOf } from './periods.js';
import { type Subject, secondsOf } from './subject.js';
import { type Measure, pathParts } from './valuation-figures.js';

/** At least so many fiscal years are compared, and at most. */
const YEARS = { least: 3, most: 10 };
/** Financial type of a year in this message, which numbers a year's quarters 1 to 3 and the year 4. */
const FISCAL_YEAR = 4;

/**
 * How earnings (or sales) and market value have grown, fiscal year by fiscal year, against the first one that is shown; undefined where that one has no positive
 * base. Market value is that of the path of the price at the year's publication.
 */
export function profitGrowth(subject: Subject, measure: Measure, from: string): ProfitGrowthRate | undefined {
  const { company, listing, reported, over } = subject;
  const years = periodsOf(company, reported, F10Type.F10Type_Annual).slice(0, YEARS.most);
  const shown = years.filter(({ endDay }, index) => index < YEARS.least || endDay >= from).reverse();
  const [first] = shown;
  if (first === undefined || shown.length < 2) return undefined;
  const baseOf = (last: number) => Number(measure.base(company, last));
  // The value at the end of a day, or of the last one that is over.
  const valueOn = (on: number) => pathParts(company, measure, Math.min(on, over)).value;
  const start = { finance: baseOf(first.last), value: valueOn(company.published(first.last)) };
  if (start.finance <= 0 || start.value <= 0) return undefined;
  const base = Number(measure.base(company, company.lastPublished(reported)));
  const [finance, value] = [times(base / start.finance), times(valueOn(over) / start.value)];
  return create(ProfitGrowthRateSchema, {
    financialTtmMultiple: finance,
    marketCapMultiple: value,
    yearCount: shown.length,
    profitData: shown.map(({ last, fiscalYear, text, endDay }) =>
      create(ProfitGrowthRate_ProfitGrowthItemSchema, {
        financialYear: fiscalYear,
        financialQuarter: FISCAL_YEAR,
        periodStr: text,
        reportDate: BigInt(secondsOf(listing, endDay)),
        reportDateStr: endDay,
        ...known({
          marketCapMultiple: times(valueOn(Math.max(company.published(last), requireDay(endDay))) / start.value),
          financeDataMultiple: times(baseOf(last) / start.finance),
        }),
      }),
    ),
    conclusionDetailed: conclusion(measure.type, finance, value, shown.length),
  });
}

function conclusion(type: ValuationType, finance: number, value: number, years: number): string {
  const what = type === ValuationType.ValuationType_PE ? 'earnings' : 'sales';
  const label = value > finance * 1.1 ? 'Dearer' : value < finance * 0.9 ? 'Cheaper' : 'In step';
  return `${label} : over ${years} fiscal years market value came to ${value} times what it was, ${what} to ${finance} times.`;
}

function times(value: number): number {
  return Math.round(value * 1000) / 1000;
}
