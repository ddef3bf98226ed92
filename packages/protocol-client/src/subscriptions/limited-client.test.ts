import { create } from '@bufbuild/protobuf';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { BackendRefused, BackendTimeout, type QuoteStream, type ResponseMessage } from '@svc-gateway/gateway';
import { expect, test } from 'vitest';
import { SteppingClock, StrictUpstream, settle } from '../../../../test/support/strict-upstream.js';
import { limitedClient, publishedRules } from './live-reader.js';

const START = Date.UTC(2026, 10, 20, 3);

function setUp(wishes: ConstructorParameters<typeof StrictUpstream>[1] = {}) {
  const clock = new SteppingClock(START);
  const upstream = new StrictUpstream(clock, wishes);
  const { requests: client, subscriptions } = limitedClient(upstream, clock, publishedRules);
  const pass = (ms: number) => clock.pass(ms);
  const context = (ms = 30_000) => ({ deadline: clock.monotonic() + ms, signal: new AbortController().signal });
  return { clock, upstream, client, subscriptions, pass, context };
}

/** Present outcome of a promise. */
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

/** Running streams of a symbol and type. */
const heldOf = ({ streams }: ReturnType<typeof setUp>['subscriptions'], name: Pick<QuoteStream, 'symbol' | 'subType'>) =>
  streams.all.filter(({ symbol, subType }) => symbol === name.symbol && subType === name.subType);
const hk = (number: number) => ({ market: 1, code: String(number).padStart(5, '0') });
const quotes = (...numbers: number[]) => create(quote.getQuote.messages.C2SSchema, { securityList: numbers.map(hk) });
const klines = (number: number) => create(quote.getKline.messages.C2SSchema, { security: hk(number), klType: 2, rehabType: 1, reqNum: 10 });
const snapshots = (...numbers: number[]) => create(quote.getSnapshot.messages.C2SSchema, { securityList: numbers.map(hk) });

test('a quote is subscribed to before it is read, without pushes, and once', async () => {
  const { upstream, client, pass, context } = setUp();
  const first = watch(client.call(quote.getQuote, quotes(700), context()));
  const second = watch(client.call(quote.getQuote, quotes(700, 5), context()));
  await pass(100);
  expect(first.value?.retType).toBe(0);
  expect(second.value?.retType).toBe(0);
  const third = watch(client.call(quote.getQuote, quotes(5), context()));
  await pass(100);
  expect(third.value?.retType).toBe(0);
  expect(upstream.broken).toEqual([]);
  expect([...upstream.units.keys()].sort()).toEqual(['HK.00005 1', 'HK.00700 1']);
  expect(upstream.pushed.size).toBe(0);
  const subscribed = upstream.of(3001).flatMap(({ c2s }) => (c2s.securityList as { code: string }[]).map(({ code }) => code));
  expect(subscribed.sort()).toEqual(['00005', '00700']);
});

test('data that come shortly after the subscription are waited for', async () => {
  const { client, pass, context } = setUp({ firstDataMs: 1_500 });
  const request = create(quote.getKline.messages.C2SSchema, { security: hk(700), klType: 2, rehabType: 1, reqNum: 10 });
  const answer = watch(client.call(quote.getKline, request, context()));
  await pass(1_000);
  expect(answer.value).toBeUndefined();
  await pass(1_000);
  expect((answer.value as ResponseMessage & { s2c: { klList: unknown[] } }).s2c.klList).toHaveLength(1);
});

test('a stream without data is answered empty after three seconds, and at once from then on', async () => {
  const { client, pass, context } = setUp({ firstDataMs: 1e9 });
  const request = create(quote.getOrderBook.messages.C2SSchema, { security: hk(800000), num: 10 });
  const answer = watch(client.call(quote.getOrderBook, request, context()));
  await pass(3_400);
  expect(answer.value?.retType).toBe(0);
  const again = watch(client.call(quote.getOrderBook, request, context()));
  await pass(60);
  expect(again.value?.retType).toBe(0);
});

