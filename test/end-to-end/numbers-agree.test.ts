import { replayClock } from '@svc-gateway/contract/clock';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, NORMAL, SELL, SIMULATE, US, US_MARGIN } from '../support/accounts.js';
import { backendName } from '../support/backend-behind.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { TestDaemon } from '../support/daemon.js';
import type { McpClient } from '../support/mcp-client.js';
import type { PushFrame } from '../support/push-client.js';

const FUTURES_SIMULATED = '281756478396547008';
const FUTURES = 5;
const ORDER_PUSH = 2208;
const FILL_PUSH = 2218;
/** Trd_Common.OrderStatus. */
const SUBMITTED = 5;
const FILLED = 11;
const CANCELLED = 15;

let mcp: McpClient;
const daemon = TestDaemon.forAll({
  simulationClock: replayClock(Date.now(), 20),
  keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } },
  flags: ['--enable-trading'],
});
beforeAll(async () => {
  mcp = await daemon.mcp('desk');
});

const exact = { 'x-svc-int64': 'string' };
const read = (path: string, body: object) => daemon.as('desk').s2c(path, body, exact);
const futures = { market: FUTURES, acc_id: FUTURES_SIMULATED, env: SIMULATE };

describe('what the gateway writes it reads back', () => {
  it('lists the K-line types of a market by the numbers that /api/kline takes', async () => {
    const { json } = await daemon.as('desk').get('/api/quote-capability');
    const { kl_type_list } = json.s2c.capability_list.find(({ market }: { market: number }) => market === 1);
    expect([...kl_type_list].sort((a, b) => a - b)).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11]);
    for (const kl_type of kl_type_list) await read('/api/kline', { symbol: 'HK.00700', kl_type, rehab_type: 0, req_num: 1 });
  });

  it('lists them for tools by the names that svc_get_kline takes', async () => {
    const { json } = await mcp.call('svc_get_quote_capability', {});
    const [hk] = json.capability_list as { kl_type_list: string[]; sub_type_list: string[] }[];
    expect(hk?.kl_type_list).toEqual(expect.arrayContaining(['day', 'quarter', 'year', '1min', '4min', '240min']));
    for (const kl_type of hk?.kl_type_list ?? []) {
      expect(await mcp.call('svc_get_kline', { symbol: 'HK.00700', kl_type, count: 1 }), kl_type).toMatchObject({ isError: false });
    }
    expect(hk?.sub_type_list).toContain('KL_Day');
  });

  it('names only markets of an account that its routes take', async () => {
    const { json } = await daemon.as('desk').get('/api/list-accounts', exact);
    for (const { acc_id, trd_env, trd_market_auth_list } of json.s2c.acc_list) {
      expect(new Set(trd_market_auth_list).size).toBe(trd_market_auth_list.length);
      for (const market of trd_market_auth_list) await read('/api/funds', { market, acc_id, env: trd_env });
    }
    const simulated = json.s2c.acc_list.find(({ acc_id }: { acc_id: string }) => acc_id === FUTURES_SIMULATED);
    expect(simulated.trd_market_auth_list).toEqual([FUTURES]);
  });

  it('says market 5 (FUTURES) in orders, fills, positions and pushes of simulated futures', async () => {
    const push = await daemon.push('desk', '?int64=string');
    await read('/api/sub-acc-push', { acc_id_list: [FUTURES_SIMULATED] });
    const placed = await read('/api/order', { ...futures, side: BUY, symbol: 'HK.HSImain', qty: 1, order_type: MARKET });
    const filled = await push.frame(
      (frame: PushFrame) =>
        frame.proto_id === ORDER_PUSH && frame.body.order.order_id === placed.order_id && frame.body.order.order_status === FILLED,
      'the order',
    );
    expect(filled).toMatchObject({ trd_market: 'FUTURES', body: { header: { trd_market: FUTURES }, order: { trd_market: FUTURES } } });
    const { order_list } = await read('/api/orders', futures);
    const { order_fill_list } = await read('/api/order-fills', futures);
    const { position_list } = await read('/api/positions', futures);
    for (const list of [order_list, order_fill_list, position_list]) {
      expect(list.length).toBeGreaterThan(0);
      for (const { trd_market } of list) expect(trd_market).toBe(FUTURES);
    }
    const ask = await mcp.call('svc_get_orders', { market: 'FUTURES', acc_id: FUTURES_SIMULATED, env: 'simulate' });
    expect(ask.json.order_list).toEqual([expect.objectContaining({ trd_market: 'FUTURES' })]);
  });

  it('takes the order types from 10 on by their public numbers', async () => {
    const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
    const { order_book_ask_list } = await read('/api/orderbook', { symbol: 'HK.00700', depth: 1 });
    const high = Math.ceil(order_book_ask_list[0].price * 1.1);
    const stop = { ...account, side: BUY, code: '00700', qty: 100, order_type: 11, price: high, aux_price: high };
    const { order_id_ex } = await read('/api/order', stop);
    const { order_list } = await read('/api/orders', account);
    const order = order_list.find((each: { order_id_ex: string }) => each.order_id_ex === order_id_ex);
    expect(order).toMatchObject({ order_type: 11, aux_price: high, trd_market: HK });
    await read('/api/cancel-order', { ...account, order_id_ex });
  });
});

