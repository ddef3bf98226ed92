import fc from 'fast-check';
import { expect, it } from 'vitest';
import { trade } from '../../../test/support/push-fakes.js';
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
