import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { StrictUpstream } from '../../../../test/support/strict-upstream.js';
import { ManualClock } from '../../../contract/clock.js';
import { account, quote, trade } from '../../../contract/operations/index.js';
import { BackendRefused, type ResponseMessage } from '../../../gateway/index.js';
import { CourteousUpstream } from './courteous-upstream.js';

const START = Date.UTC(2026, 10, 20, 3);

function setUp(wishes: ConstructorParameters<typeof StrictUpstream>[1] = {}) {
  const clock = new ManualClock(START);
  const upstream = new StrictUpstream(clock, wishes);
  const courteous = new CourteousUpstream(upstream, clock);
  /** Lets time pass in small steps, and whoever waits for a promise go on in between. */
  const pass = async (ms: number) => {
    await settle();
    for (let left = ms; left > 0; left -= 20) {
      clock.advance(Math.min(20, left));
      await settle();
    }
  };
  const context = (ms = 30_000) => ({ requestId: 'r', deadline: clock.monotonic() + ms, signal: new AbortController().signal });
  return { clock, upstream, courteous, pass, context };
}

/** Promises that can settle without time do. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What a promise has come to by now. */
function watch<T>(promise: T | Promise<T>) {
  const seen: { value?: T; error?: unknown } = {};
  Promise.resolve(promise).then(
    (value) => {
      seen.value = value;
    },
    (error) => {
      seen.error = error;
    },
  );
  return seen;
}

const hk = (number: number) => ({ market: 1, code: String(number).padStart(5, '0') });
const quotes = (...numbers: number[]) => create(quote.getQuote.messages.C2SSchema, { securityList: numbers.map(hk) });
const snapshots = (...numbers: number[]) => create(quote.getSnapshot.messages.C2SSchema, { securityList: numbers.map(hk) });

test('a quote is subscribed to before it is read, without pushes, and once', async () => {
  const { upstream, courteous, pass, context } = setUp();
  const first = watch(courteous.call(quote.getQuote, quotes(700), context()));
  const second = watch(courteous.call(quote.getQuote, quotes(700, 5), context()));
  await pass(100);
  expect(first.value?.retType).toBe(0);
  expect(second.value?.retType).toBe(0);
  const third = watch(courteous.call(quote.getQuote, quotes(5), context()));
  await pass(100);
  expect(third.value?.retType).toBe(0);
  expect(upstream.broken).toEqual([]);
  expect([...upstream.units.keys()].sort()).toEqual(['HK.00005 1', 'HK.00700 1']);
  expect(upstream.pushed.size).toBe(0);
  const subscribed = upstream.of(3001).flatMap(({ c2s }) => (c2s.securityList as { code: string }[]).map(({ code }) => code));
  expect(subscribed.sort()).toEqual(['00005', '00700']);
});

test('data that come shortly after the subscription are waited for', async () => {
  const { courteous, pass, context } = setUp({ firstDataMs: 1_500 });
  const request = create(quote.getKline.messages.C2SSchema, { security: hk(700), klType: 2, rehabType: 1, reqNum: 10 });
  const answer = watch(courteous.call(quote.getKline, request, context()));
  await pass(1_000);
  expect(answer.value).toBeUndefined();
  await pass(1_000);
  expect((answer.value as ResponseMessage & { s2c: { klList: unknown[] } }).s2c.klList).toHaveLength(1);
});

test('what never has data is answered empty after three seconds, and at once from then on', async () => {
  const { courteous, pass, context } = setUp({ firstDataMs: 1e9 });
  const request = create(quote.getOrderBook.messages.C2SSchema, { security: hk(800000), num: 10 });
  const answer = watch(courteous.call(quote.getOrderBook, request, context()));
  await pass(3_400);
  expect(answer.value?.retType).toBe(0);
  const again = watch(courteous.call(quote.getOrderBook, request, context()));
  await pass(20);
  expect(again.value?.retType).toBe(0);
});

