import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';

const daemon = TestDaemon.forAll({
  keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate', 'admin'] } },
  flags: ['--enable-trading'],
});

const header = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const order = { ...header, side: BUY, code: '00700', qty: 100, price: 100, order_type: 1 };

/** Bad request, expected code, field at fault, and expected text. */
const rows: readonly [what: string, path: string, body: unknown, code: string, field: string | undefined, says: readonly string[]][] = [
  ['malformed JSON', '/api/quote', '{"symbol": "HK.00700"', 'request.malformed_json', undefined, ['malformed JSON', 'line 1, column 2']],
  ['text that is no JSON', '/api/quote', 'symbol=HK.00700', 'request.malformed_json', undefined, ['line 1, column 1']],
  ['an array for a body', '/api/quote', [], 'request.wrong_type', undefined, ['expected an object']],
  ['no symbol', '/api/quote', {}, 'request.missing_field', 'symbol', ['missing field "symbol"']],
  ['an empty body', '/api/quote', '', 'request.missing_field', 'symbol', ['missing field "symbol"']],
  ['an unknown field', '/api/quote', { symbl: 'HK.00700' }, 'request.unknown_field', 'symbl', ['unknown field "symbl"', 'symbol']],
  [
    'an unknown inner field',
    '/api/quote',
    { security_list: [{ market: 1, cod: '1' }] },
    'request.unknown_field',
    'security_list[0].cod',
    ['"security_list[0].cod"', 'code'],
  ],
  [
    'an unknown field under c2s',
    '/api/modify-order',
    { c2s: { headr: {} } },
    'request.unknown_field',
    'c2s.headr',
    ['"c2s.headr"', 'header'],
  ],
  ['a number for a symbol', '/api/quote', { symbol: 700 }, 'request.wrong_type', 'symbol', ['symbol', 'the number 700', 'MARKET.CODE']],
  ['a replacement character, which is good UTF-8', '/api/quote', { symbol: '\ufffd' }, 'request.invalid', 'symbol', ['MARKET.CODE']],
  ['a symbol without its market', '/api/quote', { symbol: '00700' }, 'request.invalid', 'symbol', ['MARKET.CODE', '00700']],
  ['a text for a number', '/api/orderbook', { symbol: 'HK.00700', depth: 'ten' }, 'request.wrong_type', 'depth', ['depth', '"ten"']],
  ['a fraction for an integer', '/api/orderbook', { symbol: 'HK.00700', depth: 1.5 }, 'request.wrong_type', 'depth', ['depth', '1.5']],
  ['a depth above its bound', '/api/orderbook', { symbol: 'HK.00700', depth: 41 }, 'request.out_of_range', 'depth', ['41', '1 to 40']],
  ['a depth below its bound', '/api/orderbook', { symbol: 'HK.00700', depth: 0 }, 'request.out_of_range', 'depth', ['0', '1 to 40']],
  ['an enumeration by name', '/api/kline', { symbol: 'HK.00700', kl_type: 'day' }, 'request.wrong_type', 'kl_type', ['kl_type', '"day"']],
  ['an unknown enumeration number', '/api/kline', { symbol: 'HK.00700', kl_type: 4 }, 'request.out_of_range', 'kl_type', ['4', '11']],
  ['two names for one field', '/api/quote', { symbol: 'HK.00700', code: 'HK.00700' }, 'request.invalid', 'code', ['"symbol"', '"code"']],
  ['env 0, which is in no list', '/api/funds', { ...header, env: 0 }, 'request.out_of_range', 'env', ['env', '0', 'simulate', 'real']],
  ['no account', '/api/funds', { market: HK, env: SIMULATE }, 'request.missing_field', 'acc_id', ['missing field "acc_id"']],
  ['a negative account', '/api/funds', { ...header, acc_id: -1 }, 'request.out_of_range', 'acc_id', ['acc_id', '-1']],
  ['an account beyond 64 bits', '/api/funds', { ...header, acc_id: '18446744073709551616' }, 'request.out_of_range', 'acc_id', ['acc_id']],
  ['an order for nothing', '/api/order', { ...order, qty: 0 }, 'request.out_of_range', 'qty', ['qty', '0']],
  ['a limit order without a price', '/api/order', { ...order, price: undefined }, 'request.missing_field', 'price', ['price']],
  ['a limit order for nothing', '/api/order', { ...order, price: 0 }, 'request.out_of_range', 'price', ['price: 0', 'above 0']],
  ['a limit order below nothing', '/api/order', { ...order, price: -1 }, 'request.out_of_range', 'price', ['price: -1', 'above 0']],
  ['an order for less than nothing', '/api/order', { ...order, qty: -1 }, 'request.out_of_range', 'qty', ['qty: -1', 'above 0']],
  ['a price of too many places', '/api/order', { ...order, price: 1.0000000001 }, 'request.out_of_range', 'price', ['at most nine']],
  ['a market prefix in a code', '/api/order', { ...order, code: 'HK.00700' }, 'request.invalid', 'code', ['prefix']],
  ['an order without a side', '/api/order', { ...order, side: undefined }, 'request.missing_field', 'side', ['missing field "side"']],
  [
    'a cancel that does not cancel',
    '/api/cancel-order',
    { ...header, order_id: 1, op: 1 },
    'request.out_of_range',
    'op',
    ['op', 'cancel (2)'],
  ],
  [
    'env 2 in a modify header',
    '/api/modify-order',
    { header: { trd_env: 2, acc_id: HK_MARGIN, trd_market: HK }, order_id: 1, modify_order_op: 1 },
    'request.out_of_range',
    'header.trd_env',
    ['trd_env'],
  ],
  ['a field in a reload', '/api/admin/reload', { force: true }, 'request.unknown_field', 'force', ['unknown field "force"']],
  ['a field in a reload that is null', '/api/admin/reload', { force: null }, 'request.unknown_field', 'force', ['unknown field "force"']],
  ['an array to a reload', '/api/admin/reload', [], 'request.wrong_type', undefined, ['expected an object']],
  ['an empty message in a reload', '/api/admin/reload', { c2s: {} }, 'request.unknown_field', 'c2s', ['unknown field "c2s"']],
  ['a field in a shutdown', '/api/admin/shutdown', { delay: 1 }, 'request.unknown_field', 'delay', ['unknown field "delay"']],
];