test('a read that the upstream has forgotten the subscription of is subscribed to again', async () => {
  const { upstream, client, pass, context } = setUp();
  watch(client.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  upstream.units.clear();
  const answer = watch(client.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  expect(answer.value?.retType).toBe(0);
  expect(upstream.of(3001)).toHaveLength(2);
});

test('a stream of what was read before, and the upstream has forgotten since, is subscribed to again', async () => {
  const { upstream, client, subscriptions, pass, context } = setUp();
  watch(client.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  upstream.units.clear();
  const started = watch(subscriptions.subscribe([stream('HK.00700')]));
  await pass(100);
  expect(started.value?.retType).toBe(0);
  expect([...upstream.pushed.keys()]).toEqual(['HK.00700 1']);
});

test('an unknown symbol is refused in the words of the upstream, and does not spoil those asked for with it', async () => {
  const { upstream, client, pass, context } = setUp();
  upstream.unknown.add('HK.00002');
  const answers = [1, 2, 3].map((number) => watch(client.call(quote.getQuote, quotes(number), context())));
  const snaps = [1, 2, 3].map((number) => watch(client.call(quote.getSnapshot, snapshots(number), context())));
  await pass(200);
  expect(answers.map(({ value }) => value?.retType)).toEqual([0, -1, 0]);
  expect(snaps.map(({ value }) => value?.retType)).toEqual([0, -1, 0]);
  expect(answers[1]?.value?.retMsg).toContain('未知股票');
});

test('a list of 2,000 symbols is split at the bounds of the upstream and answered in order', async () => {
  const { upstream, client, pass, context } = setUp();
  const numbers = Array.from({ length: 2_000 }, (_, index) => 2_000 - index);
  const answer = watch(client.call(quote.getSnapshot, snapshots(...numbers), context()));
  await pass(200);
  const { s2c } = answer.value as ResponseMessage & { s2c: { snapshotList: { basic: { security: { code: string } } }[] } };
  expect(s2c.snapshotList.map(({ basic }) => Number(basic.security.code))).toEqual(numbers);
  expect(upstream.of(3203).map(({ c2s }) => (c2s.securityList as unknown[]).length)).toEqual([400, 400, 400, 400, 400]);
});

test('a refusal of one part of a long list says which part', async () => {
  const { upstream, client, pass, context } = setUp();
  upstream.unknown.add('HK.00450');
  const answer = watch(client.call(quote.getSnapshot, snapshots(...Array.from({ length: 1_000 }, (_, index) => index)), context()));
  await pass(200);
  expect(answer.value?.retType).toBe(-1);
  expect(answer.value?.retMsg).toBe('of the 1000 asked for, number 401 to 800: 未知股票 HK.00450');
});

test('300 snapshots asked for one by one, all at once, break no limit and are all answered', async () => {
  const { upstream, client, pass, context } = setUp();
  const answers = [];
  for (let number = 1; number <= 300; number += 1) {
    answers.push(watch(client.call(quote.getSnapshot, snapshots(number), context())));
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
  const { clock, upstream, client, pass, context } = setUp();
  const info = (...numbers: number[]) => create(quote.getStaticInfo.messages.C2SSchema, { securityList: numbers.map(hk) });
  watch(client.call(quote.getStaticInfo, info(1, 2), context()));
  await pass(60);
  const more = watch(client.call(quote.getStaticInfo, info(3, 1), context()));
  await pass(60);
  const { s2c } = more.value as ResponseMessage & { s2c: { staticInfoList: { basic: { security: { code: string } } }[] } };
  expect(s2c.staticInfoList.map(({ basic }) => basic.security.code)).toEqual(['00003', '00001']);
  expect(upstream.of(3202).map(({ c2s }) => (c2s.securityList as unknown[]).length)).toEqual([2, 1]);
  clock.advance(24 * 3_600_000);
  watch(client.call(quote.getStaticInfo, info(1), context()));
  await pass(60);
  expect(upstream.of(3202)).toHaveLength(3);
});

test('identical reads under way are one, and a caller that goes away does not end it for the others', async () => {
  const { clock, upstream, client, pass } = setUp();
  const request = create(quote.getHistoryKline.messages.C2SSchema, {
    security: hk(1),
    klType: 2,
    rehabType: 1,
    beginTime: 'a',
    endTime: 'b',
  });
  const gone = new AbortController();
  const first = watch(client.call(quote.getHistoryKline, request, { deadline: 30_000, signal: gone.signal }));
  const second = watch(client.call(quote.getHistoryKline, request, { deadline: 30_000, signal: new AbortController().signal }));
  gone.abort();
  await pass(60);
  expect(first.error).toBeDefined();
  expect(second.value?.retType).toBe(0);
  expect(upstream.of(3103)).toHaveLength(1);
  expect(clock.monotonic()).toBe(60);
});

test('a caller that joins a read under way is told when it was asked for', async () => {
  const { clock, upstream, client, pass, context } = setUp({ latency: () => [1, 6_000] });
  const orders = create(account.getOrders.messages.C2SSchema, { header: { trdEnv: 0, accID: 1n, trdMarket: 1 }, refreshCache: true });
  const asked: number[] = [];
  const read = () => watch(client.call(account.getOrders, orders, { ...context(), onAsked: (at) => asked.push(at - begun) }));
  const begun = clock.monotonic();
  read();
  await pass(5_100);
  read();
  await pass(2_000);
  expect(upstream.of(2201)).toHaveLength(1);
  expect(asked).toEqual([0, 0]);
});

test('a read of orders that was under way before an order was placed does not answer one that came after', async () => {
  const { upstream, client, pass, context } = setUp();
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const orders = () => create(account.getOrders.messages.C2SSchema, { header });
  watch(client.call(account.getOrders, orders(), context()));
  watch(client.call(account.getOrders, orders(), context()));
  const place = create(trade.placeOrder.messages.C2SSchema, { header, code: '00700', qty: 1, trdSide: 1, orderType: 1 });
  watch(client.call(trade.placeOrder, place, context()));
  watch(client.call(account.getOrders, orders(), context()));
  await pass(60);
  expect(upstream.of(2201)).toHaveLength(2);
});

test('a read with a time to answer is given up after it and may be made again; waiting for a turn does not count', async () => {
  const { upstream, client, pass, context } = setUp();
  const answerMs = 5_000;
  const orders = create(account.getOrders.messages.C2SSchema, { header: { trdEnv: 0, accID: 1n, trdMarket: 1 }, refreshCache: true });
  upstream.silent = true;
  const patient = watch(client.call(account.getOrders, orders, context(35_000)));
  const hasty = watch(client.call(account.getOrders, orders, { ...context(35_000), answerMs }));
  await pass(answerMs + 100);
  expect(hasty.error).toBeInstanceOf(BackendTimeout);
  upstream.silent = false;
  const again = watch(client.call(account.getOrders, orders, { ...context(35_000), answerMs }));
  await pass(100);
  expect([again.value?.retType, patient]).toEqual([0, {}]);
  for (let call = upstream.of(2201).length; call < 10; call += 1) {
    watch(client.call(account.getOrders, orders, { ...context(35_000), answerMs }));
    await pass(100);
  }
  const waiting = watch(client.call(account.getOrders, orders, { ...context(35_000), answerMs }));
  await pass(20_000);
  expect(waiting).toEqual({});
  await pass(15_000);
  expect(waiting.value?.retType).toBe(0);
  expect(upstream.broken).toEqual([]);
});

test('fresh lists that the daemon needs itself go ahead of those of callers, who have a share each', async () => {
  const { upstream, client, pass, context } = setUp();
  const list = create(account.getOrders.messages.C2SSchema, { header: { trdEnv: 0, accID: 1n, trdMarket: 1 }, refreshCache: true });
  const ask = async (owner: string | undefined, times: number) => {
    const seen = Array.from({ length: times }, () =>
      watch(client.call(account.getOrders, list, { ...context(owner === undefined ? 35_000 : 20_000), owner })),
    );
    await pass(100);
    return seen;
  };
  const asked = async (owner: string | undefined, times: number) => {
    for (let time = 0; time < times; time++) await ask(owner, 1);
    return upstream.of(2201).length;
  };
  expect(await asked('key:one', 8)).toBe(5);
  expect(await asked('key:two', 8)).toBe(7);
  expect(await asked(undefined, 3)).toBe(10);
  const [refused] = await ask('key:one', 1);
  await settle();
  expect(refused?.error).toMatchObject({
    code: 'backend.rate',
    message: expect.stringContaining('asked afresh by one caller: the gateway takes 5'),
  });
  const [own] = await ask(undefined, 1);
  await pass(31_000);
  expect(own?.value?.retType).toBe(0);
  expect(upstream.broken).toEqual([]);
});

test('changes and cancels of callers have a share each, and leave some to the daemon, which goes first', async () => {
  const { upstream, client, pass, context } = setUp();
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  let id = 0n;
  const ask = (owner: string | undefined, ms = 20_000) => {
    const cancel = create(trade.modifyOrder.messages.C2SSchema, { header, orderID: ++id, modifyOrderOp: 2 });
    return watch(client.call(trade.modifyOrder, cancel, { ...context(ms), owner }));
  };
  const sent = async (owner: string | undefined, times: number) => {
    for (let time = 0; time < times; time += 1) {
      ask(owner);
      await pass(100);
    }
    return upstream.of(2205).length;
  };
  expect(await sent('key:one', 12)).toBe(10);
  const refused = ask('key:one', 5_000);
  await settle();
  expect(refused.error).toMatchObject({
    code: 'backend.rate',
    message: expect.stringContaining('by one caller: the gateway takes 10'),
    retryAfterSeconds: expect.any(Number),
  });
  expect(await sent('key:two', 6)).toBe(14);
  expect(await sent(undefined, 6)).toBe(20);
  const waiting = ask('key:two', 60_000);
  const own = ask(undefined, 60_000);
  await pass(27_500);
  expect([own.value?.retType, waiting]).toEqual([undefined, {}]);
  await pass(35_000);
  expect([own.value?.retType, waiting.value?.retType]).toEqual([0, 0]);
  expect(
    upstream
      .of(2205)
      .slice(-2)
      .map(({ c2s }) => c2s.orderID),
  ).toEqual([id, id - 1n]);
  expect(upstream.broken).toEqual([]);
});

test('an order that could not be sent in time is refused at once, and says when it could', async () => {
  const { upstream, client, pass, context } = setUp();
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const place = (qty: number) => create(trade.placeOrder.messages.C2SSchema, { header, code: '00700', qty, trdSide: 1, orderType: 1 });
  const placed = Array.from({ length: 15 }, (_, index) => watch(client.call(trade.placeOrder, place(index), context())));
  await pass(1_000);
  expect(placed.every(({ value }) => value?.retType === 0)).toBe(true);
  const refused = watch(client.call(trade.placeOrder, place(99), context(5_000)));
  await settle();
  expect(refused.error).toBeInstanceOf(BackendRefused);
  expect(refused.error).toMatchObject({ code: 'backend.rate', retryAfterSeconds: 30 });
  const waiting = watch(client.call(trade.placeOrder, place(100), context(40_000)));
  await pass(32_000);
  expect(waiting.value?.retType).toBe(0);
  expect(upstream.broken).toEqual([]);
});

test('a cancel goes ahead of the changes of orders that wait', async () => {
  const { upstream, client, pass, context } = setUp();
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const modify = (orderID: bigint, modifyOrderOp: number) =>
    create(trade.modifyOrder.messages.C2SSchema, { header, orderID, modifyOrderOp });
  for (let id = 1n; id <= 22n; id += 1n) watch(client.call(trade.modifyOrder, modify(id, 1), context(60_000)));
  watch(client.call(trade.modifyOrder, modify(99n, 2), context(60_000)));
  await pass(40_000);
  const ids = upstream.of(2205).map(({ c2s }) => c2s.orderID as bigint);
  expect(ids).toHaveLength(23);
  expect(ids.indexOf(99n)).toBeLessThan(3);
  expect(upstream.broken).toEqual([]);
});

const stream = (symbol: string, more: Partial<QuoteStream> = {}): QuoteStream => ({
  symbol,
  subType: 1,
  rehabType: 0,
  extendedTime: false,
  ...more,
});
const price = (number: number) => `HK.${String(number).padStart(5, '0')}`;

test('streams are subscribed with pushes; streams subscribed for reads are registered', async () => {
  const { upstream, client, subscriptions, pass, context } = setUp();
  watch(client.call(quote.getQuote, quotes(1), context()));
  await pass(60);
  const started = watch(subscriptions.subscribe([stream(price(1)), stream(price(2))]));
  await pass(40);
  expect(started.value?.retType).toBe(0);
  expect([...upstream.pushed.keys()].sort()).toEqual(['HK.00001 1', 'HK.00002 1']);
  expect(upstream.of(3001)).toHaveLength(2);
  expect(upstream.of(3002)).toHaveLength(1);
});

test('a stream released during its subscription is unsubscribed', async () => {
  const { upstream, subscriptions, pass } = setUp();
  const early = watch(subscriptions.subscribe([stream(price(1))]));
  void subscriptions.unsubscribe([stream(price(1))]);
  const late = watch(subscriptions.subscribe([stream(price(2))]));
  await settle();
  void subscriptions.unsubscribe([stream(price(2))]);
  await pass(100);
  expect([early.value?.retType, late.value?.retType]).toEqual([0, 0]);
  await pass(61_000);
  expect(upstream.units.size).toBe(0);
  expect(upstream.broken).toEqual([]);
});

test('K-lines of two adjustments are one unit; another adjustment is registered for', async () => {
  const { upstream, subscriptions, pass } = setUp();
  const kline = (rehabType: number) => stream('HK.00001', { subType: 6, rehabType });
  watch(subscriptions.subscribe([kline(0)]));
  await pass(60);
  watch(subscriptions.subscribe([kline(1)]));
  await pass(60);
  expect(upstream.units.size).toBe(1);
  expect(upstream.pushed.get('HK.00001 6')).toEqual([0, 1]);
  expect(heldOf(subscriptions, { symbol: 'HK.00001', subType: 6 }).map(({ rehabType }) => rehabType)).toEqual([0, 1]);
});

test('extended hours are a subscription of their own, and end with their last user', async () => {
  const { upstream, subscriptions, pass } = setUp();
  const tick = (extendedTime: boolean) => stream('US.AAPL', { subType: 4, extendedTime });
  watch(subscriptions.subscribe([tick(false)]));
  await pass(60);
  watch(subscriptions.subscribe([tick(true)]));
  await pass(60);
  void subscriptions.unsubscribe([tick(true)]);
  await pass(60);
  expect(upstream.of(3001).map(({ c2s }) => c2s.extendedTime)).toEqual([false, true, false]);
});

test('the orders of a book are a subscription of their own, and end with their last user', async () => {
  const { upstream, subscriptions, pass } = setUp();
  const book = { symbol: 'HK.00700', subType: 2, rehabType: 0, extendedTime: false };
  watch(subscriptions.subscribe([book]));
  await pass(60);
  watch(subscriptions.subscribe([{ ...book, orderDetail: true }]));
  await pass(60);
  void subscriptions.unsubscribe([{ ...book, orderDetail: true }]);
  await pass(60);
  expect(upstream.of(3001).map(({ c2s }) => c2s.isSubOrderBookDetail)).toEqual([false, true, false]);
});

test('unused subscriptions are released by themselves, after the first minute', async () => {
  const { upstream, subscriptions, pass } = setUp();
  watch(subscriptions.subscribe([stream(price(1))]));
  await pass(1_000);
  void subscriptions.unsubscribe([stream(price(1))]);
  await pass(58_000);
  expect(upstream.units.size).toBe(1);
  await pass(3_000);
  expect(upstream.units.size).toBe(0);
  expect(upstream.broken).toEqual([]);
});

test('where the quota is used up the least recently read goes first, and never what is held', async () => {
  const { upstream, client, subscriptions, pass, context } = setUp({ quota: 4 });
  watch(subscriptions.subscribe([stream(price(1))]));
  for (const number of [2, 3, 4]) {
    watch(client.call(quote.getKline, klines(number), context()));
    await pass(1_000);
  }
  await pass(61_000);
  watch(client.call(quote.getKline, klines(2), context()));
  await pass(100);
  const answer = watch(client.call(quote.getKline, klines(5), context()));
  await pass(100);
  expect(answer.value?.retType).toBe(0);
  expect([...upstream.units.keys()].sort()).toEqual([`${price(1)} 1`, `${price(2)} 6`, `${price(4)} 6`, `${price(5)} 6`]);
  expect(upstream.broken).toEqual([]);
});

test('quotes that there is no room for are read from snapshots, and leave room for what cannot be had otherwise', async () => {
  const { upstream, client, pass, context } = setUp({ quota: 8 });
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
  const answers = numbers.map((number) => watch(client.call(quote.getQuote, quotes(number), context())));
  const all = watch(client.call(quote.getQuote, quotes(...numbers), context()));
  const charts = [1, 2].map((number) => watch(client.call(quote.getKline, klines(number), context())));
  await pass(1_000);
  type Quotes = ResponseMessage & { s2c: { basicQotList: { security: { code: string }; curPrice: number }[] } };
  const codes = [...answers, all].map(({ value }) => (value as Quotes).s2c.basicQotList.map(({ security }) => Number(security.code)));
  expect(codes).toEqual([...numbers.map((number) => [number]), numbers]);
  expect((all.value as Quotes).s2c.basicQotList[0]?.curPrice).toBe(1);
  expect(charts.map(({ value }) => value?.retType)).toEqual([0, 0]);
  expect(upstream.broken).toEqual([]);
});

test('a read waits for room that will be there in time, and is refused where there is none', async () => {
  const { upstream, client, pass, context } = setUp({ quota: 2, others: 1 });
  watch(client.call(quote.getKline, klines(1), context()));
  await pass(40_000);
  const waiting = watch(client.call(quote.getKline, klines(2), context(30_000)));
  await pass(15_000);
  expect(waiting).toEqual({});
  await pass(10_000);
  expect(waiting.value?.retType).toBe(0);
  const refused = watch(client.call(quote.getKline, klines(3), context(30_000)));
  await pass(1_000);
  expect(refused.error).toMatchObject({ code: 'backend.quota' });
  expect((refused.error as Error).message).toMatch(
    /2 of 2 units are taken, 0 by subscriptions, 1 by recent reads, 1 outside this gateway; try again in 5\d s/,
  );
  expect(upstream.broken).toEqual([]);
});

test('a subscription beyond the quota is refused, and holds nothing', async () => {
  const { upstream, subscriptions, pass } = setUp({ quota: 2 });
  watch(subscriptions.subscribe([stream(price(1)), stream(price(2))]));
  await pass(100);
  const refused = watch(subscriptions.subscribe([stream(price(2)), stream(price(3))]));
  await pass(100);
  expect(refused.error).toMatchObject({ code: 'backend.quota' });
  expect(heldOf(subscriptions, { symbol: price(3), subType: 1 })).toEqual([]);
  expect(heldOf(subscriptions, { symbol: price(2), subType: 1 })).toHaveLength(1);
  expect(upstream.broken).toEqual([]);
});

test('an upstream that counts others than it says is believed when it refuses', async () => {
  const { upstream, client, pass, context } = setUp({ quota: 3 });
  watch(client.call(quote.getKline, klines(1), context()));
  await pass(62_000);
  upstream.others = 2;
  watch(client.call(quote.getKline, klines(2), context()));
  await pass(1_000);
  expect([...upstream.units.keys()]).toEqual(['HK.00002 6']);
});

test('after a reconnection nothing counts as subscribed', async () => {
  const { upstream, client, subscriptions, pass, context } = setUp();
  watch(subscriptions.subscribe([stream(price(1))]));
  watch(client.call(quote.getQuote, quotes(2), context()));
  await pass(100);
  upstream.units.clear();
  client.reset(false);
  subscriptions.reset();
  watch(subscriptions.subscribe([stream(price(1))]));
  const answer = watch(client.call(quote.getQuote, quotes(2), context()));
  await pass(100);
  expect(answer.value?.retType).toBe(0);
  expect(upstream.broken).toEqual([]);
});

test('streams missing from the upstream’s own list are resubscribed', async () => {
  const { upstream, subscriptions, pass, context } = setUp();
  watch(subscriptions.subscribe([stream(price(1)), stream(price(2))]));
  await pass(100);
  upstream.units.delete(`${price(2)} 1`);
  const lost = watch(subscriptions.verify(context()));
  await pass(100);
  expect(lost.value).toEqual([stream(price(2))]);
  expect([...upstream.units.keys()].sort()).toEqual([`${price(1)} 1`, `${price(2)} 1`]);
});

test('an operation that times out again and again is refused at once, and tried after a pause', async () => {
  const { upstream, client, pass, context } = setUp();
  upstream.says.set(3216, () => 'NN_ProtoRet_TimeOut');
  upstream.says.set(3211, () => 'NN_ProtoRet_TimeOut');
  const flow = (number: number) => create(quote.getCapitalFlow.messages.C2SSchema, { security: hk(number) });
  for (const number of [1, 2, 3]) {
    const answer = watch(client.call(quote.getCapitalFlow, flow(number), context()));
    await pass(60);
    expect(answer.error).toMatchObject({ kind: 'timed_out' });
  }
  const broken = watch(client.call(quote.getCapitalFlow, flow(4), context()));
  await pass(60);
  expect(broken.error).toMatchObject({ code: 'backend.unavailable', retryAfterSeconds: 5 });
  upstream.says.clear();
  await pass(5_000);
  const again = watch(client.call(quote.getCapitalFlow, flow(4), context()));
  await pass(60);
  expect(again.value?.retType).toBe(0);
  expect(upstream.of(3211)).toHaveLength(4);
});

test('a request refused for frequency is retried, orders included, and finally refused', async () => {
  const { upstream, client, pass, context } = setUp();
  let refusals = 1;
  upstream.says.set(3103, () => (refusals-- > 0 ? '获取历史K线频率太高，请求失败，每30秒最多60次。' : undefined));
  const request = create(quote.getHistoryKline.messages.C2SSchema, {
    security: hk(1),
    klType: 2,
    rehabType: 1,
    beginTime: 'a',
    endTime: 'b',
  });
  const read = watch(client.call(quote.getHistoryKline, request, context()));
  await pass(2_000);
  expect(read.value?.retType).toBe(0);
  const tooFrequent = 'PlaceOrder is too frequent, request failed, no more than 15 times every 30 seconds.';
  let crowded = 1;
  upstream.says.set(2202, () => (crowded-- > 0 ? tooFrequent : undefined));
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const place = create(trade.placeOrder.messages.C2SSchema, { header, code: '00700', qty: 1, trdSide: 1, orderType: 1 });
  const order = watch(client.call(trade.placeOrder, place, context()));
  // It says that nothing was done. It may have been too close to the one before: that is over soon.
  await pass(100);
  expect(order.value?.retType).toBe(0);
  expect(upstream.of(2202)).toHaveLength(2);
  upstream.says.set(2202, () => tooFrequent);
  const another = watch(client.call(trade.placeOrder, place, context()));
  await pass(10_000);
  expect(another.error).toMatchObject({ code: 'backend.rate' });
  expect(upstream.of(2202)).toHaveLength(2 + 5);
});
