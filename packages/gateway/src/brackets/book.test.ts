import { ManualClock } from '@svc-gateway/contract/clock';
import { MemoryStore } from '@svc-gateway/storage';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { BracketBook, type Watched } from './book.js';
import type { Bracket } from './bracket.js';

const open = {
  id: 'b',
  keyId: 'desk',
  accId: 1n,
  state: 'open',
  ending: false,
  stopHeld: false,
  note: '',
  updatedAt: 0,
} as unknown as Bracket;

async function alerts(...changes: readonly Partial<Bracket>[]): Promise<string[]> {
  const told: string[] = [];
  const onAlert = ({ id }: Bracket, how: string) => void told.push(`${id} ${how}`);
  const book = new BracketBook({
    store: new MemoryStore(),
    clock: new ManualClock(0),
    logger: pino({ enabled: false }),
    onStorageFailure: () => {},
    onAlert,
  });
  const watched = { bracket: open } as Watched;
  for (const change of [{}, ...changes]) await book.keep(watched, { ...watched.bracket, ...change });
  return told;
}

it.each<[string, readonly Partial<Bracket>[], readonly string[]]>([
  ['is unclear', [{ state: 'unclear', note: 'gone' }], ['b is unclear: gone']],
  [
    'is guarded by the gateway',
    [{ stopHeld: true, note: 'refused' }, { note: 'again' }],
    ['b has no stop order at the brokerage, the gateway holds its stop-loss: refused'],
  ],
  ['ends, once', [{ ending: true, note: 'by somebody' }, { state: 'cancelled' }], ['b ends: by somebody']],
  ['is withdrawn by the brokerage', [{ state: 'cancelled' }], ['b ends']],
  ['has closed, or goes on', [{ note: 'x' }, { state: 'closed' }], []],
])('tells of a bracket that %s', async (_what, changes, told) => {
  expect(await alerts(...changes)).toEqual(told);
});
