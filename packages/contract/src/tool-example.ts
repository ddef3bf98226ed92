import { paramSchema, type SchemaValue } from './json-schema.js';
import { memoized } from './memo.js';
import type { Operation } from './operation.js';
import { exampleRequest } from './reference-example.js';
import { requestDecoder } from './request.js';
import { callerParams } from './shape.js';
import { requiredArguments } from './tool-arguments.js';

/** Messages for tools without sufficient arguments of their own. */
const messages: Readonly<Record<string, (now: Date) => SchemaValue>> = {
  warrant_screen: () => ({ market_type: 1 }),
  get_option_quote: (now) => ({ multi_legs: straddle(now).slice(0, 1) }),
  get_option_strategy_analysis: (now) => ({ multi_legs: straddle(now) }),
  get_combo_max_trd_qtys: combo,
  place_combo_order: combo,
  set_option_event_alert: () => ({ oper_type: 'ADD', alert_list: [{ option_market: 1 }] }),
};

function combo(now: Date): SchemaValue {
  const header = { trd_env: 'simulate', acc_id: '281756478396547003', trd_market: 'US' };
  return { header, qty: 1, price: 20, order_type: 'NORMAL', combo_legs: straddle(now) };
}

/** A call and a put that are listed: both expire on the third Friday of the month after next. */
function straddle(now: Date): Record<string, SchemaValue>[] {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 1));
  const day = 15 + ((FRIDAY - first.getUTCDay() + 7) % 7);
  const month = first.toISOString().slice(2, 7).replace('-', '');
  return ['C', 'P'].map((type) => ({
    security: { market: 'US', code: `AAPL${month}${day}${type}270000` },
    side: 'BUY',
    qty_ratio: 1,
  }));
}

const FRIDAY = 5;

/** Arguments with which a tool can be called, as JSON text. @param now decides which options there are. */
export function toolExample(operation: Operation, now = new Date()): string {
  const message = messages[operation.name];
  if (message !== undefined) return JSON.stringify({ c2s: message(now) });
  return textOf(operation);
}

const textOf = memoized((operation: Operation): string => {
  const properties: Record<string, SchemaValue> = {};
  // Examples of values are in the schemas of REST; members of enumerations have their names.
  for (const param of callerParams(operation.shape, 'mcp')) {
    const isNamed = param.type.kind === 'choice' || param.type.kind === 'choices';
    properties[param.name] = paramSchema(param, isNamed ? 'mcp' : 'rest');
  }
  const required = requiredArguments(operation).map(({ name }) => name);
  const example = exampleRequest(operation, { friendly: { properties, required }, message: {}, resolve: () => ({}) }, 'mcp');
  return requestDecoder(operation, 'mcp')(example as never).ok ? JSON.stringify(example) : '';
});
