import { nearestName } from './names.js';

/** Names that fields have in other trading interfaces, with the names of the same fields here, the likeliest first. */
const fieldWords: Readonly<Record<string, readonly string[]>> = {
  acc_id: ['account', 'account_id', 'acct', 'acct_id', 'acc'],
  acc_id_list: ['accounts', 'account_ids', 'acc_ids'],
  aux_price: ['stop_price', 'trigger_price', 'trigger', 'stop', 'activation_price'],
  begin_time: ['start', 'start_time', 'from', 'begin', 'since', 'start_date', 'begin_date'],
  combo_legs: ['legs'],
  depth: ['levels'],
  end_time: ['end', 'to', 'until', 'end_date'],
  env: ['environment', 'paper', 'account_type'],
  expire_time: ['expire', 'expires', 'expiry', 'expires_at', 'expire_date', 'good_till', 'good_till_date', 'gtd'],
  fill_outside_rth: ['extended_hours', 'outside_rth', 'ext_hours'],
  kl_type: ['interval', 'timeframe', 'bar_size', 'period', 'resolution'],
  max_count: ['limit', 'num'],
  count: ['limit', 'num', 'max_count'],
  num: ['limit', 'count'],
  order_id: ['order', 'id', 'oid'],
  order_id_ex: ['order_ref', 'exchange_order_id'],
  order_type: ['type', 'ord_type', 'kind'],
  price: ['limit_price', 'px', 'lmt_price', 'rate'],
  qty: ['quantity', 'size', 'volume', 'shares', 'units', 'lots', 'amount', 'contracts'],
  qty_ratio: ['ratio'],
  remark: ['comment', 'note', 'memo', 'tag', 'label', 'client_order_id', 'cl_ord_id', 'user_ref'],
  side: ['action', 'direction', 'buy_sell'],
  sub_types: ['types', 'channels', 'topics'],
  symbol: ['ticker', 'instrument', 'security', 'stock', 'contract', 'asset'],
  symbols: ['tickers', 'instruments', 'securities', 'stocks', 'symbol', 'codes'],
  time_in_force: ['tif', 'duration', 'validity'],
  trail_value: ['trail', 'trail_percent', 'trail_amount', 'trailing_amount', 'trailing_delta'],
};

/** Names of the trade for what an operation answers or does, by the operation. */
const operationWords: Readonly<Record<string, readonly string[]>> = {
  cancel_all_order: ['cancel_all', 'cancel_all_orders', 'kill_switch', 'mass_cancel'],
  cancel_order: ['cancel', 'delete_order', 'order_cancel'],
  get_deals: ['deals', 'fills', 'trades', 'executions', 'my_trades', 'order_fill', 'user_trades'],
  get_funds: ['balance', 'cash', 'money', 'equity', 'buying_power', 'account_balance', 'account_info', 'wallet', 'assets'],
  get_global_state: ['status', 'state'],
  get_history_deals: ['history_fills', 'history_trades', 'trade_history', 'history_executions', 'past_deals'],
  get_history_kline: ['history', 'historical', 'historical_data', 'history_candles', 'history_bars'],
  get_history_orders: ['order_history', 'past_orders', 'closed_orders', 'all_orders'],
  get_kline: ['candles', 'candlesticks', 'bars', 'ohlc', 'ohlcv', 'klines', 'kl', 'chart'],
  get_max_trd_qtys: ['max_qty', 'max_quantity', 'max_order_size'],
  get_market_state: ['market_status', 'market_hours', 'session'],
  get_option_chain: ['options', 'chain'],
  get_order_fee: ['fees', 'commission', 'order_fees'],
  get_orderbook: ['depth', 'book', 'level2', 'l2', 'market_depth', 'dom'],
  get_orders: ['order_list', 'open_orders', 'working_orders', 'active_orders'],
  get_positions: ['portfolio', 'holdings', 'position_list', 'open_positions'],
  get_quote: ['price', 'last_price', 'bbo', 'ticker_price'],
  get_rt: ['intraday', 'time_share', 'timeshare'],
  get_snapshot: ['market_snapshot', 'stock_quote'],
  get_static_info: ['instruments', 'symbols', 'securities', 'contract_details', 'stock_basicinfo', 'basic_info'],
  get_ticker: ['ticks', 'time_and_sales', 'tape', 'market_trades', 'recent_trades'],
  get_trading_days: ['calendar', 'holidays', 'trading_calendar'],
  list_accounts: ['account_list', 'acc_list', 'get_acc_list', 'users_accounts'],
  modify_order: ['amend_order', 'replace_order', 'edit_order', 'update_order', 'change_order', 'amend', 'replace'],
  place_order: ['buy', 'sell', 'new_order', 'submit_order', 'create_order', 'trade', 'place', 'send_order'],
  unlock_trade: ['unlock', 'unlock_trading'],
  search_quote: ['search', 'lookup', 'find'],
};

const fieldsMeant = byWord(fieldWords);
const operationsByWord = byWord(operationWords);

/** The name of `accepted` that means the same as a field's name elsewhere, or is nearest to it in spelling; undefined where none is. */
export function fieldMeant(name: string, accepted: readonly string[]): string | undefined {
  const same = (fieldsMeant.get(wordOf(name)) ?? []).find((field) => accepted.includes(field));
  return same ?? nearestName(name, accepted);
}

/**
 * The one of `names`, names of operations, that a name of a caller's means: get_deals for "get-deals", "trades", "Deals" or "get-fills".
 * An operation's own name, however it is spelled, comes before the words of the trade; undefined where nothing is meant.
 */
export function operationMeant(word: string, names: readonly string[]): string | undefined {
  const own = wordOf(word).replace(/^svc_/, '');
  const plain = own.replace(/^(?:get|list|fetch|query)_/, '');
  const forms = [own, plain, `${plain}s`, plain.replace(/s$/, '')];
  const spelled = forms.flatMap((form) => [form, `get_${form}`, `list_${form}`]);
  const meant = forms.flatMap((form) => operationsByWord.get(form) ?? []);
  return [...spelled, ...meant].find((name) => names.includes(name));
}

/** stopPrice, stop-price and Stop_Price are stop_price. */
function wordOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}

function byWord(words: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, readonly string[]> {
  const meant = new Map<string, string[]>();
  for (const [name, others] of Object.entries(words)) {
    for (const other of others) meant.set(other, [...(meant.get(other) ?? []), name]);
  }
  return meant;
}
