import { describe, expect, it } from 'vitest';
import { HK_CASH } from '../../../test/support/accounts.js';
import { goodValues } from '../../../test/support/tool-cases.js';
import type { Dialect } from './enums.js';
import { fieldValue } from './field-path.js';
import type { JsonObject, JsonValue } from './json/value.js';
import { snakeCase } from './names.js';
import type { Operation } from './operation.js';
import { operationNamed, operations } from './operations/index.js';
import { requestDecoder } from './request.js';
import { isRequired } from './required-params.js';
import { callerParams, type Param } from './shape.js';

/**
 * The tables of the interface specification, written down a second time on purpose: what they say of an operation holds, and
 * each of them is declared.
 */

/** "Parameter bounds and defaults", and the bounds of the endpoints' own tables. */
const bounds: readonly (readonly [operation: string, field: string, bound: Bound])[] = [
  // 0 means no limit.
  ['get_history_kline', 'max_count', { min: 0, max: 1000, fallback: 1000 }],
  ['get_kline', 'count', { fallback: 100 }],
  ['get_orderbook', 'depth', { min: 1, max: 40, fallback: 10 }],
  ['get_stock_filter', 'begin', { min: 0, fallback: 0 }],
  ['get_stock_filter', 'num', { min: 0, max: 200, fallback: 50 }],
  ['get_warrant', 'begin', { min: 0, fallback: 0 }],
  ['get_warrant', 'num', { min: 0, max: 200, fallback: 20 }],
  ['latest_news', 'page_size', { min: 1, max: 50 }],
  ['stock_news', 'page_size', { min: 1, max: 50 }],
  ['get_company_operational_efficiency', 'num', { min: 1, max: 50 }],
  ['get_financials_earnings_price_move', 'period_count', { min: 1, max: 50 }],
  ['get_financials_statements', 'num', { min: 1, max: 50 }],
  ['get_research_rating_summary', 'num', { min: 1, max: 20, fallback: 10 }],
  ['get_valuation_plate_stock_list', 'num', { min: 1, max: 50, fallback: 10 }],
  ['etf_screen', 'data_max_count', { min: 1, max: 500 }],
  ['fund_screen', 'data_max_count', { min: 1, max: 500 }],
  ['future_screen', 'data_max_count', { min: 1, max: 500 }],
  ['bond_screen', 'data_max_count', { min: 1, max: 500 }],
  ['forex_constituents', 'data_max_count', { min: 1, max: 500 }],
  ['forex_constituents', 'data_from', { min: 0 }],
  ['forex_constituents', 'list_id', { min: 1, max: 12 }],
  ['forex_constituents', 'sort_id', { min: 0, max: 38, fallback: 0 }],
  ['get_cash_log', 'max_cnt', { min: 1, max: 500, fallback: 50 }],
  ['kline_pattern', 'extension_version', { min: 1, max: 1 }],
  ['kline_pattern_catalog', 'extension_version', { min: 1, max: 1 }],
  ['kline_pattern_statistics', 'extension_version', { min: 1, max: 1 }],
  ['kline_pattern_stocks', 'extension_version', { min: 1, max: 1 }],
  ['kline_pattern_performance', 'extension_version', { min: 1, max: 1 }],
];

interface Bound {
  readonly min?: number;
  readonly max?: number;
  /** Default of the parameter. */
  readonly fallback?: number;
}

