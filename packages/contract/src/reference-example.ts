import { type Dialect, type Enumeration, numberIn, trdEnv, trdMarket } from './enums.js';
import { parseJson } from './json/parse.js';
import { paramSchema, type Schema, type SchemaValue } from './json-schema.js';
import { snakeCase } from './names.js';
import type { Operation } from './operation.js';
import { requestDecoder } from './request.js';
import { callerParams } from './shape.js';

/** Example values of fields by name, where the schema gives none. */
const known: Readonly<Record<string, SchemaValue>> = { acc_id: '281756478396547001', code: '00700', qty: 100, price: 350 };

const REAL_FUTURES = '281756479345015391';
const realPosition = (dialect: Dialect) => ({
  market: writtenValue(trdMarket, 'FUTURES', dialect),
  acc_id: REAL_FUTURES,
  env: writtenValue(trdEnv, 'real', dialect),
  target_code: `HSI${String(new Date().getUTCFullYear() + 1).slice(2)}12`,
});
const plate = () => ({ plate: 'HK.LIST1001' });
const industry = () => ({ plate_id: 1001 });
const watched = () => ({ stock_ids: ['1835532863215247'] });
const forexBroker = () => ({ broker_id: 1001, account_id: '281756482001001801' });

/** Fields of single operations that their schemas' own values, each good by itself, would have refused. */
const ofOperation: Readonly<Record<string, (dialect: Dialect) => Readonly<Record<string, SchemaValue>>>> = {
  place_bracket_order: () => ({ take_profit_price: 400 }),
  reverse_position: realPosition,
  roll_position: realPosition,
  get_plate_security: plate,
  get_stock_filter: plate,
  get_valuation_plate_stock_list: () => ({ symbol: 'HK.LIST1001', filter_security: 'HK.LIST1001' }),
  get_future_info: () => ({ symbols: ['HK.HSImain'] }),
  get_industrial_chain_by_plate: industry,
  get_industrial_plate_info: industry,
  get_industrial_plate_stock: industry,
  watchlist_announcement: watched,
  watchlist_news: watched,
  watchlist_rating: watched,
  // Nobody is in office for ever: the refusal lists those who are.
  get_company_executive_background: () => ({ leader_name: 'Name from the list of executives' }),
  get_user_security: () => ({ group_name: 'All' }),
  sub_acc_push: () => ({ acc_id_list: ['281756478396547001'] }),
  get_forex_accounts: forexBroker,
  get_forex_account_quote_context: forexBroker,
  get_forex_assets: forexBroker,
  get_forex_risk_control: forexBroker,
  get_forex_symbol_configs: forexBroker,
  preview_forex_margin: () => ({ ...forexBroker(), stock_id: '3143989642419430', volume_scaled: 100_000_000 }),
};

/** The number that a dialect writes for a member, or for tools its name. */
function writtenValue(enumeration: Enumeration, name: string, dialect: Dialect): SchemaValue {
  if (dialect === 'mcp') return name;
  const member = enumeration.members.find((one) => one.name === name);
  if (member === undefined) throw new Error(`${enumeration.name} has no ${name}`);
  return numberIn(member, dialect);
}

/** Schemas of a request's parts. */
export interface RequestSchemas {
  /** The fields that callers know, as one object. */
  readonly friendly: Schema;
  /** The message's own fields. */
  readonly message: Schema;
  /** The message of a reference. */
  readonly resolve: (reference: string) => Schema;
}

/** More fields than any operation cannot do without. */
const FIELDS_MAX = 20;

/**
 * A request that the decoder of a dialect takes: the symbol and the price of those that have them, every field that must be given, and whatever
 * the decoder then misses. Values are the schema's own examples, defaults and bounds.
 */
