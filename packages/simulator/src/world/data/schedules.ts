import type { CalendarName } from '../calendar.js';
import { cnHolidays } from '../holidays/cn.js';
import { hkHolidays } from '../holidays/hk.js';
import type { Holidays } from '../holidays/holidays.js';
import { jpHolidays } from '../holidays/jp.js';
import { myHolidays } from '../holidays/my.js';
import { sgHolidays } from '../holidays/sg.js';
import { fxHolidays, usFutureHolidays, usHolidays } from '../holidays/us.js';
import { MarketState as S } from '../market-state.js';
import type { Mark, Schedule } from '../schedule.js';

/** Marks of a timetable: "09:30 morning regular, 12:00 rest" trades from 9:30 to noon. */
function marks(timetable: string): readonly Mark[] {
  return timetable.split(', ').map((entry): Mark => {
    const [wallTime = '', name = '', session] = entry.split(' ');
    const state = S[name as keyof typeof S];
    if (state === undefined) throw new Error(`unknown market state in a timetable: ${entry}`);
    return session === 'regular' || session === 'extended' ? [wallTime, state, session] : [wallTime, state];
  });
}

function exchange(timeZone: string, holidays: Holidays, openState: number, ...hours: Schedule['hours']): Schedule {
  return { timeZone, holidays, openState, hours };
}

const mainlandDay = '09:15 auction, 09:25 waitingOpen, 09:30 morning regular, 11:30 rest, 13:00 afternoon regular';
const tokyoDay = '08:00 auction, 09:00 morning regular, 11:30 rest, 12:30 afternoon regular';

/**
 * Trading hours of each group of instruments. The closing auctions of the mainland (14:57 to 15:00) and Tokyo (15:25 to 15:30) lie within the
 * official hours, and the simulation trades through them; those of Hong Kong, Singapore and Malaysia follow the session and are shown as states.
 */
export const schedules: Readonly<Record<CalendarName, Schedule>> = {
  HK: exchange('Asia/Hong_Kong', hkHolidays, S.morning, {
    full: marks(
      '09:00 auction, 09:20 waitingOpen, 09:30 morning regular, 12:00 rest, 13:00 afternoon regular, 16:00 hkClosingAuction, 16:10 closed',
    ),
    half: marks('09:00 auction, 09:20 waitingOpen, 09:30 morning regular, 12:00 hkClosingAuction, 12:10 closed'),
  }),
  // The protocol shows the whole of regular trading as the afternoon.
  US: exchange('America/New_York', usHolidays, S.afternoon, {
    full: marks('04:00 preMarket extended, 09:30 afternoon regular, 16:00 afterHours extended, 20:00 afterHoursEnd'),
    half: marks('04:00 preMarket extended, 09:30 afternoon regular, 13:00 afterHours extended, 17:00 afterHoursEnd'),
  }),
  // 2019-07-22: start of after-hours trading at the closing price. `shown-state.ts` says who takes part; for all others the day ends at 15:00.
  CN: exchange(
    'Asia/Shanghai',
    cnHolidays,
    S.morning,
    {
      since: '2019-07-22',
      full: marks(`${mainlandDay}, 15:00 aShareAfterHoursWait, 15:05 aShareAfterHours, 15:30 aShareAfterHoursEnd`),
    },
    { full: marks(`${mainlandDay}, 15:00 closed`) },
  ),
  SG: exchange('Asia/Singapore', sgHolidays, S.morning, {
    full: marks(
      '08:30 auction, 09:00 morning regular, 12:00 rest, 13:00 afternoon regular, 17:00 closingAuction, 17:06 tradeAtLast, 17:16 closed',
    ),
    half: marks('08:30 auction, 09:00 morning regular, 12:00 closingAuction, 12:06 tradeAtLast, 12:16 closed'),
  }),
  JP: exchange(
    'Asia/Tokyo',
    jpHolidays,
    S.morning,
    { since: '2024-11-05', full: marks(`${tokyoDay}, 15:30 closed`) },
    { full: marks(`${tokyoDay}, 15:00 closed`) },
  ),
  MY: exchange('Asia/Kuala_Lumpur', myHolidays, S.morning, {
    full: marks(
      '08:30 auction, 09:00 morning regular, 12:30 rest, 14:00 auction, 14:30 afternoon regular, 16:45 closingAuction, 16:50 tradeAtLast, 17:00 closed',
    ),
    half: marks('08:30 auction, 09:00 morning regular, 12:30 closed'),
  }),
  HK_FUTURE: exchange('Asia/Hong_Kong', hkHolidays, S.futureDayOpen, {
    eve: { of: 'previous-trading-day', marks: marks('17:15 nightOpen regular, 27:00 nightEnd') },
    full: marks(
      '08:45 futureDayWaiting, 09:15 futureDayOpen regular, 12:00 futureDayBreak, 13:00 futureDayOpen regular, 16:30 futureDayClose',
    ),
    half: marks('08:45 futureDayWaiting, 09:15 futureDayOpen regular, 12:30 futureDayClose'),
  }),
  US_FUTURE: exchange('America/New_York', usFutureHolidays, S.futureOpen, {
    eve: { of: 'previous-day', marks: marks('18:00 futureOpen regular') },
    full: marks('17:00 futureClose'),
    half: marks('13:00 futureClose'),
  }),
  // Hours of the FTSE China A50 future, the exchange's most traded.
  SG_FUTURE: exchange('Asia/Singapore', (year) => ({ closed: sgHolidays(year).closed, half: new Set() }), S.futureDayOpen, {
    eve: { of: 'previous-trading-day', marks: marks('17:00 nightOpen regular, 29:15 nightEnd') },
    full: marks('08:45 futureDayWaiting, 09:00 futureDayOpen regular, 16:30 futureDayClose'),
  }),
  JP_FUTURE: exchange(
    'Asia/Tokyo',
    jpHolidays,
    S.futureDayOpen,
    {
      since: '2024-11-05',
      eve: { of: 'previous-trading-day', marks: marks('17:00 nightOpen regular, 30:00 nightEnd') },
      full: marks('08:00 futureDayWaiting, 08:45 futureDayOpen regular, 15:45 futureDayClose'),
    },
    {
      eve: { of: 'previous-trading-day', marks: marks('16:30 nightOpen regular, 30:00 nightEnd') },
      full: marks('08:00 futureDayWaiting, 08:45 futureDayOpen regular, 15:15 futureDayClose'),
    },
  ),
  FX: {
    timeZone: 'America/New_York',
    openTimeZone: 'UTC',
    holidays: fxHolidays,
    openState: S.morning,
    hours: [{ eve: { of: 'previous-day', marks: marks('17:00 morning regular') }, full: marks('17:00 closed') }],
  },
};
