import { weekdayOfNumber } from '@svc-gateway/contract/time';
import { date, easter, keptApart } from './days.js';
import { holidays } from './holidays.js';
import { chingMing, lunarDay } from './lunar.js';

const SUNDAY = 0;

/**
 * Hong Kong: the general holidays of cap. 149. Of Lunar New Year the fourth day is one when a Sunday is among the first three; what
 * else falls on a Sunday, or on another holiday, is kept on the next day that is none.
 */
export const hkHolidays = holidays((year) => {
  const newYear = lunarDay(year, 1, 1);
  const firstThree = [newYear, newYear + 1, newYear + 2];
  const hasSunday = firstThree.some((day) => weekdayOfNumber(day) === SUNDAY);
  const sunday = easter(year);
  const christmas = date(year, 12, 25);
  const fixed = [
    ...(hasSunday ? [...firstThree, newYear + 3].filter((day) => weekdayOfNumber(day) !== SUNDAY) : firstThree),
    sunday - 2,
    sunday + 1,
  ];
  const movable = [
    date(year, 1, 1),
    chingMing(year),
    date(year, 5, 1),
    lunarDay(year, 4, 8),
    lunarDay(year, 5, 5),
    date(year, 7, 1),
    lunarDay(year, 8, 16),
    date(year, 10, 1),
    lunarDay(year, 9, 9),
    christmas,
    christmas + 1,
  ];
  return { closed: keptApart(movable, fixed), half: [newYear - 1, christmas - 1, date(year, 12, 31)] };
});
