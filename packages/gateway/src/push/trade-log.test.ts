import fc from 'fast-check';
import { expect, it } from 'vitest';
import { trade } from '../../../../test/support/push-fakes.js';
import { parseCursor, TradeLog } from './trade-log.js';

const ACCOUNTS = [7n, 8n];

const step = fc.record({ happens: fc.constantFrom('event', 'followed', 'unfollowed'), accId: fc.constantFrom(...ACCOUNTS) });

it('tells of a gap exactly where an account was not followed at the cursor or since', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const log = new TradeLog(() => 0);
      const followed = new Set<bigint>();
      /** Cursor of each event, and the accounts of which something may be missing since. */
      const marks: { readonly cursor: string; readonly broken: Set<bigint> }[] = [];
      for (const { happens, accId } of steps) {
        if (happens === 'event') {
          followed.add(accId);
          marks.push({ cursor: log.add(trade(accId, 1, 1n)).cursor, broken: new Set(ACCOUNTS.filter((other) => !followed.has(other))) });
          continue;
        }
        log.follow(accId, happens === 'followed');
        if (happens === 'followed') followed.add(accId);
        else {
          followed.delete(accId);
          for (const { broken } of marks) broken.add(accId);
        }
      }
      for (const { cursor, broken } of marks) {
        const since = parseCursor(cursor);
        if (since === undefined) throw new Error(`${cursor} is no cursor`);
        for (const accId of ACCOUNTS)
          expect([cursor, accId, log.missed(since, [accId]).gap !== undefined]).toEqual([cursor, accId, broken.has(accId)]);
      }
    }),
    { numRuns: 2_000 },
  );
});

it('reveals no hidden event to its reader, neither by a cursor nor by a gap', () => {
  /** Cursors and gap of a reader of one account, beside so many events of another. */
  const seenBeside = (hidden: number) => {
    const log = new TradeLog(() => 0);
    const cursors: string[] = [];
    for (let n = 0; n < 10_000; n++) {
      if (n < hidden) log.add(trade(8n, 1, 1n));
      if (n % 1_000 === 0) cursors.push(log.add(trade(7n, 1, 1n)).cursor);
    }
    const [first = ''] = cursors;
    const since = parseCursor(first);
    return { cursors, reason: since && log.missed(since, [7n]).gap?.reason };
  };
  const [some, more] = [seenBeside(6_000), seenBeside(9_321)];
  expect(some.reason).toBe('only the last 4096 events are kept: read the orders and fills of the time between');
  expect(more.reason).toBe(some.reason);
  for (const { cursors } of [some, more]) {
    expect(new Set(cursors.map((cursor) => cursor.length))).toEqual(new Set([(cursors[0] ?? '').length]));
    const numbers = cursors.map((cursor) => Number.parseInt(cursor.split('-')[1] ?? '', 16));
    expect(numbers.toSorted((a, b) => a - b)).not.toEqual(numbers);
  }
});

it.each([
  ['another run', (cursor: string) => `00000000${cursor.slice(8)}`],
  ['a number that was not sealed', (cursor: string) => cursor.replace(/-[0-9a-f]+-/, '-1-')],
  [
    'a sealed number that was altered',
    (cursor: string) => cursor.replace(/.-([0-9a-z]+)$/, (end) => (end.startsWith('0') ? `1${end.slice(1)}` : `0${end.slice(1)}`)),
  ],
])('tells of a gap since its time where a cursor has %s', (_, altered) => {
  const log = new TradeLog(() => 1_000);
  const { cursor } = log.add(trade(7n, 1, 1n));
  const since = parseCursor(altered(cursor));
  expect(since && log.missed(since, [7n])).toMatchObject({
    gap: { from: '1970-01-01T00:00:01.000Z', reason: expect.stringContaining('the daemon was started again since then') },
    events: [{ cursor }],
  });
});
