import { date, keptApart, nthWeekday } from './days.js';
import { holidays } from './holidays.js';
import { sunAt } from './sky.js';

const MONDAY = 1;
/** Japan's zone, in days. */
const JAPAN = 9 / 24;

/** Tokyo and Osaka: the national holidays of the law of 1948 as amended, and the exchange's own from 31 December to 3 January. */
export const jpHolidays = holidays((year) => ({
  closed: [...nationalHolidays(year), date(year, 1, 2), date(year, 1, 3), date(year, 12, 31)],
}));

function nationalHolidays(year: number): number[] {
  const named = new Set([
    date(year, 1, 1),
    nthWeekday(year, 1, MONDAY, 2),
    date(year, 2, 11),
    ...emperorsBirthday(year),
    equinox(year, 0),
    date(year, 4, 29),
    date(year, 5, 3),
    date(year, 5, 4),
    date(year, 5, 5),
    ...summer(year),
    nthWeekday(year, 9, MONDAY, 3),
    equinox(year, 180),
    date(year, 11, 3),
    date(year, 11, 23),
    // Enthronement.
    ...(year === 2019 ? [date(2019, 5, 1), date(2019, 10, 22)] : []),
  ]);
  // A day between two holidays is one.
  const between = [...named].filter((day) => named.has(day + 2)).map((day) => day + 1);
  return [...keptApart([...named]), ...between];
}

function emperorsBirthday(year: number): number[] {
  if (year >= 2020) return [date(year, 2, 23)];
  return year >= 1989 && year <= 2018 ? [date(year, 12, 23)] : [];
}

/** Marine, Mountain and Sports Day, which the Olympic years 2020 and 2021 moved. */
function summer(year: number): number[] {
  if (year === 2020) return [date(2020, 7, 23), date(2020, 8, 10), date(2020, 7, 24)];
  if (year === 2021) return [date(2021, 7, 22), date(2021, 8, 8), date(2021, 7, 23)];
  return [nthWeekday(year, 7, MONDAY, 3), ...(year >= 2016 ? [date(year, 8, 11)] : []), nthWeekday(year, 10, MONDAY, 2)];
}

/** The day in Japan on which the sun reaches a longitude: 0 in March, 180 in September. */
function equinox(year: number, longitude: 0 | 180): number {
  return Math.floor(sunAt(longitude, date(year, longitude === 0 ? 3 : 9, 10)) + JAPAN);
}
