import { describe, expect, it } from 'vitest';
import { HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';

const daemon = TestDaemon.forAll({
  keys: { desk: { scopes: ['qot:read', 'qot:write', 'acc:read', 'trade:simulate', 'trade:real'] } },
  flags: ['--enable-trading', '--enable-v18-position-writes', '--enable-v18-experimental-reads', '--enable-desktop-phase2-reads'],
});

const account = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
const header = { trd_env: SIMULATE, acc_id: HK_MARGIN, trd_market: HK };
const leg = { security: { market: 1, code: '00700' }, side: 1, qty_ratio: 1 };
const combo = { header, qty: 1, price: 1, order_type: 1 };
const order = { ...account, symbol: 'HK.00700', side: 1, qty: 100, price: 1 };
const exits = { ...order, price: 300, stop_loss_price: 200 };
const filter = { begin: 0, num: 5, market: 1 };
const screen = { market: 1, extension_version: 1 };
const period = { market: 1, period_type: 1 };
const least = { value: 5, includes: true };
const most = { value: 1, includes: true };
const days = { begin_time: '2026-12-01', end_time: '2026-11-01' };

/** A request, the field at fault, and a part of its refusal. */
type Row = readonly [path: string, body: object, field: string, says: string];

/** An order, and one with a bracket around it. */
function placed(security: object, field: string, says: string): readonly Row[] {
  const terms = { ...account, side: 1, qty: 100, price: 300, ...security };
  return [
    ['/api/order', terms, field, says],
    ['/api/bracket-order', { ...terms, stop_loss_price: 200 }, field, says],
  ];
}

/** Values that the specification or the protocol's definitions do not have. */
const unknown: readonly Row[] = [
  ['/api/stock-filter', { ...filter, base_filter_list: [{ field_name: 99 }] }, 'base_filter_list[0].field_name', '1 (StockCode)'],
  ['/api/stock-filter', { ...filter, base_filter_list: [{ field_name: 0 }] }, 'base_filter_list[0].field_name', '1 (StockCode)'],
  ['/api/stock-filter', { ...filter, base_filter_list: [{ field_name: 5, sort_dir: 7 }] }, 'base_filter_list[0].sort_dir', '2 (Descend)'],
  [
    '/api/stock-filter',
    { ...filter, financial_filter_list: [{ field_name: 1, quarter: 9 }] },
    'financial_filter_list[0].quarter',
    '5 (MostRecentQuarter)',
  ],
  [
    '/api/stock-filter',
    { ...filter, accumulate_filter_list: [{ field_name: 1, days: 0 }] },
    'accumulate_filter_list[0].days',
    'at least 1',
  ],
  [
    '/api/stock-filter',
    { ...filter, pattern_filter_list: [{ field_name: 1, kl_type: 1, consecutive_period: 13 }] },
    'pattern_filter_list[0].consecutive_period',
    '1 to 12',
  ],
  ['/api/stock-screen', { page_count: 301 }, 'page_count', '0 to 300'],
  ['/api/stock-screen', { page_from: -1 }, 'page_from', 'at least 0'],
  ['/api/stock-screen', { sort_list: [{ direction: 5 }] }, 'sort_list[0].direction', '4 (ABSOLUTE_DESCENDING)'],
  ['/api/warrant-screen', { market_type: 1, page_count: -1 }, 'page_count', 'at least 0'],
  ['/api/warrant-screen', { market_type: 1, sort_list: [{ sort_field_id: 8, direction: 2 }] }, 'sort_list[0].direction', '1 (DESCENDING)'],
  ['/api/etf-screen', { ...screen, filters: [{ field_id: 1 }, { field_id: 999 }] }, 'filters[1].field_id', '26 (dividend yield)'],
  ['/api/fund-screen', { ...screen, need_fields: [{ field_id: 999 }] }, 'need_fields[0].field_id', '1 (last price)'],
  ['/api/future-screen', { ...screen, sorts: [{ field_id: 41 }] }, 'sorts[0].field_id', '36 (continuous contract)'],
  ['/api/bond-screen', { ...screen, c2s: { filters: [{ field_id: 31 }] } }, 'c2s.filters[0].field_id', '46 (government bond)'],
  ['/api/dividend-rank', { market: 1, rank_type: 1, filter_list: [{ indicator_type: 99 }] }, 'filter_list[0].indicator_type', '1 ('],
  ['/api/period-change-rank', { ...period, filter_list: [{ indicator_type: -1 }] }, 'filter_list[0].indicator_type', '1 (Price)'],
  ['/api/ipo-calendar', { market: 1, begin_date: '', end_date: '20261130' }, 'begin_date', 'expected a date as yyyyMMdd'],
  ['/api/set-price-reminder', { symbol: 'HK.00700', op: 1, type: 1, freq: 1, value: -1 }, 'value', 'at least 0'],
  ['/api/search-quote', { keyword: '' }, 'keyword', 'missing field "keyword": required'],
  ['/api/user-security', { group_name: '' }, 'group_name', 'missing field "group_name": required'],
  ['/api/modify-user-security', { group_name: '', op: 1, symbols: ['HK.00700'] }, 'group_name', 'missing field "group_name": required'],
  ['/api/set-option-event-alert', { oper_type: 1, alert_list: [{ option_market: 9 }] }, 'alert_list[0].option_market', '4 (HK_Index)'],
];

/** The least of a pair above its most. */
const crossed: readonly Row[] = [
  ['/api/history-kline', { symbol: 'HK.00700', kl_type: 1, ...days }, 'begin_time', 'end_time, which is 2026-11-01'],
  ['/api/capital-flow', { symbol: 'HK.00700', period_type: 2, ...days }, 'begin_time', 'end_time'],
  ['/api/trading-days', { market: 1, ...days }, 'begin_time', 'end_time'],
  ['/api/suspend', { symbols: ['HK.00700'], ...days }, 'begin_time', 'end_time'],
  ['/api/option-chain', { symbol: 'US.AAPL', ...days }, 'begin_time', 'end_time'],
  ['/api/ipo-calendar', { market: 1, begin_date: '20261130', end_date: '20261101' }, 'begin_date', 'end_date, which is 20261101'],
  ['/api/earnings-calendar', { market: 1, begin_date: '2026-11-30', end_date: '2026-11-01' }, 'begin_date', 'end_date'],
  ['/api/economic-calendar', { begin_date: '2026-11-30', end_date: '2026-11-01' }, 'begin_date', 'end_date'],
  [
    '/api/code-change',
    { search: { time_filter_list: [{ type: 1, ...days }] } },
    'search.time_filter_list[0].begin_time',
    'search.time_filter_list[0].end_time',
  ],
  ['/api/history-orders', { ...account, ...days }, 'begin_time', 'end_time'],
  ['/api/orders', { ...account, filter_conditions: days }, 'filter_conditions.begin_time', 'filter_conditions.end_time'],
  ['/api/cash-log', { ...account, begin_time: 2, end_time: 1 }, 'begin_time', 'end_time, which is 1'],
  ['/api/positions', { ...account, filter_pl_ratio_min: 5, filter_pl_ratio_max: 1 }, 'filter_pl_ratio_min', 'filter_pl_ratio_max'],
  [
    '/api/stock-filter',
    { ...filter, base_filter_list: [{ field_name: 5, filter_min: 5, filter_max: 1 }] },
    'base_filter_list[0].filter_min',
    'base_filter_list[0].filter_max, which is 1',
  ],
  [
    '/api/stock-screen',
    { filter_list: [{ simple_property_query: { property: { name: 2201 }, filter_min: least, filter_max: most } }] },
    'filter_list[0].simple_property_query.filter_min',
    'filter_list[0].simple_property_query.filter_max, which is 1',
  ],
  [
    '/api/warrant-screen',
    { market_type: 1, filter_list: [{ field_id: 8, interval: { filter_min: { value: 5 }, filter_max: { value: 1 } } }] },
    'filter_list[0].interval.filter_min',
    'filter_list[0].interval.filter_max',
  ],
  ['/api/etf-screen', { ...screen, filters: [{ field_id: 1, min: 5, max: 1 }] }, 'filters[0].min', 'filters[0].max'],
  [
    '/api/period-change-rank',
    { ...period, filter_list: [{ indicator_type: 1, indicator_value: { filter_min: least, filter_max: most } }] },
    'filter_list[0].indicator_value.filter_min',
    'filter_list[0].indicator_value.filter_max',
  ],
  ['/api/warrant', { begin: 0, num: 5, min_cur_price: 5, max_cur_price: 1 }, 'min_cur_price', 'max_cur_price'],
];

/** Every field that is missing is named, as the request would have it. */
const missing: readonly (readonly [path: string, body: object, fields: readonly string[]])[] = [
  [
    '/api/combo-order',
    { c2s: { header, combo_legs: [{}, { security: {} }] } },
    [
      'c2s.order_type',
      'c2s.qty',
      'c2s.combo_legs[0].security',
      'c2s.combo_legs[1].security.market',
      'c2s.combo_legs[1].security.code',
      ...['side', 'qty_ratio'].flatMap((field) => [0, 1].map((index) => `c2s.combo_legs[${index}].${field}`)),
    ],
  ],
  [
    '/api/combo-order',
    { c2s: { ...combo, combo_legs: [leg, { security: leg.security }] } },
    ['c2s.combo_legs[1].side', 'c2s.combo_legs[1].qty_ratio'],
  ],
  [
    '/api/combo-order',
    { c2s: { header: {}, combo_legs: [leg, leg], order_type: 1 } },
    ['c2s.qty', 'c2s.header.trd_env', 'c2s.header.acc_id', 'c2s.header.trd_market', 'c2s.price'],
  ],
  [
    '/api/combo-max-trd-qtys',
    { c2s: { header, qty: 1, combo_legs: [{ security: leg.security, side: 1 }] } },
    ['c2s.combo_legs[0].qty_ratio'],
  ],
  [
    '/api/trd/reverse-position',
    { initial: {} },
    ['initial.idempotency_key', 'initial.position_id', 'initial.price_type', 'extension_version', 'env', 'acc_id', 'market'],
  ],
  ['/api/order', account, ['side', 'code', 'qty', 'price']],
  ['/api/order', { ...account, symbol: 'HK.00700', side: 1, qty: 100, order_type: 11 }, ['price', 'aux_price']],
  ['/api/order', { ...account, symbol: 'HK.00700', side: 1, qty: 100, order_type: 14 }, ['trail_type', 'trail_value']],
  [
    '/api/period-change-rank',
    { ...period, filter_list: [{ indicator_type: 1, indicator_value: { filter_min: { value: 1 }, filter_max: { value: 5 } } }] },
    ['filter_list[0].indicator_value.filter_min.includes', 'filter_list[0].indicator_value.filter_max.includes'],
  ],
];

/** Refusals of values of orders name what the caller has written. */
const written: readonly Row[] = [
  ['/api/combo-order', { c2s: { ...combo, combo_legs: [leg, { ...leg, qty_ratio: -1 }] } }, 'c2s.combo_legs[1].qty_ratio', 'above 0'],
  ['/api/combo-order', { c2s: { ...combo, qty: 0, combo_legs: [leg, leg] } }, 'c2s.qty', 'c2s.qty: 0'],
  [
    '/api/order',
    { c2s: { header, code: '00700', trd_side: 1, order_type: 1, qty: 0, price: 1, sec_market: 1 } },
    'c2s.qty',
    'c2s.qty: 0 is out of range',
  ],
  [
    '/api/order',
    { c2s: { header, code: '00700', trd_side: 1, order_type: 1, qty: 1, price: 0, sec_market: 1 } },
    'c2s.price',
    'c2s.price: ',
  ],
  ['/api/order', { ...order, symbol: 'US.AAPL' }, 'symbol', 'symbol: "US.AAPL" is not traded in market HK; accepted: securities of HK'],
  [
    '/api/order',
    { ...account, code: 'AAPL', sec_market: 2, side: 1, qty: 1, price: 1 },
    'sec_market',
    'sec_market: 2 (US) is not traded in market HK, accepted: 1 (HK)',
  ],
  ...placed({ symbol: 'US.AAPL' }, 'symbol', 'symbol: "US.AAPL" is not traded in market HK; accepted: securities of HK'),
  ...placed({ code: '00700', sec_market: 91 }, 'sec_market', 'sec_market: 91 (FX) is not traded in market HK, accepted: 1 (HK)'),
  ...placed({ market: 3, code: 'X' }, 'sec_market', 'give one of 31 (SH), 32 (SZ)'),
  [
    '/api/combo-order',
    { ...combo, combo_legs: [{ ...leg, security: { market: 11, code: 'AAPL' } }] },
    'combo_legs[0].security.market',
    'combo_legs[0].security.market: US is not traded in market HK; accepted: securities of HK',
  ],
  ['/api/order', { ...order, expire_time: '2026-12-31' }, 'expire_time', 'accepted: only where time_in_force is GTD'],
  ['/api/order', { ...order, expire_time: '2026-12-31', time_in_force: 1 }, 'expire_time', 'accepted: only where time_in_force is GTD'],
];

describe('a value that is not accepted is refused with 400 and its field', () => {
  it.each([...unknown, ...crossed, ...written])('%s %j', async (path, body, field, says) => {
    const { status, json } = await daemon.as('desk').post(path, body);
    expect([status, json.field]).toEqual([400, field]);
    expect(json.error).toContain(says);
  });
});

describe('a refusal by the brokerage', () => {
  const unknownLegs = ['X1', 'X2'].map((code) => ({ ...leg, security: { market: 1, code } }));
  const offTick = /^price 300\.01 is not on the tick [\d.]+ of HK\.00700; nearest: [\d.]+ and [\d.]+$/;

  it.each([
    [
      '/api/combo-order',
      { c2s: { ...combo, combo_legs: unknownLegs } },
      /^c2s\.combo_legs\[0\]: unknown symbol HK\.X1; c2s\.combo_legs\[1\]: unknown symbol HK\.X2$/,
    ],
    [
      '/api/combo-order',
      { ...combo, combo_legs: unknownLegs },
      /^combo_legs\[0\]: unknown symbol HK\.X1; combo_legs\[1\]: unknown symbol HK\.X2$/,
    ],
    ['/api/combo-order', { c2s: { ...combo, combo_legs: [leg, leg] } }, /^c2s\.combo_legs\[1\]: HK\.00700 is named twice$/],
    ['/api/combo-order', { ...combo, combo_legs: Array(5).fill(leg) }, /^combo_legs has 5 legs: from 1 to 4 are accepted$/],
    ['/api/combo-max-trd-qtys', { c2s: { ...combo, combo_legs: unknownLegs } }, /^c2s\.combo_legs\[0\]: unknown symbol HK\.X1; /],
    ['/api/order', { ...order, price: 300.01 }, offTick],
    ['/api/bracket-order', { ...exits, price: 300.01 }, offTick],
  ])('names fields as the caller has them, and no others: %s %j', async (path, body, says) => {
    const { status, json } = await daemon.as('desk').post(path, body);
    expect([status, json.ret_msg]).toEqual([200, expect.stringMatching(says)]);
  });

  it('foretold by a preview does the same', async () => {
    const preview = { operation: 'place_combo_order', c2s: { ...combo, combo_legs: unknownLegs } };
    const { json } = await daemon.as('desk').post('/api/preview', preview);
    expect(JSON.stringify(json)).toContain('c2s.combo_legs[1]: unknown symbol HK.X2');
    expect(JSON.stringify(json)).not.toContain('comboLegs');
  });
});

describe('a request that lacks several fields names them all', () => {
  it.each(missing)('%s %j', async (path, body, fields) => {
    const { status, json } = await daemon.as('desk').post(path, body);
    expect([status, json.code, json.field]).toEqual([400, 'request.missing_field', fields[0]]);
    const [, ...quoted] = (json.error as string).split('"');
    expect(quoted.filter((_, index) => index % 2 === 0)).toEqual(fields);
  });
});

describe('a range whose ends are equal or open', () => {
  it.each([
    ['/api/trading-days', { market: 1, begin_time: '2026-11-20 10:00:00', end_time: '2026-11-20' }],
    ['/api/cash-log', { ...account, begin_time: 5, end_time: 0 }],
    ['/api/warrant', { begin: 0, num: 5, cur_price_min: 1, cur_price_max: 1 }],
  ])('is none that is crossed: %s %j', async (path, body) => {
    expect((await daemon.as('desk').post(path, body)).json.ret_type).toBe(0);
  });
});

describe('a header that says how answers are wanted', () => {
  it.each([
    ['X-Svc-Enums', 'words', 'expected numbers or names, found "words"'],
    ['X-Svc-Int64', 'text', 'expected number or string, found "text"'],
  ])('%s: %s is refused', async (name, value, says) => {
    for (const path of ['/api/market-state', '/api/preview']) {
      const { status, json } = await daemon.as('desk').post(path, { symbols: ['HK.00700'] }, { [name]: value });
      expect([status, json.field, json.error]).toEqual([400, name, expect.stringContaining(says)]);
    }
  });
});