/** "Endpoints": the fields of each body. A field with `!` is one that nothing else can say and that has no default. */
const endpoints: Readonly<Record<string, string>> = {
  '/api/delay-statistics': 'type_list qot_push_stage',
  '/api/subscribe': 'symbols! sub_types! is_sub_or_un_sub',
  '/api/unsubscribe': 'symbols sub_types is_sub_or_un_sub',
  '/api/query-subscription': 'is_req_all_conn',
  '/api/broker': 'symbol!',
  '/api/capital-distribution': 'symbol!',
  '/api/capital-flow': 'symbol! period_type',
  '/api/history-kl-quota': 'b_get_detail',
  '/api/history-kline': 'symbol! rehab_type kl_type max_count begin_time! end_time!',
  '/api/kline': 'symbol! rehab_type kl_type req_num',
  '/api/market-state': 'symbols!',
  '/api/orderbook': 'symbol! depth',
  '/api/quote': 'symbol!',
  '/api/rt': 'symbol!',
  '/api/snapshot': 'symbol!',
  '/api/static-info': 'symbols',
  '/api/ticker': 'symbol! count',
  '/api/ticker-statistic': 'symbol! interval_type',
  '/api/ticker-statistic-detail': 'security!',
  '/api/used-quota': '',
  '/api/risk-free-rate': 'rate_time',
  '/api/spread-table': 'reserved',
  '/api/kline-pattern': 'stock_id kline_type! extension_version!',
  '/api/kline-pattern-catalog': 'filter count start_count color extension_version!',
  '/api/kline-pattern-statistics': 'stock_id kline_type! shape color extension_version!',
  '/api/kline-pattern-stocks': 'kline_type! shape! market! sort_order sort_type count start_count user_stock_list_mode extension_version!',
  '/api/kline-pattern-performance': 'shape! duration! extension_version!',
  '/api/code-change': 'search',
  '/api/ipo-list': 'market!',
  '/api/list-plates': 'market! plate_set_type',
  '/api/plate-set': 'market! plate_set_type',
  '/api/plate-security': 'plate!',
  '/api/stock-filter': 'begin num market! plate',
  '/api/suspend': 'symbols! begin_time! end_time!',
  '/api/trading-days': 'market begin_time! end_time!',
  '/api/dividend-calendar': 'market! date! count',
  '/api/dividend-rank': 'market! rank_type! count',
  '/api/earnings-beat-rank': 'market! beat_type! count',
  '/api/earnings-calendar': 'market! begin_date end_date',
  '/api/economic-calendar': 'begin_date! end_date market_list count',
  '/api/etf-screen': 'market! data_from data_max_count need_fields extension_version!',
  '/api/us-pre-market-rank': 'count',
  '/api/us-after-hours-rank': 'count',
  '/api/us-overnight-rank': 'count',
  '/api/verification': 'type! op!',
  '/api/watchlist-announcement': 'page_size seq_mark stock_ids! notice_types extension_version!',
  '/api/watchlist-news': 'page_size seq_mark stock_ids! extension_version!',
  '/api/watchlist-rating': 'page_size seq_mark stock_ids! extension_version!',
  '/api/ark-active-transaction': 'holding_type cycle_type count',
  '/api/ark-fund-holding': 'holding_type count',
  '/api/ark-stock-dynamic': 'security!',
  '/api/forex-rates': 'extension_version!',
  '/api/related-stocks': 'security! extension_version!',
  '/api/earnings-expected-move': 'stock_id! extension_version!',
  '/api/news-translation': 'news_id! is_translate! list_type! skip_image_crop! extension_version!',
  '/api/forex-constituents': 'list_id! data_from! data_max_count! sort_id sort_type extension_version!',
  '/api/cash-log': 'acc_id! env! begin_time end_time',
  '/api/flow-summary': 'market! acc_id! env! clearing_date!',
  '/api/funds': 'market! acc_id! env!',
  '/api/history-order-fills': 'market! acc_id! env! begin_time! end_time!',
  '/api/history-orders': 'market! acc_id! env! begin_time! end_time!',
  '/api/margin-info': 'acc_id! env! market!',
  '/api/margin-ratio': 'market! acc_id! env! symbols!',
  '/api/max-trd-qtys': 'market acc_id! env! code! price! order_type',
  '/api/order-fee': 'acc_id! env! order_id_ex_list!',
  '/api/order-fills': 'market! acc_id! env! refresh_cache',
  '/api/orders': 'market! acc_id! env! refresh_cache',
  '/api/positions': 'market! acc_id! env! refresh_cache',
  '/api/token-state': 'acc_id',
  '/api/sub-acc-push': 'acc_id_list!',
  '/api/unsub-acc-push': 'acc_id_list',
  '/api/order': 'packet_id header market acc_id! env! side! code! qty! price order_type trd_side sec_market',
  '/api/modify-order': 'header acc_id! env! market! order_id order_id_ex modify_order_op! qty price',
  '/api/cancel-order': 'acc_id! env! market order_id order_id_ex op',
  '/api/cancel-all-order': 'acc_id! env! market!',
  '/api/unlock-trade': 'unlock! pwd_md5',
};

const dialects: readonly Dialect[] = ['rest', 'mcp'];
const day = (ago: number) => `2026-11-${String(20 - (ago % 19)).padStart(2, '0')}`;

/**
 * A body with what an operation cannot do without, by its friendly names.
 *
 * @param also fields that a row says are needed.
 */
function neededBody(operation: Operation, dialect: Dialect, also: readonly string[] = []): JsonObject {
  const { name, shape } = operation;
  const isAlso = (param: Param) => [param.name, ...param.aliases].some((each) => also.includes(each));
  const params = callerParams(shape, dialect).filter(
    (param) => param.type.kind !== 'order_symbol' && (isRequired(operation, param) || isNeeded(operation, param) || isAlso(param)),
  );
  return {
    ...Object.fromEntries(params.map((param) => [param.name, sampleOf(operation, param, dialect)])),
    ...(dialect === 'rest' ? alsoNeeded[name] : {}),
  };
}

