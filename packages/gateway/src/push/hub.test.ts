import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { FakeBackend, FakeSink, lineFormat, lineOf, notify, quote, stream, trade, turn } from '../../../../test/support/push-fakes.js';
import type { PushEvent } from '../backend.js';
import { TICKERS_MAX } from './backlog.js';
import type { PushFormat } from './format.js';
import { BytesFrame } from './frame.js';
import { PushHub } from './hub.js';
import type { ConnectOptions } from './member.js';
import { uint32LeNumbers, unnumbered } from './numbering.js';

const rethrow = (error: unknown) => {
  throw error;
};

const START = Date.UTC(2026, 7, 3, 2);
const tencent = stream('HK.00700');
const ticker = stream('HK.00700', 4);
const register = { push: true, first: true };
const mark = (frame: unknown) => (frame as { body: { basic_qot_list: { cur_price: number }[] } }).body.basic_qot_list[0]?.cur_price;
const tick = (frame: unknown) => (frame as { body: { ticker_list: { price: number }[] } }).body.ticker_list[0]?.price;

function setUp(maxBacklogBytes?: number) {
  const backend = new FakeBackend();
  const clock = new ManualClock(START);
  const hub = new PushHub({ backend, onDefect: rethrow, clock, ...(maxBacklogBytes === undefined ? {} : { maxBacklogBytes }) });
  const format = lineFormat();
  const join = (options: Partial<ConnectOptions> = {}) => {
    const sink = new FakeSink();
    const all = { iface: 'ws', owner: 'key:a', permits: () => true, format, ...options } as const;
    return { sink, connection: hub.connect({ ...all, sink }) };
  };
  /** Lets everything leave that waits for the end of the turn or of a gathering. */
  const settle = async () => {
    await turn();
    clock.advance(1);
  };
  /** A connection whose socket takes nothing more, at number 1. */
  const joinStuck = async (options: Partial<ConnectOptions> = {}) => {
    const joined = join(options);
    joined.sink.stuck = true;
    joined.sink.bufferedBytes = 64 * 1024;
    backend.push(notify('the write that fills the buffer'));
    await settle();
    return joined;
  };
  return { backend, clock, hub, join, joinStuck, settle };
}

describe('formats', () => {
  it('encode each event once, however many connections there are, and number it for each', async () => {
    const { backend, hub, join, settle } = setUp();
    const formats = [lineFormat(), lineFormat(), lineFormat()];
    const joined = [...Array(30)].map((_, index) => join({ format: formats[index % 3]! }));
    backend.push(notify('one'));
    await settle();
    joined.push(join({ format: formats[0]! }));
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribeAccounts('key:a', [7n]);
    // Single events, bursts, and what waits for slow readers.
    for (const { sink } of joined.slice(0, 6)) sink.stuck = true;
    for (let price = 1; price <= 20; price++) {
      backend.push(quote(tencent, price));
      if (price % 3 === 0) await settle();
    }
    backend.push(trade(7n, 1, 1n));
    await settle();
    for (const { sink, connection } of joined) {
      sink.drain();
      connection.drained();
    }
    for (const format of formats) {
      expect(format.encoded).toHaveLength(22);
      expect(new Set(format.encoded).size).toBe(22);
    }
    for (const [index, { sink }] of joined.entries()) {
      expect(sink.frames().map(({ seq }) => seq)).toEqual([...Array(index === 30 ? 21 : 22)].map((_, place) => place + 1));
    }
  });

  it('may number with fixed bytes in place, or not at all', async () => {
    const { backend, join, settle } = setUp();
    const fixed = (numbering: PushFormat['numbering']): PushFormat => ({
      numbering,
      event: (_, content) => new BytesFrame(content, Buffer.from('<'), Buffer.from('>')),
      gap: (_, content) => new BytesFrame(content, Buffer.from('gap')),
    });
    const [serial, plain] = [fixed(uint32LeNumbers), fixed(unnumbered)];
    const early = [join({ format: serial }), join({ format: plain })];
    backend.push(notify('one'));
    await settle();
    const late = [join({ format: serial }), join({ format: plain })];
    backend.push(notify('two'));
    backend.push(notify('three'));
    await settle();
    const text = ({ sink }: { sink: FakeSink }) => sink.bytes().toString('latin1');
    expect(early.map(text)).toEqual(['<\x01\0\0\0><\x02\0\0\0><\x03\0\0\0>', '<><><>']);
    expect(late.map(text)).toEqual(['<\x01\0\0\0><\x02\0\0\0>', '<><>']);
    expect(early.map(({ connection }) => connection.info().sentCount)).toEqual([3, 3]);
  });
});

