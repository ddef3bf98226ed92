import { ManualClock } from '@svc-gateway/contract/clock';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FakeBackend, FakeSink, trade, turn } from '../../../../test/support/push-fakes.js';
import { BytesFrame } from './frame.js';
import { decimalNumbers, type PushFormat, PushHub, parseCursor } from './index.js';

const NOW = Date.UTC(2026, 10, 20);
const ACCOUNT = 7n;

/** One line for each event: its order and cursor, or why events are missing. */
const format: PushFormat = {
  numbering: decimalNumbers,
  event: (event, content) => {
    const said =
      event.type === 'trade'
        ? {
            order: String((event.message as { s2c?: { order?: { orderID: bigint } } }).s2c?.order?.orderID),
            cursor: event.cursor,
            replayed: event.replayed,
          }
        : event.type === 'notify'
          ? { gap: event.gap }
          : {};
    return new BytesFrame(content, Buffer.from('{"seq":'), Buffer.from(`,${JSON.stringify(said).slice(1)}\n`));
  },
  gap: () => expect.unreachable('no ticker is pushed'),
};

function setUp() {
  const backend = new FakeBackend();
  const clock = new ManualClock(NOW);
  const hub = new PushHub({ backend, clock, onDefect: (error) => expect.unreachable(String(error)) });
  const join = (since?: string, iface = 'ws') => {
    const sink = new FakeSink();
    const cursor = since === undefined ? undefined : parseCursor(since);
    const connection = hub.connect({
      iface,
      owner: 'key:a',
      permits: () => true,
      format,
      sink,
      ...(cursor === undefined ? {} : { since: cursor }),
    });
    const lines = async () => {
      await turn();
      clock.advance(1);
      return sink
        .bytes()
        .toString()
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    };
    return { connection, lines };
  };
  let orders = 0n;
  const place = (accId = ACCOUNT) => {
    orders += 1n;
    backend.push(trade(accId, 1, orders));
  };
  return { backend, clock, hub, join, place };
}

it('a connection with a cursor receives the later events of its key, in order and once', async () => {
  const { hub, join, place } = setUp();
  await hub.subscribeAccounts('key:a', [ACCOUNT]);
  const first = join();
  place();
  place();
  const [one] = await first.lines();
  first.connection.disconnected();
  place();
  place();
  const second = join(one.cursor);
  place();
  expect(await second.lines()).toMatchObject([
    { seq: 1, order: '2', replayed: true },
    { seq: 2, order: '3', replayed: true },
    { seq: 3, order: '4', replayed: true },
    { seq: 4, order: '5' },
  ]);
  expect((await second.lines()).at(-1)).not.toHaveProperty('replayed');
});

it('a connection that registers with a cursor misses nothing while it was away for a minute at most', async () => {
  const { clock, hub, join, place } = setUp();
  const register = async ({ connection }: ReturnType<typeof join>, since?: string) => {
    connection.hold();
    const cursor = since === undefined ? undefined : parseCursor(since);
    connection.resume(undefined, []);
    await hub.subscribeAccounts(connection.ownOwner, [ACCOUNT]);
    // Pushed between the registration and its acknowledgement.
    place();
    connection.resume(cursor, [ACCOUNT]);
    connection.release();
  };
  const first = join();
  await register(first);
  place();
  const last = (await first.lines()).at(-1).cursor;
  first.connection.disconnected();
  clock.advance(50_000);
  place();
  const second = join();
  await register(second, last);
  place();
  expect((await second.lines()).map(({ order, replayed, gap }) => [order, replayed, gap])).toEqual([
    ['3', true, undefined],
    ['4', undefined, undefined],
    ['5', undefined, undefined],
  ]);
  second.connection.disconnected();
  clock.advance(120_000);
  await turn();
  place();
  const third = join();
  await register(third, last);
  const [told, ...events] = await third.lines();
  expect(told.gap).toEqual({
    from: new Date(NOW).toISOString(),
    to: expect.any(String),
    reason: expect.stringContaining('events of account 7 did not arrive for a while'),
  });
  expect(events.map(({ order }) => order)).toEqual(['3', '4', '5', '7']);
});