describe('a request that cannot be read is refused with 400', () => {
  it.each(rows)('%s', async (_what, path, body, code, field, says) => {
    const answer = await daemon.as('desk').post(path, body);
    expect([answer.status, answer.json.code]).toEqual([400, code]);
    expect(answer.json.field).toBe(field);
    for (const part of says) expect(answer.json.error).toContain(part);
  });

  it('leaves no trace: no order came of any of them, and the daemon goes on', async () => {
    expect((await daemon.as('desk').s2c('/api/orders', header)).order_list).toEqual([]);
    expect(daemon.shutdownRequests).toEqual([]);
  });
});

it('names an idempotency key as the request does', async () => {
  const answer = await daemon.as('desk').post('/api/order', order, { 'idempotency-key': 'two words' });
  expect([answer.status, answer.json.code, answer.json.field]).toEqual([400, 'request.invalid', 'Idempotency-Key']);
  expect(answer.json.error).toBe('Idempotency-Key: expected 1 to 255 visible ASCII characters, found a space or another character');
});

it('refuses a price of zero where its schema does', async () => {
  const answer = await daemon.as('desk').post('/api/max-trd-qtys', { ...header, code: '00700', price: 0, order_type: 1 });
  expect([answer.status, answer.json.code, answer.json.field]).toEqual([400, 'request.out_of_range', 'price']);
  expect(answer.json.error).toContain('accepted: above 0');
});

describe('query parameters follow the rules of bodies', () => {
  it('refuses unknown names, and names given twice', async () => {
    const unknown = await daemon.as('desk').get('/api/risk-free-rate?rate_tim=1');
    expect([unknown.status, unknown.json.code, unknown.json.field]).toEqual([400, 'request.unknown_field', 'rate_tim']);
    expect(unknown.json.error).toContain('rate_time');
    const twice = await daemon.as('desk').get('/api/risk-free-rate?rate_time=1&rate_time=2');
    expect([twice.status, twice.json.field]).toEqual([400, 'rate_time']);
  });
});

describe('the query of a POST', () => {
  it.each(['?qty=40000', '?nonsense', `?c2s=${'x'.repeat(500)}`])('is refused, whatever it says: %s', async (query) => {
    const answer = await daemon.as('desk').post(`/api/order${query}`, order);
    const name = [...new URLSearchParams(query).keys()][0];
    expect([answer.status, answer.json.code, answer.json.field]).toEqual([400, 'request.unknown_field', name]);
    expect(answer.json.error).toContain('JSON body');
    expect((await daemon.as('desk').s2c('/api/orders', header)).order_list).toEqual([]);
  });

  it('may be empty', async () => {
    expect((await daemon.as('desk').post('/api/orders?', header)).status).toBe(200);
  });
});

describe('administration takes an empty body, {} or null', () => {
  it.each([[''], ['{}'], ['null']])('reload with %j', async (body) => {
    expect((await daemon.as('desk').post('/api/admin/reload', body)).status).toBe(200);
  });
});

it('every answer in JSON ends with a newline', async () => {
  const desk = daemon.as('desk');
  const answers = await Promise.all([
    desk.post('/api/quote', { symbol: 'HK.00700' }),
    desk.post('/api/quote', { symbol: 'HK.99999' }),
    desk.post('/api/order', { ...order, qty: 1 }),
    desk.post('/api/static-info', { market: 11, sec_type: 3 }),
    desk.post('/api/quote', {}),
    desk.post('/api/quote', {}, { accept: 'application/problem+json' }),
    desk.get('/api/nothing'),
    ...['/livez', '/health', '/readyz', '/openapi.json'].map((path) => desk.get(path)),
  ]);
  for (const { text } of answers) expect(text).toMatch(/[^\n]\n$/);
});
