import { date } from './days.js';
import { lunationAt, newMoon, solarLongitude, sunAt } from './sky.js';

/** China's zone, in which its months begin at midnight before the new moon. Days. */
const CHINA = 8 / 24;
/** Sun's longitude at which Ching Ming begins. */
const CHING_MING = 15;
const WINTER_SOLSTICE = 270;

const chinaDay = (time: number) => Math.floor(time + CHINA);
const monthStart = (lunation: number) => chinaDay(newMoon(lunation));

/** The day (see `days.ts`) of a date of the Chinese lunar calendar; `year` is the one in which its lunar new year falls. Leap months have none of the days asked for. */
export function lunarDay(year: number, month: number, day: number): number {
  return monthStart(lunationOf(year, month)) + day - 1;
}

/** The day of Ching Ming, 4 to 6 April. */
export function chingMing(year: number): number {
  return chinaDay(sunAt(CHING_MING, date(year, 4, 1)));
}

/**
 * The month with the winter solstice is the eleventh. Between two of them lie twelve months, or thirteen: then the first in which the
 * sun enters no new sign (a multiple of 30°) is a leap month, and has the number of the month before.
 */
function lunationOf(year: number, month: number): number {
  const eleventh = solsticeMonth(year - 1);
  const next = solsticeMonth(year);
  // The twelfth month of a year lies after its own solstice.
  if (month > 11) return month - 11 + next + leapsUpTo(next, solsticeMonth(year + 1), month - 11);
  return eleventh + month + 1 + leapsUpTo(eleventh, next, month + 1);
}

/** How many leap months lie between a solstice month and the regular month `count` after it: none or one. */
function leapsUpTo(eleventh: number, next: number, count: number): number {
  if (next - eleventh === 12) return 0;
  for (let after = 1; after <= count; after += 1) if (isLeap(eleventh + after)) return 1;
  return 0;
}

function solsticeMonth(year: number): number {
  // The first moment after the solstice's day: a new moon later on that day still begins its month.
  const endOfDay = chinaDay(sunAt(WINTER_SOLSTICE, date(year, 12, 1))) + 1 - CHINA;
  return lunationAt(endOfDay - 1e-6);
}

function isLeap(lunation: number): boolean {
  const sign = (day: number) => Math.floor(solarLongitude(day - CHINA) / 30);
  return sign(monthStart(lunation)) === sign(monthStart(lunation + 1));
}