it('an account that nobody followed since the last event has a gap, though no event was numbered meanwhile', async () => {
  const { hub, join, place } = setUp();
  const first = join();
  await hub.subscribeAccounts(first.connection.ownOwner, [ACCOUNT]);
  place();
  const [{ cursor }] = await first.lines();
  await hub.accounts.unsubscribe(first.connection.ownOwner, [ACCOUNT]);
  const second = join();
  second.connection.hold();
  await hub.subscribeAccounts(second.connection.ownOwner, [ACCOUNT]);
  second.connection.resume(parseCursor(cursor), [ACCOUNT]);
  second.connection.release();
  const [told, ...events] = await second.lines();
  expect(told.gap.reason).toContain('events of account 7 did not arrive for a while');
  expect(events).toEqual([]);
});

it('a cursor of another run of the daemon, or of events that are not kept any more, is answered with a gap', async () => {
  const { hub, join, place } = setUp();
  await hub.subscribeAccounts('key:a', [ACCOUNT]);
  const watching = join();
  place();
  const [{ cursor }] = await watching.lines();
  const restarted = await join(`00000000-9-${NOW.toString(36)}`).lines();
  expect(restarted).toMatchObject([
    { gap: { from: '2026-11-20T00:00:00.000Z', reason: expect.stringContaining('the daemon was started again') } },
    { order: '1' },
  ]);
  watching.connection.disconnected();
  for (let order = 0; order < 6_000; order++) place();
  const [gap, ...kept] = await join(cursor).lines();
  expect(gap.gap.reason).toMatch(/^only the last \d+ events are kept/);
  expect(kept.length).toBeGreaterThanOrEqual(4_096);
  expect(kept.at(-1).order).toBe('6001');
});

it('a connection that resumes is sent nothing that it may not see', async () => {
  const { hub, join, place } = setUp();
  await hub.subscribeAccounts('key:a', [ACCOUNT]);
  await hub.subscribeAccounts('key:b', [8n]);
  const first = join();
  place();
  const [{ cursor }] = await first.lines();
  first.connection.disconnected();
  place(8n);
  place();
  expect(await join(cursor).lines()).toMatchObject([{ order: '3' }]);
});

const happenings = ['event', 'register', 'unregister', 'lost', 'restored'] as const;
const step = fc.record({ happens: fc.constantFrom(...happenings), accId: fc.constantFrom(7n, 8n) });
const of7 = (happens: (typeof happenings)[number]) => ({ happens, accId: 7n });
const of8 = (happens: (typeof happenings)[number]) => ({ happens, accId: 8n });
/** An event of another account gives a cursor after the loss of one that is back and had no event since. */
const backWithoutEvent = [of7('register'), of8('register'), of7('lost'), of7('restored'), of8('event')];

it('a gap is told of exactly those accounts of which an event may have been missed since the cursor', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { backend, hub, join, place } = setUp();
      const watching = join();
      const [registered, arriving] = [new Set<bigint>(), new Set<bigint>()];
      /** Cursor of each event, and the accounts of which one may be missing since. */
      const marks: { readonly cursor: string; readonly missing: Set<bigint> }[] = [];
      const stops = (accId: bigint) => {
        arriving.delete(accId);
        for (const { missing } of marks) missing.add(accId);
      };
      for (const { happens, accId } of steps) {
        if (happens === 'register') {
          await hub.subscribeAccounts('key:a', [accId]);
          if (!registered.has(accId)) arriving.add(accId);
          registered.add(accId);
        } else if (happens === 'unregister') {
          await hub.accounts.unsubscribe('key:a', [accId]);
          registered.delete(accId);
          stops(accId);
        } else if (happens === 'lost') {
          backend.streams?.lost({ streams: [], accIds: [accId], from: NOW, reason: 'gone' });
          stops(accId);
        } else if (happens === 'restored') {
          await backend.streams?.restore({ streams: [], accIds: [accId] });
          if (registered.has(accId)) arriving.add(accId);
        } else if (arriving.has(accId)) {
          place(accId);
          const { cursor } = (await watching.lines()).findLast((line) => line.cursor !== undefined);
          marks.push({ cursor, missing: new Set([7n, 8n].filter((other) => !arriving.has(other))) });
        }
      }
      for (const { cursor, missing } of marks) {
        const told = (await join(cursor).lines()).find(({ gap }) => gap !== undefined)?.gap.reason ?? '';
        for (const accId of registered) expect([cursor, accId, told.includes(String(accId))]).toEqual([cursor, accId, missing.has(accId)]);
      }
    }),
    { numRuns: 300, examples: [[backWithoutEvent]] },
  );
});
