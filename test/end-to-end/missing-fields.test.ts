import { describe, expect, it } from 'vitest';
import { HK, HK_CASH, HK_MARGIN, REAL, REAL_ENV, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { TestDaemon } from '../support/daemon.js';

const daemon = TestDaemon.forAll({
  keys: {
    desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'trade:unlock'] },
    narrow: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { allowedMarkets: 'HK' } },
  },
  flags: ['--enable-trading', '--api-key-id', 'narrow'],
});

const account = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
const header = { trd_env: SIMULATE, acc_id: HK_MARGIN, trd_market: HK };

/** Request and the field that it lacks. */
const lacking: readonly [path: string, body: object, field: string, says: string][] = [
  ['/api/subscribe', { sub_types: [1] }, 'symbols', 'missing field "symbols"'],
  ['/api/subscribe', { symbols: ['HK.00700'] }, 'sub_types', 'missing field "sub_types"'],
  ['/api/unsubscribe', {}, 'symbols', 'required unless unsub_all is true'],
  ['/api/unsubscribe', { symbols: ['HK.00700'] }, 'sub_types', 'required unless unsub_all is true'],
  ['/api/unsubscribe', { c2s: { is_sub_or_un_sub: false } }, 'c2s.security_list', 'required unless c2s.is_unsub_all is true'],
  ['/api/static-info', {}, 'symbols', 'one of symbols, market, sec_type is required'],
  ['/api/static-info', { symbols: [] }, 'symbols', 'one of symbols, market, sec_type is required'],
  ['/api/trading-days', { begin_time: '2026-01-01', end_time: '2026-01-31' }, 'market', 'one of market, symbol is required'],
  ['/api/cancel-order', account, 'order_id', 'one of order_id, order_id_ex is required'],
  ['/api/cancel-order', { ...account, order_id: 0 }, 'order_id', 'one of order_id, order_id_ex is required'],
  [
    '/api/modify-order',
    { c2s: { header, modify_order_op: 1, qty: 200, price: 590 } },
    'c2s.order_id',
    'one of c2s.order_id, c2s.order_id_ex is required',
  ],
  ['/api/modify-order', { c2s: { header, modify_order_op: 2 } }, 'c2s.order_id', 'one of c2s.order_id, c2s.order_id_ex is required'],
  ['/api/modify-order', { c2s: { header, modify_order_op: 1, order_id: 1 } }, 'c2s.qty', 'required when c2s.modify_order_op is normal'],
  ['/api/unlock-trade', { unlock: true }, 'pwd_md5', 'required when unlock is true'],
];

