import { afterAll, beforeAll, expect, it } from 'vitest';
import { SpawnedDaemon } from '../support/spawned-daemon.js';

let daemon: SpawnedDaemon<'desk'>;
beforeAll(async () => {
  daemon = await SpawnedDaemon.start({ keys: { desk: { scopes: ['qot:read', 'qot:write'] } } });
});
afterAll(() => daemon.stop());

const reads: readonly (readonly [path: string, body: object])[] = [
  ['/api/user-security-group', { group_type: 1 }],
  ['/api/user-security', { group_name: 'Tech' }],
  ['/api/price-reminder', { symbol: 'HK.00700' }],
  ['/api/option-event-alert', {}],
  ['/api/stock-note', {}],
];
const state = async () => Promise.all(reads.map(([path, body]) => daemon.as('desk').s2c(path, body)));

it('watchlists, price reminders, option alerts and notes that were acknowledged survive kill -9', async () => {
  const desk = daemon.as('desk');
  const far = { op: 1, type: 1, freq: 1, value: 1_000_000 };
  // All under way at once; the kill follows the last answer.
  await Promise.all([
    desk.s2c('/api/modify-user-security', { group_name: 'Tech', op: 1, symbols: ['HK.00700', 'US.AAPL'] }),
    desk.s2c('/api/set-price-reminder', { symbol: 'HK.00700', ...far, note: 'far away' }),
    desk.s2c('/api/set-option-event-alert', { oper_type: 1, alert_list: [{ underlying: { market: 11, code: 'AAPL' }, note: 'large' }] }),
    desk.s2c('/api/set-stock-note', { symbol: 'HK.00700', note: 'Results on Wednesday.' }),
  ]);
  const before = await state();
  expect(before).toMatchObject([
    { group_list: [{ group_name: 'Tech' }] },
    { static_info_list: [{}, {}] },
    { price_reminder_list: [{ item_list: [{ note: 'far away' }] }] },
    { alert_list: [{ note: 'large' }] },
    { note_list: [{ note: 'Results on Wednesday.' }] },
  ]);
  await daemon.end('SIGKILL');
  await daemon.boot();
  expect(await state()).toEqual(before);
  // A new item gets a key of its own.
  const { key } = await daemon.as('desk').s2c('/api/set-price-reminder', { symbol: 'HK.00700', ...far });
  const [, , reminders] = (await state()) as [unknown, unknown, { price_reminder_list: { item_list: { key: number }[] }[] }];
  const keys = reminders.price_reminder_list.flatMap(({ item_list }) => item_list.map((item) => item.key));
  expect(keys).toHaveLength(2);
  expect(new Set(keys)).toContain(key);
  expect(new Set(keys).size).toBe(2);
});
