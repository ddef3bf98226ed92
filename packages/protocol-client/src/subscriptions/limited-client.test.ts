import { create } from '@bufbuild/protobuf';
import { quote } from '@svc-gateway/contract/operations';
import type { QuoteStream, ResponseMessage } from '@svc-gateway/gateway';
import { expect, test } from 'vitest';
import { hk, klines, limitedSetUp, quotes, snapshots, watch } from '../../../../test/support/limited-client.js';
import { settle } from '../../../../test/support/strict-upstream.js';

/** Running streams of a symbol and type. */
const heldOf = ({ streams }: ReturnType<typeof limitedSetUp>['subscriptions'], name: Pick<QuoteStream, 'symbol' | 'subType'>) =>
  streams.all.filter(({ symbol, subType }) => symbol === name.symbol && subType === name.subType);

const stream = (symbol: string, more: Partial<QuoteStream> = {}): QuoteStream => ({
  symbol,
  subType: 1,
  rehabType: 0,
  extendedTime: false,
  ...more,
});
const price = (number: number) => `HK.${String(number).padStart(5, '0')}`;

test('a quote is subscribed to before it is read, without pushes, and once', async () => {
  const { upstream, client, pass, context } = limitedSetUp();
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
  const { client, pass, context } = limitedSetUp({ firstDataMs: 1_500 });
  const request = create(quote.getKline.messages.C2SSchema, { security: hk(700), klType: 2, rehabType: 1, reqNum: 10 });
  const answer = watch(client.call(quote.getKline, request, context()));
  await pass(1_000);
  expect(answer.value).toBeUndefined();
  await pass(1_000);
  expect((answer.value as ResponseMessage & { s2c: { klList: unknown[] } }).s2c.klList).toHaveLength(1);
});

test('a stream without data is answered empty after three seconds, and at once from then on', async () => {
  const { client, pass, context } = limitedSetUp({ firstDataMs: 1e9 });
  const request = create(quote.getOrderBook.messages.C2SSchema, { security: hk(800000), num: 10 });
  const answer = watch(client.call(quote.getOrderBook, request, context()));
  await pass(3_400);
  expect(answer.value?.retType).toBe(0);
  const again = watch(client.call(quote.getOrderBook, request, context()));
  await pass(60);
  expect(again.value?.retType).toBe(0);
});

test('a read that the upstream has forgotten the subscription of is subscribed to again', async () => {
  const { upstream, client, pass, context } = limitedSetUp();
  watch(client.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  upstream.units.clear();
  const answer = watch(client.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  expect(answer.value?.retType).toBe(0);
  expect(upstream.of(3001)).toHaveLength(2);
});

test('a stream of what was read before, and the upstream has forgotten since, is subscribed to again', async () => {
  const { upstream, client, subscriptions, pass, context } = limitedSetUp();
  watch(client.call(quote.getQuote, quotes(700), context()));
  await pass(50);
  upstream.units.clear();
  const started = watch(subscriptions.subscribe([stream('HK.00700')]));
  await pass(100);
  expect(started.value?.retType).toBe(0);
  expect([...upstream.pushed.keys()]).toEqual(['HK.00700 1']);
});

test('an unknown symbol is refused in the words of the upstream, and does not spoil those asked for with it', async () => {
  const { upstream, client, pass, context } = limitedSetUp();
  upstream.unknown.add('HK.00002');
  const answers = [1, 2, 3].map((number) => watch(client.call(quote.getQuote, quotes(number), context())));
  const snaps = [1, 2, 3].map((number) => watch(client.call(quote.getSnapshot, snapshots(number), context())));
  await pass(200);
  expect(answers.map(({ value }) => value?.retType)).toEqual([0, -1, 0]);
  expect(snaps.map(({ value }) => value?.retType)).toEqual([0, -1, 0]);
  expect(answers[1]?.value?.retMsg).toContain('未知股票');
});

test('streams are subscribed with pushes; streams subscribed for reads are registered', async () => {
  const { upstream, client, subscriptions, pass, context } = limitedSetUp();
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
  const { upstream, subscriptions, pass } = limitedSetUp();
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
  const { upstream, subscriptions, pass } = limitedSetUp();
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
  const { upstream, subscriptions, pass } = limitedSetUp();
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
  const { upstream, subscriptions, pass } = limitedSetUp();
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
  const { upstream, subscriptions, pass } = limitedSetUp();
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
  const { upstream, client, subscriptions, pass, context } = limitedSetUp({ quota: 4 });
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
  const { upstream, client, pass, context } = limitedSetUp({ quota: 8 });
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
  const { upstream, client, pass, context } = limitedSetUp({ quota: 2, others: 1 });
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
  const { upstream, subscriptions, pass } = limitedSetUp({ quota: 2 });
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
  const { upstream, client, pass, context } = limitedSetUp({ quota: 3 });
  watch(client.call(quote.getKline, klines(1), context()));
  await pass(62_000);
  upstream.others = 2;
  watch(client.call(quote.getKline, klines(2), context()));
  await pass(1_000);
  expect([...upstream.units.keys()]).toEqual(['HK.00002 6']);
});

test('after a reconnection nothing counts as subscribed', async () => {
  const { upstream, client, subscriptions, pass, context } = limitedSetUp();
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
  const { upstream, subscriptions, pass, context } = limitedSetUp();
  watch(subscriptions.subscribe([stream(price(1)), stream(price(2))]));
  await pass(100);
  upstream.units.delete(`${price(2)} 1`);
  const lost = watch(subscriptions.verify(context()));
  await pass(100);
  expect(lost.value).toEqual([stream(price(2))]);
  expect([...upstream.units.keys()].sort()).toEqual([`${price(1)} 1`, `${price(2)} 1`]);
});
