import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { FakeBackend, FakeSink, lineFormat, lineOf, notify, quote, stream, trade, turn } from '../../../../test/support/push-fakes.js';
import { HUB_START, hubSetUp, mark, rethrow } from '../../../../test/support/push-hub.js';
import type { PushEvent } from '../backend.js';
import { TICKERS_MAX } from './backlog.js';
import type { PushFormat } from './format.js';
import { BytesFrame } from './frame.js';
import { PushHub } from './hub.js';
import type { ConnectOptions } from './member.js';
import { uint32LeNumbers, unnumbered } from './numbering.js';

const tencent = stream('HK.00700');
const ticker = stream('HK.00700', 4);
const register = { push: true, first: true };
const tick = (frame: unknown) => (frame as { body: { ticker_list: { price: number }[] } }).body.ticker_list[0]?.price;

describe('formats', () => {
  it('encode each event once, however many connections there are, and number it for each', async () => {
    const { backend, hub, join, settle } = hubSetUp();
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
    const { backend, join, settle } = hubSetUp();
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
    const clock = new ManualClock(HUB_START);
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
    const { backend, hub, join, settle } = hubSetUp();
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
    const { backend, hub, join, settle } = hubSetUp();
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
    const { backend, hub, join, settle } = hubSetUp();
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
    const { backend, hub, join } = hubSetUp();
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
    const { backend, hub, join, settle } = hubSetUp();
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
    const { backend, clock, hub, join } = hubSetUp();
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
    const clock = new ManualClock(HUB_START);
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
    const { backend, hub, join, settle } = hubSetUp();
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
    const { backend, hub, join, settle } = hubSetUp();
    const { sink } = join();
    backend.refuseAccounts = { ...trade(7n, 1, 1n).message, retType: -1, retMsg: 'no such account', errCode: 0 };
    expect(await hub.subscribeAccounts('key:a', [7n])).toMatchObject({ ok: false, message: 'no such account' });
    backend.push(trade(7n, 1, 1n));
    await settle();
    expect(sink.writes).toBe(0);
    expect(hub.accounts.desired()).toEqual([]);
  });

  it('filters quotes by the rights of the connection', async () => {
    const { backend, hub, join, settle } = hubSetUp();
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
    const { backend, hub, join, settle } = hubSetUp();
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

describe('connections', () => {
  it('take their own subscriptions with them', async () => {
    const { backend, hub, join } = hubSetUp();
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
    const { backend, hub, join, settle } = hubSetUp();
    const { connection } = join({ keyId: 'a' });
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribe(connection.ownOwner, [ticker], register);
    backend.push(quote(tencent, 1));
    await settle();
    const info = {
      id: 'ws-1',
      iface: 'ws',
      keyId: 'a',
      connectedAt: HUB_START,
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
    const { backend, clock, hub, join, settle } = hubSetUp();
    const { sink } = join();
    await hub.subscribeAccounts('key:a', [7n]);
    const scope = { streams: [], accIds: [7n] };
    backend.streams?.lost({ ...scope, from: HUB_START, reason: 'lost' });
    backend.holding = true;
    const first = backend.streams?.restore(scope);
    await turn();
    backend.streams?.lost({ ...scope, from: HUB_START, reason: 'lost again' });
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