test('a read that the upstream has forgotten the subscription of is subscribed to again', async () => {
  const { upstream, courteous, pass, context } = setUp();
  watch(courteous.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  upstream.units.clear();
  const answer = watch(courteous.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  expect(answer.value?.retType).toBe(0);
  expect(upstream.of(3001)).toHaveLength(2);
});

test('an unknown symbol is refused in the words of the upstream, and does not spoil those asked for with it', async () => {
  const { upstream, courteous, pass, context } = setUp();
  upstream.unknown.add('HK.00002');
  const answers = [1, 2, 3].map((number) => watch(courteous.call(quote.getQuote, quotes(number), context())));
  const snaps = [1, 2, 3].map((number) => watch(courteous.call(quote.getSnapshot, snapshots(number), context())));
  await pass(200);
  expect(answers.map(({ value }) => value?.retType)).toEqual([0, -1, 0]);
  expect(snaps.map(({ value }) => value?.retType)).toEqual([0, -1, 0]);
  expect(answers[1]?.value?.retMsg).toContain('未知股票');
});

test('a list of 2,000 symbols is split at the bounds of the upstream and answered in order', async () => {
  const { upstream, courteous, pass, context } = setUp();
  const numbers = Array.from({ length: 2_000 }, (_, index) => 2_000 - index);
  const answer = watch(courteous.call(quote.getSnapshot, snapshots(...numbers), context()));
  await pass(200);
  const { s2c } = answer.value as ResponseMessage & { s2c: { snapshotList: { basic: { security: { code: string } } }[] } };
  expect(s2c.snapshotList.map(({ basic }) => Number(basic.security.code))).toEqual(numbers);
  expect(upstream.of(3203).map(({ c2s }) => (c2s.securityList as unknown[]).length)).toEqual([400, 400, 400, 400, 400]);
});

test('a refusal of one part of a long list says which part', async () => {
  const { upstream, courteous, pass, context } = setUp();
  upstream.unknown.add('HK.00450');
  const answer = watch(courteous.call(quote.getSnapshot, snapshots(...Array.from({ length: 1_000 }, (_, index) => index)), context()));
  await pass(200);
  expect(answer.value?.retType).toBe(-1);
  expect(answer.value?.retMsg).toBe('of the 1000 asked for, number 401 to 800: 未知股票 HK.00450');
});

test('300 snapshots asked for one by one, all at once, break no limit and are all answered', async () => {
  const { upstream, courteous, pass, context } = setUp();
  const answers = [];
  for (let number = 1; number <= 300; number += 1) {
    answers.push(watch(courteous.call(quote.getSnapshot, snapshots(number), context())));
    await settle();
  }
  await pass(5_000);
  expect(upstream.broken).toEqual([]);
  const codes = answers.map(({ value }) =>
    (value as ResponseMessage & { s2c: { snapshotList: { basic: { security: { code: string } } }[] } }).s2c.snapshotList.map(({ basic }) =>
      Number(basic.security.code),
    ),
  );
  expect(codes).toEqual(Array.from({ length: 300 }, (_, index) => [index + 1]));
});

test('static information is asked for once a day, symbol by symbol', async () => {
  const { clock, upstream, courteous, pass, context } = setUp();
  const info = (...numbers: number[]) => create(quote.getStaticInfo.messages.C2SSchema, { securityList: numbers.map(hk) });
  watch(courteous.call(quote.getStaticInfo, info(1, 2), context()));
  await pass(20);
  const more = watch(courteous.call(quote.getStaticInfo, info(3, 1), context()));
  await pass(20);
  const { s2c } = more.value as ResponseMessage & { s2c: { staticInfoList: { basic: { security: { code: string } } }[] } };
  expect(s2c.staticInfoList.map(({ basic }) => basic.security.code)).toEqual(['00003', '00001']);
  expect(upstream.of(3202).map(({ c2s }) => (c2s.securityList as unknown[]).length)).toEqual([2, 1]);
  clock.advance(24 * 3_600_000);
  watch(courteous.call(quote.getStaticInfo, info(1), context()));
  await pass(20);
  expect(upstream.of(3202)).toHaveLength(3);
});

test('identical reads under way are one, and a caller that goes away does not end it for the others', async () => {
  const { clock, upstream, courteous, pass } = setUp();
  const request = create(quote.getHistoryKline.messages.C2SSchema, {
    security: hk(1),
    klType: 2,
    rehabType: 1,
    beginTime: 'a',
    endTime: 'b',
  });
  const gone = new AbortController();
  const first = watch(courteous.call(quote.getHistoryKline, request, { requestId: '1', deadline: 30_000, signal: gone.signal }));
  const second = watch(
    courteous.call(quote.getHistoryKline, request, { requestId: '2', deadline: 30_000, signal: new AbortController().signal }),
  );
  gone.abort();
  await pass(20);
  expect(first.error).toBeDefined();
  expect(second.value?.retType).toBe(0);
  expect(upstream.of(3103)).toHaveLength(1);
  expect(clock.monotonic()).toBe(20);
});

test('a read of orders that was under way before an order was placed does not answer one that came after', async () => {
  const { upstream, courteous, pass, context } = setUp();
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const orders = () => create(account.getOrders.messages.C2SSchema, { header });
  watch(courteous.call(account.getOrders, orders(), context()));
  watch(courteous.call(account.getOrders, orders(), context()));
  const place = create(trade.placeOrder.messages.C2SSchema, { header, code: '00700', qty: 1, trdSide: 1, orderType: 1 });
  watch(courteous.call(trade.placeOrder, place, context()));
  watch(courteous.call(account.getOrders, orders(), context()));
  await pass(20);
  expect(upstream.of(2201)).toHaveLength(2);
});

test('an order that could not be sent in time is refused at once, and says when it could', async () => {
  const { upstream, courteous, pass, context } = setUp();
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const place = (qty: number) => create(trade.placeOrder.messages.C2SSchema, { header, code: '00700', qty, trdSide: 1, orderType: 1 });
  const placed = Array.from({ length: 15 }, (_, index) => watch(courteous.call(trade.placeOrder, place(index), context())));
  await pass(1_000);
  expect(placed.every(({ value }) => value?.retType === 0)).toBe(true);
  const refused = watch(courteous.call(trade.placeOrder, place(99), context(5_000)));
  await settle();
  expect(refused.error).toBeInstanceOf(BackendRefused);
  expect(refused.error).toMatchObject({ code: 'backend.rate', retryAfterSeconds: 30 });
  const waiting = watch(courteous.call(trade.placeOrder, place(100), context(40_000)));
  await pass(32_000);
  expect(waiting.value?.retType).toBe(0);
  expect(upstream.broken).toEqual([]);
});

test('a cancel goes ahead of the changes of orders that wait', async () => {
  const { upstream, courteous, pass, context } = setUp();
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const modify = (orderID: bigint, modifyOrderOp: number) =>
    create(trade.modifyOrder.messages.C2SSchema, { header, orderID, modifyOrderOp });
  for (let id = 1n; id <= 22n; id += 1n) watch(courteous.call(trade.modifyOrder, modify(id, 1), context(60_000)));
  watch(courteous.call(trade.modifyOrder, modify(99n, 2), context(60_000)));
  await pass(40_000);
  const ids = upstream.of(2205).map(({ c2s }) => c2s.orderID as bigint);
  expect(ids).toHaveLength(23);
  expect(ids.indexOf(99n)).toBeLessThan(3);
  expect(upstream.broken).toEqual([]);
});
