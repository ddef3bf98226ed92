import { describe, expect, it } from 'vitest';
import { notify, quote, stream, trade } from '../../../../test/support/push-fakes.js';
import { hubSetUp, mark } from '../../../../test/support/push-hub.js';
import { TICKERS_MAX } from './backlog.js';

const tencent = stream('HK.00700');
const ticker = stream('HK.00700', 4);
const register = { push: true, first: true };
const tick = (frame: unknown) => (frame as { body: { ticker_list: { price: number }[] } }).body.ticker_list[0]?.price;

describe('generations', () => {
  it('nothing gathered for an ended subscription is delivered, also after subscribing again', async () => {
    const { backend, hub, join, settle } = hubSetUp();
    const { sink } = join();
    await hub.subscribe('key:a', [tencent, ticker], register);
    backend.push(quote(tencent, 1));
    backend.push(quote(ticker, 2));
    backend.push(notify('stays'));
    await hub.subscriptions.unsubscribe('key:a', [tencent]);
    await hub.subscribe('key:a', [tencent], register);
    // Both were awaited: make the pass come after them.
    await settle();
    backend.push(quote(tencent, 3));
    backend.push(quote(tencent, 4));
    void hub.subscriptions.unsubscribe('key:a', [tencent]);
    const again = hub.subscribe('key:a', [tencent], register);
    await settle();
    await again;
    backend.push(quote(tencent, 5));
    await settle();
    const marks = sink.frames().flatMap((frame) => (frame.sub_type === 1 ? [mark(frame)] : []));
    expect(marks).not.toContain(3);
    expect(marks).not.toContain(4);
    expect(marks.at(-1)).toBe(5);
    expect(sink.frames().map(({ seq }) => seq)).toEqual(sink.frames().map((_, index) => index + 1));
  });

  it('an event that nobody else has followed is taken back too, and only from those who ended', async () => {
    const { backend, hub, join, settle } = hubSetUp();
    const [one, other] = [join(), join({ owner: 'key:b' })];
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribe('key:b', [tencent], register);
    await settle();
    backend.push(quote(tencent, 1));
    void hub.subscriptions.unsubscribe('key:a', [tencent]);
    await settle();
    expect(one.sink.writes).toBe(0);
    expect(other.sink.frames().map(mark)).toEqual([1]);
  });

  it('nothing that waits for a slow reader outlives its subscription', async () => {
    const { backend, hub, joinStuck } = hubSetUp();
    const { sink, connection } = await joinStuck();
    await hub.subscribe('key:a', [tencent, ticker], register);
    await hub.subscribeAccounts('key:a', [7n]);
    for (const event of [quote(tencent, 1), quote(ticker, 2), trade(7n, 1, 3n), notify('stays')]) backend.push(event);
    await hub.subscriptions.unsubscribeAll('key:a');
    await hub.accounts.unsubscribe('key:a', [7n]);
    await hub.subscribe('key:a', [tencent, ticker], register);
    sink.drain();
    connection.drained();
    expect(sink.frames().map(({ type }) => type)).toEqual(['notify', 'notify']);
  });

  it('a connection that has the stream by another owner keeps it', async () => {
    const { backend, hub, join, settle } = hubSetUp();
    const { sink, connection } = join();
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribe(connection.ownOwner, [tencent], register);
    backend.push(quote(tencent, 1));
    void hub.subscriptions.unsubscribe('key:a', [tencent]);
    await settle();
    backend.push(quote(tencent, 2));
    await settle();
    expect(sink.frames().map(mark)).toEqual([1, 2]);
  });
});