/** Parameters that depend on others of the request. */
const alsoNeeded: Readonly<Record<string, JsonObject>> = {
  modify_order: { modify_order_op: 1, order_id: 1, qty: 100, price: 1 },
  unlock_trade: { pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' },
  get_max_trd_qtys: { market: 1 },
  place_order: { market: 1, price: 1 },
};

/** The first of what a request must name one of. */
function isNeeded({ needs }: Operation, { field }: Param): boolean {
  return needs.some(({ oneOf, when }) => when === undefined && oneOf[0] === field);
}

function sampleOf({ name }: Operation, param: Param, dialect: Dialect): JsonValue {
  const { type } = param;
  if (type.kind === 'choice' && dialect === 'rest') {
    const member = type.enumeration.members.find(({ rest }) => rest !== null);
    return member?.rest ?? member?.public ?? 0;
  }
  if (type.kind === 'choices')
    return type.enumeration.members.slice(0, 1).map((member) => (dialect === 'mcp' ? member.name : member.public));
  if (name === 'verification') return 1;
  return goodValues(param, HK_CASH, day)[0] as JsonValue;
}

function decode(operation: Operation, dialect: Dialect, body: JsonObject) {
  return requestDecoder(operation, dialect)(body);
}

describe.each(bounds)('%s: %s', (name, field, { min, max, fallback }) => {
  const operation = operationNamed(name);
  const param = operation?.shape.find((one) => one.name === field || one.aliases.includes(field));

  it.each(dialects)('holds to the specification at, inside and outside its bounds (%s)', (dialect) => {
    if (operation === undefined || param === undefined) throw new Error(`${name} has no ${field}`);
    const body = neededBody(operation, dialect);
    const taken = [min, max, min === undefined ? undefined : Math.min(min + 1, max ?? min + 1), max === undefined ? undefined : max - 1];
    for (const value of taken) {
      if (value === undefined || (min !== undefined && value < min)) continue;
      expect([value, decode(operation, dialect, { ...body, [field]: value })]).toMatchObject([value, { ok: true }]);
    }
    for (const value of [min === undefined ? undefined : min - 1, max === undefined ? undefined : max + 1]) {
      if (value === undefined) continue;
      const problem = { kind: 'out_of_range', path: field, message: expect.stringContaining(String(value)) };
      expect([value, decode(operation, dialect, { ...body, [field]: value })]).toMatchObject([value, { ok: false, problem }]);
    }
    const { [field]: _, ...silent } = body;
    const decoded = decode(operation, dialect, silent);
    if (fallback === undefined || !decoded.ok) return;
    expect(fieldValue(operation.messages.C2SSchema, param.field)(decoded.value)).toBe(fallback);
  });
});

describe.each(Object.entries(endpoints))('POST %s', (path, row) => {
  const operation = operations.find(({ rest }) => rest.some((route) => route.path === path));
  const fields = row.split(' ').filter((field) => field !== '');

  it('takes every field of its row', () => {
    if (operation === undefined) throw new Error(`nothing is declared to answer ${path}`);
    for (const field of fields) {
      const decoded = decode(operation, 'rest', { [field.replace('!', '')]: null });
      expect([field, decoded.ok || decoded.problem.kind]).not.toEqual([field, 'unknown_field']);
    }
  });

  it('says which field is missing', () => {
    if (operation === undefined) throw new Error(`nothing is declared to answer ${path}`);
    const needed = fields.filter((one) => one.endsWith('!')).map((one) => one.slice(0, -1));
    const body = neededBody(operation, 'rest', needed);
    expect([body, decode(operation, 'rest', body)]).toMatchObject([body, { ok: true }]);
    for (const field of needed) {
      const param = callerParams(operation.shape, 'rest').find(({ name, aliases }) => name === field || aliases.includes(field));
      const { [param?.name ?? field]: _, ...others } = body;
      expect([field, decode(operation, 'rest', others)]).toMatchObject([field, { ok: false, problem: { kind: 'missing_field' } }]);
    }
  });
});

/** "Every extension read requires value 1": whichever operation's message has a version. */
const versioned = operations.flatMap((operation) => {
  const field = operation.messages.C2SSchema.fields.find(({ name }) => snakeCase(name) === 'extension_version');
  return field === undefined ? [] : [[operation.name, operation] as const];
});

it.each(versioned)('%s takes extension_version 1 alone', (_, operation) => {
  for (const dialect of dialects) {
    const body = { ...neededBody(operation, dialect), extension_version: 1 };
    const { extension_version: _, ...silent } = body;
    expect([dialect, decode(operation, dialect, silent)]).toMatchObject([dialect, { ok: false, problem: { path: 'extension_version' } }]);
    for (const version of [0, 2, -1]) {
      const decoded = decode(operation, dialect, { ...body, extension_version: version });
      expect([dialect, version, decoded]).toMatchObject([dialect, version, { ok: false, problem: { path: 'extension_version' } }]);
    }
  }
});
