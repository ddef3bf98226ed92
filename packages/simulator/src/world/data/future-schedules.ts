import { hkHolidays } from '../holidays/hk.js';
import { jpHolidays } from '../holidays/jp.js';
import { sgHolidays } from '../holidays/sg.js';
import { fxHolidays, usFutureHolidays } from '../holidays/us.js';
import { MarketState as S } from '../market-state.js';
import type { Schedule } from '../schedule.js';

export const hkFuture: Schedule = {
  timeZone: 'Asia/Hong_Kong',
  holidays: hkHolidays,
  openState: S.futureDayOpen,
  hours: [
    {
      eve: {
        of: 'previous-trading-day',
        marks: [
          ['17:15', S.nightOpen, 'regular'],
          ['27:00', S.nightEnd],
        ],
      },
      full: [
        ['08:45', S.futureDayWaiting],
        ['09:15', S.futureDayOpen, 'regular'],
        ['12:00', S.futureDayBreak],
        ['13:00', S.futureDayOpen, 'regular'],
        ['16:30', S.futureDayClose],
      ],
      half: [
        ['08:45', S.futureDayWaiting],
        ['09:15', S.futureDayOpen, 'regular'],
        ['12:30', S.futureDayClose],
      ],
    },
  ],
};

export const usFuture: Schedule = {
  timeZone: 'America/New_York',
  holidays: usFutureHolidays,
  openState: S.futureOpen,
  hours: [
    {
      eve: { of: 'previous-day', marks: [['18:00', S.futureOpen, 'regular']] },
      full: [['17:00', S.futureClose]],
      half: [['13:00', S.futureClose]],
    },
  ],
};

// Hours of the FTSE China A50 future, the exchange's most traded.
export const sgFuture: Schedule = {
  timeZone: 'Asia/Singapore',
  holidays: (year) => ({ closed: sgHolidays(year).closed, half: new Set() }),
  openState: S.futureDayOpen,
  hours: [
    {
      eve: {
        of: 'previous-trading-day',
        marks: [
          ['17:00', S.nightOpen, 'regular'],
          ['29:15', S.nightEnd],
        ],
      },
      full: [
        ['08:45', S.futureDayWaiting],
        ['09:00', S.futureDayOpen, 'regular'],
        ['16:30', S.futureDayClose],
      ],
    },
  ],
};

export const jpFuture: Schedule = {
  timeZone: 'Asia/Tokyo',
  holidays: jpHolidays,
  openState: S.futureDayOpen,
  hours: [
    {
      // The day session closes half an hour later and the night session opens half an hour later since then.
      since: '2024-11-05',
      eve: {
        of: 'previous-trading-day',
        marks: [
          ['17:00', S.nightOpen, 'regular'],
          ['30:00', S.nightEnd],
        ],
      },
      full: [
        ['08:00', S.futureDayWaiting],
        ['08:45', S.futureDayOpen, 'regular'],
        ['15:45', S.futureDayClose],
      ],
    },
    {
      eve: {
        of: 'previous-trading-day',
        marks: [
          ['16:30', S.nightOpen, 'regular'],
          ['30:00', S.nightEnd],
        ],
      },
      full: [
        ['08:00', S.futureDayWaiting],
        ['08:45', S.futureDayOpen, 'regular'],
        ['15:15', S.futureDayClose],
      ],
    },
  ],
};

export const fx: Schedule = {
  timeZone: 'America/New_York',
  openTimeZone: 'UTC',
  holidays: fxHolidays,
  openState: S.morning,
  hours: [{ eve: { of: 'previous-day', marks: [['17:00', S.morning, 'regular']] }, full: [['17:00', S.closed]] }],
};
