import { ManualClock } from '@svc-gateway/contract/clock';
import { parseLocal } from '@svc-gateway/contract/time';
import { expect, it } from 'vitest';
import { type CalendarName, createWorld, shownState } from './index.js';
import { MarketState as S } from './market-state.js';

/** The states of a local day from midnight on, each from its minute until the next: of the exchanges' own hours, by the names of the protocol. */
type Day = readonly (readonly [from: string, state: number])[];

const hkShares: Day = [
  ['00:00', S.closed],
  ['09:00', S.auction],
  ['09:20', S.waitingOpen],
  ['09:30', S.morning],
  ['12:00', S.rest],
  ['13:00', S.afternoon],
  ['16:00', S.hkClosingAuction],
  ['16:10', S.closed],
];
const usShares: Day = [
  ['00:00', S.afterHoursEnd],
  ['04:00', S.preMarket],
  ['09:30', S.afternoon],
  ['16:00', S.afterHours],
  ['20:00', S.afterHoursEnd],
];
const mainland = (before: number, after: Day): Day => [
  ['00:00', before],
  ['09:15', S.auction],
  ['09:25', S.waitingOpen],
  ['09:30', S.morning],
  ['11:30', S.rest],
  ['13:00', S.afternoon],
  ...after,
];
const toTheClose: Day = [['15:00', S.closed]];
const afterHours: Day = [
  ['15:00', S.aShareAfterHoursWait],
  ['15:05', S.aShareAfterHours],
  ['15:30', S.aShareAfterHoursEnd],
];
const aShares = mainland(S.aShareAfterHoursEnd, afterHours);
const closing = mainland(S.closed, toTheClose);
const singapore: Day = [
  ['00:00', S.closed],
  ['08:30', S.auction],
  ['09:00', S.morning],
  ['12:00', S.rest],
  ['13:00', S.afternoon],
  ['17:00', S.closingAuction],
  ['17:06', S.tradeAtLast],
  ['17:16', S.closed],
];
const malaysia: Day = [
  ['00:00', S.closed],
  ['08:30', S.auction],
  ['09:00', S.morning],
  ['12:30', S.rest],
  ['14:00', S.auction],
  ['14:30', S.afternoon],
  ['16:45', S.closingAuction],
  ['16:50', S.tradeAtLast],
  ['17:00', S.closed],
];
const tokyo: Day = [
  ['00:00', S.closed],
  ['08:00', S.auction],
  ['09:00', S.morning],
  ['11:30', S.rest],
  ['12:30', S.afternoon],
  ['15:30', S.closed],
];
const hkFutures: Day = [
  ['00:00', S.nightOpen],
  ['03:00', S.nightEnd],
  ['08:45', S.futureDayWaiting],
  ['09:15', S.futureDayOpen],
  ['12:00', S.futureDayBreak],
  ['13:00', S.futureDayOpen],
  ['16:30', S.futureDayClose],
  ['17:15', S.nightOpen],
];
const sgFutures: Day = [
  ['00:00', S.nightOpen],
  ['05:15', S.nightEnd],
  ['08:45', S.futureDayWaiting],
  ['09:00', S.futureDayOpen],
  ['16:30', S.futureDayClose],
  ['17:00', S.nightOpen],
];
const jpFutures: Day = [
  ['00:00', S.nightOpen],
  ['06:00', S.nightEnd],
  ['08:00', S.futureDayWaiting],
  ['08:45', S.futureDayOpen],
  ['15:45', S.futureDayClose],
  ['17:00', S.nightOpen],
];
const usFutures: Day = [
  ['00:00', S.futureOpen],
  ['17:00', S.futureClose],
  ['18:00', S.futureOpen],
];
const allDay = (state: number): Day => [['00:00', state]];

