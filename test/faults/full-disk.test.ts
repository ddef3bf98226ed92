import { spawnSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { Books } from './books.js';
import { acknowledgedId, KeepAliveLine, refusalCode } from './load.js';

/** Largest file that the daemon may write, in the shell's blocks of 512 or 1,024 bytes: room for a hundred orders or so. */
const BLOCKS = 400;
const ORDERS_MAX = 5_000;
const LIMITED = ['bash', '-c', `ulimit -f ${BLOCKS}; exec "$0" "$@"`, process.execPath] as const;

const daemon = new SpawnedDaemon<'bot'>(true);
afterAll(() => daemon.stop());

const hasBash = spawnSync('bash', ['-c', `ulimit -f ${BLOCKS}`]).status === 0;

it.skipIf(!hasBash)(
  'a disk that takes no more: orders are refused with the reason, quotes go on, nothing acknowledged is lost',
  async () => {
    await daemon.addKey('bot', { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxOrderValue: '10000' } });
    await daemon.boot(['--enable-trading'], LIMITED);
    const line = new KeepAliveLine(daemon, daemon.keys.bot);
    const place = async (remark: string) => {
      const body = { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 1, qty: 400, remark };
      return { answer: await line.post('/api/order', body, { 'idempotency-key': remark }) };
    };
    const acknowledged: string[] = [];
    let refused: { answer: { status: number; text: string } } | undefined;
    for (let order = 1; refused === undefined && order <= ORDERS_MAX; order++) {
      const attempt = await place(`order-${order}`);
      const id = acknowledgedId(attempt);
      if (id === undefined) refused = attempt;
      else acknowledged.push(id);
    }
    expect(acknowledged.length).toBeGreaterThan(20);
    expect(refused).toMatchObject({ answer: { status: 500 } });
    expect(refusalCode(refused!)).toBe('storage.failed');
    expect(refused!.answer.text).toMatch(/cannot write to the database: .*check the orders before sending it again/);

    expect(acknowledgedId(await place('later'))).toBeUndefined();
    // Nothing but a start takes writes again, whatever is answered without one.
    const nothing = { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.NONE', side: BUY, order_type: NORMAL, price: 1, qty: 400 };
    expect((await daemon.as('bot').post('/api/order', nothing)).json.ret_type).toBe(-1);
    expect((await daemon.as().get('/readyz')).status).toBe(503);
    // What memory holds is not what the disk has: accounts are not shown any more, the market is.
    const orders = await daemon.as('bot').post('/api/orders', { acc_id: HK_CASH, env: SIMULATE, market: HK });
    expect([orders.status, orders.json.code]).toEqual([500, 'storage.failed']);
    expect((await daemon.as('bot').post('/api/quote', { symbol: 'HK.00005' })).json.ret_type).toBe(0);
    line.close();
    await daemon.end();

    await daemon.boot(['--enable-trading']);
    const kept = new Map((await new Books(daemon, 'bot').orders()).map(({ order_id, remark }) => [order_id, remark]));
    for (const [index, id] of acknowledged.entries()) expect(kept.get(id)).toBe(`order-${index + 1}`);
    expect(kept.size).toBe(acknowledged.length);
  },
);