describe('markets that are not traded here', () => {
  const account = { acc_id: HK_MARGIN, env: SIMULATE };
  const order = { side: BUY, code: '00700', qty: 100, price: 700 };
  it.each([
    [8, 'AU'],
    [112, 'CA'],
  ])('%i (%s) is refused for what it is, under the name that was sent', async (market, name) => {
    const refused = async (path: string, body: object, field: string) => {
      const answer = await daemon.as('desk').post(path, body);
      expect(answer.json).toMatchObject({
        code: 'request.out_of_range',
        field,
        error: expect.stringContaining(`${field}: market ${name} is not traded here`),
      });
      expect(answer.status).toBe(400);
      expect(answer.json.error).not.toContain(`(${name})`);
    };
    await refused('/api/order', { ...account, ...order, market }, 'market');
    await refused('/api/order', { ...account, ...order, trd_market: market }, 'trd_market');
    await refused('/api/funds', { ...account, market }, 'market');
    await refused(
      '/api/positions',
      { c2s: { header: { trd_env: SIMULATE, acc_id: HK_MARGIN, trd_market: market } } },
      'c2s.header.trd_market',
    );
    await refused('/api/cancel-order', { ...account, market: name, order_id_ex: 'x' }, 'market');
    const tool = await mcp.call('svc_get_funds', { ...account, env: 'simulate', market: name });
    expect([tool.isError, tool.text]).toEqual([true, expect.stringContaining(`market ${name} is not traded here`)]);
  });

  it('7 is Japan over REST and nothing for tools', async () => {
    const japanese = { acc_id: '281756478396547006', env: SIMULATE };
    const { header } = await read('/api/funds', { ...japanese, market: 7 });
    expect(header.trd_market).toBe(15);
    const tool = await mcp.call('svc_get_funds', { ...japanese, market: 7 });
    expect([tool.isError, tool.text]).toEqual([true, expect.stringContaining('market: expected one of')]);
  });
});

