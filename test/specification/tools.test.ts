import { operations } from '@svc-gateway/contract/operations';
import { argumentNames } from '@svc-gateway/contract/tool-arguments';
import { describeTool, wholeTool } from '@svc-gateway/contract/tools';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../packages/contract/src/json-schema.js';

/** The specification's table of tools, written down a second time on purpose. That each does what it offers is in test/end-to-end/mcp/every-tool.test.ts. */
const symbol = 'symbol code stock security';
const symbols = 'symbols stocks code_list symbol_list security_list';
const c2sJson = [
  'svc_etf_screen',
  'svc_fund_screen',
  'svc_future_screen',
  'svc_bond_screen',
  'svc_get_option_quote',
  'svc_get_option_strategy',
  'svc_get_option_strategy_analysis',
  'svc_get_short_selling_rank',
  'svc_get_period_change_rank',
  'svc_get_high_dividend_soe_rank',
  'svc_get_institution_list',
  'svc_get_institution_profile',
  'svc_get_institution_distribution',
  'svc_get_institution_holding_change',
  'svc_get_institution_holding_list',
  'svc_get_ark_fund_holding',
  'svc_get_ark_stock_dynamic',
  'svc_get_ark_active_transaction',
  'svc_get_rating_change',
  'svc_get_industrial_chain_list',
  'svc_get_industrial_chain_detail',
  'svc_get_industrial_chain_by_plate',
  'svc_get_industrial_plate_info',
  'svc_get_industrial_plate_stock',
  'svc_get_heat_map_data',
  'svc_forex_rates',
  'svc_related_stocks',
  'svc_earnings_expected_move',
  'svc_news_translation',
  'svc_forex_constituents',
  'svc_latest_news',
  'svc_stock_news',
  'svc_get_forex_accounts',
  'svc_get_forex_risk_control',
  'svc_get_forex_symbol_configs',
  'svc_get_forex_account_quote_context',
  'svc_get_forex_assets',
  'svc_preview_forex_margin',
];
const rows: Readonly<Record<string, string>> = {
  svc_ping: '',
  svc_get_global_state: '',
  svc_get_user_info: '',
  svc_get_delay_statistics: '',
  svc_get_risk_free_rate: '',
  svc_get_spread_table: '',
  svc_get_used_quota: '',
  svc_get_quote_rights: 'refresh',
  svc_get_token_state: 'acc_id',
  svc_subscribe: `${symbols} sub_types is_first_push is_reg_push extended_time session is_sub_order_book_detail`,
  svc_unsubscribe: `${symbols} sub_types unsub_all`,
  svc_query_subscription: 'is_req_all_conn',
  svc_get_quote: symbol,
  svc_get_snapshot: symbol,
  svc_get_kline: 'symbol kl_type count begin end',
  svc_get_history_kline: 'symbol kl_type rehab_type begin end max_count need_kl_fields_flag extended_time session next_req_key',
  svc_get_orderbook: 'symbol depth odd_lot',
  svc_get_ticker: 'symbol',
  svc_get_owner_plate: 'symbols',
  svc_get_stock_filter: 'market begin num',
  svc_stock_screen: 'c2s',
  svc_warrant_screen: 'c2s',
  svc_get_ipo_list: 'market',
  svc_get_ipo_calendar: 'market event_types begin_date end_date',
  svc_get_reference: 'symbol reference_type',
  svc_get_warrant: 'owner_symbol begin num',
  svc_get_option_chain:
    'owner_symbol begin_time end_time option_type delta_min delta_max iv_min iv_max oi_min oi_max gamma_min gamma_max vega_min vega_max theta_min theta_max',
  svc_get_option_expiration_date: 'owner_symbol index_option_type',
  svc_get_future_info: 'symbols',
  svc_get_company_profile: 'symbol',
  svc_get_company_executives: 'symbol',
  svc_get_company_executive_background: 'symbol leader_name',
  svc_get_company_operational_efficiency: 'symbol num',
  svc_get_financials_earnings_price_move: 'symbol period_count',
  svc_get_financials_earnings_price_history: 'symbol',
  svc_get_financials_statements: 'symbol statement_type financial_type currency_code next_key num',
  svc_get_financials_revenue_breakdown: 'symbol',
  svc_get_research_analyst_consensus: 'symbol',
  svc_get_research_rating_summary: 'symbol rating_dimension_type uid next_key num',
  svc_get_research_morningstar_report: 'symbol',
  svc_get_valuation_detail: 'symbol valuation_type interval_type',
  svc_get_valuation_plate_stock_list: 'next_key num sort_type sort_id filter_security',
  svc_get_positions: 'market acc_id env option_strategy_view',
  svc_get_orders: 'market acc_id card_num env currency',
  svc_get_deals: 'market acc_id card_num env currency',
  svc_get_order_fee: 'acc_id env order_id_ex_list',
  svc_get_max_trd_qtys: 'market acc_id env code price order_type',
  svc_get_margin_ratio: 'market acc_id env symbols',
  svc_get_history_orders: 'market acc_id env begin_time end_time',
  svc_get_history_deals: 'market acc_id env begin_time end_time',
  svc_get_acc_cash_flow: 'env acc_id market clearing_date direction',
  svc_get_flow_summary: 'env acc_id market clearing_date direction',
  svc_get_cash_log: 'acc_id begin_time end_time biz_group_id biz_sub_group_id in_out keyword symbol stock_id log_id max_cnt currency',
  svc_get_cash_detail: 'acc_id log_id',
  svc_get_biz_group: 'acc_id',
  svc_list_accounts: '',
  ...Object.fromEntries(c2sJson.map((tool) => [tool, 'c2s_json'])),
};

