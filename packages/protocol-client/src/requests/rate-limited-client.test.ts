import { create } from '@bufbuild/protobuf';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { BackendRefused, BackendTimeout, type ResponseMessage } from '@svc-gateway/gateway';
import { expect, test } from 'vitest';
import { hk, limitedSetUp, snapshots, watch } from '../../../../test/support/limited-client.js';
import { settle } from '../../../../test/support/strict-upstream.js';

test('a list of 2,000 symbols is split at the bounds of the upstream and answered in order', async () => {
  const { upstream, client, pass, context } = limitedSetUp();
  const numbers = Array.from({ length: 2_000 }, (_, index) => 2_000 - index);
  const answer = watch(client.call(quote.getSnapshot, snapshots(...numbers), context()));
  await pass(200);
  const { s2c } = answer.value as ResponseMessage & { s2c: { snapshotList: { basic: { security: { code: string } } }[] } };
  expect(s2c.snapshotList.map(({ basic }) => Number(basic.security.code))).toEqual(numbers);
  expect(upstream.of(3203).map(({ c2s }) => (c2s.securityList as unknown[]).length)).toEqual([400, 400, 400, 400, 400]);
});

test('a refusal of one part of a long list says which part', async () => {
  const { upstream, client, pass, context } = limitedSetUp();
  upstream.unknown.add('HK.00450');
  const answer = watch(client.call(quote.getSnapshot, snapshots(...Array.from({ length: 1_000 }, (_, index) => index)), context()));
  await pass(200);
  expect(answer.value?.retType).toBe(-1);
  expect(answer.value?.retMsg).toBe('of the 1000 asked for, number 401 to 800: 未知股票 HK.00450');
});

test('300 snapshots asked for one by one, all at once, break no limit and are all answered', async () => {
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { clock, upstream, client, pass, context } = limitedSetUp();
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
  const { clock, upstream, client, pass } = limitedSetUp();
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
  const { clock, upstream, client, pass, context } = limitedSetUp({ latency: () => [1, 6_000] });
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
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { upstream, client, pass, context } = limitedSetUp();
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

test('an operation that times out again and again is refused at once, and tried after a pause', async () => {
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { upstream, client, pass, context } = limitedSetUp();
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