describe('orders', () => {
  it('show the session that they were given', async () => {
    const account = { market: US, acc_id: US_MARGIN, env: SIMULATE };
    for (const session of [undefined, 1, 2, 3]) {
      const body = { ...account, side: BUY, code: 'AAPL', qty: 1, price: 1, order_type: NORMAL };
      const { order_id_ex } = await read('/api/order', session === undefined ? body : { ...body, session });
      const { order_list } = await read('/api/orders', account);
      const order = order_list.find((each: { order_id_ex: string }) => each.order_id_ex === order_id_ex);
      expect([order.session, order.fill_outside_rth]).toEqual([session, session !== undefined && session > 1]);
      await read('/api/cancel-order', { ...account, order_id_ex });
    }
  });

  it('push the sellable quantity with every change', async () => {
    const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
    const push = await daemon.push('desk', '?int64=string');
    await read('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const about = (id: string) => (frame: PushFrame) =>
      (frame.proto_id === ORDER_PUSH && frame.body.order.order_id === id) ||
      (frame.proto_id === FILL_PUSH && frame.body.order_fill.order_id === id);
    const at = (id: string, status: number, qty: number) =>
      push.frame(
        (frame) =>
          frame.proto_id === ORDER_PUSH &&
          frame.body.order.order_id === id &&
          frame.body.order.order_status === status &&
          frame.body.order.qty === qty,
        `order ${id} with status ${status}`,
      );
    const sellable = async () => {
      const { position_list } = await read('/api/positions', { ...account, refresh_cache: true });
      return position_list.find(({ code }: { code: string }) => code === '00700')?.can_sell_qty ?? 0;
    };

    const bought = await read('/api/order', { ...account, side: BUY, code: '00700', qty: 500, order_type: MARKET });
    expect((await at(bought.order_id, FILLED, 500)).can_sell_qty).toBe(500);
    const { order_book_bid_list } = await read('/api/orderbook', { symbol: 'HK.00700', depth: 1 });
    const price = Math.ceil(order_book_bid_list[0].price * 1.1);
    const sale = await read('/api/order', { ...account, side: SELL, code: '00700', qty: 300, price, order_type: NORMAL });
    expect((await at(sale.order_id, SUBMITTED, 300)).can_sell_qty).toBe(200);
    expect(await sellable()).toBe(200);
    const header = { trd_env: SIMULATE, acc_id: HK_MARGIN, trd_market: HK };
    await read('/api/modify-order', { c2s: { header, order_id: sale.order_id, modify_order_op: 1, qty: 400, price } });
    expect((await at(sale.order_id, SUBMITTED, 400)).can_sell_qty).toBe(100);
    expect(await sellable()).toBe(100);
    await read('/api/cancel-order', { ...account, order_id: sale.order_id });
    const gone = await at(sale.order_id, CANCELLED, 400);
    expect(gone.can_sell_qty).toBe(500);
    expect(gone.body.order).not.toHaveProperty('can_sell_qty');
    expect(await sellable()).toBe(500);
    const sold = await read('/api/order', { ...account, side: SELL, code: '00700', qty: 500, order_type: MARKET });
    expect((await at(sold.order_id, FILLED, 500)).can_sell_qty).toBe(0);
    const all = push.frames.filter((frame) => [bought, sale, sold].some(({ order_id }) => about(order_id)(frame)));
    expect(all.every((frame) => typeof frame.can_sell_qty === 'number')).toBe(true);
    // The quantity filled so far decides, fill by fill; positions read after a fill may already include the next one.
    const left = all.filter((frame) => frame.proto_id === FILL_PUSH && frame.body.order_fill.order_id === bought.order_id);
    const sums = left.map((_, last) => left.slice(0, last + 1).reduce((sum, { body }) => sum + body.order_fill.qty, 0));
    for (const [index, { can_sell_qty }] of left.entries()) {
      expect(can_sell_qty).toBeOneOf(sums.slice(index, backendName === 'sim' ? index + 1 : undefined));
    }
    expect(sums.at(-1)).toBe(500);
  });
});

it('writes the names of enumerations over REST where they are asked for', async () => {
  const desk = daemon.as('desk');
  const names = { 'x-svc-enums': 'names', 'x-svc-int64': 'string' };
  const body = { symbols: ['HK.00700', 'US.AAPL'] };
  const [numbers, named] = [await desk.s2c('/api/market-state', body), await desk.s2c('/api/market-state', body, names)];
  const tool = (await mcp.call('svc_get_market_state', body)).json;
  for (const [index, { market_state }] of named.market_info_list.entries()) {
    expect(market_state).toMatch(/^[A-Z]\w+$/);
    expect(numbers.market_info_list[index].market_state).toEqual(expect.any(Number));
    expect((tool.market_info_list as { market_state: string }[])[index]?.market_state).toBe(market_state);
  }
  const { acc_list } = (await desk.get('/api/list-accounts', names)).json.s2c;
  expect(new Set(acc_list.map(({ trd_env }: { trd_env: string }) => trd_env))).toEqual(new Set(['simulate', 'real']));
  // A plain request after it has numbers again.
  expect(await desk.s2c('/api/market-state', body)).toEqual(numbers);
});

it('takes the public numbers of bar lengths inside a c2s that is given as it is', async () => {
  const security = { market: 1, code: '00700' };
  const bars = async (body: object) => (await read('/api/kline', body)).kl_list.map(({ time }: { time: string }) => time);
  const flat = { security, rehab_type: 0, req_num: 2 };
  expect(await bars({ c2s: { ...flat, kl_type: 2 } })).toEqual(await bars({ ...flat, kl_type: 1 }));
  expect(await bars({ c2s: { ...flat, kl_type: 4 } })).toEqual(await bars({ ...flat, kl_type: 3 }));
  expect(await bars({ c2s: { ...flat, kl_type: 4 } })).not.toEqual(await bars({ ...flat, kl_type: 2 }));
  const { status, json } = await daemon.as('desk').post('/api/kline', { c2s: { ...flat, kl_type: 99 } });
  expect([status, json.error]).toEqual([400, expect.stringMatching(/^c2s\.kl_type: expected one of 2 \(day\).* 1 \(1min\)/)]);
});

it('reads back the end of an order that is good till a date as it was given', async () => {
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  for (const expire_time of [day, `${day} 00:00:00`, `${day} 12:30:00`]) {
    const terms = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, symbol: 'HK.00700', qty: 100, price: 100, order_type: NORMAL };
    const { order_id_ex } = await read('/api/order', { ...terms, time_in_force: 3, expire_time });
    const { order_list } = await read('/api/orders', {
      market: HK,
      acc_id: HK_MARGIN,
      env: SIMULATE,
      filter_conditions: { order_id_ex_list: [order_id_ex] },
    });
    expect(order_list).toMatchObject([{ expire_time }]);
  }
});

