import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import { FullStore } from '../../support/full-store.js';
import { SimOpend } from '../../support/sim-serve.js';
import { until } from '../../support/until.js';

const scopes = ['qot:read', 'qot:write', 'acc:read', 'trade:simulate'] as const;
const account = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
const order = { acc_id: HK_MARGIN, env: SIMULATE, symbol: 'HK.00700', side: BUY, order_type: NORMAL, price: 1, qty: 100 };
const NOT_ON_DISK = expect.stringMatching(/^not on disk yet, /);

let store: FullStore;
let upstream: SimOpend;
let front: TestDaemon<'desk'>;

beforeEach(async () => {
  store = new FullStore();
  upstream = await SimOpend.start({ store });
  front = await TestDaemon.start({ keys: { desk: { scopes } }, flags: ['--enable-trading', '--backend', `opend://${upstream.address}`] });
  await untilConnected(front.daemon);
});
afterEach(async () => {
  store.full = false;
  await front.stop();
  await upstream.stop();
  expect(upstream.defects).toEqual([]);
});

const place = (remark: string) => front.as('desk').post('/api/order', { ...order, remark });
async function remarks(): Promise<string[]> {
  const { order_list = [] } = await front.as('desk').s2c('/api/orders', { ...account, refresh_cache: true });
  return (order_list as { remark: string }[]).map(({ remark }) => remark);
}

it('an order that the disk of the server refuses is refused, and neither listed nor pushed', async () => {
  expect((await place('kept')).json.ret_type).toBe(0);
  const push = await front.push('desk');
  await push.command('sub_acc', { acc_id_list: [HK_MARGIN] });
  store.full = true;
  for (const remark of ['meets the full disk', 'comes after']) {
    const { json } = await place(remark);
    expect(json).toMatchObject({
      ret_type: -1,
      ret_msg: expect.stringContaining('cannot write its records and accepts no orders: no space left'),
    });
  }
  expect(await remarks()).toEqual(['kept']);
  expect((await front.as('desk').post('/api/cancel-all-order', account)).json).toMatchObject({ ret_type: 0 });
  await push.frame(({ type, body }) => type === 'trade' && body.order?.remark === 'kept', 'the cancel');
  expect(JSON.stringify(push.frames)).not.toMatch(/meets the full disk|comes after/);
  await push.close();
});

it('cancels on a full disk are taken, say that they are not on disk, and are there once it has room', async () => {
  const [first, second] = [await place('one'), await place('two')];
  const id = (placed: typeof first) => String(placed.json.s2c.order_id_ex);
  store.full = true;
  await store.write(() => undefined).catch(() => undefined);
  await until(() => store.failure !== undefined, 'the disk to refuse a write');
  const reminder = { symbol: 'HK.00700', op: 1, type: 1, freq: 1, value: 500 };
  expect((await front.as('desk').post('/api/set-price-reminder', reminder)).json).toMatchObject({
    ret_type: -1,
    ret_msg: expect.stringContaining('no space left; nothing was sent'),
  });
  expect((await front.as('desk').post('/api/cancel-order', { ...account, order_id_ex: id(first) })).json).toMatchObject({
    ret_type: 0,
    ret_msg: NOT_ON_DISK,
  });
  expect((await front.as('desk').post('/api/cancel-all-order', account)).json).toMatchObject({ ret_type: 0, ret_msg: NOT_ON_DISK });
  store.full = false;
  await store.write(() => undefined);
  const after = await SimOpend.start({ store: store.crashed() });
  const statuses = [first, second].map((placed) => after.simulation.brokerage.orderByIdEx(id(placed))?.status);
  expect(statuses).toEqual([expect.stringMatching(/^cancell/), expect.stringMatching(/^cancell/)]);
  await after.stop();
});
