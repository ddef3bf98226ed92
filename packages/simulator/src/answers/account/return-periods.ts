import { quoted } from '@svc-gateway/contract/shown';
import { addDays, dayNumber, localDate, parseLocal } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';

/** Unit of the periods that time is divided into. */
export type PeriodUnit = 'day' | 'month' | 'year';

/** By query_type. */
export const periodUnits: Readonly<Record<number, PeriodUnit>> = { 1: 'day', 2: 'month', 3: 'year' };

/** A day, month or year of a zone. */
export interface Period {
  /** "2026-11-20", "2026-11" or "2026". */
  readonly name: string;
  /** Epoch ms; `end` is the beginning of the next one. */
  readonly begin: number;
  readonly end: number;
}

const NAME_LENGTH: Readonly<Record<PeriodUnit, number>> = { day: 10, month: 7, year: 4 };

/** The period that a day lies in. */
export function periodOf(unit: PeriodUnit, day: string, timeZone: string): Period {
  const name = day.slice(0, NAME_LENGTH[unit]);
  const first = `${name}${'-01-01'.slice(unit === 'year' ? 0 : unit === 'month' ? 3 : 6)}`;
  return { name, begin: midnight(first, timeZone), end: midnight(dayAfter(unit, first), timeZone) };
}

/** The periods that the days from `from` to `to`, both included, lie in; in order. */
export function* periodsBetween(unit: PeriodUnit, from: string, to: string, timeZone: string): Generator<Period> {
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
export function zoneNamed(text: string): string | Refusal {
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
export function dayProblem(name: string, day: string): Refusal | undefined {
  if (dayNumber(day) !== undefined && day >= FIRST_DAY && day <= LAST_DAY) return undefined;
  return new Refusal(`${name} ${quoted(day)}: expected a date from ${FIRST_DAY} to ${LAST_DAY}, as 2026-11-20`, 'broker.value');
}
