import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { editKey } from '../support/keys.js';
import type { PushClient } from '../support/push-client.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';

/** Registrations of keys survive a restart; a connection asks for its own again and resumes. */

const FLAGS = ['--enable-trading'];
const daemon = new SpawnedDaemon<'bot' | 'other'>(true);
afterAll(() => daemon.stop());

const account = { acc_id: HK_CASH, env: SIMULATE, market: HK };
const exactly = '?int64=string';

function place(remark: string) {
  const order = { ...account, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 1, qty: 400, remark };
  return daemon.as('bot').s2c('/api/order', order);
}

function told(client: PushClient, remark: string, from = 0) {
  return client.frame((frame) => frame.type === 'trade' && frame.body.order?.remark === remark, `the order ${remark}`, from);
}

it('registrations over REST survive a kill, and clients are told of events that cannot be resent', async () => {
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  await daemon.addKey('bot', { scopes });
  await daemon.addKey('other', { scopes });
  await daemon.boot(FLAGS);
  for (const id of ['bot', 'other'] as const) {
    await daemon.as(id).s2c('/api/subscribe', { symbols: ['HK.00700', 'HK.00005'], sub_types: [1] });
    await daemon.as(id).s2c('/api/sub-acc-push', { acc_id_list: [HK_CASH] });
  }
  await daemon.as('bot').s2c('/api/unsubscribe', { symbols: ['HK.00005'], sub_types: [1] });
  await daemon.as('other').s2c('/api/unsubscribe', { unsub_all: true });
  await daemon.as('other').s2c('/api/unsub-acc-push', { acc_id_list: [HK_CASH] });
  const before = await daemon.push('bot', exactly);
  await place('before');
  const { cursor } = await told(before, 'before');
  await daemon.end('SIGKILL');

  await daemon.boot(FLAGS);
  const bot = await daemon.push('bot', `${exactly}&since=${cursor}`);
  const gap = await bot.frame(({ body }) => body?.gap !== undefined, 'the gap');
  expect(gap.body.gap).toMatchObject({ reason: expect.stringContaining('the daemon was started again') });
  await bot.frame(({ symbol }) => symbol === 'HK.00700', 'quotes go on');
  expect(await bot.command('query')).toMatchObject({ ret_type: 0, acc_id_list: [HK_CASH] });
  await place('after');
  const after = await told(bot, 'after');
  expect(bot.quotes.every(({ symbol }) => symbol === 'HK.00700')).toBe(true);
  const { conn_sub_info_list: all } = await daemon.as('bot').s2c('/api/query-subscription', { is_req_all_conn: true });
  expect(all.map(({ used_quota }: { used_quota: number }) => used_quota)).toEqual([1]);

  // A connection that comes back is sent what it missed.
  await bot.close();
  await place('missed');
  const back = await daemon.push('bot', `${exactly}&since=${after.cursor}`);
  expect(await told(back, 'missed')).toMatchObject({ replayed: true, acc_id: HK_CASH });
  expect(back.trades.some(({ body }) => body.order?.remark === 'after' && body.order.order_status === after.body.order.order_status)).toBe(
    false,
  );
});

it('registrations are on disk with their answers', async () => {
  const held = async () => {
    await daemon.end('SIGKILL');
    await daemon.boot(FLAGS);
    const { conn_sub_info_list: all } = await daemon.as('other').s2c('/api/query-subscription', {});
    const connection = await daemon.push('other', exactly);
    const { acc_id_list } = await connection.command('query');
    await connection.close();
    return [all[0]?.used_quota ?? 0, acc_id_list];
  };
  await daemon.as('other').s2c('/api/sub-acc-push', { acc_id_list: [HK_CASH] });
  await daemon.as('other').s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1] });
  expect(await held()).toEqual([1, [HK_CASH]]);
  await daemon.as('other').s2c('/api/unsubscribe', { symbols: ['HK.00700'], sub_types: [1] });
  expect(await held()).toEqual([0, [HK_CASH]]);
  await daemon.as('other').s2c('/api/unsub-acc-push', {});
  expect(await held()).toEqual([0, []]);
});

it('a connection follows accounts by commands of its own, and resumes with them', async () => {
  const first = await daemon.push('other', exactly);
  expect(await first.command('query')).toMatchObject({ acc_id_list: [] });
  expect(await first.command('sub_acc', { acc_id_list: [HK_CASH] })).toMatchObject({ op: 'sub_acc', ret_type: 0 });
  expect(await first.command('query')).toMatchObject({ acc_id_list: [HK_CASH] });
  await place('one');
  const { cursor } = await told(first, 'one');
  await first.close();
  await place('two');
  const second = await daemon.push('other', exactly);
  expect(await second.command('sub_acc', { acc_id_list: [HK_CASH], since: 'x' })).toMatchObject({ code: 'request.out_of_range' });
  await second.command('sub_acc', { acc_id_list: [HK_CASH], since: cursor });
  expect(await told(second, 'two')).toMatchObject({ replayed: true });
  expect(second.frames.some(({ body }) => body?.gap !== undefined)).toBe(false);
  expect(await second.command('unsub_acc', { acc_id_list: [HK_CASH] })).toMatchObject({ ret_type: 0 });
  expect(await second.command('query')).toMatchObject({ acc_id_list: [] });
  const heard = second.trades.length;
  await place('three');
  await second.settled();
  expect(second.trades.length).toBe(heard);
});

it('a registration is not restored for another key with the same id', async () => {
  await daemon.as('other').s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1] });
  await daemon.as('other').s2c('/api/sub-acc-push', { acc_id_list: [HK_CASH] });
  await daemon.end();
  editKey(daemon.keysPath, 'other', undefined);
  await daemon.addKey('other', { scopes: ['qot:read', 'acc:read'] });
  await daemon.boot(FLAGS);
  const { conn_sub_info_list: all } = await daemon.as('other').s2c('/api/query-subscription', {});
  const connection = await daemon.push('other', exactly);
  expect([all[0]?.used_quota ?? 0, await connection.command('query')]).toMatchObject([0, { acc_id_list: [] }]);
  await connection.close();
});

it('a registration that its key may not see any more is not restored, and takes no quota', async () => {
  await daemon.as('other').s2c('/api/subscribe', { symbols: ['HK.00700', 'HK.00005'], sub_types: [1] });
  await daemon.end();
  editKey(daemon.keysPath, 'other', { limits: { allowed_symbols: ['HK.00005'] } });
  await daemon.boot(FLAGS);
  const { conn_sub_info_list: all } = await daemon.as('other').s2c('/api/query-subscription', {});
  expect(all.map(({ used_quota }: { used_quota: number }) => used_quota)).toEqual([1]);
  await daemon.end();
  editKey(daemon.keysPath, 'other', { limits: undefined });
  await daemon.boot(FLAGS);
});

it('a registration of a removed or narrowed key is not restored', async () => {
  await daemon.as('other').s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1] });
  await daemon.end();
  const file = JSON.parse(readFileSync(daemon.keysPath, 'utf8'));
  writeFileSync(daemon.keysPath, JSON.stringify({ ...file, keys: file.keys.filter(({ id }: { id: string }) => id !== 'other') }));
  await daemon.boot(FLAGS);
  const { conn_sub_info_list: all } = await daemon.as('bot').s2c('/api/query-subscription', { is_req_all_conn: true });
  expect(all).toHaveLength(1);
});