export function exampleRequest(
  operation: Operation,
  { friendly, message, resolve }: RequestSchemas,
  dialect: Dialect = 'rest',
): Record<string, SchemaValue> {
  const fields = { ...(message.properties as Record<string, Schema> | undefined), ...(friendly.properties as Record<string, Schema>) };
  // The account of examples is a simulated one.
  const own: Readonly<Record<string, SchemaValue>> = {
    env: writtenValue(trdEnv, 'simulate', dialect),
    ...ofOperation[operation.name]?.(dialect),
  };
  const values = (name: string) => own[name] ?? exampleOf(fields[name] ?? {}, name, resolve);
  const shown = callerParams(operation.shape, dialect).filter(({ type, field }) => TOLD.has(type.kind) || field === 'price');
  const hasEnv = callerParams(operation.shape, dialect).some(({ name }) => name === 'env');
  const names = new Set([...shown.map(({ name }) => name), ...((friendly.required as string[] | undefined) ?? [])]);
  for (let tries = 0; tries < FIELDS_MAX; tries++) {
    const example = Object.fromEntries([...names].filter((name) => !isInner(name)).map((name) => [name, values(name)]));
    for (const name of names) if (isInner(name)) place(example, name, exampleOf(innerSchema(operation, name, dialect), name, resolve));
    const missing = missingIn(operation, example, dialect);
    if (missing === undefined || names.has(missing)) {
      // Many operations mean a real account where none is said.
      if (!names.has('acc_id') || names.has('env') || !hasEnv) return example;
      names.add('env');
      continue;
    }
    names.add(missing);
  }
  throw new Error(`no example of ${operation.name} is accepted`);
}

/** Whether a field lies in a list: "combo_legs[0].side". */
function isInner(name: string): boolean {
  return name.includes('[');
}

/** The schema of such a field, by its declaration. */
function innerSchema({ values }: Operation, name: string, dialect: Dialect): Schema {
  const path = name.replaceAll(/\[\d+\]/g, '[]');
  const value = values.find(({ field }) => field.split('.').map(snakeCase).join('.') === path);
  return value === undefined ? {} : paramSchema(value, dialect);
}

/** Puts a value where a path says. */
function place(example: object, path: string, value: SchemaValue): void {
  const keys = path.split(/[.[\]]+/);
  const last = keys.pop() ?? '';
  const holder = keys.reduce((inner, key) => inner[key] as Record<string, unknown>, example as Record<string, unknown>);
  holder[last] = value;
}

const TOLD: ReadonlySet<string> = new Set(['symbol', 'order_symbol']);

/** The field that the decoder misses first. */
function missingIn(operation: Operation, example: Schema, dialect: Dialect): string | undefined {
  const parsed = parseJson(JSON.stringify(example));
  const decoded = requestDecoder(operation, dialect)(parsed.ok ? parsed.value : undefined);
  return decoded.ok || decoded.problem.kind !== 'missing_field' ? undefined : decoded.problem.path;
}

function exampleOf(schema: Schema, name: string, resolve: (reference: string) => Schema): SchemaValue {
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), name, resolve);
  const { examples, enum: members, default: fallback, anyOf, minimum, exclusiveMinimum, items } = schema;
  if (name in known) return known[name] as SchemaValue;
  if (Array.isArray(examples)) return examples[0] as SchemaValue;
  if (fallback !== undefined) return fallback;
  if (Array.isArray(members)) return members[0] as SchemaValue;
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as Schema, name, resolve);
  const types = [schema.type].flat();
  if (types.includes('array')) return items === undefined ? [] : [exampleOf(items as Schema, '', resolve)];
  if (types.includes('boolean')) return false;
  if (types.includes('integer')) return Math.max(1, Number(minimum ?? 1));
  if (types.includes('number')) return Math.max(1, Number(minimum ?? exclusiveMinimum ?? 1));
  if (types.includes('object') || schema.properties !== undefined) {
    const properties = (schema.properties ?? {}) as Record<string, Schema>;
    const required = (schema.required ?? []) as string[];
    return Object.fromEntries(required.map((inner) => [inner, exampleOf(properties[inner] ?? {}, inner, resolve)]));
  }
  return 'text';
}