describe('a request that lacks what it needs', () => {
  it.each(lacking)('is refused with 400 and the name: %s %j', async (path, body, field, says) => {
    const answer = await daemon.as('desk').post(path, body);
    expect([answer.status, answer.json.code, answer.json.field]).toEqual([400, 'request.missing_field', field]);
    expect(answer.json.error).toContain(says);
  });

  const stop = { ...account, side: 1, code: '00700', qty: 100 };
  const whole: readonly [path: string, body: object, fields: readonly string[]][] = [
    ['/api/order', { ...stop, order_type: 15 }, ['trail_type', 'trail_value', 'trail_spread']],
    ['/api/order', { ...stop, price: 1, time_in_force: 3 }, ['expire_time']],
    ['/api/combo-order', { ...account, order_type: 1, time_in_force: 3 }, ['qty', 'combo_legs', 'price', 'expire_time']],
    ['/api/modify-order', { ...account, op: 1 }, ['order_id', 'qty']],
    [
      '/api/modify-order',
      { c2s: { header: {} } },
      ['trd_env', 'acc_id', 'trd_market'].map((name) => `c2s.header.${name}`).concat('c2s.modify_order_op', 'c2s.order_id'),
    ],
    ['/api/history-orders', account, ['filter_conditions.begin_time', 'filter_conditions.end_time']],
    ['/api/history-order-fills', account, ['filter_conditions.begin_time', 'filter_conditions.end_time']],
    ['/api/stock-screen', { filter_list: [{ simple_field_query: {} }] }, ['filter_list[0].simple_field_query.simple_field']],
  ];
  it.each(whole)('names all that it lacks, and nothing else: %s %j', async (path, body, fields) => {
    const { json } = await daemon.as('desk').post(path, body);
    const named = [...String(json.error).matchAll(/"([^"]+)"/g)].map(([, field]) => field);
    expect([json.code, [...named].sort()]).toEqual(['request.missing_field', [...fields].sort()]);
  });

  it('says what goes with a quantity', async () => {
    const { json } = await daemon.as('desk').post('/api/modify-order', { ...account, op: 1, order_id: 1 });
    expect(json.error).toBe('missing field "qty": required when op is normal, with the price of an order that has one');
  });

  it('is told by the type of the order that it names', async () => {
    const desk = daemon.as('desk');
    const order = { ...account, side: 1, code: '00700', qty: 100, price: 1, order_type: 1 };
    const { order_id_ex: orderIdEx } = await desk.s2c('/api/order', order);
    const answer = await desk.post('/api/modify-order', { c2s: { header, modify_order_op: 1, order_id_ex: orderIdEx, qty: 200 } });
    expect([answer.status, answer.json.code, answer.json.field]).toEqual([400, 'request.missing_field', 'c2s.price']);
    expect(await desk.s2c('/api/cancel-order', { ...account, order_id_ex: orderIdEx })).toMatchObject({ order_id_ex: orderIdEx });
  });

  it('requires nothing that other fields of the request make needless', async () => {
    const desk = daemon.as('desk');
    expect(await desk.s2c('/api/unsubscribe', { unsub_all: true })).toEqual({});
    expect(await desk.s2c('/api/unlock-trade', { unlock: false })).toEqual({});
    const days = { symbol: 'HK.00700', begin_time: '2026-01-05', end_time: '2026-01-05 12:00:00' };
    expect((await desk.s2c('/api/trading-days', days)).trade_date_list).toHaveLength(1);
  });
});

describe('a message that lacks fields', () => {
  const header = { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 };
  const messages: readonly [Parameters<CoreTcpClient['ask']>[0], object, string][] = [
    [
      'Trd_PlaceOrder',
      { packetID: { connID: 0 }, header: { trdEnv: 0 }, trdSide: 1 },
      'orderType, code, qty, header.accID, header.trdMarket',
    ],
    ['Trd_PlaceOrder', { header, trdSide: 1, orderType: 1, code: '00700' }, 'qty, price'],
    ['Trd_ModifyOrder', { header: {}, modifyOrderOp: 1 }, 'header.trdEnv, header.accID, header.trdMarket, orderID, qty'],
    [
      'Qot_Sub',
      { securityList: [{}, { market: 1 }], isSubOrUnSub: true },
      'subTypeList, securityList[0].market, securityList[0].code, securityList[1].code',
    ],
  ];
  it.each(messages)('in JSON names them all at once, as protobuf does: %s %j', async (name, c2s, fields) => {
    const json = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '', { format: 'json' });
    const { retType, retMsg = '' } = await json.ask(name, c2s);
    json.close();
    const named = [...retMsg.matchAll(/"([^"]+)"/g)].map(([, field]) => field);
    expect([retType, named.join(', ')]).toEqual([-1, fields]);
  });

  it('names a field of a wrong type in a JSON message by its path', async () => {
    const json = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '', { format: 'json' });
    const answer = await json.ask('Trd_PlaceOrder', { header: { ...header, trdMarket: 'HK' } });
    json.close();
    expect(answer.retMsg).toBe('header.trdMarket: expected an integer of 32 bits, found the string "HK"');
  });
});

