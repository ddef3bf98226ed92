import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type PeriodReturn,
  PeriodReturnSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/return_calendar_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import { addDays, localDate } from '@svc-gateway/contract/time';
import { currencies } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { assetsHistory } from './assets-history.js';
import { dayProblem, type Period, type PeriodUnit, periodOf, periodsBetween } from './return-periods.js';
import { returnQueryOf } from './return-query.js';
import { type Outcome, outcomeFields, outcomeOf } from './returns.js';

/** Years in one calendar. */
const YEARS = 10;

/** svc.return_calendar: profit and return, day by day of a month, month by month of a year, or year by year. */
export const getReturnCalendar: Answer<'clock' | 'world' | 'market' | 'brokerage', C2S, S2C> = async (facts, request) => {
  const { brokerage, clock } = facts;
  const query = returnQueryOf(brokerage, request);
  if (query instanceof Refusal) return query;
  const { to, currency, unit, method, timeZone, context } = query;
  if (request.time < 0n) return new Refusal(`time ${request.time}: expected Unix milliseconds, or nothing for now`, 'broker.value');
  await brokerage.records.journal.whenDurable(undefined);
  const now = clock.now();
  // Events at a moment count after it, so that "now" needs one millisecond more.
  const until = request.time === 0n || request.time >= BigInt(now) ? now + 1 : Number(request.time);
  const date = request.calendarDate === '' ? localDate(until - 1, timeZone) : request.calendarDate;
  const problem = dayProblem('calendar_date', date);
  if (problem !== undefined) return problem;
  const periods = calendarOf(unit, date, timeZone).filter(({ begin }) => begin < until);
  const times = [...new Set(periods.flatMap(({ begin, end }) => [begin, Math.min(end, until)]))].sort((a, b) => a - b);
  const { points, flows } = await assetsHistory(facts, to.account, currency, times, context);
  const at = new Map(points.map((point) => [point.time, point]));
  const opened = flows[0]?.time ?? Number.POSITIVE_INFINITY;
  const outcome = (from: number, end: number): Outcome | undefined => {
    const [first, last] = [at.get(from), at.get(Math.min(end, until))];
    return first === undefined || last === undefined ? undefined : outcomeOf(first, last, flows, method);
  };
  const shown = periods.filter(({ end }) => Math.min(end, until) > opened);
  const shownOf = (name: string, of: Outcome | undefined) => returnOf(name, of, currency, now);
  const periodList = shown.flatMap(({ name, begin, end }) => shownOf(name, outcome(begin, end)));
  const [first, last] = [shown[0], shown.at(-1)];
  const [total] = first === undefined || last === undefined ? [] : shownOf(`${first.name} to ${last.name}`, outcome(first.begin, last.end));
  return create(S2CSchema, { header: to.header, currency: currencies.numberOf(currency), periodList, ...known({ total }) });
};

/** The days of the month of a date, the months of its year, or the years up to its own. */
function calendarOf(unit: PeriodUnit, date: string, timeZone: string): readonly Period[] {
  if (unit === 'year') {
    const year = Number(date.slice(0, 4));
    return [...periodsBetween('year', `${year - YEARS + 1}-01-01`, date, timeZone)];
  }
  const around = periodOf(unit === 'day' ? 'month' : 'year', date, timeZone);
  return [...periodsBetween(unit, localDate(around.begin, timeZone), addDays(localDate(around.end, timeZone), -1), timeZone)];
}

function returnOf(period: string, outcome: Outcome | undefined, currency: Currency, now: number): PeriodReturn[] {
  if (outcome === undefined) return [];
  return [create(PeriodReturnSchema, { period, ...outcomeFields(outcome, currency, now), ...known({ returnRate: outcome.rate }) })];
}
