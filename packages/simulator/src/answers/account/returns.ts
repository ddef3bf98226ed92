import { create } from '@bufbuild/protobuf';
import { DECIMAL_ONE, type Decimal, decimalToNumber, divide, formatDecimal, multiply } from '@svc-gateway/contract/decimal';
import { type PriceContext, PriceContextSchema } from '@svc-gateway/contract/generated/svc/account_yield_pb';
import * as ReturnCalendar from '@svc-gateway/contract/generated/svc/return_calendar_pb';
import * as YieldTrend from '@svc-gateway/contract/generated/svc/yield_trend_pb';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import { inMoney } from '@svc-gateway/contract/money';
import { quoted } from '@svc-gateway/contract/shown';
import { addDays, dayNumber, localDate, parseLocal } from '@svc-gateway/contract/time';
import { type Addressed, addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import { currencies } from '../../brokerage/terms.js';
import { missing, Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import { currencyAsked } from './amounts.js';
import { type AssetPoint, assetsHistory, type ExternalFlow } from './assets-history.js';

/** Years in one calendar. */
const YEARS = 10;

/** svc.return_calendar: profit and return, day by day of a month, month by month of a year, or year by year. */
export const getReturnCalendar: Answer<'clock' | 'world' | 'market' | 'brokerage', ReturnCalendar.C2S, ReturnCalendar.S2C> = async (
  facts,
  request,
) => {
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
  return messageOf(ReturnCalendar.S2CSchema, { header: to.header, currency: currencies.numberOf(currency), periodList, total });
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

function returnOf(period: string, outcome: Outcome | undefined, currency: Currency, now: number) {
  if (outcome === undefined) return [];
  return [{ period, ...outcomeFields(outcome, currency, now), returnRate: outcome.rate }];
}

/** Points of one answer: a year of days. */
const POINTS_MAX = 366;

/** svc.yield_trend: assets, profit and yield since the beginning of a range, at the end of each of its days, months or years. */
export const getYieldTrend: Answer<'clock' | 'world' | 'market' | 'brokerage', YieldTrend.C2S, YieldTrend.S2C> = async (
  facts,
  { header, range, method },
) => {
  const { brokerage, clock } = facts;
  if (range === undefined) return missing(['range']);
  const { currency: asked, queryType, timeLocation, priceContext } = range;
  const query = returnQueryOf(brokerage, { header, currency: asked, queryType, method, timeLocation, priceContext });
  if (query instanceof Refusal) return query;
  const { to, currency, unit, timeZone, context } = query;
  const { startDate, endDate } = range;
  const problem = dayProblem('range.start_date', startDate) ?? dayProblem('range.end_date', endDate);
  if (problem !== undefined) return problem;
  if (startDate > endDate) return new Refusal(`range.start_date ${startDate} is after range.end_date ${endDate}`, 'broker.value');
  const periods: Period[] = [];
  for (const period of periodsBetween(unit, startDate, endDate, timeZone)) {
    if (periods.length === POINTS_MAX)
      return new Refusal(`the range has more than ${POINTS_MAX} points: shorten it, or ask by month`, 'broker.value');
    periods.push(period);
  }
  await brokerage.records.journal.whenDurable(undefined);
  // Events at a moment count after it, so that "now" needs one millisecond more.
  const now = clock.now();
  const until = now + 1;
  const begun = periods.filter(({ begin }) => begin < until);
  const times = [...begun.slice(0, 1).map(({ begin }) => begin), ...begun.map(({ end }) => Math.min(end, until))];
  const { points, flows } = await assetsHistory(facts, to.account, currency, times, context);
  const [start, ...ends] = points;
  const opened = flows[0]?.time ?? Number.POSITIVE_INFINITY;
  const pointList = ends.flatMap((end, index) => {
    if (start === undefined || end.time <= opened) return [];
    const { inflow, rate } = outcomeOf(start, end, flows, query.method);
    const { endTime: time, endAssets: assets, netInflow, profit } = outcomeFields({ begin: start, end, inflow }, currency, now);
    const figures = { time, assets, netInflow, profit };
    return [{ period: begun[index]?.name ?? '', ...figures, yield: rate }];
  });
  return messageOf(YieldTrend.S2CSchema, { header: to.header, currency: currencies.numberOf(currency), pointList });
};

/** Parameters shared by the return calendar and the yield trend. */
interface ReturnQuery {
  readonly to: Addressed;
  readonly currency: Currency;
  readonly unit: PeriodUnit;
  readonly method: ReturnMethod;
  readonly timeZone: string;
  readonly context: PriceContext;
}

const methods: Readonly<Record<number, ReturnMethod>> = { 1: 'time_weighted', 2: 'money_weighted' };

interface ReturnRequest {
  readonly header?: TrdHeader | undefined;
  readonly currency: number;
  readonly queryType: number;
  readonly method: number;
  readonly timeLocation: string;
  readonly priceContext?: PriceContext | undefined;
}

function returnQueryOf(brokerage: Brokerage, asked: ReturnRequest): ReturnQuery | Refusal {
  const to = addressed(brokerage, asked.header);
  if (to instanceof Refusal) return to;
  const currency = currencyAsked(to.account, asked.currency);
  if (currency instanceof Refusal) return currency;
  const unit = periodUnits[asked.queryType];
  if (unit === undefined)
    return new Refusal(`query_type ${asked.queryType} is not accepted; accepted: 1 day, 2 month, 3 year`, 'broker.value');
  const method = methods[asked.method];
  if (method === undefined)
    return new Refusal(`method ${asked.method} is not accepted; accepted: 1 time-weighted, 2 money-weighted`, 'broker.value');
  const timeZone = zoneNamed(asked.timeLocation);
  if (timeZone instanceof Refusal) return timeZone;
  return { to, currency, unit, method, timeZone, context: asked.priceContext ?? create(PriceContextSchema) };
}

/** How a rate of return is counted. */
type ReturnMethod = 'time_weighted' | 'money_weighted';

/** Return of an account between two moments. */
interface Outcome {
  readonly begin: AssetPoint;
  readonly end: AssetPoint;
  /** Deposits less withdrawals. */
  readonly inflow: Decimal;
  /** Change in value that deposits and withdrawals do not explain. */
  readonly profit: Decimal;
  /** In percent; undefined where nothing was invested. */
  readonly rate: number | undefined;
}

/** @param flows of the account; those outside (begin, end] are left out. */
export function outcomeOf(begin: AssetPoint, end: AssetPoint, flows: readonly ExternalFlow[], method: ReturnMethod): Outcome {
  const own = flows.filter(({ time }) => time >= begin.time && time < end.time);
  const inflow = own.reduce((sum, { amount }) => sum + amount, 0n);
  const profit = end.assets - begin.assets - inflow;
  const ratio = method === 'time_weighted' ? timeWeighted(begin, end, own) : moneyWeighted(begin, end, own, profit);
  return { begin, end, inflow, profit, rate: ratio === undefined ? undefined : decimalToNumber(ratio * 100n) };
}

/** The growth between flows, compounded: what a unit invested all the time would have earned. */
function timeWeighted(begin: AssetPoint, end: AssetPoint, flows: readonly ExternalFlow[]): Decimal | undefined {
  let growth: Decimal | undefined;
  let invested = begin.assets;
  const grow = (assets: Decimal): void => {
    if (invested > 0n) growth = multiply(growth ?? DECIMAL_ONE, divide(assets, invested));
  };
  for (const { assets, amount } of flows) {
    grow(assets);
    invested = assets + amount;
  }
  grow(end.assets);
  return growth === undefined ? undefined : growth - DECIMAL_ONE;
}

/** Modified Dietz: profit over what was invested on average, each flow counting from its time on. */
function moneyWeighted(begin: AssetPoint, end: AssetPoint, flows: readonly ExternalFlow[], profit: Decimal): Decimal | undefined {
  const [first] = flows;
  const from = begin.assets === 0n && first !== undefined ? first.time : begin.time;
  const length = BigInt(end.time - from);
  if (length <= 0n) return undefined;
  const invested = flows.reduce((sum, { amount, time }) => sum + (amount * BigInt(end.time - time)) / length, begin.assets);
  return invested > 0n ? divide(profit, invested) : undefined;
}

/**
 * An outcome's figures as messages have them: in the decimals of the currency, so that what is shown adds up.
 *
 * @param now epoch ms: a span that takes in this moment ends just behind it, and is told to end with it
 */
function outcomeFields({ begin, end, inflow }: Pick<Outcome, 'begin' | 'end' | 'inflow'>, currency: Currency, now: number) {
  const before = inMoney(begin.assets, currency);
  const after = inMoney(end.assets, currency);
  const flowed = inMoney(inflow, currency);
  return {
    beginTime: BigInt(begin.time),
    endTime: BigInt(Math.min(end.time, now)),
    beginAssets: formatDecimal(before),
    endAssets: formatDecimal(after),
    netInflow: formatDecimal(flowed),
    profit: formatDecimal(after - before - flowed),
  };
}

/** Unit of the periods that time is divided into. */
type PeriodUnit = 'day' | 'month' | 'year';

/** By query_type. */
const periodUnits: Readonly<Record<number, PeriodUnit>> = { 1: 'day', 2: 'month', 3: 'year' };

/** A day, month or year of a zone. */
interface Period {
  /** "2026-11-20", "2026-11" or "2026". */
  readonly name: string;
  /** Epoch ms; `end` is the beginning of the next one. */
  readonly begin: number;
  readonly end: number;
}

const NAME_LENGTH: Readonly<Record<PeriodUnit, number>> = { day: 10, month: 7, year: 4 };

/** The period that a day lies in. */
function periodOf(unit: PeriodUnit, day: string, timeZone: string): Period {
  const name = day.slice(0, NAME_LENGTH[unit]);
  const first = `${name}${'-01-01'.slice(unit === 'year' ? 0 : unit === 'month' ? 3 : 6)}`;
  return { name, begin: midnight(first, timeZone), end: midnight(dayAfter(unit, first), timeZone) };
}

/** The periods that the days from `from` to `to`, both included, lie in; in order. */
function* periodsBetween(unit: PeriodUnit, from: string, to: string, timeZone: string): Generator<Period> {
  for (let period = periodOf(unit, from, timeZone); ; period = periodOf(unit, localDate(period.end, timeZone), timeZone)) {
    if (period.name > to.slice(0, NAME_LENGTH[unit])) return;
    yield period;
  }
}

/** The first day of the period after the one that begins on `first`. */
function dayAfter(unit: PeriodUnit, first: string): string {
  if (unit === 'day') return addDays(first, 1);
  const [year = 0, month = 0] = first.split('-').map(Number);
  const [nextYear, nextMonth] = unit === 'year' || month === 12 ? [year + 1, unit === 'year' ? month : 1] : [year, month + 1];
  return `${String(nextYear).padStart(4, '0')}-${String(nextMonth).padStart(2, '0')}-01`;
}

function midnight(day: string, timeZone: string): number {
  const time = parseLocal(day, timeZone);
  if (time === undefined) throw new RangeError(`no day: ${JSON.stringify(day)}`);
  return time;
}

/** Long enough for every zone's name. */
const ZONE_LENGTH_MAX = 64;

/** The one name of a zone that a caller may call by several. */
function zoneNamed(text: string): string | Refusal {
  const refusal = new Refusal(`time_location ${quoted(text)}: expected the name of a time zone, as Asia/Hong_Kong or UTC`, 'broker.value');
  if (text.length > ZONE_LENGTH_MAX || !/^[A-Za-z]/.test(text)) return refusal;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return refusal;
  }
}

/** First and last days that may be asked for: the simulated world's. */
const [FIRST_DAY, LAST_DAY] = ['1990-01-01', '2099-12-31'];

/** Reason why a text is no day that may be asked for; undefined when it is one. */
function dayProblem(name: string, day: string): Refusal | undefined {
  if (dayNumber(day) !== undefined && day >= FIRST_DAY && day <= LAST_DAY) return undefined;
  return new Refusal(`${name} ${quoted(day)}: expected a date from ${FIRST_DAY} to ${LAST_DAY}, as 2026-11-20`, 'broker.value');
}
