import { ManualClock } from '@svc-gateway/contract/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answer, FakeBackend, stream, turn } from '../../../../test/support/push-fakes.js';
import { BackendRefused, BackendUnsent } from '../backend-failures.js';
import { KeyShares } from './key-shares.js';
import { streamKey } from './streams.js';
import { type Subscription, Subscriptions } from './subscriptions.js';

const tencent = stream('HK.00700');
const hsbc = stream('HK.00005');
const options = { push: true, first: true };

/** Connections are of the key "a". */
const keyOwnerOf = (owner: string) => (owner.startsWith('conn:') ? 'key:a' : owner.startsWith('key:') ? owner : undefined);

function setUp(quota = 1000, perKey = quota) {
  const backend = new FakeBackend();
  const clock = new ManualClock(0);
  const log: string[] = [];
  const told =
    (word: string) =>
    ({ owner, key }: Subscription) =>
      log.push(`${word} ${owner} ${key}`);
  const subscriptions = new Subscriptions(
    backend,
    { started: told('started'), ended: told('ended'), changed: () => undefined },
    () => quota,
    new KeyShares(keyOwnerOf, () => perKey),
    (ms, action) => clock.after(ms, action),
  );
  return { backend, subscriptions, log, clock };
}

describe('subscriptions', () => {
  it('start a stream with the first owner and stop it with the last', async () => {
    const { backend, subscriptions } = setUp();
    await subscriptions.subscribe('key:a', [tencent], options);
    await subscriptions.subscribe('key:b', [tencent], options);
    await subscriptions.unsubscribe('key:a', [tencent]);
    expect(backend.calls).toEqual(['+HK.00700 1 0']);
    await subscriptions.unsubscribe('key:b', [tencent]);
    expect(backend.calls).toEqual(['+HK.00700 1 0', '-HK.00700 1 0']);
    expect(subscriptions.listAll()).toEqual([]);
    expect(subscriptions.desired()).toEqual([]);
  });

  it('tell when an owner begins and ceases to receive', async () => {
    const { subscriptions, log } = setUp();
    await subscriptions.subscribe('key:a', [tencent], options);
    await subscriptions.subscribe('key:a', [tencent], options);
    void subscriptions.unsubscribe('key:a', [tencent]);
    expect(log).toEqual(['started key:a HK.00700 1 0', 'ended key:a HK.00700 1 0']);
  });

  it('without push registration are listed but receive nothing', async () => {
    const { subscriptions, log } = setUp();
    await subscriptions.subscribe('key:a', [tencent], { push: false, first: true });
    expect(subscriptions.list('key:a')).toHaveLength(1);
    expect(subscriptions.receivers(streamKey(tencent))).toEqual([]);
    const before = subscriptions.list('key:a')[0]?.generation;
    await subscriptions.subscribe('key:a', [tencent], options);
    expect(subscriptions.receivers(streamKey(tencent))).toEqual(['key:a']);
    expect(subscriptions.list('key:a')[0]?.generation).not.toBe(before);
    await subscriptions.subscribe('key:a', [tencent], { push: undefined, first: true });
    expect(subscriptions.receivers(streamKey(tencent))).toEqual(['key:a']);
    await subscriptions.subscribe('key:a', [tencent], { push: false, first: true });
    expect(log).toEqual(['started key:a HK.00700 1 0', 'ended key:a HK.00700 1 0']);
  });

  it('are taken back when the backend refuses, with what it may have started', async () => {
    const { backend, subscriptions, log } = setUp();
    await subscriptions.subscribe('key:a', [tencent], options);
    backend.refuse = (streams) => (streams.some(({ symbol }) => symbol === 'HK.00005') ? answer(-1, 'no such symbol') : undefined);
    const outcome = await subscriptions.subscribe('key:b', [tencent, hsbc], options);
    expect(outcome).toMatchObject({ ok: false, reason: 'backend', message: 'no such symbol', retType: -1 });
    expect(subscriptions.list('key:b')).toEqual([]);
    expect(subscriptions.list('key:a')).toHaveLength(1);
    expect([...backend.running]).toEqual(['HK.00700 1 0']);
    expect(backend.calls.at(-1)).toBe('-HK.00005 1 0');
    expect(log).toEqual(['started key:a HK.00700 1 0']);
    expect(subscriptions.usedQuota).toBe(1);
  });

  it('of one owner do not fall with a refusal of another that waited for the same stream', async () => {
    const { backend, subscriptions } = setUp();
    backend.refuse = (streams) => (streams.length > 1 ? answer(-1, 'no') : undefined);
    const [both, one, again] = await Promise.all([
      subscriptions.subscribe('key:a', [tencent, hsbc], options),
      subscriptions.subscribe('key:b', [tencent], options),
      subscriptions.subscribe('key:a', [tencent], options),
    ]);
    expect([both.ok, one.ok, again.ok]).toEqual([false, true, true]);
    expect([...subscriptions.receivers(streamKey(tencent))].sort()).toEqual(['key:a', 'key:b']);
    expect([...backend.running]).toEqual(['HK.00700 1 0']);
  });

  it('are refused beyond the quota, which counts a symbol and type once', async () => {
    const { subscriptions } = setUp(2);
    const kline = (rehab: number) => stream('HK.00700', 6, rehab);
    expect((await subscriptions.subscribe('key:a', [kline(0), kline(1), tencent], options)).ok).toBe(true);
    expect((await subscriptions.subscribe('key:b', [kline(2)], options)).ok).toBe(true);
    const outcome = await subscriptions.subscribe('key:b', [hsbc], options);
    expect(outcome).toMatchObject({ ok: false, reason: 'quota' });
    expect(outcome.ok || outcome.message).toBe('subscription quota exceeded: 2 of 2 in use, 1 more requested; unsubscribe first');
    await subscriptions.unsubscribeAll('key:a');
    expect(subscriptions.usedQuota).toBe(1);
    expect((await subscriptions.subscribe('key:b', [hsbc], options)).ok).toBe(true);
  });

  it('of one key are refused beyond its share, over all that subscribe with it', async () => {
    const { subscriptions } = setUp(1000, 2);
    expect((await subscriptions.subscribe('key:a', [tencent], options)).ok).toBe(true);
    expect((await subscriptions.subscribe('conn:1', [tencent, stream('HK.00700', 4)], options)).ok).toBe(true);
    const refused = {
      ok: false,
      reason: 'quota',
      message: expect.stringContaining('of the key exceeded: 2 of 2 in use, 1 more requested'),
    };
    expect(await subscriptions.subscribe('conn:2', [hsbc], options)).toMatchObject(refused);
    expect(await subscriptions.subscribe('wait:1', [hsbc], { ...options, holder: 'key:a' })).toMatchObject(refused);
    expect((await subscriptions.subscribe('anonymous', [hsbc], options)).ok).toBe(true);
    expect((await subscriptions.subscribe('key:b', [hsbc], options)).ok).toBe(true);
    await subscriptions.unsubscribeAll('key:a');
    expect(await subscriptions.subscribe('conn:2', [hsbc], options)).toMatchObject(refused);
    await subscriptions.unsubscribe('conn:1', [tencent]);
    expect((await subscriptions.subscribe('conn:2', [hsbc], options)).ok).toBe(true);
  });

  it('end although the backend has not answered yet', async () => {
    const { backend, subscriptions, log } = setUp();
    backend.holding = true;
    const subscribing = subscriptions.subscribe('conn:1', [tencent], options);
    await turn();
    const ending = subscriptions.unsubscribeAll('conn:1');
    backend.settle();
    await turn();
    backend.settle();
    await Promise.all([subscribing, ending]);
    expect(backend.calls).toEqual(['+HK.00700 1 0', '-HK.00700 1 0']);
    expect(backend.running.size).toBe(0);
    expect(log).toEqual([]);
  });

  it('survive a backend that loses its connection: the rest is refused, the desired streams are known', async () => {
    const { backend, subscriptions } = setUp();
    await subscriptions.subscribe('key:a', [tencent], options);
    backend.refuse = () => {
      throw new Error('connection lost');
    };
    const outcome = await subscriptions.subscribe('key:a', [hsbc], options);
    expect(outcome).toMatchObject({ ok: false, message: 'the backend did not answer: connection lost' });
    expect(subscriptions.desired()).toEqual([tencent]);
  });

  it.each([
    ['a reason that passes', () => new BackendRefused('backend.failed', 'the server failed')],
    ['an answer that is none', () => answer(-200, 'disconnected')],
    ['want of an answer', () => new BackendUnsent('8192 requests wait for the server already')],
  ])('not restored for %s are restored again later', async (_, failure) => {
    const { backend, subscriptions } = setUp();
    await subscriptions.subscribe('key:a', [tencent, hsbc], options);
    backend.drop();
    subscriptions.lost('all');
    backend.refuse = (streams) => {
      const failed = streams.some(({ symbol }) => symbol === tencent.symbol) ? failure() : undefined;
      if (failed instanceof Error) throw failed;
      return failed;
    };
    const first = await subscriptions.restore('all');
    expect(first.ended).toEqual([]);
    expect(first.overdue()).toContainEqual(tencent);
    backend.refuse = () => undefined;
    const second = await subscriptions.restore(first.overdue());
    expect(second.overdue()).toEqual([]);
    expect(backend.running.size).toBe(2);
  });

  it('in progress survive the loss of others', async () => {
    const { backend, subscriptions } = setUp();
    await subscriptions.subscribe('key:b', [hsbc], options);
    backend.holding = true;
    const made = subscriptions.subscribe('key:a', [tencent], options);
    await turn();
    subscriptions.lost([hsbc]);
    backend.holding = false;
    backend.settle();
    expect(await made).toEqual({ ok: true });
    await subscriptions.restore([hsbc]);
    expect(subscriptions.lost([tencent])).toEqual([streamKey(tencent)]);
    await subscriptions.restore([tencent]);
    await subscriptions.unsubscribeAll('key:a');
    expect([...backend.running]).toEqual([streamKey(hsbc)]);
  });

  it('of a stream that the backend starts after its end are ended again', async () => {
    const { backend, subscriptions, clock } = setUp();
    backend.holding = true;
    const made = subscriptions.subscribe('key:a', [tencent], options);
    await turn();
    clock.advance(60_000);
    await turn();
    backend.holding = false;
    backend.settle(1);
    expect(await made).toMatchObject({ ok: false, message: 'the backend did not answer: no answer within 60 seconds' });
    backend.settle();
    expect(backend.running.size).toBe(0);
    await turn();
    expect(backend.calls).toEqual(['+HK.00700 1 0', '-HK.00700 1 0', '-HK.00700 1 0']);
    expect([backend.running.size, subscriptions.usedQuota]).toEqual([0, 0]);
  });

  it('in progress are unaffected by the refusal of a restoration', async () => {
    const { backend, subscriptions } = setUp();
    await subscriptions.subscribe('key:a', [tencent], options);
    backend.drop();
    subscriptions.lost('all');
    let refusals = 0;
    backend.refuse = () => (refusals++ === 0 ? answer(-1, 'not yet') : undefined);
    const [restored, outcome] = await Promise.all([subscriptions.restore('all'), subscriptions.subscribe('key:b', [tencent], options)]);
    expect(restored.ended.map(({ subscription }) => subscription.owner)).toEqual(['key:a']);
    expect(outcome).toEqual({ ok: true });
    expect(subscriptions.receivers(streamKey(tencent))).toEqual(['key:b']);
    expect([...backend.running]).toEqual([streamKey(tencent)]);
  });

  it('end in the right state however subscribing, unsubscribing and answers interleave', async () => {
    const streams = [tencent, hsbc, stream('US.AAPL', 4)];
    const owners = ['key:a', 'key:b', 'conn:1'];
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom('subscribe' as const, 'unsubscribe' as const),
        owner: fc.constantFrom(...owners),
        streams: fc.subarray(streams, { minLength: 1 }),
      }),
      fc.record({ kind: fc.constant('settle' as const), index: fc.nat(3) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { backend, subscriptions } = setUp();
        backend.holding = true;
        const wanted = new Map(owners.map((owner) => [owner, new Set<string>()]));
        const pending: Promise<unknown>[] = [];
        for (const one of steps) {
          if (one.kind === 'settle') {
            backend.settle(one.index);
            await turn();
            continue;
          }
          const own = wanted.get(one.owner)!;
          if (one.kind === 'subscribe') pending.push(subscriptions.subscribe(one.owner, one.streams, options));
          else pending.push(subscriptions.unsubscribe(one.owner, one.streams));
          for (const { symbol, subType } of one.streams) {
            if (one.kind === 'subscribe') own.add(`${symbol} ${subType} 0`);
            else own.delete(`${symbol} ${subType} 0`);
          }
        }
        backend.holding = false;
        while (backend.held > 0) {
          backend.settle();
          await turn();
        }
        await Promise.all(pending);
        for (const owner of owners) expect(new Set(subscriptions.list(owner).map(({ key }) => key))).toEqual(wanted.get(owner));
        const desired = new Set([...wanted.values()].flatMap((own) => [...own]));
        expect(backend.running).toEqual(desired);
        expect(new Set(subscriptions.desired().map(streamKey))).toEqual(desired);
        expect(subscriptions.usedQuota).toBe(desired.size);
      }),
      { numRuns: 200 },
    );
  });

  it('end in the right state whatever is lost, refused and restored meanwhile', async () => {
    const streams = [tencent, hsbc, stream('US.AAPL', 4)];
    const owners = ['key:a', 'conn:1'];
    const step = fc.oneof(
      fc.record({
        kind: fc.constantFrom('subscribe' as const, 'unsubscribe' as const),
        owner: fc.constantFrom(...owners),
        streams: fc.subarray(streams, { minLength: 1 }),
      }),
      fc.record({ kind: fc.constantFrom('settle' as const, 'lose' as const, 'restore' as const, 'wait' as const) }),
      fc.record({ kind: fc.constant('keep' as const), keeps: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { backend, subscriptions, clock } = setUp();
        backend.holding = true;
        const pending: Promise<unknown>[] = [];
        for (const one of steps) {
          switch (one.kind) {
            case 'subscribe':
              pending.push(subscriptions.subscribe(one.owner, one.streams, options));
              break;
            case 'unsubscribe':
              pending.push(subscriptions.unsubscribe(one.owner, one.streams));
              break;
            case 'keep':
              backend.keep = (kept) => (one.keeps ? { streams: kept, message: 'too early', retryAfterMs: 60_000 } : undefined);
              break;
            case 'settle':
              backend.settle();
              break;
            case 'lose':
              backend.drop();
              subscriptions.lost('all');
              break;
            case 'restore':
              pending.push(subscriptions.restore('all'));
              break;
            case 'wait':
              clock.advance(60_000);
          }
          await turn();
        }
        backend.keep = () => undefined;
        pending.push(subscriptions.restore('all'));
        const settleAll = async () => {
          await turn();
          while (backend.held > 0) {
            backend.settle();
            await turn();
          }
        };
        await settleAll();
        await Promise.all(pending);
        // Streams that the backend failed to release are released eventually.
        for (let times = 0; times < 3; times++) {
          clock.advance(60_000);
          await settleAll();
        }
        const desired = new Set(subscriptions.desired().map(streamKey));
        expect(backend.running).toEqual(desired);
        expect(subscriptions.usedQuota).toBe(desired.size);
        expect(new Set(owners.flatMap((owner) => subscriptions.list(owner).map(({ key }) => key)))).toEqual(desired);
      }),
      { numRuns: 500 },
    );
  });
});
