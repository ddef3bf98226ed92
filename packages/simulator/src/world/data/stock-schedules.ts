import { cnHolidays } from '../holidays/cn.js';
import { hkHolidays } from '../holidays/hk.js';
import { jpHolidays } from '../holidays/jp.js';
import { myHolidays } from '../holidays/my.js';
import { sgHolidays } from '../holidays/sg.js';
import { usHolidays } from '../holidays/us.js';
import { MarketState as S } from '../market-state.js';
import type { Mark, Schedule } from '../schedule.js';

// The closing auctions of the mainland (14:57 to 15:00) and Tokyo (15:25 to 15:30) lie within the official hours, and the
// simulation trades through them; those of Hong Kong, Singapore and Malaysia follow the session and are shown as states.

export const hk: Schedule = {
  timeZone: 'Asia/Hong_Kong',
  holidays: hkHolidays,
  openState: S.morning,
  hours: [
    {
      full: [
        ['09:00', S.auction],
        ['09:20', S.waitingOpen],
        ['09:30', S.morning, 'regular'],
        ['12:00', S.rest],
        ['13:00', S.afternoon, 'regular'],
        ['16:00', S.hkClosingAuction],
        ['16:10', S.closed],
      ],
      half: [
        ['09:00', S.auction],
        ['09:20', S.waitingOpen],
        ['09:30', S.morning, 'regular'],
        ['12:00', S.hkClosingAuction],
        ['12:10', S.closed],
      ],
    },
  ],
};

// The protocol shows the whole of regular trading as the afternoon.
export const us: Schedule = {
  timeZone: 'America/New_York',
  holidays: usHolidays,
  openState: S.afternoon,
  hours: [
    {
      full: [
        ['04:00', S.preMarket, 'extended'],
        ['09:30', S.afternoon, 'regular'],
        ['16:00', S.afterHours, 'extended'],
        ['20:00', S.afterHoursEnd],
      ],
      half: [
        ['04:00', S.preMarket, 'extended'],
        ['09:30', S.afternoon, 'regular'],
        ['13:00', S.afterHours, 'extended'],
        ['17:00', S.afterHoursEnd],
      ],
    },
  ],
};

const cnDay: readonly Mark[] = [
  ['09:15', S.auction],
  ['09:25', S.waitingOpen],
  ['09:30', S.morning, 'regular'],
  ['11:30', S.rest],
  ['13:00', S.afternoon, 'regular'],
];

export const cn: Schedule = {
  timeZone: 'Asia/Shanghai',
  holidays: cnHolidays,
  openState: S.morning,
  hours: [
    {
      // The first board with after-hours trading at the closing price opened then. `shown-state.ts` says who takes part; for all others the day ends at 15:00.
      since: '2019-07-22',
      full: [...cnDay, ['15:00', S.aShareAfterHoursWait], ['15:05', S.aShareAfterHours], ['15:30', S.aShareAfterHoursEnd]],
    },
    { full: [...cnDay, ['15:00', S.closed]] },
  ],
};

export const sg: Schedule = {
  timeZone: 'Asia/Singapore',
  holidays: sgHolidays,
  openState: S.morning,
  hours: [
    {
      full: [
        ['08:30', S.auction],
        ['09:00', S.morning, 'regular'],
        ['12:00', S.rest],
        ['13:00', S.afternoon, 'regular'],
        ['17:00', S.closingAuction],
        ['17:06', S.tradeAtLast],
        ['17:16', S.closed],
      ],
      half: [
        ['08:30', S.auction],
        ['09:00', S.morning, 'regular'],
        ['12:00', S.closingAuction],
        ['12:06', S.tradeAtLast],
        ['12:16', S.closed],
      ],
    },
  ],
};

export const jp: Schedule = {
  timeZone: 'Asia/Tokyo',
  holidays: jpHolidays,
  openState: S.morning,
  hours: [
    {
      // Half an hour longer since then.
      since: '2024-11-05',
      full: [
        ['08:00', S.auction],
        ['09:00', S.morning, 'regular'],
        ['11:30', S.rest],
        ['12:30', S.afternoon, 'regular'],
        ['15:30', S.closed],
      ],
    },
    {
      full: [
        ['08:00', S.auction],
        ['09:00', S.morning, 'regular'],
        ['11:30', S.rest],
        ['12:30', S.afternoon, 'regular'],
        ['15:00', S.closed],
      ],
    },
  ],
};

export const my: Schedule = {
  timeZone: 'Asia/Kuala_Lumpur',
  holidays: myHolidays,
  openState: S.morning,
  hours: [
    {
      full: [
        ['08:30', S.auction],
        ['09:00', S.morning, 'regular'],
        ['12:30', S.rest],
        ['14:00', S.auction],
        ['14:30', S.afternoon, 'regular'],
        ['16:45', S.closingAuction],
        ['16:50', S.tradeAtLast],
        ['17:00', S.closed],
      ],
      half: [
        ['08:30', S.auction],
        ['09:00', S.morning, 'regular'],
        ['12:30', S.closed],
      ],
    },
  ],
};
