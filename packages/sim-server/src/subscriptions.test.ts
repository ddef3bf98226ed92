import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import type { Backend, QuoteStream } from '@svc-gateway/gateway/backend';
import { streamKey } from '@svc-gateway/gateway/push';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Connected } from './connected.js';
import { Subscriptions } from './subscriptions.js';

const AGE_MS = 60_000;

/** A backend that takes its time to answer, and knows which streams run. */
function slowBackend() {
  const running = new Set<string>();
  const backend = {
    async subscribe(streams: readonly QuoteStream[]) {
      for (const stream of streams) running.add(streamKey(stream));
      await Promise.resolve();
      await Promise.resolve();
      return create(QotSub.ResponseSchema, { retType: 0 });
    },
    async unsubscribe(streams: readonly QuoteStream[]) {
      for (const stream of streams) running.delete(streamKey(stream));
      return undefined;
    },
  } as unknown as Backend;
  return { backend, running };
}

const clientOf = (id: number): Connected => ({ id: BigInt(id), gone: false }) as Connected;
const stream = (symbol: number, extendedTime: boolean): QuoteStream => ({
  symbol: `US.S${symbol}`,
  subType: 4,
  rehabType: 0,
  extendedTime,
});

const step = fc.record({
  kind: fc.constantFrom('subscribe', 'unsubscribe', 'leave', 'wait'),
  client: fc.integer({ min: 0, max: 2 }),
  symbol: fc.integer({ min: 0, max: 2 }),
  extended: fc.boolean(),
  settle: fc.boolean(),
});

describe('subscriptions', () => {
  it('run at the backend exactly while somebody holds them, in whatever order things happen', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new ManualClock(0);
        const { backend, running } = slowBackend();
        const subscriptions = new Subscriptions({ backend, clock, ageMsMin: AGE_MS });
        const clients = [0, 1, 2].map(clientOf);
        let under: Promise<unknown>[] = [];
        for (const { kind, client: index, symbol, extended, settle } of steps) {
          const client = clients[index] as Connected;
          if (kind === 'subscribe') under.push(subscriptions.subscribe(client, [stream(symbol, extended)], true));
          if (kind === 'unsubscribe') under.push(subscriptions.unsubscribe(client, new Set([`US.S${symbol} 4`])));
          if (kind === 'leave') under.push(subscriptions.left(client));
          if (kind === 'wait') clock.advance(AGE_MS / 2);
          if (settle) under = (await Promise.all(under)) && [];
        }
        await Promise.all(under);
        const held = clients.flatMap((client) => subscriptions.of(client).map((one) => streamKey(one.stream)));
        expect([...running].sort()).toEqual([...new Set(held)].sort());
        for (const client of clients) {
          const units = subscriptions.of(client).map(({ stream: { symbol } }) => symbol);
          // With and without extended hours are one unit, of which a client holds one.
          expect(new Set(units).size).toBe(units.length);
          for (const symbol of units) expect(subscriptions.units()).toContain(`${symbol} 4`);
        }
        clock.advance(AGE_MS);
        expect(subscriptions.units().size).toBe(new Set(held.map((key) => key.split(' ')[0])).size);
      }),
    );
  });
});
