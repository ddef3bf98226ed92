import { create } from '@bufbuild/protobuf';
import { F10Type, RevenueBreakdownType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  C2SSchema,
  MainIncomeItemSchema,
  RevenueBreakdownGroupSchema,
  type S2C,
  S2CSchema,
  ScreenDateSchema,
} from '@svc-gateway/contract/generated/Qot_GetFinancialsRevenueBreakdown_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { given, known } from '../../view/optional-fields.js';
import { type Money, moneyIn, percentOf } from './money.js';
import { type Period, periodsOf, quartersOf } from './periods.js';
import { type Subject, secondsOf, subjectOf } from './subject.js';

/** The newest periods that may be chosen. */
const SCREEN_DATES_MAX = 60;

const dimensions = [
  ['business', RevenueBreakdownType.RevenueBreakdownType_Business],
  ['region', RevenueBreakdownType.RevenueBreakdownType_Region],
] as const;

/** Qot_GetFinancialsRevenueBreakdown: the revenue of one period by business and by region; the parts of each add up to it. */
export const getFinancialsRevenueBreakdown: Answer<'clock' | 'world' | 'companies' | 'listings', C2S, S2C> = (facts, request) => {
  const subject = subjectOf(facts, request.security);
  if (subject instanceof Refusal) return subject;
  const money = moneyIn(facts, subject, request.currencyCode);
  if (money instanceof Refusal) return money;
  const date = given(C2SSchema, request, 'date') || undefined;
  const type = given(C2SSchema, request, 'financialType') || undefined;
  const periods = periodsOf(subject.company, subject.reported, type ?? F10Type.F10Type_QuarterlyAnnual);
  const period = periods.find(({ endDay }) => date === undefined || secondsOf(subject.listing, endDay) === date);
  if (period === undefined) return unknownPeriod(subject, date, periods);
  const isFirst = date === undefined && type === undefined;
  return create(S2CSchema, {
    period: period.text,
    breakdownList: dimensions.map(([dimension, of]) =>
      create(RevenueBreakdownGroupSchema, { type: of, itemList: partsOf(subject, period, dimension, money) }),
    ),
    currencyCode: money.code,
    screenDateList: isFirst ? periods.slice(0, SCREEN_DATES_MAX).map((one) => screenDate(subject, one)) : [],
  });
};

function partsOf({ company }: Subject, period: Period, dimension: 'business' | 'region', money: Money) {
  const sums = new Map<string, bigint>();
  for (const quarter of quartersOf(period)) {
    for (const { name, revenue } of company.segments(quarter)[dimension]) sums.set(name, (sums.get(name) ?? 0n) + revenue);
  }
  const whole = Number([...sums.values()].reduce((total, revenue) => total + revenue, 0n));
  return [...sums].map(([name, revenue]) =>
    create(MainIncomeItemSchema, { name, mainOperIncome: money.whole(revenue), ...known({ ratio: percentOf(Number(revenue), whole) }) }),
  );
}

function screenDate({ listing }: Subject, { endDay, text, type }: Period) {
  return create(ScreenDateSchema, { date: secondsOf(listing, endDay), periodText: text, financialType: type });
}

function unknownPeriod({ listing }: Subject, date: number | undefined, periods: readonly Period[]): Refusal {
  const [newest] = periods;
  const { symbol } = listing.instrument;
  if (newest === undefined || date === undefined) return new Refusal(`${symbol} has published no such period yet`);
  return new Refusal(`date: no period of ${symbol} ends on ${date}; take one of screen_date_list, as ${secondsOf(listing, newest.endDay)}`);
}
