import { type DescMessage, fromJson, type JsonObject, type Message, toJsonString } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { parseSymbol } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { dayNumber, localDate, parseLocal } from '@svc-gateway/contract/time';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HK_MARGIN } from '../../../../test/support/accounts.js';
import { sampleRequest } from '../../../../test/support/sample-request.js';
import { context, type Fixture, startFixture } from '../../../../test/support/sim-backend.js';
import type { CalendarMode } from '../world/calendar.js';
import { answers } from './index.js';

const DAY_MS = 86_400_000;

/** Shares of one market each, with what else there is to ask for: an index, a continuous contract, an option's or a warrant's owner, a pair. */
const symbols = ['HK.00700', 'US.AAPL', 'SH.600519', 'JP.7203', 'HK.HSImain', 'HK.800000', 'FX.EURUSD'];

/**
 * Announcements of what is to come, by operation and field: dates of calendars, of offerings, of contracts and orders, and bars that are named by
 * their end. Everything else in an answer lies at its moment or before.
 */
const announced: readonly RegExp[] = [
  // Bars of minutes are named by their end, longer ones by the day on which they begin; the trading day of a night session is the next one.
  /^(get_rt|get_kline|get_history_kline|get_capital_flow|get_ticker_statistic) .*(time|timestamp|_time_str)$/i,
  /^get_(ipo_list|ipo_calendar|dividend_calendar|earnings_calendar|economic_calendar|trading_days) /,
  // A dividend is paid some weeks after it was declared.
  /^get_dividend_rank dataList\.nextPayableDate$/,
  /^(get_option_expiration_date|get_option_chain|get_option_strategy|get_option_quote|get_option_strategy_analysis|earnings_expected_move) /,
  // Contracts end on a day that their terms name.
  /^(get_static_info|get_snapshot|get_quote|get_warrant|warrant_screen|get_reference|get_future_info|get_suspend) .*(strikeTime|maturity|lastTrade|listTime|listTimestamp|strikeTimestamp)/i,
];

interface Dated {
  /** Names of fields from the answer down. */
  readonly path: string;
  /** The earliest moment that it can mean, epoch ms. */
  readonly time: number;
  readonly shown: string;
}

const TEXT = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2}))?/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})$/;
const TIME_NAME = /time|date|day/i;
/** From 2001 to 2286, in seconds and in milliseconds. */
const isSeconds = (value: number) => value > 1e9 && value < 1e10;
const isMilliseconds = (value: number) => value > 1e12 && value < 1e13;
/** The zone whose clocks are ahead of those of all markets. */
const EASTERNMOST = 'Asia/Tokyo';

/** Every time and date of a message, by the form of texts and by the names of numbers. */
function* datesOf(message: Message, desc: DescMessage, path: string): Generator<Dated> {
  for (const field of desc.fields) {
    const value = (message as unknown as Record<string, unknown>)[field.localName];
    if (!Object.hasOwn(message, field.localName) || value === undefined) continue;
    const here = path === '' ? field.name : `${path}.${field.name}`;
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (field.message !== undefined) yield* datesOf(one as Message, field.message, here);
      else if (typeof one === 'string') {
        const [, day, clock = '00:00:00'] = TEXT.exec(one.replace(TIME_NAME.test(field.name) ? COMPACT : /^$/, '$1-$2-$3')) ?? [];
        if (day === undefined || dayNumber(day) === undefined) continue;
        yield { path: here, time: parseLocal(`${day} ${clock}`, EASTERNMOST)!, shown: one };
      } else if ((typeof one === 'number' || typeof one === 'bigint') && TIME_NAME.test(field.name)) {
        const number = Number(one);
        if (isSeconds(number)) yield { path: here, time: number * 1000, shown: `${one}` };
        if (isMilliseconds(number)) yield { path: here, time: number, shown: `${one}` };
      }
    }
  }
}

