import { create, type Message } from '@bufbuild/protobuf';
import { ResponseSchema } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, expect, it } from 'vitest';
import { HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { ScriptedBackend, type ServedGateway, serveGateway, succeed } from '../support/gateway.js';
import { turnsDuring } from '../support/turns.js';

const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const keys = { desk: { scopes: ['acc:read'] } } as const;
const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };

let gateway: ServedGateway;
afterEach(() => gateway.stop());

function orders(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    trdSide: 1,
    orderType: 1,
    orderStatus: 5,
    orderID: 2n ** 60n + BigInt(index),
    orderIDEx: `order-${index}`,
    code: '00700',
    name: '騰訊控股',
    qty: 100,
    createTime: '2026-11-20 09:30:00.000',
    updateTime: '2026-11-20 09:30:00.000',
  }));
}

/** A gateway whose account has these orders. */
async function withOrders(change: (list: Message[]) => void, count: number): Promise<void> {
  const response = create(ResponseSchema, { retType: 0, s2c: { header, orderList: orders(count) } });
  change(response.s2c?.orderList as Message[]);
  const backend = new ScriptedBackend((operation, request) =>
    operation.name === 'get_orders' ? (response as unknown as ResponseMessage) : succeed(operation, request),
  );
  gateway = await serveGateway({ backend, keys });
}

async function listed(): Promise<Response> {
  const body = JSON.stringify({ ...account, acc_id: String(account.acc_id) });
  return fetch(`${gateway.url}/api/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.keys.get('desk')}`, 'content-type': 'application/json', 'x-svc-int64': 'string' },
    body,
  });
}

it.each([0, 1, 400, 401, 1_000, 1_234])('are whole, in order and of the length that was said, with %i orders', async (count) => {
  await withOrders(() => undefined, count);
  const response = await listed();
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe(String(bytes.length));
  expect(response.headers.get('content-type')).toBe('application/json');
  const { s2c, ...envelope } = JSON.parse(bytes.toString());
  expect(envelope).toEqual({ ret_type: 0, ret_msg: null, err_code: null });
  expect(s2c.header.acc_id).toBe(String(HK_MARGIN));
  expect(s2c.order_list.map(({ order_id }: { order_id: string }) => order_id)).toEqual(orders(count).map(({ orderID }) => String(orderID)));
  if (count > 0) expect(s2c.order_list.at(-1)).toMatchObject({ order_id_ex: `order-${count - 1}`, name: '騰訊控股' });
});

it('are written in pieces, between which others have their turn, and once for all who ask at the same time', async () => {
  await withOrders(() => undefined, 2_000);
  const turns = await turnsDuring(() => Promise.all(Array.from({ length: 5 }, async () => (await listed()).arrayBuffer())));
  expect(turns).toBeGreaterThanOrEqual(20);
  expect(turns).toBeLessThan(5 * 20);
});

it('are written once for all who ask, while the answer stays the same', async () => {
  let reads = 0;
  await withOrders((list) => {
    const get = () => {
      reads += 1;
      return 'read';
    };
    Object.defineProperty(list[1_500], 'name', { get });
  }, 2_000);
  const [first, second] = [await (await listed()).text(), await (await listed()).text()];
  expect(second).toBe(first);
  expect(reads).toBe(1);
});

it('are refused as a whole where one of their orders cannot be written', async () => {
  await withOrders((list) => {
    list[1_500] = null as never;
  }, 2_000);
  const response = await listed();
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ code: 'internal', ret_type: -1 });
});
