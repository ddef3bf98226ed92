import type { TradingSession } from './calendar.js';
import {
  cnHolidays,
  fxHolidays,
  type Holidays,
  hkHolidays,
  jpHolidays,
  myHolidays,
  sgHolidays,
  usFutureHolidays,
  usHolidays,
} from './data/holidays.js';
import type { CalendarName } from './instrument.js';

/** Qot_Common.QotMarketState, as far as schedules show it. */
export const MarketState = {
  auction: 1,
  waitingOpen: 2,
  morning: 3,
  rest: 4,
  afternoon: 5,
  closed: 6,
  preMarket: 8,
  afterHours: 10,
  afterHoursEnd: 11,
  nightOpen: 13,
  nightEnd: 14,
  futureDayOpen: 15,
  futureDayBreak: 16,
  futureDayClose: 17,
  futureDayWaiting: 18,
  hkClosingAuction: 19,
  futureOpen: 23,
  futureClose: 26,
  closingAuction: 30,
  tradeAtLast: 35,
} as const;

/**
 * From this wall time on the market shows `state`, until the next mark; with `session`, it trades meanwhile. Hours from 24 on are
 * those of the following calendar day.
 */
export type Mark = readonly [wallTime: string, state: number, session?: TradingSession['kind']];

/** The hours of a trading day. */
export interface Hours {
  /** Marks of an evening before that belong to this day. */
  readonly eve?: {
    /** Which day's evening: the calendar day before, or the trading day before (then a weekend lies in between). */
    readonly of: 'previous-day' | 'previous-trading-day';
    readonly marks: readonly Mark[];
  };
  readonly full: readonly Mark[];
  /** A half day; it has no evening session after it. */
  readonly half?: readonly Mark[];
}

/** When one group of instruments trades. Every change of state is a mark; the last one of a day holds until the next day's first. */
export interface Schedule {
  /** IANA zone of all its wall times. */
  readonly timeZone: string;
  readonly holidays: Holidays;
  /** The hours in force, newest first; the last has no `since`. */
  readonly hours: readonly (Hours & { readonly since?: string })[];
  /** What the market shows around the clock where time is kept in mode `open`. */
  readonly openState: number;
}

const S = MarketState;

// The closing auctions of the mainland (14:57 to 15:00) and Tokyo (15:25 to 15:30) lie within the official hours, and the
// simulation trades through them; those of Hong Kong, Singapore and Malaysia follow the session and are shown as states.

const hk: Schedule = {
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

const us: Schedule = {
  timeZone: 'America/New_York',
  holidays: usHolidays,
  openState: S.morning,
  hours: [
    {
      full: [
        ['04:00', S.preMarket, 'extended'],
        ['09:30', S.morning, 'regular'],
        ['16:00', S.afterHours, 'extended'],
        ['20:00', S.afterHoursEnd],
      ],
      half: [
        ['04:00', S.preMarket, 'extended'],
        ['09:30', S.morning, 'regular'],
        ['13:00', S.afterHours, 'extended'],
        ['17:00', S.afterHoursEnd],
      ],
    },
  ],
};

const cn: Schedule = {
  timeZone: 'Asia/Shanghai',
  holidays: cnHolidays,
  openState: S.morning,
  hours: [
    {
      full: [
        ['09:15', S.auction],
        ['09:25', S.waitingOpen],
        ['09:30', S.morning, 'regular'],
        ['11:30', S.rest],
        ['13:00', S.afternoon, 'regular'],
        ['15:00', S.closed],
      ],
    },
  ],
};

const sg: Schedule = {
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

const jp: Schedule = {
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

const my: Schedule = {
  timeZone: 'Asia/Kuala_Lumpur',
  holidays: myHolidays,
  openState: S.morning,
  hours: [
    {
      full: [
        ['08:30', S.auction],
        ['09:00', S.morning, 'regular'],
        ['12:30', S.rest],
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

const hkFuture: Schedule = {
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

const usFuture: Schedule = {
  timeZone: 'America/New_York',
  holidays: usFutureHolidays,
  openState: S.futureDayOpen,
  hours: [
    {
      eve: { of: 'previous-day', marks: [['18:00', S.futureOpen, 'regular']] },
      full: [['17:00', S.futureClose]],
      half: [['13:00', S.futureClose]],
    },
  ],
};

// Hours of the FTSE China A50 future, the exchange's most traded.
const sgFuture: Schedule = {
  timeZone: 'Asia/Singapore',
  holidays: { ...sgHolidays, half: new Set() },
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

const jpFuture: Schedule = {
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

const fx: Schedule = {
  timeZone: 'America/New_York',
  holidays: fxHolidays,
  openState: S.morning,
  hours: [{ eve: { of: 'previous-day', marks: [['17:00', S.morning, 'regular']] }, full: [['17:00', S.closed]] }],
};

export const schedules: Readonly<Record<CalendarName, Schedule>> = {
  HK: hk,
  US: us,
  CN: cn,
  SG: sg,
  JP: jp,
  MY: my,
  HK_FUTURE: hkFuture,
  US_FUTURE: usFuture,
  SG_FUTURE: sgFuture,
  JP_FUTURE: jpFuture,
  FX: fx,
};
