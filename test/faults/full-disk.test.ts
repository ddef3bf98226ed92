import { spawnSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { GrpcClient } from '../support/grpc-client.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';
import { Books } from './books.js';
import { acknowledgedId, KeepAliveLine, refusalCode } from './load.js';

/** Largest file that the daemon may write, in the shell's blocks of 512 or 1,024 bytes: room for a hundred orders or so. */
const BLOCKS = 400;
const ORDERS_MAX = 5_000;
const LIMITED = ['bash', '-c', `ulimit -Sf ${BLOCKS}; exec "$0" "$@"`, process.execPath] as const;

const daemon = new SpawnedDaemon<'bot'>(true);
const full = new SpawnedDaemon<'bot'>(true);
afterAll(() => Promise.all([daemon.stop(), full.stop()]));

const hasBash = spawnSync('bash', ['-c', `ulimit -f ${BLOCKS}`]).status === 0;

/** ModifyOrderOp. */
const CANCEL = 2;
/** OrderStatus. */
const CANCELLED_ALL = 15;

/** Raises the limit of a daemon that runs, as if somebody had made room. */
const makeRoom = () => spawnSync('prlimit', [`--pid=${daemon.ready.pid}`, '--fsize=unlimited']).status === 0;

const order = { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 1, qty: 400 };

const everything = { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'admin'], sdk: true, limits: { maxOrderValue: '10000' } } as const;

/** Fills the disk with orders: those that were acknowledged by their remarks, and the refusal. */
async function fill(line: KeepAliveLine, name: string) {
  const acknowledged = new Map<string, string>();
  for (let number = 1; number <= ORDERS_MAX; number++) {
    const remark = `${name}-${number}`;
    const attempt = { answer: await line.post('/api/order', { ...order, remark }, { 'idempotency-key': remark }) };
    const id = acknowledgedId(attempt);
    if (id === undefined) return { acknowledged, refused: attempt, remark };
    acknowledged.set(remark, id);
  }
  throw new Error('the disk took everything');
}

it.skipIf(!hasBash)(
  'a disk that takes no more: orders are refused with the reason, the rest goes on, and so do orders when there is room; nothing acknowledged is lost',
  async () => {
    await daemon.addKey('bot', everything);
    await daemon.boot(['--enable-trading'], LIMITED);
    const bot = daemon.as('bot');
    const line = new KeepAliveLine(daemon, daemon.keys.bot);
    const books = new Books(daemon, 'bot');
    const { acknowledged, refused, remark } = await fill(line, 'first');
    expect(acknowledged.size).toBeGreaterThan(20);
    expect(refused).toMatchObject({ answer: { status: 500 } });
    expect(refusalCode(refused)).toBe('storage.failed');
    expect(refused.answer.text).toMatch(/cannot write to the database: .*goes on by itself.*check the orders before sending it again/);

    // Nothing that adds risk is taken, nor what the disk would have to keep: not even the refused order, under its key.
    for (const body of [order, { ...order, symbol: 'HK.NONE' }]) {
      const again = await bot.post('/api/order', body, { 'idempotency-key': remark });
      expect([again.status, again.json.code]).toEqual([500, 'storage.failed']);
      expect(again.json.error).toMatch(/cannot write to the database: .*nothing was sent\. Reads, cancels and halts are served meanwhile/);
      const preview = await bot.post('/api/preview', body);
      expect([preview.status, preview.json.code, preview.json.error]).toEqual([500, 'storage.failed', again.json.error]);
    }
    expect((await daemon.as().get('/readyz')).status).toBe(503);

    // Reads answer from memory, and everybody can get out.
    const list = { acc_id: HK_CASH, env: SIMULATE, market: HK };
    const listed = (await bot.s2c('/api/orders', list)).order_list as { order_id: bigint }[];
    expect(listed.length).toBeGreaterThanOrEqual(acknowledged.size);
    expect((await bot.post('/api/quote', { symbol: 'HK.00005' })).json.ret_type).toBe(0);
    const [first] = [...acknowledged.values()];
    const cancelled = await bot.post('/api/cancel-order', { ...list, order_id: first }, { 'idempotency-key': 'out' });
    expect(cancelled.json).toMatchObject({ ret_type: 0 });
    expect((await bot.post('/api/cancel-order', { ...list, order_id: first }, { 'idempotency-key': 'out' })).json).toMatchObject({
      ret_type: 0,
    });
    expect((await bot.post('/api/admin/halt', { reason: 'full', cancel_all: true })).json).toMatchObject({ ret_type: 0 });
    await until(
      async () => (await books.orders()).every(({ order_status }) => order_status === CANCELLED_ALL),
      'every order to be cancelled',
    );
    expect(daemon.stderr).toMatch(/"level":40.*"target":"audit".*cancel_order while the disk takes no writes/);
    expect(daemon.stderr).toMatch(/"level":40.*"target":"audit".*admin_halt while the disk takes no writes/);

    if (makeRoom()) {
      await until(async () => (await daemon.as().get('/readyz')).status === 200, 'the daemon to go on');
      await until(() => daemon.stderr.includes('the database accepts writes again'), 'the word about the room');
      expect((await bot.post('/api/admin/resume', {})).json).toMatchObject({ ret_type: 0 });
      const later = acknowledgedId({
        answer: await line.post('/api/order', { ...order, remark: 'later' }, { 'idempotency-key': 'later' }),
      });
      expect(later).toBeDefined();
      acknowledged.set('later', later ?? '');
      line.close();
      await daemon.end('SIGKILL');
      await daemon.boot(['--enable-trading']);
      for (const { order_status, remark: text } of await books.orders())
        expect([text, order_status === CANCELLED_ALL]).toEqual([text, text !== 'later']);
    } else {
      line.close();
      await daemon.end();
      await daemon.boot(['--enable-trading']);
    }
    const kept = new Map((await books.orders()).map(({ order_id, remark: text }) => [text, order_id]));
    for (const [text, id] of acknowledged) expect(kept.get(text)).toBe(id);
  },
);

