import { ManualClock } from '@svc-gateway/contract/clock';
import * as UpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import type * as UpdateKL from '@svc-gateway/contract/generated/Qot_UpdateKL_pb';
import type * as UpdateRT from '@svc-gateway/contract/generated/Qot_UpdateRT_pb';
import type * as UpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import type { QuotePush, QuoteStream } from '@svc-gateway/gateway/backend';
import { nextTurn } from '@svc-gateway/simulator/pace';
import { klTypeOfSubType } from '@svc-gateway/simulator/view/sub-types';
import { afterEach, expect, test, vi } from 'vitest';
import { FIXTURE_TIME, type Fixture, payload, security, startFixture } from '../../../../test/support/sim-backend.js';
import { Tape } from '../../../simulator/src/market/tape.js';

const stream = (subType: number, more: Partial<QuoteStream> = {}): QuoteStream => ({
  symbol: 'HK.00700',
  subType,
  rehabType: 0,
  extendedTime: false,
  ...more,
});

let fixture: Fixture;
afterEach(() => fixture.backend.stop());

const quotePushes = ({ pushes }: Fixture): QuotePush[] => pushes.filter((push) => push.type === 'quote');

const protoIds: readonly (readonly [number, number])[] = [
  [1, 3005],
  [2, 3013],
  [4, 3011],
  [5, 3009],
  [14, 3015],
  [22, 3013],
  ...[...klTypeOfSubType.keys()].map((subType) => [subType, 3007] as const),
];

test.each(protoIds)('sub_type %i pushes %i until it is unsubscribed', async (subType, protoId) => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  const wanted = stream(subType);
  expect((await backend.subscribe([wanted])).retType).toBe(0);
  clock.advance(60_000);
  const pushes = quotePushes(fixture);
  expect(pushes.length).toBeGreaterThan(0);
  for (const push of pushes) expect(push).toMatchObject({ protoId, secKey: '1_00700', stream: wanted, message: { retType: 0 } });
  expect(backend.current(wanted)).toMatchObject({ protoId, secKey: '1_00700' });

  await backend.unsubscribe([wanted]);
  const count = fixture.pushes.length;
  clock.advance(60_000);
  expect(fixture.pushes).toHaveLength(count);
});

test('the streams of a symbol stop one by one', async () => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  await backend.subscribe([stream(1), stream(4), stream(4, { symbol: 'US.AAPL' })]);
  await backend.unsubscribe([stream(1), stream(1)]);
  clock.advance(60_000);
  expect(new Set(quotePushes(fixture).map(({ stream: { symbol, subType } }) => `${symbol} ${subType}`))).toEqual(
    new Set(['HK.00700 4', 'US.AAPL 4']),
  );
});

test('a stream that runs already is not doubled', async () => {
  fixture = await startFixture();
  await fixture.backend.subscribe([stream(4)]);
  await fixture.backend.subscribe([stream(4), stream(4)]);
  fixture.clock.advance(60_000);
  const sequences = quotePushes(fixture).flatMap(({ message }) =>
    (message as UpdateTicker.Response).s2c!.tickerList.map((tick) => tick.sequence),
  );
  expect(new Set(sequences).size).toBe(sequences.length);
  expect(sequences.length).toBeGreaterThan(0);
});

test('every trade is pushed exactly once, in order', async () => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  const before = (await payload(backend, quote.getTicker, { security: security('HK.00700'), maxRetNum: 1 })).tickerList[0]!.sequence;
  await backend.subscribe([stream(4)]);
  for (let i = 0; i < 20; i++) clock.advance(7_001);
  const pushed = quotePushes(fixture).flatMap(({ message }) => (message as UpdateTicker.Response).s2c!.tickerList);
  const tape = (await payload(backend, quote.getTicker, { security: security('HK.00700'), maxRetNum: 1000 })).tickerList.filter(
    ({ sequence }) => sequence > before,
  );
  expect(pushed.map(({ sequence, price, volume }) => ({ sequence, price, volume }))).toEqual(
    tape.map(({ sequence, price, volume }) => ({ sequence, price, volume })),
  );
  expect(pushed.length).toBeGreaterThan(10);
});

test.each([
  [11, 1],
  [17, 10],
  [6, 2],
  [12, 3],
])('the bars that sub_type %i pushes are those that a read then shows', async (subType, klType) => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  await backend.subscribe([stream(subType)]);
  const latest = new Map<string, UpdateKL.S2C['klList'][number]>();
  for (let i = 0; i < 30; i++) {
    clock.advance(17_003);
    for (const { message } of quotePushes(fixture)) for (const bar of (message as UpdateKL.Response).s2c!.klList) latest.set(bar.time, bar);
    const bars = (await payload(backend, quote.getKline, { security: security('HK.00700'), klType, rehabType: 0, reqNum: 3 })).klList;
    expect(latest.get(bars.at(-1)!.time)).toEqual(bars.at(-1));
  }
  // The final form of every bar but the first was pushed too.
  const bars = (await payload(backend, quote.getKline, { security: security('HK.00700'), klType, rehabType: 0, reqNum: 10 })).klList;
  for (const bar of bars) if (latest.has(bar.time)) expect(latest.get(bar.time)).toEqual(bar);
});