describe('what there is not is said', () => {
  const refusals: readonly [string, object, string][] = [
    ['/api/token-state', { acc_id: 5 }, 'unknown account 5'],
    ['/api/funds', { acc_id: HK_CASH, env: SIMULATE, market: HK, currency: 2 }, 'has no USD: its funds are in HKD'],
    ['/api/funds', { acc_id: REAL, env: REAL_ENV, market: HK, currency: 6 }, 'has no AUD'],
  ];
  it.each(refusals)('%s %j', async (path, body, says) => {
    const answer = await daemon.as('desk').post(path, body);
    expect([answer.status, answer.json.ret_type]).toEqual([200, -1]);
    expect(answer.json.ret_msg).toContain(says);
  });

  it('to a client of the public protocol, which sends a currency always, the answer says which it is in', async () => {
    const client = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    const answer = await client.ask('Trd_GetFunds', { header: { trdEnv: 0, accID: HK_CASH, trdMarket: 1 }, currency: 2 });
    expect(answer).toMatchObject({ retType: 0, s2c: { funds: { currency: 1 } } });
    client.close();
  });
});

describe('times of rates', () => {
  it('are signed 64-bit integers, and 0 is 1970', async () => {
    const desk = daemon.as('desk');
    expect(await desk.s2c('/api/risk-free-rate', { rate_time: 0 })).toMatchObject({ rate_time: 0 });
    const beyond = await desk.post('/api/risk-free-rate', '{"rate_time":9223372036854775808}');
    expect([beyond.status, beyond.json.code, beyond.json.field]).toEqual([400, 'request.out_of_range', 'rate_time']);
    expect((await desk.post('/api/risk-free-rate', { rate_time: -1 })).json).toMatchObject({ ret_type: -1 });
  });
});

describe('a subscription of several symbols and types', () => {
  it('takes the pairs that exist and says which it left out', async () => {
    const answer = await daemon.as('desk').post('/api/subscribe', { symbols: ['HK.00700', 'HK.HSImain'], sub_types: [1, 14] });
    expect(answer.json).toMatchObject({
      ret_type: 0,
      ret_msg: 'left out, not available: HK.HSImain 14 (Broker)',
    });
    const held = JSON.stringify(await daemon.as('desk').s2c('/api/query-subscription', {}));
    expect(held).toContain('HSImain');
  });

  it('refuses a subscription when no pair of symbol and type exists', async () => {
    const answer = await daemon.as('desk').post('/api/subscribe', { symbols: ['US.AAPL', 'HK.HSImain'], sub_types: [14] });
    expect(answer.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('does not serve sub_type 14') });
  });
});

describe('a zero of the public protocol, from a key that is limited to HK', () => {
  const ask = async (name: Parameters<CoreTcpClient['ask']>[0], c2s: object) => {
    const client = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    const answer = await client.ask(name, c2s);
    client.close();
    return answer;
  };
  const security = (market: number, code: string) => ({ market, code });
  const days = { beginTime: '2026-01-05', endTime: '2026-01-09' };

  it('names no market, and so not one that it may use', async () => {
    const every = await ask('Qot_GetStaticInfo', { market: 0, secType: 3, securityList: [] });
    expect(every).toMatchObject({ retType: -1, retMsg: expect.stringContaining('every market is not allowed') });
    const cancel = { packetID: { connID: 1, serialNo: 1 }, header: { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 }, orderID: 0 };
    const all = await ask('Trd_ModifyOrder', { ...cancel, modifyOrderOp: 2, forAll: true, trdMarket: 0 });
    expect(all).toMatchObject({ retType: -1, retMsg: expect.stringContaining('every market is not allowed') });
  });

  it('leaves the securities beside it to decide', async () => {
    const own = await ask('Qot_GetStaticInfo', { market: 0, secType: 0, securityList: [security(1, '00700')] });
    expect(own).toMatchObject({ retType: 0 });
    const foreign = await ask('Qot_GetStaticInfo', { market: 0, secType: 0, securityList: [security(11, 'AAPL')] });
    expect(foreign).toMatchObject({ retType: -1, retMsg: expect.stringContaining('market US is not allowed') });
    expect(await ask('Qot_RequestTradeDate', { market: 0, security: security(1, '00700'), ...days })).toMatchObject({ retType: 0 });
    expect(await ask('Qot_RequestTradeDate', { market: 0, security: security(11, 'AAPL'), ...days })).toMatchObject({ retType: -1 });
  });
});
