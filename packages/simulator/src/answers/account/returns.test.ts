import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { C2SSchema as ActionsSchema } from '@svc-gateway/contract/generated/svc/position_corporate_actions_pb';
import { type S2C as Calendar, C2SSchema as CalendarSchema } from '@svc-gateway/contract/generated/svc/return_calendar_pb';
import { type S2C as Trend, C2SSchema as TrendSchema } from '@svc-gateway/contract/generated/svc/yield_trend_pb';
import { C2SSchema as PlaceSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { inMoney } from '@svc-gateway/contract/money';
import { localDate } from '@svc-gateway/contract/time';
import { MemoryStore } from '@svc-gateway/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../../test/support/brokerage.js';
import { session, sessionAccounts, sessionStep } from '../../../../../test/support/sessions.js';
import { answer as answered } from '../../../../../test/support/settled.js';
import type { CorporateActions } from '../../companies/corporate-actions.js';
import { Refusal } from '../../refusal.js';
import { createSimulation } from '../../simulation.js';
import { placeOrder } from '../trade/orders.js';
import { getPositionCorporateActions } from './get-position-corporate-actions.js';
import { getReturnCalendar, getYieldTrend, outcomeOf } from './returns.js';

const DAY = 86_400_000;
const ZONE = 'Asia/Hong_Kong';
const regular = { usePreMarket: false, useAfterHours: false, useOvernight: false };

const base = (f: Fixture, id: bigint) => ({ header: f.header(f.account(id)), extensionVersion: 1 });

function calendar(f: Fixture, id: bigint, asked: object = {}): Promise<Calendar | Refusal> {
  const defaults = { queryType: 1, method: 1, timeLocation: ZONE, priceContext: regular };
  return Promise.resolve(getReturnCalendar(f.simulation, create(CalendarSchema, { ...base(f, id), ...defaults, ...asked })));
}

function trend(f: Fixture, id: bigint, asked: object = {}): Promise<Trend | Refusal> {
  const today = localDate(f.clock.now(), ZONE);
  const range = { queryType: 1, startDate: '2026-11-01', endDate: today, timeLocation: ZONE, priceContext: regular, ...asked };
  return Promise.resolve(getYieldTrend(f.simulation, create(TrendSchema, { ...base(f, id), method: 1, range })));
}

const amount = (text: string | undefined) => {
  const value = parseDecimal(text ?? '');
  if (value === undefined) throw new Error(`no decimal: ${text}`);
  return value;
};

describe('what an account was worth', () => {
  it('ends with its net assets now, and profits add up, through any session', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('open' as const, 'calendar' as const),
        fc.array(sessionStep, { minLength: 4, maxLength: 25 }),
        async (mode, steps) => {
          let last: Fixture | undefined;
          for await (const f of session(mode, steps)) last = f;
          if (last === undefined) return;
          await last.pass(0);
          for (const id of sessionAccounts) {
            const account = last.account(id);
            const now = inMoney(last.brokerage.valuer.valuation(account, account.base).netAssets, account.base);
            const year = await answered(calendar(last, id, { queryType: 3 }));
            expect(amount(year.total?.endAssets)).toBe(now);
            const days = await answered(trend(last, id));
            expect(amount(days.pointList.at(-1)?.assets)).toBe(now);
            const months = await answered(calendar(last, id, { queryType: 2 }));
            const sum = months.periodList.reduce((all, one) => all + amount(one.profit), 0n);
            if (months.periodList.length > 0) expect(sum).toBe(amount(months.total?.profit));
            for (const one of months.periodList) {
              expect(amount(one.profit)).toBe(amount(one.endAssets) - amount(one.beginAssets) - amount(one.netInflow));
            }
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('equals the value of that moment at its prices, also after a restart', async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 17, 15, 30));
    const store = new MemoryStore();
    const open = () => createSimulation({ clock, store, seed: 7, calendarMode: 'calendar' });
    const first = open();
    const account = first.brokerage.account(ids.us);
    if (account === undefined) throw new Error('no account');
    const header = { trdEnv: 0, accID: account.id, trdMarket: 2 };
    const place = { packetID: { connID: 0n, serialNo: 0 }, header, trdSide: 1, orderType: 2 };
    for (const code of ['AAPL', 'TSLA']) await answered(placeOrder(first, create(PlaceSchema, { ...place, code, qty: 300 })));
    clock.advance(1_000);
    await first.brokerage.records.journal.whenDurable(undefined);
    // Midnight in Hong Kong is in the middle of the American day.
    const then: bigint[] = [];
    for (let day = 18; day <= 20; day += 1) {
      clock.advance(Date.UTC(2026, 10, day - 1, 16) - clock.now());
      then.push(first.brokerage.valuer.valuation(account, 'USD').netAssets);
    }
    clock.advance(Date.UTC(2026, 10, 20, 3) - clock.now());
    const asked = (timeLocation: string, priceContext: object) =>
      create(TrendSchema, {
        header,
        extensionVersion: 1,
        method: 1,
        range: {
          queryType: 1,
          startDate: '2026-11-17',
          endDate: '2026-11-19',
          timeLocation,
          priceContext: { ...regular, ...priceContext },
        },
      });
    const inHongKong = await answered(getYieldTrend(first, asked(ZONE, {})));
    expect(inHongKong.pointList.map(({ assets }) => amount(assets))).toEqual(then);
    const assets = async (context: object) =>
      (await answered(getYieldTrend(first, asked('America/New_York', context)))).pointList.map((point) => point.assets);
    const [closes, evenings] = [await assets({}), await assets({ useAfterHours: true })];
    for (const [index, close] of closes.entries()) expect(evenings[index]).not.toBe(close);
    await first.close();
    const second = open();
    expect(await getYieldTrend(second, asked(ZONE, {}))).toEqual(inHongKong);
    await second.close();
  });

  it('shows a day’s profit on that day, and the opening as money that came in', async () => {
    const f = Fixture.open();
    f.book('HK.00700', [['600', 1_000n]], [['600', 1_000n]]);
    f.trade('HK.00700', '600', 1n, 1);
    await f.place(ids.hkMargin, { code: '00700', qty: 1_000, price: 600, trdSide: 1 });
    await f.pass();
    f.trade('HK.00700', '660', 1n, 1);
    const { periodList, total } = await answered(calendar(f, ids.hkMargin));
    expect(periodList.map(({ period, netInflow }) => [period, netInflow])).toEqual([['2026-11-20', '10000000']]);
    const profit = amount(periodList[0]?.profit);
    expect(profit < dec('60000') && profit > dec('59000')).toBe(true);
    expect(periodList[0]?.returnRate).toBeCloseTo(Number(profit) / 1e9 / 1e5, 6);
    expect(total?.profit).toBe(periodList[0]?.profit);
  });

  it('divides days at the midnights of the zone that is asked for', async () => {
    const f = Fixture.open();
    const begins = async (timeLocation: string) =>
      Number((await answered(calendar(f, ids.hkCash, { timeLocation }))).periodList[0]?.beginTime);
    expect(new Date(await begins('Asia/Hong_Kong')).toISOString()).toBe('2026-11-19T16:00:00.000Z');
    expect(new Date(await begins('America/New_York')).toISOString()).toBe('2026-11-19T05:00:00.000Z');
    expect(new Date(await begins('UTC')).toISOString()).toBe('2026-11-20T00:00:00.000Z');
  });

  it('counts up to the time that is asked for', async () => {
    const f = Fixture.open();
    await f.pass(3 * DAY);
    const past = await answered(calendar(f, ids.hkCash, { time: BigInt(f.clock.now() - 2 * DAY) }));
    expect(past.periodList.map(({ period }) => period)).toEqual(['2026-11-20', '2026-11-21']);
    const all = await answered(calendar(f, ids.hkCash, { time: BigInt(f.clock.now() + DAY) }));
    expect(all.periodList.map(({ period }) => period)).toEqual(['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23']);
    const before = await answered(calendar(f, ids.hkCash, { calendarDate: '2025-01-01' }));
    expect([before.periodList, before.total]).toEqual([[], undefined]);
  });

  const badCalendars: readonly [string, object][] = [
    ['query_type 4 is not accepted', { queryType: 4 }],
    ['method 3 is not accepted', { method: 3 }],
    ['time_location "Mars/Olympus"', { timeLocation: 'Mars/Olympus' }],
    ['time_location "+08:00"', { timeLocation: '+08:00' }],
    ['calendar_date "2026-02-30"', { calendarDate: '2026-02-30' }],
    ['time -1', { time: -1n }],
    ['has no USD', { currency: 2 }],
  ];
  it.each(badCalendars)('refuses a calendar: %s', async (text, asked) => {
    const answer = await calendar(Fixture.open(), ids.hkCash, asked);
    expect(answer instanceof Refusal ? answer.message : '').toContain(text);
  });

  it.each([
    ['is after range.end_date', { startDate: '2026-11-21', endDate: '2026-11-20' }],
    ['more than 366 points', { startDate: '2025-11-18', endDate: '2026-11-20' }],
    ['range.start_date "1989-12-31"', { startDate: '1989-12-31' }],
  ])('refuses a trend: %s', async (text, asked) => {
    const answer = await trend(Fixture.open(), ids.hkCash, asked);
    expect(answer instanceof Refusal ? answer.message : '').toContain(text);
  });

  it('a trend has as many points as a leap year has days', async () => {
    const { pointList } = await answered(trend(Fixture.open(), ids.hkCash, { startDate: '2025-11-20', endDate: '2026-11-20' }));
    expect(pointList.map(({ period }) => period)).toEqual(['2026-11-20']);
  });
});

describe('rates of return', () => {
  const point = (time: number, assets: string) => ({ time, assets: dec(assets) });
  const flow = (time: number, assets: string, sum: string) => ({ ...point(time, assets), amount: dec(sum) });

  it('time-weighted: money that comes in changes nothing', () => {
    // 100 grows to 110, 100 comes in, 210 falls to 189: 1.1 × 0.9 − 1.
    const { rate, profit } = outcomeOf(point(0, '100'), point(10, '189'), [flow(5, '110', '100')], 'time_weighted');
    expect([rate, profit]).toEqual([-1, dec('-11')]);
  });

  it('money-weighted: it counts for as long as it is there', () => {
    const { rate } = outcomeOf(point(0, '100'), point(10, '189'), [flow(5, '110', '100')], 'money_weighted');
    expect(rate).toBeCloseTo((-11 / 150) * 100, 6);
  });

  it('nothing invested has no rate', () => {
    for (const method of ['time_weighted', 'money_weighted'] as const)
      expect(outcomeOf(point(0, '0'), point(1, '0'), [], method).rate).toBeUndefined();
  });
});

describe('corporate actions of positions', () => {
  const dividend = { kind: 'dividend', cash: dec('2.5'), currency: 'HKD', special: false } as const;
  const days = (exDay: string, announcedDay: string) => ({ announcedDay, exDay, recordDay: exDay, payDay: exDay });
  const issuers: CorporateActions = {
    corporateActions: (symbol) =>
      symbol === 'HK.00700'
        ? [
            { ...dividend, ...days('2026-11-10', '2026-10-01') },
            { ...dividend, ...days('2026-12-10', '2026-11-01') },
            { ...dividend, ...days('2027-01-10', '2026-12-20') },
          ]
        : [],
  };
  const holding = async () => {
    const f = Fixture.open({ corporateActions: issuers });
    f.book('HK.00700', [['600', 1_000n]], [['600', 1_000n]]);
    await f.place(ids.hkCash, { code: '00700', qty: 200, price: 600, trdSide: 1 });
    await f.pass();
    return f;
  };
  const ask = async (f: Fixture, id: bigint) => answered(getPositionCorporateActions(f.simulation, create(ActionsSchema, base(f, id))));

  it('are those of what is held, as far as they are announced', async () => {
    const f = await holding();
    const answer = await ask(f, ids.hkCash);
    expect(answer).toMatchObject({ status: 1, snapshotTime: BigInt(f.clock.now()) });
    expect(answer.positionList).toHaveLength(1);
    expect(answer.positionList[0]).toMatchObject({ code: '00700', qty: 200, status: 1 });
    expect(answer.positionList[0]?.actionList.map((one) => [one.exDate, one.state, one.amountPerShare, one.expectedAmount])).toEqual([
      ['2026-11-10', 2, '2.5', ''],
      ['2026-12-10', 1, '2.5', '500'],
    ]);
    expect((await ask(f, ids.hkMargin)).positionList).toEqual([]);
  });

  it('an answer without some of them says so', async () => {
    const f = await holding();
    const known = f.brokerage.records.ledger.position(ids.hkCash, 'HK.00700');
    if (known === undefined) throw new Error('nothing held');
    f.brokerage.records.ledger.setPosition({ ...known, symbol: 'HK.GONE' });
    const answer = await ask(f, ids.hkCash);
    expect(answer.status).toBe(2);
    expect(answer.positionList.map(({ code, status, reason }) => [code, status, reason !== ''])).toEqual([
      ['00700', 1, false],
      ['GONE', 2, true],
    ]);
  });
});
