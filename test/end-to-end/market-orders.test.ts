import { beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { TestDaemon } from '../support/daemon.js';
import type { McpClient } from '../support/mcp-client.js';

const order = { acc_id: HK_CASH, env: SIMULATE, market: HK, side: BUY, code: '00700', qty: 100 };
const spoken = { acc_id: HK_CASH, env: 'simulate', market: 'HK', side: 'BUY', code: '00700', qty: 100 };
/** Numbers that clients send as the price of a market order. */
const prices = [undefined, 0, -1, 12.345678, 300.00000000000006, 0.1 + 0.2, 1e12, 1e300, 5e-324];

describe('an order at the market takes any price and ignores it', () => {
  let client: McpClient;
  const daemon = TestDaemon.forAll({
    keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxOrderValue: '9000000' } } },
    flags: ['--enable-trading', '--api-key-id', 'desk'],
  });
  beforeAll(async () => {
    client = await daemon.mcp('desk');
  });

  /** The price that the brokerage has of an order. */
  const priceOf = async (orderId: string) => {
    const { order_list: list } = await daemon.as('desk').s2c('/api/orders', { acc_id: HK_CASH, env: SIMULATE, market: HK });
    return list.find(({ order_id_ex }: { order_id_ex: string }) => order_id_ex === orderId)?.price ?? 0;
  };

  it.each(prices)('price %s over REST, in a preview and as a tool', async (price) => {
    const given = price === undefined ? {} : { price };
    const { order_id_ex: id } = await daemon.as('desk').s2c('/api/order', { ...order, order_type: 2, ...given });
    expect(await priceOf(id)).toBe(0);
    const { json } = await client.call('svc_place_order', { ...spoken, order_type: 'MARKET', ...given, preview: true });
    expect(json).toMatchObject({ order_type: 'MARKET', price: null });
    expect(await client.call('svc_place_order', { ...spoken, order_type: 'MARKET', ...given })).toMatchObject({ isError: false });
  });

  it.each(prices)('price %s over the public protocol', async (price) => {
    const tcp = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    const header = { trdEnv: 0, accID: HK_MARGIN, trdMarket: HK };
    const given = price === undefined ? {} : { price };
    const packetID = { connID: 0, serialNo: 1 };
    const placed = await tcp.ask('Trd_PlaceOrder', { packetID, header, trdSide: BUY, orderType: 2, code: '00700', qty: 100, ...given });
    expect(placed).toMatchObject({ retType: 0 });
    tcp.close();
  });

  it.each([5, 7, 1])('a limit order of type %i needs a price that can be', async (orderType) => {
    for (const price of [0, -1, 300.00000000000006]) {
      const { status, json } = await daemon.as('desk').post('/api/order', { ...order, order_type: orderType, price });
      expect([price, status, json.field]).toEqual([price, 400, 'price']);
    }
  });
  it.each([undefined, 0, -1])('a change that is none of quantity takes the quantity %s and ignores it', async (qty) => {
    const { order_id_ex: id } = await daemon.as('desk').s2c('/api/order', { ...order, price: 300 });
    const given = qty === undefined ? {} : { qty };
    const change = { acc_id: HK_CASH, env: SIMULATE, market: HK, order_id_ex: id };
    for (const op of [3, 4])
      expect(await daemon.as('desk').s2c('/api/modify-order', { ...change, ...given, op })).toMatchObject({ order_id_ex: id });
    const tcp = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    const { order_list: list } = await daemon.as('desk').s2c('/api/orders', { acc_id: HK_CASH, env: SIMULATE, market: HK });
    const { order_id: orderID } = list.find(({ order_id_ex }: { order_id_ex: string }) => order_id_ex === id);
    const header = { trdEnv: 0, accID: HK_CASH, trdMarket: HK };
    const packetID = { connID: 0, serialNo: 2 };
    expect(await tcp.ask('Trd_ModifyOrder', { packetID, header, orderID, modifyOrderOp: 3, ...given })).toMatchObject({ retType: 0 });
    tcp.close();
  });
});