describe('a slow reader', () => {
  it('receives the newest quote of each stream, and slows no other connection', async () => {
    const { backend, hub, join, joinStuck, settle } = hubSetUp();
    const slow = await joinStuck();
    const quick = join();
    const book = stream('HK.00700', 2);
    await hub.subscribe('key:a', [tencent, book], register);
    for (let price = 1; price <= 50; price++) {
      backend.push(quote(tencent, price));
      backend.push(quote(book, price));
      await settle();
    }
    expect(slow.sink.frames()).toHaveLength(1);
    expect(quick.sink.frames()).toHaveLength(100);
    expect(slow.connection.info()).toMatchObject({ conflatedCount: 98, sentCount: 1 });
    slow.sink.drain();
    slow.connection.drained();
    expect(slow.sink.frames().map((frame) => [frame.seq, frame.sub_type, frame.type === 'quote' ? mark(frame) : undefined])).toEqual([
      [1, undefined, undefined],
      [2, 1, 50],
      [3, 2, 50],
    ]);
    backend.push(quote(tencent, 51));
    await settle();
    expect(mark(slow.sink.frames().at(-1))).toBe(51);
  });

  it('loses the oldest tickers beyond the bound and is told how many, before the next one', async () => {
    const { backend, hub, joinStuck } = hubSetUp();
    const { sink, connection } = await joinStuck();
    const other = stream('US.AAPL', 4);
    await hub.subscribe('key:a', [ticker, other], register);
    backend.push(quote(other, 1));
    for (let price = 1; price <= TICKERS_MAX + 25; price++) backend.push(quote(ticker, price));
    sink.drain();
    connection.drained();
    const frames = sink.frames();
    expect(frames[1]).toMatchObject({ type: 'quote', symbol: 'US.AAPL' });
    expect(frames[2]).toMatchObject({ type: 'notify', seq: 3, proto_id: 1003, symbol: 'HK.00700', sub_type: 4, dropped: 25 });
    expect(frames[2]?.body).toMatchObject({ event: { desc: 'HK.00700: 25 ticker events were dropped, the connection reads too slowly' } });
    expect(frames.slice(3).map(tick)).toEqual([...Array(TICKERS_MAX)].map((_, index) => index + 26));
  });

  it('never loses a trade, and is closed with 1013 when its backlog passes the bound', async () => {
    const { backend, hub, joinStuck, join, settle } = hubSetUp(400_000);
    const slow = await joinStuck();
    const quick = join();
    await hub.subscribeAccounts('key:a', [7n]);
    for (let order = 1n; order <= 500n; order++) backend.push(trade(7n, 1, order));
    const bytes = slow.connection.info().backlogBytes;
    expect(bytes).toBeGreaterThan(64 * 1024 + 500 * 100);
    slow.sink.drain();
    slow.connection.drained();
    const orders = slow.sink
      .frames()
      .flatMap((frame) => (frame.type === 'trade' ? [(frame.body as { order: { order_id: number } }).order.order_id] : []));
    expect(orders).toEqual([...Array(500)].map((_, index) => index + 1));

    const stuck = await joinStuck();
    for (let order = 1n; order <= 4000n; order++) backend.push(trade(7n, 1, order));
    await settle();
    expect(stuck.sink.closed).toEqual({ code: 1013, reason: 'the backlog passed 400000 bytes: read faster or subscribe to less' });
    expect(hub.connections().map(({ id }) => id)).toEqual([slow.connection.id, quick.connection.id]);
    expect(quick.sink.closed).toBeUndefined();
    expect(quick.sink.frames().filter(({ type }) => type === 'trade')).toHaveLength(4500);
  });

  it('holds what is written meanwhile in at most one batch', async () => {
    const { backend, hub, joinStuck } = hubSetUp();
    const { sink, connection } = await joinStuck();
    await hub.subscribeAccounts('key:a', [7n]);
    for (let order = 1n; order <= 5000n; order++) backend.push(trade(7n, 1, order));
    sink.bufferedBytes = 0;
    connection.drained();
    // Still stuck: it was written to until its buffer was full again, and no further.
    expect(sink.bufferedBytes).toBeGreaterThan(64 * 1024);
    expect(sink.bufferedBytes).toBeLessThan(200 * 1024);
    sink.drain();
    connection.drained();
    expect(sink.frames().filter(({ type }) => type === 'trade')).toHaveLength(5000);
  });
});