it.skipIf(!hasBash)(
  'a disk that stays full: answers warn that they are not on disk, and the stop says what is lost and fails',
  async () => {
    await full.addKey('bot', everything);
    await full.boot(['--enable-trading'], LIMITED);
    const bot = full.as('bot');
    const line = new KeepAliveLine(full, full.keys.bot);
    const list = { acc_id: HK_CASH, env: SIMULATE, market: HK };
    const subscription = { sub_types: [1] };
    expect((await bot.post('/api/subscribe', { ...subscription, symbols: ['HK.00700'] })).json).toMatchObject({
      ret_type: 0,
      ret_msg: null,
    });
    const { acknowledged } = await fill(line, 'order');
    const [order] = acknowledged.values();
    const changes: readonly [string, object][] = [
      ['/api/subscribe', { ...subscription, symbols: ['HK.00005'] }],
      ['/api/unsubscribe', { ...subscription, symbols: ['HK.00700'] }],
      ['/api/sub-acc-push', { acc_id_list: [HK_CASH] }],
      ['/api/unsub-acc-push', { acc_id_list: [HK_CASH] }],
      ['/api/cancel-order', { ...list, order_id: order }],
      ['/api/cancel-all-order', list],
      ['/api/admin/halt', { reason: 'full' }],
    ];
    for (const [path, body] of changes) {
      const { json } = await bot.post(path, body);
      expect([path, json.ret_type, json.ret_msg]).toEqual([
        path,
        0,
        expect.stringMatching(/^not on disk yet, .*what it remembers of this is lost$/),
      ]);
    }
    expect((await bot.post('/api/quote', { symbol: 'HK.00005' })).json).toMatchObject({ ret_type: 0, ret_msg: null });
    const unkept = expect.stringMatching(/^not on disk yet, /);
    const mcp = await full.mcp('bot');
    expect((await mcp.call('svc_cancel_all_order', { acc_id: HK_CASH, env: 'simulate', market: 'HK' })).json).toMatchObject({
      note: unkept,
    });
    await mcp.close();
    const grpc = new GrpcClient(full.grpcUrl, full.ca);
    const wish = { key: full.keys.bot, protoId: 2008, type: 'Trd_SubAccPush', request: { accIDList: [HK_CASH] } };
    expect((await grpc.call(wish)).answer).toMatchObject({ ret_type: 0, ret_msg: unkept });
    await grpc.stop();
    const push = await full.push('bot');
    // A connection's subscriptions end with it and are on no disk.
    expect(await push.command('sub_acc', { acc_id_list: [HK_CASH] })).toMatchObject({ ret_type: 0, ret_msg: null });
    await push.close();
    const core = await CoreWsClient.open(String(full.ready.websocket), full.keys.bot, full.ca);
    const cancelAll = {
      packetID: { connID: 0, serialNo: 1 },
      header: { accID: HK_CASH, trdEnv: 0, trdMarket: HK },
      ...{ orderID: 0, modifyOrderOp: CANCEL, forAll: true },
    };
    expect(await core.ask('Trd_ModifyOrder', cancelAll)).toMatchObject({ retType: 0, retMsg: unkept });
    await core.close();
    line.close();
    expect(await full.end()).toBe(1);
    expect(full.stderr).toMatch(/\d+ rows did not reach the disk and are lost: .*\btrading_halts \(1\)/);
  },
);