/** Accepted names of an argument, and its default. */
const names: readonly (readonly [tool: string, argument: string, names: string, fallback: string | null])[] = [
  ['svc_get_kline', 'kl_type', 'day week month quarter year 1min 3min 5min 10min 15min 30min 60min 120min 180min 240min', 'day'],
  ['svc_get_history_kline', 'kl_type', 'day week month quarter year 1min 3min 5min 10min 15min 30min 60min 120min 180min 240min', 'day'],
  ['svc_get_history_kline', 'rehab_type', 'none forward backward', 'none'],
  ['svc_get_history_kline', 'session', 'none rth eth all', null],
  ['svc_subscribe', 'session', 'none rth eth all', null],
  [
    'svc_get_ipo_calendar',
    'event_types',
    'list apply apply_start apply_end winning approval issue_confirm price_confirm_start price_confirm_end inquiry_start inquiry_end draw',
    null,
  ],
  ['svc_get_reference', 'reference_type', 'warrant future', 'warrant'],
  ['svc_get_option_chain', 'option_type', 'all call put', null],
  ['svc_get_financials_statements', 'statement_type', 'income balance_sheet cash_flow main_index', null],
  ['svc_get_valuation_detail', 'valuation_type', 'recommended pe pb ps', null],
  ['svc_get_flow_summary', 'direction', 'in out', null],
  ['svc_get_acc_cash_flow', 'direction', 'in out', null],
  ['svc_get_cash_log', 'in_out', 'all in out', 'all'],
  ['svc_get_cash_log', 'currency', 'cny hkd usd jpy sgd', null],
  ['svc_get_funds', 'currency', 'hkd usd cnh jpy sgd aud cad myr usdt', null],
  ['svc_get_orders', 'currency', 'hkd usd cnh jpy sgd aud cad myr usdt', null],
  ['svc_get_deals', 'currency', 'hkd usd cnh jpy sgd aud cad myr usdt', null],
  ['svc_get_orders', 'env', 'real simulate', 'real'],
  ['svc_get_deals', 'env', 'real simulate', 'real'],
];
const flags: readonly (readonly [tool: string, argument: string, fallback: boolean])[] = [
  ['svc_subscribe', 'is_first_push', true],
  ['svc_subscribe', 'is_reg_push', true],
  ['svc_query_subscription', 'is_req_all_conn', false],
];

const toolOf = (name: string) => operations.find(({ tool }) => tool === name);
function argumentOf(tool: string, argument: string): Schema {
  const operation = toolOf(tool);
  const found = operation === undefined ? undefined : wholeTool(operation).inputSchema.properties[argument];
  if (found === undefined) throw new Error(`${tool} has no argument ${argument}`);
  return found;
}

describe('the tools of the specification', () => {
  it.each(Object.entries(rows))('%s is there, and takes the arguments of its row and a key', (tool, row) => {
    const operation = toolOf(tool);
    expect([...(operation === undefined ? [] : argumentNames(operation))]).toEqual(
      expect.arrayContaining(['api_key', ...row.split(' ').filter((argument) => argument !== '')]),
    );
  });

  it.each([...c2sJson, 'svc_get_positions', 'svc_get_orders', 'svc_get_deals'])('%s lists what the table gives it by name', (tool) => {
    const operation = toolOf(tool);
    if (operation === undefined) throw new Error(`there is no tool ${tool}`);
    const { properties, required = [] } = describeTool(operation).inputSchema;
    const given = c2sJson.includes(tool) ? ['api_key', 'c2s_json'] : ['api_key'];
    for (const name of given) expect([name, properties]).toEqual([name, expect.objectContaining({ [name]: { type: 'string' } })]);
    if (c2sJson.includes(tool)) expect(required).toEqual([]);
  });

  it.each(names)('%s: the %s accepted by name, and the default', (tool, argument, accepted, fallback) => {
    const schema = argumentOf(tool, argument);
    const { enum: offered } = (schema.items ?? schema) as { enum?: string[] };
    expect((offered ?? []).map((name) => name.toLowerCase())).toEqual(expect.arrayContaining(accepted.split(' ')));
    if (fallback !== null) expect(schema.default).toBe(fallback);
  });

  it.each(flags)('%s: %s is %j unless it is said', (tool, argument, fallback) => {
    expect(argumentOf(tool, argument)).toMatchObject({ type: 'boolean', default: fallback });
  });
});
