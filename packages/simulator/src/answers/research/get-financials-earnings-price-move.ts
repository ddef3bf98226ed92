import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  C2SSchema,
  type PricePerformanceRow,
  PricePerformanceRowSchema,
  type ReportCycleQuote,
  ReportCycleQuoteSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetFinancialsEarningsPriceMove_pb';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given, known } from '../../view/optional-fields.js';
import { historicalVolatility, VOLATILITY_DAYS } from './historical-volatility.js';
import { type DayAround, dayPrices, daysAround, type Publication, publicationsOf } from './publications.js';
import { type Subject, secondsOf, subjectOf } from './subject.js';

const PERIODS = { fallback: 10, max: 50 };
/** Trading days shown before and after the publication. */
const DAYS = { before: 10, after: 10 };

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings'>;

/** Qot_GetFinancialsEarningsPriceMove: daily prices around each publication of results, forward adjusted. The simulation keeps no implied volatility of past days. */
export const getFinancialsEarningsPriceMove: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings', C2S, S2C> = (
  facts,
  request,
) => {
  const subject = subjectOf(facts, request.security);
  if (subject instanceof Refusal) return subject;
  const count = given(C2SSchema, request, 'periodCount') ?? PERIODS.fallback;
  if (count < 1 || count > PERIODS.max)
    return new Refusal(`period_count: ${count} is out of range, accepted: 1 to ${PERIODS.max}`, 'broker.value');
  return answer(facts, subject, publicationsOf(facts, subject, count));
};

function answer(facts: Needed, subject: Subject, publications: readonly Publication[]): S2C {
  return create(S2CSchema, { detailList: publications.map((publication) => cycleOf(facts, subject, publication)) });
}

function cycleOf(facts: Needed, subject: Subject, { period, tradingDay, pubType }: Publication): ReportCycleQuote {
  // Earlier days serve the volatility alone.
  const days = daysAround(facts, subject, tradingDay, DAYS.before + VOLATILITY_DAYS, DAYS.after);
  const shown = days.filter(({ offset }) => offset >= -DAYS.before);
  return create(ReportCycleQuoteSchema, {
    fiscalYear: period.fiscalYear,
    financialType: period.type,
    periodText: period.text,
    pubTradingDay: BigInt(secondsOf(subject.listing, tradingDay)),
    pubTradingDayStr: tradingDay,
    pubType,
    priceInfoIndex: shown.findIndex(({ offset }) => offset === 0),
    itemList: shown.map((one) => rowOf(subject, one, historicalVolatility(days.slice(0, days.indexOf(one) + 1).map(({ bar }) => bar)))),
  });
}

function rowOf(subject: Subject, own: DayAround, optionHV: number | undefined): PricePerformanceRow {
  return create(PricePerformanceRowSchema, { ...dayPrices(subject, own), ...known({ optionHV }) });
}