describe('the greeting', () => {
  it('comes at once, or so much later as a connection says, and not to one that has gone by then', async () => {
    const backend = new FakeBackend();
    const clock = new ManualClock(START);
    const hub = new PushHub({ backend, onDefect: rethrow, clock, greeting: () => [notify('hello')] });
    const join = (more: Partial<ConnectOptions>) => {
      const sink = new FakeSink();
      const all = { iface: 'ws', owner: 'key:a', permits: () => true, format: lineFormat(), sink, ...more };
      return { sink, connection: hub.connect(all) };
    };
    const [now, later, gone] = [join({}), join({ greetAfterMs: 1_000 }), join({ greetAfterMs: 1_000 })];
    const frames = () => [now, later, gone].map(({ sink }) => sink.frames().length);
    await turn();
    clock.advance(998);
    await turn();
    expect(frames()).toEqual([1, 0, 0]);
    gone.connection.disconnected();
    clock.advance(2);
    await turn();
    clock.advance(1);
    expect(frames()).toEqual([1, 1, 0]);
  });
});

describe('what a connection asks for', () => {
  it('may be its own subscriptions alone', async () => {
    const { backend, hub, join, settle } = setUp();
    backend.currents.set('HK.00700 4 0', quote(ticker, 100));
    await hub.subscribe('key:a', [ticker], register);
    const { sink, connection } = join({ receives: 'own' });
    await hub.subscribe(connection.ownOwner, [tencent], register);
    await hub.subscribeAccounts('key:a', [7n]);
    for (const event of [quote(ticker, 1), quote(tencent, 2), trade(7n, 1, 1n)]) backend.push(event);
    await settle();
    expect(sink.frames().map(({ sub_type }) => sub_type)).toEqual([1]);
    expect(connection.info().subscriptionCount).toBe(1);
    hub.updatePermits('key:a', () => false);
    backend.push(quote(tencent, 3));
    await settle();
    expect(sink.frames()).toHaveLength(1);
    hub.revokeOwner('key:a', 'key revoked');
    expect(sink.closed).toEqual({ code: 4401, reason: 'key revoked' });
    expect(hub.subscriptions.listAll()).toEqual([]);
  });

  it('is pushed once, with extended hours, where its key wants them and it does not', async () => {
    const { backend, hub, join, settle } = setUp();
    const [regular, extended] = [stream('US.AAPL', 4), stream('US.AAPL', 4, 0, true)];
    await hub.subscribe('key:a', [extended], register);
    const { sink, connection } = join();
    await hub.subscribe(connection.ownOwner, [regular], register);
    const both = (mark: number) => {
      backend.push(quote(regular, mark));
      backend.push(quote(extended, mark));
    };
    both(1);
    await settle();
    expect(sink.frames().map(tick)).toEqual([1]);
    // The connection keeps a stream that its key gives up.
    await hub.subscriptions.unsubscribe('key:a', [extended]);
    both(2);
    await settle();
    expect(sink.frames().map(tick)).toEqual([1, 2]);
    await hub.subscribe('key:a', [extended], register);
    both(3);
    await settle();
    expect(sink.frames().map(tick)).toEqual([1, 2, 3]);
  });

  it('may leave out kinds of events, the notice of a gap too', async () => {
    const { backend, hub, join, settle } = setUp();
    const wants = (event: PushEvent) => event.type === 'trade' || (event.type === 'quote' && event.stream.subType === 4);
    const [quick, slow] = [join({ wants }), join({ wants })];
    slow.sink.stuck = true;
    slow.sink.bufferedBytes = 64 * 1024;
    await hub.subscribe('key:a', [tencent, ticker], register);
    await hub.subscribeAccounts('key:a', [7n]);
    for (const event of [trade(7n, 1, 1n), notify('x'), quote(tencent, 1)]) backend.push(event);
    await settle();
    for (let price = 1; price <= TICKERS_MAX + 5; price++) backend.push(quote(ticker, price));
    await settle();
    slow.sink.drain();
    slow.connection.drained();
    for (const [{ sink }, ticks] of [
      [quick, TICKERS_MAX + 5],
      [slow, TICKERS_MAX],
    ] as const) {
      expect(sink.frames()[0]).toMatchObject({ type: 'trade', seq: 1 });
      expect(
        sink
          .frames()
          .slice(1)
          .map(({ sub_type }) => sub_type),
      ).toEqual(Array(ticks).fill(4));
    }
  });
});