// 19 November 2026 is a Thursday, without holidays anywhere.
it.each<[of: string, day: string, states: Day]>([
  ['HK', '2026-11-19', hkShares],
  ['HK', '2026-11-21', allDay(S.closed)],
  ['HK', '2026-12-24', [...hkShares.slice(0, 4), ['12:00', S.hkClosingAuction], ['12:10', S.closed]]],
  ['HK.00700', '2026-11-19', hkShares],
  ['US', '2026-11-19', usShares],
  ['US', '2026-11-22', allDay(S.afterHoursEnd)],
  ['US', '2026-11-27', [...usShares.slice(0, 3), ['13:00', S.afterHours], ['17:00', S.afterHoursEnd]]],
  ['CN', '2026-11-19', aShares],
  ['CN', '2026-11-21', allDay(S.aShareAfterHoursEnd)],
  ['CN', '2026-07-03', closing],
  ['CN', '2026-07-06', mainland(S.closed, afterHours)],
  ['CN', '2019-07-19', closing],
  ['SH.600519', '2026-11-19', aShares],
  ['SH.600519', '2026-07-03', closing],
  ['SH.510300', '2026-11-19', aShares],
  ['SH.000001', '2026-11-19', closing],
  ['SH.688981', '2026-11-19', aShares],
  ['SH.688008', '2026-07-03', aShares],
  ['SH.688008', '2019-07-22', mainland(S.closed, afterHours)],
  ['SZ.000001', '2026-11-19', aShares],
  ['SZ.000001', '2020-08-24', closing],
  ['SZ.300750', '2020-08-21', closing],
  ['SZ.300750', '2020-08-24', mainland(S.closed, afterHours)],
  ['SZ.399001', '2026-11-19', closing],
  ['SG', '2026-11-19', singapore],
  ['SG', '2026-12-24', [...singapore.slice(0, 3), ['12:00', S.closingAuction], ['12:06', S.tradeAtLast], ['12:16', S.closed]]],
  ['MY', '2026-11-19', malaysia],
  ['JP', '2026-11-19', tokyo],
  ['JP', '2024-11-01', [...tokyo.slice(0, -1), ['15:00', S.closed]]],
  ['HK_FUTURE', '2026-11-19', hkFutures],
  ['HK_FUTURE', '2026-11-21', [...hkFutures.slice(0, 2)]],
  ['HK_FUTURE', '2026-11-23', [['00:00', S.nightEnd], ...hkFutures.slice(2)]],
  ['SG_FUTURE', '2026-11-19', sgFutures],
  ['JP_FUTURE', '2026-11-19', jpFutures],
  ['US_FUTURE', '2026-11-19', usFutures],
  ['US_FUTURE', '2026-11-20', usFutures.slice(0, 2)],
  ['US_FUTURE', '2026-11-22', [['00:00', S.futureClose], ...usFutures.slice(2)]],
  ['FX', '2026-11-19', allDay(S.morning)],
  [
    'FX',
    '2026-11-20',
    [
      ['00:00', S.morning],
      ['17:00', S.closed],
    ],
  ],
  [
    'FX',
    '2026-11-22',
    [
      ['00:00', S.closed],
      ['17:00', S.morning],
    ],
  ],
])('%s shows on %s, minute by minute, what the hours of its exchange say', (of, day, states) => {
  const world = createWorld({ clock: new ManualClock(0), calendarMode: 'calendar', generatedInstruments: 0, seed: 'test' });
  const instrument = of.includes('.') ? world.instrument(of) : undefined;
  if (of.includes('.')) expect(instrument).toBeDefined();
  const calendar = world.calendar(instrument ?? (of as CalendarName));
  const shown: [string, number][] = [];
  for (let minute = 0; minute < 24 * 60; minute += 1) {
    const at = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    const time = parseLocal(`${day} ${at}:00`, calendar.timeZone)!;
    const state = shownState(calendar, time, instrument);
    if (shown.at(-1)?.[1] !== state) shown.push([at, state]);
    expect(shownState(calendar, time + 59_999, instrument)).toBe(state);
  }
  expect(shown).toEqual(states);
});
