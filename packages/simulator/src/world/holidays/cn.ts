import { weekdayOfNumber } from '@svc-gateway/contract/time';
import { date } from './days.js';
import { holidays } from './holidays.js';
import { chingMing, lunarDay } from './lunar.js';

/**
 * Shanghai and Shenzhen. The State Council announces each year late in the year before; the days follow these habits, and where a year
 * was announced otherwise, that is listed. Weekends on which offices work in return never trade.
 */
export const cnHolidays = holidays(
  (year) => {
    const newYear = lunarDay(year, 1, 1);
    const midAutumn = lunarDay(year, 8, 15);
    const national = date(year, 10, 1);
    // Mid-autumn within the week of the National Day adds a day to it.
    const joined = midAutumn >= national - 1 && midAutumn <= national + 6;
    return {
      closed: [
        ...longWeekend(date(year, 1, 1)),
        ...longWeekend(date(year + 1, 1, 1)),
        // From the eve on: seven days, and eight since 2025.
        ...span(newYear - 1, newYear + (year >= 2025 ? 6 : 5)),
        ...longWeekend(chingMing(year)),
        ...(year >= 2019 ? span(date(year, 5, 1), date(year, 5, 5)) : longWeekend(date(year, 5, 1))),
        ...longWeekend(lunarDay(year, 5, 5)),
        ...(joined ? [] : longWeekend(midAutumn)),
        ...span(national, national + (joined ? 7 : 6)),
      ],
    };
  },
  // 2015: the parade of September; 2020: the epidemic; 2024: Spring Festival with one day more; 2022 and 2023: Labour Day with fewer.
  { closed: '2015-09-03 2015-09-04 2020-01-31 2024-02-16', open: '2022-05-05 2023-05-04 2023-05-05' },
);

/** A holiday on a weekend gives the Monday; one on a Tuesday or Thursday takes the day between it and the weekend with it. */
function longWeekend(day: number): number[] {
  switch (weekdayOfNumber(day)) {
    case 0:
      return [day, day + 1];
    case 2:
      return [day - 1, day];
    case 4:
      return [day, day + 1];
    case 6:
      return [day, day + 2];
    default:
      return [day];
  }
}

function span(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