describe('an answer of the interface', () => {
  it('leaves at once, after what came before it, and does not hold up the events after it', async () => {
    const { backend, hub, join } = setUp();
    const { sink, connection } = join();
    await hub.subscribe('key:a', [tencent], register);
    backend.push(quote(tencent, 1));
    backend.push(quote(tencent, 2));
    connection.send(lineOf('{"type":"ack"}'));
    expect(sink.frames().map(({ type, seq }) => [type, seq])).toEqual([
      ['quote', 1],
      ['quote', 2],
      ['ack', undefined],
    ]);
    await turn();
    backend.push(quote(tencent, 3));
    connection.send(lineOf('{"type":"ack"}'));
    expect(sink.frames().map(({ seq }) => seq)).toEqual([1, 2, undefined, 3, undefined]);
  });
});

describe('delivery', () => {
  it('reaches the connections of the subscribed owners, once each, with numbers of their own', async () => {
    const { backend, hub, join, settle } = setUp();
    const [first, other] = [join(), join({ owner: 'key:b' })];
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribe(first.connection.ownOwner, [tencent], register);
    backend.push(quote(tencent, 1));
    await settle();
    const late = join();
    backend.push(quote(tencent, 2));
    await settle();
    expect(first.sink.frames().map((frame) => [frame.seq, mark(frame)])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(late.sink.frames().map((frame) => [frame.seq, mark(frame)])).toEqual([[1, 2]]);
    expect(other.sink.writes).toBe(0);
  });

  it('leaves at the end of the turn when idle, and gathers for a millisecond after a pass', async () => {
    const { backend, clock, hub, join } = setUp();
    const { sink } = join();
    await hub.subscribe('key:a', [tencent], register);
    backend.push(quote(tencent, 1));
    backend.push(quote(tencent, 2));
    await Promise.resolve();
    expect(sink.writes).toBe(1);
    backend.push(quote(tencent, 3));
    backend.push(quote(tencent, 4));
    await turn();
    expect(sink.writes).toBe(1);
    clock.advance(1);
    expect(sink.writes).toBe(2);
    expect(sink.frames().map((frame) => frame.seq)).toEqual([1, 2, 3, 4]);
    clock.advance(1);
    backend.push(quote(tencent, 5));
    await Promise.resolve();
    expect(sink.writes).toBe(3);
  });

  it('is not held up by a clock that is set back', async () => {
    const clock = new ManualClock(START);
    const backend = new FakeBackend();
    const hub = new PushHub({ backend, onDefect: rethrow, clock });
    const sink = new FakeSink();
    hub.connect({ iface: 'ws', owner: 'key:a', permits: () => true, format: lineFormat(), sink });
    backend.push(notify('before'));
    await turn();
    clock.step(-3_600_000);
    clock.advance(1);
    backend.push(notify('after'));
    await turn();
    expect(sink.frames()).toHaveLength(2);
  });

  it('gives trade events to the owners of the account whose rights allow them, and notifications to all', async () => {
    const { backend, hub, join, settle } = setUp();
    const onlyHk = (event: PushEvent) => event.type !== 'trade' || event.trdMarket === 1;
    const [allowed, narrow, other] = [join(), join({ permits: onlyHk }), join({ owner: 'key:b' })];
    await hub.subscribeAccounts('key:a', [7n]);
    backend.push(trade(7n, 2, 1n));
    backend.push(trade(7n, 1, 2n));
    backend.push(trade(8n, 1, 3n));
    backend.push(notify('all'));
    await settle();
    expect(backend.accounts).toEqual([7n]);
    expect(allowed.sink.frames().map(({ type }) => type)).toEqual(['trade', 'trade', 'notify']);
    expect(narrow.sink.frames().map(({ type }) => type)).toEqual(['trade', 'notify']);
    expect(other.sink.frames().map(({ type }) => type)).toEqual(['notify']);
    await hub.accounts.unsubscribe('key:a', [7n]);
    backend.push(trade(7n, 1, 4n));
    await settle();
    expect(backend.accounts).toEqual([]);
    expect(allowed.sink.frames()).toHaveLength(3);
  });

  it('registers no account that the backend refuses', async () => {
    const { backend, hub, join, settle } = setUp();
    const { sink } = join();
    backend.refuseAccounts = { ...trade(7n, 1, 1n).message, retType: -1, retMsg: 'no such account', errCode: 0 };
    expect(await hub.subscribeAccounts('key:a', [7n])).toMatchObject({ ok: false, message: 'no such account' });
    backend.push(trade(7n, 1, 1n));
    await settle();
    expect(sink.writes).toBe(0);
    expect(hub.accounts.desired()).toEqual([]);
  });

  it('filters quotes by the rights of the connection', async () => {
    const { backend, hub, join, settle } = setUp();
    const { sink, connection } = join({ permits: (event) => event.type !== 'quote' || event.stream.symbol.startsWith('US.') });
    await hub.subscribe('key:a', [tencent, stream('US.AAPL')], register);
    backend.push(quote(tencent, 1));
    backend.push(quote(stream('US.AAPL'), 2));
    await settle();
    expect(sink.frames().map(({ symbol }) => symbol)).toEqual(['US.AAPL']);
    connection.setPermits(() => true);
    backend.push(quote(tencent, 3));
    await settle();
    expect(sink.frames().map(({ symbol }) => symbol)).toEqual(['US.AAPL', 'HK.00700']);
  });
});

describe('a buffer that is shared', () => {
  it('stays as it is while a socket still holds it', async () => {
    const { backend, hub, join, settle } = setUp();
    const early = join();
    backend.push(notify('only for the first'));
    await settle();
    const late = join();
    await hub.subscribe('key:a', [tencent], register);
    early.sink.stuck = true;
    backend.push(quote(tencent, 1));
    backend.push(quote(tencent, 2));
    await settle();
    early.sink.drain();
    expect(early.sink.frames().map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(late.sink.frames().map(({ seq }) => seq)).toEqual([1, 2]);
  });
});

it('goes on with the next event when one cannot be encoded', async () => {
  const backend = new FakeBackend();
  const defects: unknown[] = [];
  const hub = new PushHub({ backend, clock: new ManualClock(0), onDefect: (error) => defects.push(error) });
  const sink = new FakeSink();
  hub.connect({ iface: 'ws', owner: 'key:a', permits: () => true, format: lineFormat(), sink });
  await hub.subscribe('key:a', [tencent], register);
  backend.push({ ...quote(tencent, 1), protoId: 9999 });
  backend.push(quote(tencent, 2));
  await Promise.resolve();
  expect([defects.length, sink.frames().map(mark)]).toEqual([1, [2]]);
});

describe('first pushes', () => {
  it('go at once to the connections that newly receive the stream', async () => {
    const { backend, hub, join, settle } = setUp();
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
    const { backend, hub, join, settle } = setUp();
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
    const { backend, hub, join, settle } = setUp();
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

describe('generations', () => {
  it('nothing gathered for an ended subscription is delivered, also after subscribing again', async () => {
    const { backend, hub, join, settle } = setUp();
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
    const { backend, hub, join, settle } = setUp();
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
    const { backend, hub, joinStuck } = setUp();
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
    const { backend, hub, join, settle } = setUp();
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
    const { backend, hub, join, joinStuck, settle } = setUp();
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
    const { backend, hub, joinStuck } = setUp();
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
    const { backend, hub, joinStuck, join, settle } = setUp(400_000);
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
    const { backend, hub, joinStuck } = setUp();
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

describe('keys', () => {
  const hour = 60 * 60_000;

  it('lose their shared subscriptions an hour after their last use', async () => {
    const { hub, clock, join } = setUp();
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
    const hub = new PushHub({ backend, onDefect: rethrow, clock: new ManualClock(START), subscriptionQuota: 5 });
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
    const { backend, hub, join, settle } = setUp();
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
    const { backend, hub, join, joinStuck, settle } = setUp();
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

describe('connections', () => {
  it('take their own subscriptions with them', async () => {
    const { backend, hub, join } = setUp();
    const { connection } = join({ iface: 'grpc' });
    await hub.subscribe(connection.ownOwner, [tencent], register);
    await hub.subscribeAccounts(connection.ownOwner, [7n]);
    connection.disconnected();
    await turn();
    expect(backend.running.size).toBe(0);
    expect(backend.accounts).toEqual([]);
    expect(hub.connections()).toEqual([]);
    expect(await hub.subscribe(connection.ownOwner, [tencent], register)).toMatchObject({ ok: false, message: 'the connection is closed' });
    expect(await hub.subscribeAccounts(connection.ownOwner, [7n])).toMatchObject({ ok: false });
  });

  it('are listed with what they cost', async () => {
    const { backend, hub, join, settle } = setUp();
    const { connection } = join({ keyId: 'a' });
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribe(connection.ownOwner, [ticker], register);
    backend.push(quote(tencent, 1));
    await settle();
    const info = {
      id: 'ws-1',
      iface: 'ws',
      keyId: 'a',
      connectedAt: START,
      subscriptionCount: 2,
      sentCount: 1,
      conflatedCount: 0,
      backlogBytes: 0,
    };
    expect(hub.connections()).toEqual([info]);
    hub.stop(1001, 'going away');
    expect(hub.connections()).toEqual([]);
  });
});

describe('a gap', () => {
  it('in accounts lost again during restoration ends with the last restoration', async () => {
    const { backend, clock, hub, join, settle } = setUp();
    const { sink } = join();
    await hub.subscribeAccounts('key:a', [7n]);
    const scope = { streams: [], accIds: [7n] };
    backend.streams?.lost({ ...scope, from: START, reason: 'lost' });
    backend.holding = true;
    const first = backend.streams?.restore(scope);
    await turn();
    backend.streams?.lost({ ...scope, from: START, reason: 'lost again' });
    backend.holding = false;
    backend.settle();
    await first;
    await settle();
    expect([sink.frames(), hub.gaps.missing]).toEqual([[], 1]);
    clock.advance(1000);
    await backend.streams?.restore(scope);
    await settle();
    expect(sink.frames()).toMatchObject([{ type: 'notify', seq: 1 }]);
    expect([hub.gaps.missing, hub.gaps.count]).toEqual([0, 1]);
  });
});
