import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, NORMAL, SIMULATE } from '../../support/accounts.js';
import type { TestDaemon } from '../../support/daemon.js';
import type { PushClient } from '../../support/push-client.js';
import { startVerified } from '../../support/remote-daemon.js';
import { postJson, SimServe } from '../../support/sim-serve.js';
import { until } from '../../support/until.js';

const keys = { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } } as const;
const ORDER_PUSH = 2208;
const FILL_PUSH = 2218;
/** svc.get_brackets.Bracket.state. */
const BRACKET_CANCELLED = 4;

let brokerage: SimServe;
let daemon: TestDaemon<keyof typeof keys>;
let push: PushClient;
beforeAll(async () => {
  brokerage = await SimServe.start();
  daemon = await startVerified(brokerage, { keys });
  push = await daemon.push('desk', '?int64=string');
  await daemon.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
});
afterAll(async () => {
  await daemon.stop();
  await brokerage.stop();
});

const fault = async (body: object) => expect((await postJson(`${brokerage.authUrl}/faults`, body)).status).toBe(200);
const resting = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };

async function place(order: object): Promise<string> {
  const { order_id_ex } = await daemon.as('desk').s2c('/api/order', order, { 'x-svc-int64': 'string' });
  return order_id_ex;
}

let heard = 0;

/** Waits until an order is told to have a status, after what was waited for before. */
async function reaches(id: string, status: number): Promise<void> {
  const frame = await push.frame(
    ({ proto_id, body }) => proto_id === ORDER_PUSH && body.order.order_id_ex === id && body.order.order_status === status,
    `order ${id} in status ${status}`,
    heard,
  );
  heard = push.frames.indexOf(frame) + 1;
}

it('an order that the exchange refuses is SubmitFailed', async () => {
  await fault({ fault: 'exchange_refuses' });
  const id = await place(resting);
  await reaches(id, 3);
  const { order_list } = await daemon.as('desk').s2c('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
  expect(order_list.find((order: { order_id_ex: string }) => order.order_id_ex === id)).toMatchObject({
    order_status: 3,
    last_err_msg: 'the exchange refused the order',
  });
});

it('an order that the exchange does not answer is TimeOut, and then Submitted', async () => {
  await fault({ fault: 'exchange_silent', ms: 200 });
  const id = await place(resting);
  await reaches(id, 4);
  await reaches(id, 5);
});

it('an order out of sight is Unknown, and then Submitted', async () => {
  const id = await place(resting);
  await reaches(id, 5);
  await fault({ fault: 'exchange_lost', ms: 100 });
  await reaches(id, -1);
  await reaches(id, 5);
});

it('an order whose trades are taken back is FillCancelled, and its fills are told so', async () => {
  const id = await place({ ...resting, price: undefined, order_type: MARKET });
  await reaches(id, 11);
  await fault({ fault: 'fills_cancelled', order_id_ex: id });
  await reaches(id, 24);
  await push.frame(
    ({ proto_id, body }) => proto_id === FILL_PUSH && body.order_fill.order_id_ex === id && body.order_fill.status === 1,
    'a fill that is void',
  );
});

it('a bracket whose entry is taken back ends its exit, and is over', async () => {
  const desk = daemon.as('desk');
  const text = { 'x-svc-int64': 'string' };
  const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
  const entry = { ...resting, price: undefined, order_type: MARKET, take_profit_price: 5_000, stop_loss_price: 10 };
  const { bracket_id, order_id_ex } = await desk.s2c('/api/bracket-order', entry, text);
  const bracket = async () => (await desk.s2c('/api/brackets', { ...account, bracket_id }, text)).bracket_list[0];
  await until(async () => Boolean((await bracket()).exit_order_id_ex), 'an exit');
  const { exit_order_id_ex } = await bracket();
  await fault({ fault: 'fills_cancelled', order_id_ex });
  await until(async () => (await bracket()).state === BRACKET_CANCELLED, 'the end of the bracket');
  const { order_list } = await desk.s2c('/api/orders', account, text);
  expect(order_list.find((order: { order_id_ex: string }) => order.order_id_ex === exit_order_id_ex)).toMatchObject({ order_status: 15 });
});
