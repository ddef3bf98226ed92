import { date } from './days.js';
import { lunationAt, newMoon } from './sky.js';

/** Sunset at Singapore and Kuala Lumpur, about 19:10 of their time: days after midnight UTC. */
const SUNSET = 11.17 / 24;
/**
 * Age of the moon at sunset, in days, from which the crescent counts as seen, by the criteria of Brunei, Indonesia, Malaysia and
 * Singapore: 8 hours, roughly, and since 2022 an altitude of 3° and an elongation of 6.4°, which is about 15.
 */
const SEEN = { until2021: 7.5 / 24, since2022: 14.9 / 24 };
/** Lunation of 1 Shawwal 1437 (2016-07-06), the tenth month. */
const SHAWWAL_1437 = lunationAt(date(2016, 7, 6));

/** The days of `year` on which a date of the Islamic calendar falls in Singapore and Malaysia: one, or two when both are in it. */
export function islamicDays(year: number, month: number, day: number): number[] {
  const first = date(year, 1, 1);
  const end = date(year + 1, 1, 1);
  const days: number[] = [];
  for (let lunation = lunationAt(first) - 2; newMoon(lunation) < end; lunation += 1) {
    if ((((lunation - SHAWWAL_1437 + 9) % 12) + 12) % 12 !== month - 1) continue;
    const found = monthStart(lunation) + day - 1;
    if (found >= first && found < end) days.push(found);
  }
  return days;
}

function monthStart(lunation: number): number {
  const conjunction = newMoon(lunation);
  const seen = conjunction < date(2022, 1, 1) ? SEEN.until2021 : SEEN.since2022;
  let evening = Math.floor(conjunction);
  while (evening + SUNSET - conjunction < seen) evening += 1;
  return evening + 1;
}