/** A request that has an answer, about a symbol at a moment. */
function requestOf(
  operation: Operation,
  { simulation }: Fixture,
  { market, code }: NonNullable<ReturnType<typeof parseSymbol>>,
  now: number,
): Message {
  const of = JSON.stringify({ market: market.number, code });
  const sample = JSON.parse(
    JSON.stringify(sampleRequest(operation, operations)).replaceAll('{"market":1,"code":"00700"}', of),
  ) as JsonObject;
  const id = String(simulation.world.instrument(`${market.name}.${code}`)?.id ?? 1);
  const [from, to] = [localDate(now - 20 * DAY_MS, 'UTC'), localDate(now + 5 * DAY_MS, 'UTC')];
  const header = { trdEnv: 0, accID: String(HK_MARGIN), trdMarket: 1 };
  const fill: JsonObject = {
    ...{
      market: market.number,
      count: 20,
      num: 20,
      reqNum: 20,
      pageSize: 20,
      page_size: 20,
      data_max_count: 20,
      maxRetNum: 20,
      maxCount: 20,
    },
    ...{ stock_id: id, stock_ids: [id], plate_id: '1001', plateId: '1001', id_type: 1, groupName: 'All', group_name: 'All' },
    ...{ beginTime: from, endTime: to, beginDate: from, endDate: localDate(now - 15 * DAY_MS, 'UTC'), date: localDate(now, 'UTC') },
    ...{ begin_date: from.replaceAll('-', ''), end_date: to.replaceAll('-', ''), clearingDate: localDate(now, 'UTC') },
    ...{ calendar_date: localDate(now, 'UTC'), time_location: 'UTC', broker_id: 1001, klType: 2, rehabType: 0, bGetDetail: true },
  };
  if (operation.name === 'get_financials_revenue_breakdown') delete fill.date;
  for (const { name } of operation.messages.C2SSchema.fields) if (name in fill) sample[name] = fill[name] as JsonObject;
  if ('header' in sample) Object.assign(sample, { header });
  if (operation.name.includes('plate_stock_list')) sample.security = { market: 1, code: 'LIST1001' };
  if (sample.plate !== undefined) sample.plate = { market: 1, code: 'LIST1001' };
  if (sample.range !== undefined)
    Object.assign(sample.range as JsonObject, { start_date: from, end_date: localDate(now, 'UTC'), time_location: 'UTC' });
  if (sample.filterConditions !== undefined) Object.assign(sample.filterConditions as JsonObject, { beginTime: from, endTime: to });
  return fromJson(operation.messages.C2SSchema, sample);
}

/** Reads of the simulated world: answers of the gateway itself know nothing of it. */
const reads = operations.filter(({ name, effect }) => effect === 'read' && answers.has(name));
/** Reads that need orders, legs or names of officers: they tell no dates that others do not. */
const unasked = [
  ...['get_option_quote', 'get_option_strategy_analysis', 'get_company_executive_background', 'get_order_fee', 'get_cash_detail'],
  'get_combo_max_trd_qtys',
  ...['get_forex_risk_control', 'get_forex_account_quote_context', 'get_forex_assets', 'preview_forex_margin'],
];

const EARLIEST = Date.UTC(2024, 0, 2);
const moments = fc.record({
  now: fc.integer({ min: EARLIEST / 1000, max: Date.UTC(2027, 11, 30) / 1000 }).map((seconds) => seconds * 1000),
  mode: fc.constantFrom<CalendarMode>('calendar', 'open'),
});

it('no answer has anything that is dated after its moment, but what is announced', async () => {
  const answered = new Set<string>();
  await fc.assert(
    fc.asyncProperty(moments, async ({ now, mode }) => {
      const fixture = await startFixture({ clock: new ManualClock(now), calendarMode: mode, historyKlQuotaMax: 1000 });
      const [early, asked] = [new Set<string>(), new Set<string>()];
      for (const operation of reads) {
        for (const symbol of symbols.map((one) => parseSymbol(one)!)) {
          const request = requestOf(operation, fixture, symbol, now);
          const text = toJsonString(operation.messages.C2SSchema, request);
          if (asked.has(`${operation.name} ${text}`)) continue;
          asked.add(`${operation.name} ${text}`);
          const { s2c } = (await fixture.backend.call(operation, request, context)) as { s2c?: Message };
          if (s2c === undefined) continue;
          answered.add(operation.name);
          for (const { path, time, shown } of datesOf(s2c, operation.messages.S2CSchema, '')) {
            const name = `${operation.name} ${path}`;
            if (time > now && !announced.some((one) => one.test(name))) early.add(`${name}: ${shown} (${symbol.code})`);
          }
        }
      }
      await fixture.backend.stop();
      expect([...early]).toEqual([]);
    }),
    { numRuns: 2 },
  );
  expect(reads.map(({ name }) => name).filter((name) => !answered.has(name))).toEqual(unasked);
});