describe('a price that binary floats make of a decimal', () => {
  const noisy = 319.6 + 0.3 + 0.1 - 20 + 1e-13;
  const order = { trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 99.99999999999999 };
  const header = { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 };

  it('is rounded over the public protocol, of new orders and of changes, in protobuf and in JSON', async () => {
    expect(noisy).not.toBe(300);
    const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
    const open = await TestDaemon.start({ keys: { desk: { scopes } }, flags: ['--enable-trading', '--api-key-id', 'desk'] });
    const clients = await Promise.all([
      CoreTcpClient.open(open.daemon.apiAddress!),
      CoreTcpClient.open(open.daemon.apiAddress!, { format: 'json' }),
    ]);
    for (const [index, client] of clients.entries()) {
      const packetID = (serialNo: number) => ({ connID: 0, serialNo: index * 10 + serialNo });
      const placed = await client.ask('Trd_PlaceOrder', { packetID: packetID(1), header, ...order, price: noisy });
      expect(placed).toMatchObject({ retType: 0 });
      const { orderIDEx } = placed.s2c as unknown as { orderIDEx: string };
      const listed = async () => {
        const { s2c } = await client.ask('Trd_GetOrderList', {
          header,
          refreshCache: true,
          filterConditions: { orderIDExList: [orderIDEx] },
        });
        return s2c?.orderList?.[0];
      };
      expect(await listed()).toMatchObject({ price: 300, qty: 100 });
      const change = {
        packetID: packetID(2),
        header,
        orderID: 0,
        orderIDEx,
        modifyOrderOp: 1,
        qty: 100,
        price: 299.80000000000001 + 2e-13,
      };
      expect(await client.ask('Trd_ModifyOrder', change)).toMatchObject({ retType: 0 });
      expect(await listed()).toMatchObject({ price: 299.8 });
      client.close();
    }
    await open.stop();
  });

  it('is refused over REST and by tools, with the decimal that was meant', async () => {
    const bodies: [string, string, Record<string, unknown>][] = [
      ['/api/order', 'svc_place_order', { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: noisy }],
      [
        '/api/bracket-order',
        'svc_place_bracket_order',
        { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 300, stop_loss_price: noisy },
      ],
      ['/api/set-price-reminder', 'svc_set_price_reminder', { symbol: 'HK.00700', op: 1, type: 1, freq: 1, value: noisy }],
    ];
    for (const [path, tool, body] of bodies) {
      const { status, json } = await daemon.as('desk').post(path, body);
      expect([status, json.error]).toEqual([400, expect.stringContaining('did you mean 300?')]);
      expect(await mcp.call(tool, body)).toMatchObject({ isError: true, json: { error: expect.stringContaining('did you mean 300?') } });
    }
  });
});
