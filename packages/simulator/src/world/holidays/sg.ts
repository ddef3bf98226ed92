import { date, easter, keptApart } from './days.js';
import { holidays } from './holidays.js';
import { islamicDays } from './islamic.js';
import { lunarDay } from './lunar.js';
import { lunationAt, newMoon } from './sky.js';

/** Singapore and Malaysia, in days. */
const ZONE = 8 / 24;

/** The eve of the new moon that falls on 18 October or later; in a few years a day earlier was announced. */
export function deepavali(year: number): number {
  let lunation = lunationAt(date(year, 10, 18));
  while (Math.floor(newMoon(lunation) + ZONE) < date(year, 10, 18)) lunation += 1;
  return Math.floor(newMoon(lunation) + ZONE) - (year >= 2016 && year <= 2018 ? 2 : 1);
}

/** Singapore: public holidays, Sundays made up for on the next day; half days on three eves. */
export const sgHolidays = holidays(
  (year) => {
    const newYear = lunarDay(year, 1, 1);
    const named = new Set([
      date(year, 1, 1),
      newYear,
      newYear + 1,
      easter(year) - 2,
      date(year, 5, 1),
      lunarDay(year, 4, 15),
      ...islamicDays(year, 10, 1),
      ...islamicDays(year, 12, 10),
      date(year, 8, 9),
      deepavali(year),
      date(year, 12, 25),
    ]);
    return { closed: keptApart([...named]), half: [newYear - 1, date(year, 12, 24), date(year, 12, 31)] };
  },
  // Jubilee; polling days.
  { closed: '2015-08-07 2015-09-11 2020-07-10 2023-09-01' },
);
