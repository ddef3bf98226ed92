import { create, type Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import type { QuoteStream } from '@svc-gateway/gateway';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SteppingClock, StrictUpstream } from '../../../../test/support/strict-upstream.js';
import { limitedClient, publishedRules } from './live-reader.js';

const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
const hk = (number: number) => ({ market: 1, code: String(number).padStart(5, '0') });

/** Each operation that has a rule of its own, of a symbol. */
const kinds: readonly (readonly [Operation, (number: number) => Message])[] = [
  [quote.getQuote, (number) => create(quote.getQuote.messages.C2SSchema, { securityList: [hk(number)] })],
  [quote.getKline, (number) => create(quote.getKline.messages.C2SSchema, { security: hk(number), klType: 2, rehabType: 1, reqNum: 1 })],
  [quote.getOrderBook, (number) => create(quote.getOrderBook.messages.C2SSchema, { security: hk(number), num: 1 })],
  [quote.getSnapshot, (number) => create(quote.getSnapshot.messages.C2SSchema, { securityList: [hk(number), hk(number + 1)] })],
  [quote.getStaticInfo, (number) => create(quote.getStaticInfo.messages.C2SSchema, { securityList: [hk(number)] })],
  [quote.getMarketState, (number) => create(quote.getMarketState.messages.C2SSchema, { securityList: [hk(number)] })],
  [
    quote.getHistoryKline,
    (number) =>
      create(quote.getHistoryKline.messages.C2SSchema, {
        security: hk(number),
        klType: 2,
        rehabType: 1,
        beginTime: 'a',
        endTime: `${number}`,
      }),
  ],
  [account.getOrders, () => create(account.getOrders.messages.C2SSchema, { header, refreshCache: true })],
  [trade.placeOrder, (number) => create(trade.placeOrder.messages.C2SSchema, { header, code: '1', qty: number, trdSide: 1, orderType: 1 })],
  [
    trade.modifyOrder,
    (number) => create(trade.modifyOrder.messages.C2SSchema, { header, orderID: BigInt(number), modifyOrderOp: 1 + (number % 2) }),
  ],
];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      what: fc.nat(kinds.length - 1),
      symbol: fc.nat(30),
      ms: fc.integer({ min: 500, max: 60_000 }),
      goneAfter: fc.option(fc.integer({ min: 0, max: 5_000 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('burst' as const), what: fc.nat(kinds.length - 1), count: fc.integer({ min: 2, max: 60 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('hold' as const, 'let go' as const, 'drop' as const), symbol: fc.nat(6) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.oneof(fc.integer({ min: 50, max: 2_000 }), fc.integer({ min: 10_000, max: 40_000 })),
    }),
  },
);

test('whatever callers do, no rule of the upstream is broken, nothing held is given back, and nobody waits past the deadline', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(fc.tuple(fc.nat(400), fc.nat(400)), { minLength: 1, maxLength: 20 }),
      async (steps, ways) => {
        const clock = new SteppingClock(Date.UTC(2026, 10, 20, 3));
        let way = 0;
        const upstream = new StrictUpstream(clock, { quota: 20, latency: () => ways[way++ % ways.length] ?? [0, 0], firstDataMs: 700 });
        const { requests: client, subscriptions } = limitedClient(upstream, clock, publishedRules);
        const held = new Map<string, QuoteStream>();
        const late: string[] = [];
        const missing: string[] = [];
        let open = 0;
        const pass = (ms: number) =>
          clock.pass(ms, () => {
            for (const { symbol } of held.values())
              if (!upstream.units.has(`${symbol} 1`)) missing.push(`${symbol} at ${clock.monotonic()}`);
          });
        const call = (what: number, symbol: number, ms: number, goneAfter: number | null) => {
          const [operation, make] = kinds[what] ?? [quote.getQuote, () => create(quote.getQuote.messages.C2SSchema)];
          const deadline = clock.monotonic() + ms;
          const gone = new AbortController();
          if (goneAfter !== null && operation.effect === 'read') clock.after(goneAfter, () => gone.abort());
          open += 1;
          const end = () => {
            open -= 1;
            if (clock.monotonic() > deadline) late.push(`${operation.name} by ${clock.monotonic() - deadline}`);
          };
          Promise.resolve(client.call(operation, make(symbol), { deadline, signal: gone.signal })).then(end, end);
        };
        for (const each of steps) {
          if (each.kind === 'pass') await pass(each.ms);
          else if (each.kind === 'call') call(each.what, each.symbol, each.ms, each.goneAfter);
          else if (each.kind === 'burst') for (let number = 0; number < each.count; number += 1) call(each.what, number, 30_000, null);
          else if (each.kind === 'drop') {
            held.clear();
            upstream.drop();
            client.reset(false);
            subscriptions.reset();
          } else {
            const stream = { symbol: `HK.${hk(each.symbol).code}`, subType: 1, rehabType: 0, extendedTime: false };
            if (each.kind === 'hold') {
              const began = subscriptions.subscribe([stream]).then(
                () => held.set(stream.symbol, stream),
                () => undefined,
              );
              await Promise.race([began, pass(20_000)]);
              await began;
            } else {
              held.delete(stream.symbol);
              void subscriptions.unsubscribe([stream]);
            }
          }
        }
        await pass(65_000);
        // A read that was on its way when the connection was lost may come to the new one: it is then subscribed to and made again.
        const dropped = steps.some(({ kind }) => kind === 'drop');
        expect(upstream.broken.filter((rule) => !dropped || !rule.endsWith('unsubscribed'))).toEqual([]);
        expect(missing).toEqual([]);
        expect(late).toEqual([]);
        expect(open).toBe(0);
      },
    ),
    { numRuns: 40 },
  );
}, 120_000);
