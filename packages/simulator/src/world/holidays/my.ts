import { date, days, keptApart, nthWeekday } from './days.js';
import { holidays } from './holidays.js';
import { islamicDays } from './islamic.js';
import { lunarDay } from './lunar.js';
import { deepavali } from './sg.js';
import { lunationAt, newMoon } from './sky.js';

const MONDAY = 1;
const HALF_MONTH = 14.3;

/** Thaipusam as announced. */
const announcedThaipusam = days(
  '2016-01-24 2017-02-09 2018-01-31 2019-01-21 2020-02-08 2021-01-28 2022-01-18 2023-02-05 2024-01-25 2025-02-11 2026-02-01 2027-01-22',
);

/** About the full moon in the Tamil month of Thai: the first one on 17 January or later. */
function thaipusam(year: number): number {
  const [first, end] = [date(year, 1, 1), date(year + 1, 1, 1)];
  const announced = announcedThaipusam.find((day) => day >= first && day < end);
  if (announced !== undefined) return announced;
  let lunation = lunationAt(date(year, 1, 1));
  while (newMoon(lunation) + HALF_MONTH < date(year, 1, 17)) lunation += 1;
  return Math.floor(newMoon(lunation) + HALF_MONTH);
}

/** Bursa Malaysia: the holidays of Kuala Lumpur, Sundays made up for on the next day; half days on the eve of Lunar New Year. */
export const myHolidays = holidays(
  (year) => {
    const newYear = lunarDay(year, 1, 1);
    const named = new Set([
      date(year, 1, 1),
      thaipusam(year),
      date(year, 2, 1),
      newYear,
      newYear + 1,
      date(year, 5, 1),
      lunarDay(year, 4, 15),
      ...(year >= 2020 ? [nthWeekday(year, 6, MONDAY, 1)] : []),
      ...islamicDays(year, 9, 17),
      ...islamicDays(year, 10, 1),
      ...islamicDays(year, 10, 2),
      ...islamicDays(year, 12, 10),
      ...islamicDays(year, 1, 1),
      ...islamicDays(year, 3, 12),
      date(year, 8, 31),
      date(year, 9, 16),
      deepavali(year),
      date(year, 12, 25),
    ]);
    return { closed: keptApart([...named]), half: [newYear - 1] };
  },
  // Installations and birthdays of Kings, polling days, the SEA Games, Hari Raya and the Prophet's birthday with one day more.
  {
    closed:
      '2017-04-24 2017-07-24 2017-09-04 2018-05-09 2018-05-10 2018-05-11 2018-09-10 2019-07-30 2019-09-09 2020-06-08 2022-11-18 2022-11-28 2023-04-21 2024-09-17 2025-09-15',
    open: '2020-06-01',
    half: '2024-04-09',
  },
);
