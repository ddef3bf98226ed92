import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { FakeBackend, FakeSink, lineFormat, lineOf, quote, stream, trade } from '../../../../test/support/push-fakes.js';
import { HUB_START, hubSetUp, mark, rethrow } from '../../../../test/support/push-hub.js';
import { PushHub } from './hub.js';

const tencent = stream('HK.00700');
const ticker = stream('HK.00700', 4);
const register = { push: true, first: true };

describe('first pushes', () => {
  it('go at once to the connections that newly receive the stream', async () => {
    const { backend, hub, join, settle } = hubSetUp();
    backend.currents.set('HK.00700 1 0', quote(tencent, 100));
    const [one, other] = [join(), join({ owner: 'key:b' })];
    await hub.subscribe(one.connection.ownOwner, [tencent], register);
    const sibling = join();
    await hub.subscribe('key:a', [tencent], register);
    await settle();
    await hub.subscribe('key:a', [tencent], register);
    const late = join();
    await settle();
    for (const { sink } of [one, sibling, late]) expect(sink.frames().map(mark)).toEqual([100]);
    expect(other.sink.writes).toBe(0);
  });

  it('are left out when not asked for, not allowed or not there', async () => {
    const { backend, hub, join, settle } = hubSetUp();
    backend.currents.set('HK.00700 1 0', quote(tencent, 100));
    const { sink } = join();
    const narrow = join({ owner: 'key:b', permits: () => false });
    await hub.subscribe('key:a', [tencent], { push: true, first: false });
    await hub.subscribe('key:a', [stream('US.AAPL')], register);
    await hub.subscribe('key:b', [tencent], register);
    await settle();
    expect(sink.writes + narrow.sink.writes).toBe(0);
  });

  it('wait while a command is being answered, and belong to their generation', async () => {
    const { backend, hub, join, settle } = hubSetUp();
    backend.currents.set('HK.00700 1 0', quote(tencent, 100));
    backend.currents.set('US.AAPL 1 0', quote(stream('US.AAPL'), 200));
    const { sink, connection } = join();
    connection.hold();
    await hub.subscribe(connection.ownOwner, [tencent, stream('US.AAPL')], register);
    await hub.subscriptions.unsubscribe(connection.ownOwner, [tencent]);
    // Subscribed again, but without a first push: that of the earlier generation must not come instead.
    await hub.subscribe(connection.ownOwner, [tencent], { push: true, first: false });
    connection.send(lineOf('{"type":"ack"}'));
    connection.release();
    await settle();
    expect(sink.frames().map(({ type, seq, symbol }) => [type, seq, symbol])).toEqual([
      ['ack', undefined, undefined],
      ['quote', 1, 'US.AAPL'],
    ]);
  });
});

describe('keys', () => {
  const hour = 60 * 60_000;

  it('lose their shared subscriptions an hour after their last use', async () => {
    const { hub, clock, join } = hubSetUp();
    const isHeld = () => hub.subscriptions.list('key:a').length > 0;
    const review = (ms: number) => {
      clock.advance(ms);
      return hub.idleKeys.review();
    };
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribe('anonymous', [tencent], register);
    expect(review(0)).toEqual([]);
    clock.advance(hour - 1);
    hub.idleKeys.used('a');
    hub.idleKeys.used('b');
    expect(review(hour - 1)).toEqual([]);
    const { connection } = join();
    expect(review(2 * hour)).toEqual([]);
    connection.disconnected();
    join({ owner: 'key:b' });
    expect(review(hour - 1)).toEqual([]);
    expect(isHeld()).toBe(true);
    expect(review(1)).toEqual(['a']);
    expect(isHeld()).toBe(false);
    expect(hub.subscriptions.list('anonymous')).toHaveLength(1);
    await hub.subscribe('key:a', [tencent], register);
    expect(review(hour)).toEqual([]);
  });

  it('take a share of the quota over all their connections', async () => {
    const backend = new FakeBackend();
    const hub = new PushHub({ backend, onDefect: rethrow, clock: new ManualClock(HUB_START), subscriptionQuota: 5 });
    const join = (keyId?: string) => {
      const owner = keyId === undefined ? 'anonymous' : `key:${keyId}`;
      const all = { iface: 'ws', owner, permits: () => true, format: lineFormat(), sink: new FakeSink() } as const;
      return hub.connect(keyId === undefined ? all : { ...all, keyId }).ownOwner;
    };
    const [one, other, stranger] = [join('a'), join('a'), join()];
    expect(await hub.subscribe('key:a', [tencent], register)).toMatchObject({ ok: true });
    expect(await hub.subscribe(one, [tencent, ticker], register)).toMatchObject({ ok: true });
    expect(await hub.subscribe(other, [stream('HK.00005')], register)).toMatchObject({ ok: false, reason: 'quota' });
    expect(
      await hub.subscribe(
        stranger,
        [1, 2, 3].map((code) => stream(`HK.0000${code}`)),
        register,
      ),
    ).toMatchObject({ ok: true });
  });

  it('lose their connections with 4401 and their subscriptions on revocation', async () => {
    const { backend, hub, join, settle } = hubSetUp();
    const [revoked, other] = [join({ keyId: 'a' }), join({ owner: 'key:b' })];
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribe('key:b', [tencent], register);
    await hub.subscribe(revoked.connection.ownOwner, [ticker], register);
    await hub.subscribeAccounts('key:a', [7n]);
    backend.push(quote(tencent, 1));
    hub.revokeOwner('key:a', 'key revoked');
    await settle();
    expect(revoked.sink.closed).toEqual({ code: 4401, reason: 'key revoked' });
    expect(revoked.sink.writes).toBe(0);
    expect(other.sink.frames().map(mark)).toEqual([1]);
    expect(hub.subscriptions.listAll().map(({ owner }) => owner)).toEqual(['key:b']);
    expect([...backend.running]).toEqual(['HK.00700 1 0']);
    expect(backend.accounts).toEqual([]);
  });

  it('lose disallowed events at once when narrowed, queued ones included', async () => {
    const { backend, hub, join, joinStuck, settle } = hubSetUp();
    const slow = await joinStuck();
    const quick = join();
    await hub.subscribe('key:a', [tencent, stream('US.AAPL')], register);
    await hub.subscribeAccounts('key:a', [7n]);
    for (const event of [quote(tencent, 1), quote(stream('US.AAPL'), 2), trade(7n, 1, 3n)]) backend.push(event);
    hub.updatePermits('key:a', (event) => event.type === 'quote' && event.stream.symbol === 'US.AAPL');
    backend.push(quote(tencent, 4));
    backend.push(trade(7n, 1, 5n));
    slow.sink.drain();
    slow.connection.drained();
    await settle();
    for (const { sink } of [slow, quick]) {
      expect(sink.frames().flatMap((frame) => (frame.type === 'notify' ? [] : [frame.symbol]))).toEqual(['US.AAPL']);
    }
  });
});