test('a caller’s own trade is in every stream as in every read', async () => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  await backend.subscribe([stream(1), stream(4), stream(5), stream(6), stream(11)]);
  const accId = fixture.simulation.brokerage.accounts.find(({ markets, type }) => markets.includes('HK') && type === 'margin')!.id;
  for (let serialNo = 1; serialNo <= 5; serialNo++) {
    const header = { trdEnv: 0, accID: accId, trdMarket: 1 };
    const order = { packetID: { connID: 9n, serialNo }, header, trdSide: 1, orderType: 2, code: '00700', qty: 300, secMarket: 1 };
    await payload(backend, trade.placeOrder, order);
    clock.advance(20_000);
  }
  const newest = (subType: number) => quotePushes(fixture).findLast((push) => push.stream.subType === subType)!.message;
  const basic = (newest(1) as UpdateBasicQot.Response).s2c!.basicQotList[0]!;
  const tick = (newest(4) as UpdateTicker.Response).s2c!.tickerList.at(-1)!;
  const minute = (newest(5) as UpdateRT.Response).s2c!.rtList.at(-1)!;
  const [dayBar, minuteBar] = [6, 11].map((subType) => (newest(subType) as UpdateKL.Response).s2c!.klList.at(-1)!);
  expect([tick.price, minute.price, dayBar!.closePrice, minuteBar!.closePrice]).toEqual(Array(4).fill(basic.curPrice));
  expect(dayBar).toMatchObject({ volume: basic.volume, turnover: basic.turnover, highPrice: basic.highPrice, lowPrice: basic.lowPrice });
  expect(minuteBar).toMatchObject({ time: minute.time, volume: minute.volume, turnover: minute.turnover });
  const read = await payload(backend, quote.getKline, { security: security('HK.00700'), klType: 1, rehabType: 0, reqNum: 1 });
  expect(minuteBar).toEqual(read.klList[0]);
  const fills = await payload(backend, account.getDeals, { header: { trdEnv: 0, accID: accId, trdMarket: 1 } });
  expect(fills.orderFillList.length).toBeGreaterThan(0);
});

test('the day’s line that is pushed is the one that a read shows', async () => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  await backend.subscribe([stream(5)]);
  clock.advance(5 * 60_000);
  const latest = new Map(
    quotePushes(fixture).flatMap(({ message }) => (message as UpdateRT.Response).s2c!.rtList.map((point) => [point.time, point] as const)),
  );
  const read = (await payload(backend, quote.getRt, { security: security('HK.00700') })).rtList.filter(({ time }) => latest.has(time));
  expect(read.length).toBeGreaterThan(3);
  for (const point of read) expect(latest.get(point.time)).toEqual(point);
});

test('a pushed message does not change afterwards', async () => {
  fixture = await startFixture();
  await fixture.backend.subscribe([stream(1), stream(2), stream(11)]);
  fixture.clock.advance(5_000);
  const pushes = quotePushes(fixture);
  const copies = structuredClone(pushes.map(({ message }) => message));
  fixture.clock.advance(60_000);
  expect(pushes.map(({ message }) => message)).toEqual(copies);
  expect(pushes.length).toBeGreaterThan(0);
});

test('one stream that cannot be refuses them all', async () => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  const refused = async (bad: QuoteStream) => {
    const { retType, retMsg } = await backend.subscribe([stream(1), bad]);
    expect(retType).toBe(-1);
    return retMsg;
  };
  expect(await refused(stream(1, { symbol: 'HK.700' }))).toContain('HK.00700');
  expect(await refused(stream(1, { symbol: 'nonsense' }))).toContain('nonsense');
  expect(await refused(stream(14, { symbol: 'US.AAPL' }))).toContain('sub_type 14');
  expect(await refused(stream(2, { symbol: 'HK.800000' }))).toContain('HK.800000');
  expect(await refused(stream(3))).toContain('sub_type 3');
  expect(await refused(stream(6, { rehabType: 9 }))).toContain('rehab_type 9');
  clock.advance(60_000);
  expect(quotePushes(fixture)).toEqual([]);
  expect(backend.current(stream(14, { symbol: 'US.AAPL' }))).toBeUndefined();
});

test('streams without extended hours are silent before the US market opens', async () => {
  // 2026-11-20 05:00 in New York.
  fixture = await startFixture({ clock: new ManualClock(Date.UTC(2026, 10, 20, 10)), calendarMode: 'calendar' });
  const { backend, clock } = fixture;
  const us = { symbol: 'US.AAPL' };
  await backend.subscribe([4, 5, 11].flatMap((subType) => [stream(subType, us), stream(subType, { ...us, extendedTime: true })]));
  clock.advance(20 * 60_000);
  const before = quotePushes(fixture);
  expect(before.length).toBeGreaterThan(0);
  expect(before.every((push) => push.stream.extendedTime)).toBe(true);
  clock.advance(4.5 * 3_600_000);
  const silent = new Set([4, 5, 11]);
  for (const push of quotePushes(fixture)) if (!push.stream.extendedTime) silent.delete(push.stream.subType);
  expect([...silent]).toEqual([]);
});

