import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { InexactNumber, isJsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import type { Group, Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { possibleScopes, type Scope, scopes } from '@svc-gateway/contract/scope';
import type { Param } from '@svc-gateway/contract/shape';
import { switches } from '@svc-gateway/contract/switches';
import { describeTool } from '@svc-gateway/contract/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '../../../packages/contract/src/json-schema.js';
import { BUY, HK, HK_CASH, MARKET, NORMAL, REAL_ENV, REAL_FUTURES, SIMULATE } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';
import { type McpClient, type Way, ways } from '../../support/mcp-client.js';
import { type Arguments, badCases, goodValues, isRequired, paramsOf } from '../../support/tool-cases.js';
import { until } from '../../support/until.js';

/**
 * Every declared tool, from its declaration alone: what its schema offers works and is answered as its schemas say, what
 * it does not offer is refused with a sentence that helps, and who may not use it cannot.
 */
const tools = operations.flatMap((operation) => (operation.tool === null ? [] : [[operation.tool, operation] as const]));

/** Groups whose tools look through whole markets for each value: they do so over one of the ways alone. */
const manyValued: ReadonlySet<Group> = new Set<Group>([
  'kline_pattern',
  'metadata',
  'derivatives',
  'calendar',
  'ranking',
  'research',
  'institution',
  'industry',
  'extension',
  'news',
]);

/** Keys that lack one family of scopes each, so that every tool has one that must not reach it. */
const lacking = {
  quotes: without('qot:read', 'qot:state', 'qot:write'),
  accounts: without('acc:read'),
  reading: without('qot:read', 'acc:read'),
  trading: without('trade:simulate', 'trade:real'),
  unlocking: without('trade:unlock'),
  ordering: without('acc:read', 'trade:simulate', 'trade:real'),
} as const;
type Lacking = keyof typeof lacking;
type Id = 'all' | Lacking;

const poorer = Object.fromEntries(Object.entries(lacking).map(([id, held]) => [id, { scopes: held }])) as Record<
  Lacking,
  { scopes: Scope[] }
>;
const daemon = TestDaemon.forAll<Id>({
  keys: { all: { scopes }, ...poorer },
  // Whole markets are looked through here, beside other tests.
  flags: [...switches, '--request-timeout', '120'],
  variables: { SVC_TRADE_PWD: '123456' },
});
const clients = new Map<string, McpClient>();
const ajv = new AjvJsonSchemaValidator();

beforeAll(async () => {
  for (const way of ways) {
    for (const id of ['all', ...Object.keys(lacking)] as Id[]) {
      clients.set(`${way} ${id}`, await daemon.mcp(id, { way }));
    }
  }
  await findSubjects();
});

describe.each(ways)('over the way with %s', (way) => {
  it('every tool is listed as it is declared', async () => {
    const { tools: listed } = await clientOf(way).client.listTools();
    const asDeclared = tools.map(([, operation]) => JSON.parse(JSON.stringify(describeTool(operation))));
    expect(listed).toEqual(asDeclared);
  });

  describe.each(tools)('%s', (tool, operation) => {
    it('answers what its schema offers, as its schemas say', async () => {
      const { contents } = await clientOf(way).client.readResource({ uri: `svc://tools/${tool}` });
      const { outputSchema } = JSON.parse((contents[0] as { text: string }).text);
      const answers = ajv.getValidator(closed(outputSchema) as never);
      const cases = await goodCases(tool, operation);
      for (const args of way === 'stateless' && manyValued.has(operation.group) ? cases.slice(0, 1) : cases) {
        const what = `${tool} ${JSON.stringify(args)}`;
        const answer = await clientOf(way).call(tool, args);
        expect.soft(answer, `${what}: ${answer.text.slice(0, 500)}`).toMatchObject({ isError: false });
        if (answer.isError) continue;
        const outcome = answers(answer.structured);
        expect.soft(outcome.valid, `${what} against its schema: ${outcome.errorMessage}`).toBe(true);
        expect
          .soft(withTextIntegers(exact(answer.text)), `${what}: the text against the structure`)
          .toEqual(withTextIntegers(exact(JSON.stringify(answer.structured))));
      }
    });

    it('previews what it lists a preview of, and sends nothing', async () => {
      const good = { ...(await requiredArguments(tool, operation)), ...(await alsoNeeded(tool)) };
      const ordersBefore = await orderCount();
      const isListed = 'preview' in describeTool(operation).inputSchema.properties;
      if (operation.effect === 'order') expect(isListed).toBe(true);
      const answer = await clientOf(way).call(tool, { ...good, preview: true });
      const expected = isListed ? { operation: operation.name, would_pass: true } : { code: 'request.unknown_field', field: 'preview' };
      expect(answer, answer.text).toMatchObject({ isError: !isListed, json: expected });
      expect(await orderCount()).toBe(ordersBefore);
    });

    it('refuses anything else, and says which argument, what came and what is accepted', async () => {
      const ordersBefore = await orderCount();
      const good = { ...(await requiredArguments(tool, operation)), ...(await alsoNeeded(tool)) };
      for (const param of paramsOf(operation)) {
        for (const { what, args, code, field, says } of badCases(operation, param, good)) {
          const answer = await clientOf(way).call(tool, args);
          const name = `${tool}, ${what}: ${answer.text}`;
          expect.soft(answer.isError, name).toBe(true);
          expect.soft(answer.json, name).toMatchObject({ status: 'error', code: expect.stringMatching(code) });
          // An element of a list is named by its place in it.
          expect.soft(String(answer.json.field).replace(/\[\d+\]$/, ''), name).toBe(field);
          for (const part of [field, ...says])
            expect.soft(answer.json.error, name).toMatch(part instanceof RegExp ? part : literally(part));
        }
      }
      const unknown = await clientOf(way).call(tool, { ...good, previev: true, apikey: 'x' });
      expect(unknown.json, unknown.text).toMatchObject({
        code: 'request.unknown_field',
        error: expect.stringMatching(/"previev"|"apikey"/),
      });
      expect(await orderCount(), `${tool}: orders that bad arguments left behind`).toBe(ordersBefore + (PLACES_FIRST.has(tool) ? 1 : 0));
    });

    it.skipIf(anyScopeDoes(operation))('is neither listed for a key without its scope, nor answers it', async () => {
      const id = lackingFor(operation);
      const client = clientOf(way, id);
      expect(await client.toolNames()).not.toContain(tool);
      const required = await requiredArguments(tool, operation);
      for (const args of [{ ...required, ...(await alsoNeeded(tool)) }, { nonsense: 1 }, { ...required, api_key: daemon.keys[id] }]) {
        const answer = await client.call(tool, args);
        expect(answer, `${tool} ${JSON.stringify(args)}: ${answer.text}`).toMatchObject({
          isError: true,
          json: { status: 'error', code: 'auth.scope', error: expect.stringMatching(/^unauthorized: /) },
        });
        expect((await daemon.audit()).at(-1)).toMatchObject({ iface: 'mcp', endpoint: tool, key_id: id, outcome: 'reject' });
      }
    });
  });
});

/** Tools that work on an order, which the test places before each call. */
const PLACES_FIRST: ReadonlySet<string> = new Set([
  'svc_modify_order',
  'svc_cancel_order',
  'svc_get_order_fee',
  'svc_reconfirm_order',
  'svc_cancel_bracket',
]);

const FUTURES = 5;

/** Arguments that a tool needs beyond its required ones: the table of exceptions. */
async function alsoNeeded(tool: string): Promise<Arguments> {
  switch (tool) {
    case 'svc_get_orders':
    case 'svc_get_deals':
      // Required of whoever names no card.
      return { acc_id: HK_CASH };
    case 'svc_place_order':
    case 'svc_get_max_trd_qtys':
      return { symbol: 'HK.00700', price: 300 };
    case 'svc_modify_order':
      return { order_id_ex: await workingOrder(), modify_order_op: 'normal', qty: 200, price: 300.2 };
    case 'svc_place_bracket_order':
      return { symbol: 'HK.00700', price: 300, take_profit_price: 4000, stop_loss_price: 250 };
    case 'svc_cancel_bracket':
      return { bracket_id: await openBracket() };
    case 'svc_reconfirm_order':
      return { order_id: await slippedOrder(), reconfirm_op: 'QTY_TOO_LARGE' };
    case 'svc_cancel_order':
      return { order_id_ex: await workingOrder() };
    case 'svc_get_industrial_plate_stock':
      return { plate_id: 1003 };
    case 'svc_get_order_fee':
      return { order_id_ex_list: [await workingOrder()] };
    case 'svc_reverse_position':
      return { ...(await realPosition()), price_type: 1 };
    case 'svc_roll_position':
      return { ...(await realPosition()), target_code: contract(laterMonth()), target_sec_market: 'HK' };
    case 'svc_kline_pattern':
    case 'svc_kline_pattern_statistics':
    case 'svc_earnings_expected_move':
    case 'svc_stock_news':
    case 'svc_get_price_reminder':
      return { symbol: 'HK.00700' };
    case 'svc_get_option_quote':
    case 'svc_get_option_strategy_analysis':
      return { c2s: { multi_legs: [{ security: found.option, side: 1 }] } };
    case 'svc_get_option_strategy':
      // One strike: over all strikes there are thousands of combinations.
      return { expire_time: found.expiry, strike_price: found.strike };
    case 'svc_set_price_reminder':
      // At most ten of a type.
      await daemon.as('all').s2c('/api/set-price-reminder', { symbol: 'HK.00700', op: 6 });
      return { type: 'PRICE_UP', freq: 'ALWAYS', value: 1_000 };
    case 'svc_get_static_info':
      return { symbols: ['HK.00700'] };
    case 'svc_subscribe':
    case 'svc_unsubscribe':
      return { symbols: ['HK.00700'], sub_types: ['Basic'] };
    case 'svc_warrant_screen':
      return { c2s: { market_type: 1, page_count: 5 } };
    case 'svc_place_combo_order':
    case 'svc_get_combo_max_trd_qtys': {
      const leg = (code: string) => ({ security: { market: HK, code }, side: BUY, qty_ratio: 1 });
      const header = { trd_env: SIMULATE, acc_id: HK_CASH, trd_market: HK };
      return { c2s: { header, combo_legs: [leg('00700'), leg('00005')], qty: 400, price: 600, order_type: NORMAL } };
    }
    case 'svc_preview_forex_margin':
      return { price_buy: '7.8' };
    case 'svc_wait_for':
      return { condition: 'price', symbol: 'HK.00700', relation: 'at_or_above', price: 0.01 };
    default:
      return {};
  }
}

let positionWrites = 0;

/**
 * The arguments that name a position in a monthly future, which is held by then, and a write of its own: all that a call needs, as
 * each call leaves another position behind.
 */
async function realPosition(): Promise<Arguments> {
  const all = daemon.as('all');
  await all.s2c('/api/unlock-trade', { unlock: true, pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' });
  const account = { acc_id: REAL_FUTURES, env: REAL_ENV, market: FUTURES };
  const held = async () => {
    const { position_list: positions } = await all.s2c('/api/positions', account, { 'x-svc-int64': 'string' });
    return positions.find(({ code, qty }: { code: string; qty: number }) => code === contract(nextMonth()) && qty !== 0);
  };
  const settled = async () => {
    const { order_list: orders } = await all.s2c('/api/orders', { ...account, filter_status_list: [1, 2, 5, 10] });
    return orders.length === 0;
  };
  await until(settled, 'the fills of the orders before');
  if ((await held()) === undefined) {
    await all.s2c('/api/order', { ...account, symbol: `HK.${contract(nextMonth())}`, side: BUY, order_type: MARKET, qty: 1 });
    await until(async () => (await held()) !== undefined, 'the position');
  }
  positionWrites += 1;
  const named = { position_id: (await held()).position_id, idempotency_key: `write-${positionWrites}` };
  return { market: 'FUTURES', acc_id: REAL_FUTURES, env: 'real', extension_version: 1, ...named };
}

/** Months of Hong Kong's index futures: the next one, and the first quarter's end after it. */
function nextMonth(): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}
function laterMonth(): Date {
  const month = nextMonth();
  do month.setUTCMonth(month.getUTCMonth() + 1);
  while ((month.getUTCMonth() + 1) % 3 !== 0);
  return month;
}
function contract(month: Date): string {
  return `HSI${month.toISOString().slice(2, 7).replace('-', '')}`;
}

/** Items found in the world, for tools that need them. */
const found = {
  plate: '',
  expiry: '',
  strike: 0,
  option: {} as object,
  stockId: '',
  forexAccount: '',
  pair: '',
  logRow: '',
  leader: '',
  reportDate: 0,
};

async function findSubjects(): Promise<void> {
  const all = daemon.as('all');
  const { plate_info_list: plates } = await all.s2c('/api/list-plates', { market: 1, plate_set_type: 1 });
  found.plate = `HK.${plates[0].plate.code}`;
  const { date_list: expiries } = await all.s2c('/api/option-expiration-date', { owner_symbol: 'HK.00700' });
  found.expiry = expiries[1].strike_time;
  const range = { begin_time: found.expiry, end_time: found.expiry };
  const { option_chain: chain } = await all.s2c('/api/option-chain', { owner_symbol: 'HK.00700', ...range });
  const { call } = chain[0].option[Math.floor(chain[0].option.length / 2)];
  found.option = call.basic.security;
  found.strike = call.option_ex_data.strike_price;
  const { static_info_list: infos } = await all.s2c('/api/static-info', { symbols: ['HK.00700'] }, { 'x-svc-int64': 'string' });
  found.stockId = infos[0].basic.id;
  const exact = { 'x-svc-int64': 'string' };
  const broker = { broker_id: 1001, extension_version: 1 };
  const { account_list: forexAccounts } = await all.s2c('/api/get-forex-accounts', broker, exact);
  found.forexAccount = forexAccounts[0].account_id;
  const { symbol_list: pairs } = await all.s2c('/api/get-forex-symbol-configs', broker, exact);
  found.pair = pairs[0].stock_id;
  const { log_list: rows } = await all.s2c('/api/cash-log', { acc_id: HK_CASH, env: SIMULATE, market: HK }, exact);
  found.logRow = rows[0].log_id;
  const { director_list: leaders } = await all.s2c('/api/company-executives', { symbol: 'HK.00700' });
  found.leader = leaders[0].leader_name;
  const { screen_date_list: dates } = await all.s2c('/api/financials-revenue-breakdown', { symbol: 'HK.00700' });
  found.reportDate = dates.find((date: { financial_type: number }) => date.financial_type === 7).date;
  // A group that does not end with the one security that tools add to it and take out.
  await all.s2c('/api/modify-user-security', { group_name: 'Mine', op: 1, symbols: ['HK.00005'] });
}

/** Values that a declaration accepts and this brokerage has a reason to refuse, by "tool.parameter". Everything else must work. */
const meantForOthers: Readonly<Record<string, (value: unknown) => boolean>> = {
  // Needs an order that is to be modified.
  'svc_get_max_trd_qtys.order_id': () => true,
  'svc_get_max_trd_qtys.order_id_ex': () => true,
  // For US stocks.
  'svc_place_order.session': (value) => !['NONE', 'RTH', 0, 1].includes(value as string | number),
  'svc_place_order.fill_outside_rth': (value) => value === true,
  // With their own trigger, and with the time at which they end.
  'svc_place_order.order_type': (value) => !['NORMAL', 'LIMIT', 'MARKET', 1, 2].includes(value as string | number),
  'svc_place_order.time_in_force': (value) => value === 'GTD' || value === 3,
  'svc_place_order.expire_time': () => true,
  'svc_get_max_trd_qtys.order_type': (value) => !['NORMAL', 'LIMIT', 'MARKET', 1, 2].includes(value as string | number),
  // Brackets open positions, with limit and market orders.
  'svc_place_bracket_order.order_type': (value) => !['NORMAL', 'LIMIT', 'MARKET', 1, 2].includes(value as string | number),
  'svc_place_bracket_order.time_in_force': (value) => value !== 'DAY' && value !== 'GTC',
  'svc_place_bracket_order.side': (value) => value !== 'BUY' && value !== 1,
  // Come from an answer before.
  'svc_get_economic_calendar.next_page': () => true,
  'svc_get_option_event_alert.page': () => true,
  'svc_get_company_operational_efficiency.next_key': () => true,
  'svc_get_financials_statements.next_key': () => true,
  'svc_get_research_rating_summary.uid': () => true,
  'svc_get_research_rating_summary.next_key': () => true,
  'svc_get_valuation_plate_stock_list.next_key': () => true,
  'svc_get_institution_list.page': () => true,
  'svc_get_institution_holding_change.page': () => true,
  'svc_get_institution_holding_list.page': () => true,
  'svc_get_ark_fund_holding.page': () => true,
  'svc_get_ark_active_transaction.page': () => true,
  'svc_get_rating_change.page': () => true,
  'svc_get_industrial_chain_list.page': () => true,
  'svc_get_industrial_plate_stock.page': () => true,
  'svc_get_heat_map_data.page': () => true,
  // For a reminder that there is, and for US securities.
  'svc_set_price_reminder.op': (value) => ![1, 'ADD', 6, 'DEL_ALL'].includes(value as string | number),
  'svc_set_price_reminder.key': () => true,
  'svc_set_price_reminder.sessions': (value) => (value as string[])[0] !== 'OPEN',
  // For alerts that the message lists.
  'svc_set_option_event_alert.oper_type': (value) => ![6, 'DELETE_ALL'].includes(value as string | number),
  // The bars of a whole market are read for each.
  // A stock is no plate; and with what they belong to.
  'svc_stock_news.id_type': (value) => value !== 'SECURITY' && value !== 1,
  'svc_stock_news.seq_from': () => true,
  'svc_latest_news.page_flip': (value) => value !== 'OLDER' && value !== 0,
  'svc_latest_news.include_flash_filter': (value) => value === true,
  'svc_latest_news.include_market_filter': (value) => value === true,
  'svc_latest_news.first_visit': (value) => value === true,
  'svc_kline_pattern_stocks.kline_type': (value) => value !== 'day',
  // Arguments of conditions other than a price.
  'svc_wait_for.acc_id': () => true,
  'svc_wait_for.order_id': () => true,
  'svc_wait_for.order_id_ex': () => true,
  'svc_wait_for.order_statuses': () => true,
  'svc_wait_for.market_states': () => true,
  // Groups and rows of the cash log that there are.
  'svc_get_cash_log.biz_group_id': (value) => value !== 0,
  'svc_get_cash_log.biz_sub_group_id': (value) => value !== 0,
  // Its funds are in Hong Kong dollars alone.
  'svc_get_margin_info.currency': (value) => value !== 'HKD' && value !== 1,
  'svc_get_return_calendar.currency': (value) => value !== 'HKD' && value !== 1,
  'svc_get_yield_trend.currency': (value) => value !== 'HKD' && value !== 1,
  'svc_get_funds.currency': (value) => value !== 'HKD',
};

async function requiredArguments(tool: string, operation: Operation): Promise<Arguments> {
  // A default is not always that of the test's account.
  const required = paramsOf(operation).filter(
    (param) => isRequired(operation, param) || ('default' in param && usual(tool, param.name) !== undefined),
  );
  return Object.fromEntries(required.map((param) => [param.name, usual(tool, param.name) ?? valuesOf(tool, param)[0]]));
}

/** The required arguments alone, and with each value of each other parameter. */
async function goodCases(tool: string, operation: Operation): Promise<Arguments[]> {
  const required = await requiredArguments(tool, operation);
  const needed = await alsoNeeded(tool);
  const cases: Arguments[] = [{ ...required, ...needed }];
  for (const param of paramsOf(operation)) {
    if (usual(tool, param.name) !== undefined || param.name in needed) continue;
    for (const value of valuesOf(tool, param)) {
      if (meantForOthers[`${tool}.${param.name}`]?.(value)) continue;
      const args = { ...required, ...(await alsoNeeded(tool)), [param.name]: value };
      cases.push(alone(args, param.name));
    }
  }
  return cases;
}

/** The value of a parameter that must fit the test's account. */
function usual(tool: string, name: string): unknown {
  if (tool === 'svc_set_price_reminder' && name === 'op') return 'ADD';
  if (tool === 'svc_set_option_event_alert' && name === 'oper_type') return 'DELETE_ALL';
  if (tool === 'svc_get_rating_change' && name === 'market') return 'US';
  return { market: 'HK', env: 'simulate', side: 'BUY' }[name];
}

function valuesOf(tool: string, param: Param): readonly unknown[] {
  const values = usualValues(`${tool}.${param.name}`) ?? usualValues(param.name);
  return values ?? goodValues(param, HK_CASH, day);
}

/** Values of parameters that have others than their type says, by "parameter" or "tool.parameter". */
function usualValues(name: string): readonly unknown[] | undefined {
  const values: Readonly<Record<string, readonly unknown[]>> = {
    sec_market: ['HK', 1],
    // Epoch ms.
    rate_time: ['1760000000000', 1_760_000_000_000],
    extension_version: [1],
    stock_id: [found.stockId],
    stock_ids: [[found.stockId]],
    // The firms of the other real accounts stay locked.
    security_firm: [0, 1],
    seq_mark: ['9223372036854775807'],
    id_type: ['SECURITY', 1],
    plate: [found.plate],
    'svc_get_plate_security.sort_field': [1, 11],
    shape: [5, 8],
    group_name: ['Mine'],
    'svc_get_user_security.group_name': ['All'],
    'svc_get_ipo_calendar.begin_date': [day(30).replaceAll('-', '')],
    'svc_get_ipo_calendar.end_date': [day(1).replaceAll('-', '')],
    // It may be tomorrow there.
    'svc_get_earnings_calendar.end_date': [day(-1)],
    'svc_get_economic_calendar.end_date': [day(-1)],
    'svc_get_cash_log.log_id': [found.logRow],
    'svc_get_cash_detail.log_id': [found.logRow],
    time_location: ['Asia/Hong_Kong', 'UTC'],
    broker_id: [1001],
    account_id: [found.forexAccount],
    'svc_get_forex_assets.currency': ['USD', 'HKD'],
    'svc_preview_forex_margin.stock_id': [found.pair],
    'svc_preview_forex_margin.volume_scaled': ['100000000', 0],
    price_buy: ['7.8'],
    price_sell: ['7.8'],
    'svc_get_option_chain.begin_time': [found.expiry],
    'svc_get_option_chain.end_time': [found.expiry],
    'svc_get_company_executive_background.leader_name': [found.leader],
    'svc_get_financials_revenue_breakdown.date': [0, found.reportDate],
    currency_code: ['USD', 'cny', ''],
    institution_id: [1, 24],
    chain_id: [1, 13],
    plate_id: [1003, 3001],
    'svc_get_valuation_plate_stock_list.symbol': [found.plate, 'HK.800000'],
    filter_security: [found.plate],
    'svc_get_future_info.symbols': [['HK.HSImain']],
  };
  return values[name];
}

/** A security and an order are named in one way: without what else would name them. */
function alone(args: Arguments, name: string): Arguments {
  const { symbol: _symbol, ...byCode } = args;
  const { order_id_ex: text, ...byNumber } = args;
  if (name === 'stock_id') return byCode;
  if (name === 'code') return { ...byCode, market: 'HK' };
  return name === 'order_id' && typeof text === 'string' ? { ...byNumber, order_id: numbers.get(text) } : args;
}

/** The numbers of orders by their texts. */
const numbers = new Map<string, string>();

async function workingOrder(): Promise<string> {
  const order = `{"market":${HK},"acc_id":${HK_CASH},"env":${SIMULATE},"side":${BUY},"order_type":${NORMAL},"code":"00700","qty":100,"price":250}`;
  const answer = await daemon.as('all').post('/api/order', order, { 'x-svc-int64': 'string' });
  expect(answer.json.ret_type, answer.text).toBe(0);
  const { order_id: number, order_id_ex: text } = answer.json.s2c;
  numbers.set(text, number);
  return text;
}

/** An order that waits to be confirmed: of more than 3,000 board lots. */
async function slippedOrder(): Promise<string> {
  const order = `{"market":${HK},"acc_id":${HK_CASH},"env":${SIMULATE},"side":${BUY},"order_type":${NORMAL},"code":"00700","qty":300100,"price":0.1}`;
  const answer = await daemon.as('all').post('/api/order', order, { 'x-svc-int64': 'string' });
  expect(answer.json.ret_type, answer.text).toBe(0);
  return answer.json.s2c.order_id;
}

async function openBracket(): Promise<string> {
  const order = `{"market":${HK},"acc_id":${HK_CASH},"env":${SIMULATE},"side":${BUY},"code":"00700","qty":100,"price":250,"stop_loss_price":200}`;
  const answer = await daemon.as('all').post('/api/bracket-order', order);
  expect(answer.json.ret_type, answer.text).toBe(0);
  return answer.json.s2c.bracket_id;
}

async function orderCount(): Promise<number> {
  const answer = await daemon.as('all').post('/api/orders', `{"market":${HK},"acc_id":${HK_CASH},"env":${SIMULATE}}`);
  // Exits of brackets come when their entries fill.
  const orders = (answer.json.s2c.order_list ?? []) as { remark?: string }[];
  return orders.filter(({ remark = '' }) => !/^svc-bracket .*\/[1-9]/.test(remark)).length;
}

function clientOf(way: Way, id: Id = 'all'): McpClient {
  const client = clients.get(`${way} ${id}`);
  if (client === undefined) throw new Error(`no client of ${way} ${id}`);
  return client;
}

function without(...left: Scope[]): Scope[] {
  return scopes.filter((scope) => !left.includes(scope));
}

function anyScopeDoes({ scope }: Operation): boolean {
  return possibleScopes(scope).length === scopes.length;
}

/** A key that lacks what the operation wants. */
function lackingFor({ name, scope }: Operation): Lacking {
  const accepted = possibleScopes(scope);
  const found = (Object.keys(lacking) as Lacking[]).find((id) => !accepted.some((each) => lacking[id].includes(each)));
  if (found === undefined) throw new Error(`no key here lacks the scope of ${name}: add one to the table`);
  return found;
}

/** yyyy-MM-dd of a day before today. */
function day(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
}

/** A schema in which an object has no fields but the declared ones: an answer must not hold what its schema does not know. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, ...others } = schema as Schema;
  const inner = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, closed(value)]));
  if (typeof properties !== 'object' || properties === null) return inner;
  const closedProperties = Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, closed(value)]));
  return { ...inner, properties: closedProperties, additionalProperties: false };
}

function exact(text: string): JsonValue {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(`${parsed.error.message}: ${text}`);
  return parsed.value;
}

/** Every number as its text, since the structure has 64-bit integers as strings: the figures must be the same to the last digit. */
function withTextIntegers(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(withTextIntegers);
  if (value instanceof InexactNumber) return String(Number(value.text));
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTextIntegers(each)]));
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
}

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
}