test('nothing is pushed and no timer is left after stop', async () => {
  fixture = await startFixture();
  const { backend, clock } = fixture;
  await backend.subscribe([stream(1), stream(2), stream(4, { symbol: 'US.AAPL' })]);
  clock.advance(10_000);
  await backend.stop();
  const count = fixture.pushes.length;
  let timers = 0;
  const { at } = clock;
  clock.at = (...args) => {
    timers += 1;
    return at.apply(clock, args);
  };
  clock.advance(3_600_000);
  expect(fixture.pushes).toHaveLength(count);
  expect(timers).toBe(0);
});

test('the first push of a basic stream is the current quote', async () => {
  fixture = await startFixture({ clock: new ManualClock(FIXTURE_TIME + 12_345) });
  const now = (await payload(fixture.backend, quote.getQuote, { securityList: [security('HK.00700')] })).basicQotList[0]!;
  const push = fixture.backend.current(stream(1))!;
  expect(push.message.$typeName).toBe(UpdateBasicQot.ResponseSchema.typeName);
  expect((push.message as UpdateBasicQot.Response).s2c!.basicQotList[0]).toBe(now);
});

/** Sub type and kl_type of day and week bars. */
const longBars = [
  [6, 2],
  [12, 3],
] as const;

test.each(longBars)('adjusted bars that are pushed (sub_type %i) are those that are read, over an ex-day too', async (subType, klType) => {
  const symbol = 'HK.00005';
  const { simulation } = await startFixture();
  const [action] = simulation.companies.corporateActions(symbol, '2026-01-01', '2027-12-31');
  // From before the ex-day in Hong Kong until after it began; the market is open around the clock.
  const clock = new ManualClock(Date.parse(`${action?.exDay}T00:00:00+08:00`) - 90_000);
  fixture = await startFixture({ clock });
  const { backend } = fixture;
  const streams = [0, 1, 2].map((rehabType) => stream(subType, { symbol, rehabType }));
  expect((await backend.subscribe(streams)).retType).toBe(0);
  const closes = new Set<number>();
  for (let minute = 0; minute < 5; minute++) {
    clock.advance(60_000);
    for (const wanted of streams) {
      const push = quotePushes(fixture).findLast((one) => one.stream?.rehabType === wanted.rehabType);
      const { klList } = (push!.message as unknown as { s2c: UpdateKL.S2C }).s2c;
      const read = await payload(backend, quote.getKline, { security: security(symbol), klType, rehabType: wanted.rehabType, reqNum: 1 });
      expect(klList.at(-1)).toEqual(read.klList.at(-1));
      closes.add(klList.at(-1)?.closePrice ?? 0);
    }
  }
  expect(closes.size).toBeGreaterThan(1);
});

test('the bars that a plate pushes are read without a look at each member, and are those that a read then shows, on the next day too', async () => {
  // Two minutes before midnight in Hong Kong.
  fixture = await startFixture({ clock: new ManualClock(Date.UTC(2026, 10, 20, 15, 58)) });
  const { backend, clock, simulation } = fixture;
  const [plate] = simulation.world.listed({ market: 'HK', kind: 'plate' });
  const { symbol } = plate!;
  const wanted = stream(11, { symbol });
  // Sums that are not there are made of every member's trades.
  const slices = vi.spyOn(Tape.prototype, 'slices');
  const ofMembers = () => slices.mock.calls.filter(([of]) => of.kind !== 'plate').length;
  expect((await backend.subscribe([wanted])).retType).toBe(0);
  expect(ofMembers()).toBe(0);
  for (let minute = 0; minute < 4; minute++) {
    const count = fixture.pushes.length;
    clock.advance(60_000);
    // The day of a plate takes turns to work out, and what falls due meanwhile waits.
    for (let turn = 0; turn < 2_000 && fixture.pushes.length === count; turn++) {
      await nextTurn();
      clock.advance(10);
    }
    expect(fixture.pushes.length).toBeGreaterThan(count);
  }
  expect(ofMembers()).toBe(0);
  slices.mockRestore();
  const { klList } = await payload(backend, quote.getKline, { security: security(symbol), klType: 1, rehabType: 0, reqNum: 2 });
  const told = quotePushes(fixture).map(({ message }) => (message as UpdateKL.Response).s2c!.klList);
  expect(told.flat().some(({ time, volume }) => time === klList[0]!.time && volume === klList[0]!.volume)).toBe(true);
  expect(new Set(told.flat().map(({ time }) => time)).size).toBeGreaterThan(2);
});
