import type { Dialect, Enumeration } from './enums.js';
import * as enums from './enums.js';
import type { FieldCondition } from './field-condition.js';
import { snakeCase } from './names.js';
import type { TextFormat } from './text-formats.js';

/**
 * The shape of a request: which friendly JSON field stands for which message field, with its aliases, default and
 * bounds. It is data, written once: the decoder, the OpenAPI schema, the tools' input schemas, the command line and
 * the error texts are all made from it. The message's own fields (snake_case, or wrapped in `c2s`) stay accepted.
 */
export type Shape = readonly Param[];

export interface Param {
  /** The name callers write, snake_case. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** Target field: proto field names from `C2S` down, e.g. "header.accID". */
  readonly field: string;
  readonly type: ParamType;
  /** The value when the caller gives none, in the message's own terms. */
  readonly default?: unknown;
  /** To the public protocol the absence of this field says something: the default, or that it must be given, is for JSON callers alone. */
  readonly absenceCounts: boolean;
  /** The default is for callers of this dialect alone; the others have to say it. */
  readonly defaultIn?: Dialect | undefined;
  /** The name that tools know it by; `name` is an alias there. */
  readonly inTools?: string | undefined;
  /** Only this dialect takes it; the other fills the default or leaves the field unset. */
  readonly only?: Dialect | undefined;
  /** A credential. A model must never hold one, so tools take it in no form; the gateway fills it in for them. */
  readonly secret: boolean;
  /** Filled by the gateway; no caller can set it by this name. */
  readonly hidden: boolean;
  /** The only value, in the message's own terms: JSON callers who say another one, by whichever name, are refused. */
  readonly exactly?: unknown;
  /** It counts in requests that meet this alone: JSON callers may not give it in others, which the public protocol's clients do. */
  readonly onlyWhen?: FieldCondition | undefined;
  /** A caller must give it, though the message could do without. */
  readonly required: boolean;
  /** One sentence for references, and for tools that do without {@link brief}. */
  readonly about: string;
  /** Short text for the list of tools; empty where name and type suffice. */
  readonly brief?: string | undefined;
}

export type ParamType =
  | { readonly kind: 'symbol' }
  /** `single`: one symbol alone is accepted too. */
  | { readonly kind: 'symbols'; readonly max: number; readonly single: boolean }
  /** `MARKET.CODE` of an order: sets `code`, `secMarket`, and the trading market where none is given. */
  | { readonly kind: 'order_symbol' }
  | { readonly kind: 'integer'; readonly min?: number | undefined; readonly max?: number | undefined }
  /** `above`: the value itself is out of range. */
  | { readonly kind: 'number'; readonly min?: number | undefined; readonly above?: number | undefined; readonly max?: number | undefined }
  | { readonly kind: 'choice'; readonly enumeration: Enumeration; readonly names: boolean }
  /** `alone`: a value that no other may stand beside. */
  | { readonly kind: 'choices'; readonly enumeration: Enumeration; readonly alone?: number | undefined }
  /** `means`: what the message's field holds for false and for true, where it is no boolean itself. */
  | { readonly kind: 'boolean'; readonly means?: readonly [unknown, unknown] | undefined }
  | { readonly kind: 'text'; readonly maxBytes?: number | undefined; readonly format?: TextFormat | undefined }
  /** Code of a security, without its market. */
  | { readonly kind: 'code' }
  | { readonly kind: 'texts'; readonly max: number }
  /** `yyyy-MM-dd HH:mm:ss` or `yyyy-MM-dd`, in the market's time zone. */
  | { readonly kind: 'time'; readonly dateOnly: boolean }
  | { readonly kind: 'id' }
  /** Unix milliseconds, a signed 64-bit integer. */
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'ids'; readonly max: number }
  | { readonly kind: 'bytes' };

/** Options of every constructor. */
export interface ParamOptions {
  /** The friendly name, when it is not the snake_case of the field. */
  readonly as?: string;
  readonly aliases?: readonly string[];
  readonly default?: unknown;
  readonly absenceCounts?: boolean;
  readonly defaultIn?: Dialect;
  readonly inTools?: string;
  readonly only?: Dialect;
  /** The default is the only value: see {@link Param.exactly}. */
  readonly fixed?: boolean;
  readonly onlyWhen?: FieldCondition;
  readonly required?: boolean;
  readonly about?: string;
  readonly brief?: string;
}

function param(field: string, type: ParamType, options: ParamOptions, about: string): Param {
  return {
    name: options.as ?? snakeCase(field.slice(field.lastIndexOf('.') + 1)),
    aliases: options.aliases ?? [],
    field,
    type,
    ...('default' in options ? { default: options.default } : {}),
    absenceCounts: options.absenceCounts ?? false,
    defaultIn: options.defaultIn,
    inTools: options.inTools,
    only: options.only,
    secret: false,
    hidden: false,
    ...(options.fixed === true ? { exactly: options.default } : {}),
    onlyWhen: options.onlyWhen,
    required: options.required ?? false,
    about: options.about ?? about,
    brief: options.brief,
  };
}

/** Short text for a security's symbol in the list of tools. */
const SYMBOL_BRIEF = 'As HK.00700.';

/** One security, `MARKET.CODE`. */
export function symbol(field: string, options: ParamOptions = {}): Param {
  const about = 'The security, as MARKET.CODE: HK.00700, US.AAPL, SH.600519.';
  const own = { as: 'symbol', aliases: ['code', 'stock', 'security'], required: true };
  return param(field, { kind: 'symbol' }, { ...own, ...briefly(options), ...options }, about);
}

/**
 * Symbols that a read answers one by one in one request, whatever the backend: one in front of a server with smaller bounds
 * splits the list.
 */
export const SYMBOLS_MAX = 2_000;

/** A list of one or more securities. */
export function symbols(field: string, options: ParamOptions & { max?: number; single?: boolean } = {}): Param {
  const aliases = ['stocks', 'code_list', 'symbol_list', 'security_list'];
  const about = 'Securities, each as MARKET.CODE: HK.00700, US.AAPL, SH.600519.';
  return param(
    field,
    { kind: 'symbols', max: options.max ?? 400, single: options.single ?? false },
    { as: 'symbols', aliases, required: true, ...briefly(options), ...options },
    about,
  );
}

/** A declaration with words of its own is not spoken over. */
function briefly({ about }: ParamOptions): ParamOptions {
  return about === undefined ? { brief: SYMBOL_BRIEF } : {};
}

/** The security of an order by its full symbol, in place of `market` and `code`. */
export function orderSymbol(): Param {
  return param('code', { kind: 'order_symbol' }, { as: 'symbol' }, 'The security as MARKET.CODE, in place of market and code.');
}

export function integer(field: string, options: ParamOptions & { min?: number; max?: number } = {}): Param {
  const { min, max } = options;
  return param(field, { kind: 'integer', min, max }, options, '');
}

/** Version of an extension's request, of which there is one. */
export const extensionVersion = integer('extension_version', { required: true, min: 1, max: 1, about: 'Always 1.' });

export function number(field: string, options: ParamOptions & { min?: number; above?: number; max?: number } = {}): Param {
  const { min, above, max } = options;
  return param(field, { kind: 'number', min, above, max }, options, '');
}

/** One of an enumeration. `names`: REST takes the names too, which it does for cancels alone. */
export function choice(field: string, enumeration: Enumeration, options: ParamOptions & { names?: boolean } = {}): Param {
  return param(field, { kind: 'choice', enumeration, names: options.names ?? false }, options, '');
}

export function choices(field: string, enumeration: Enumeration, options: ParamOptions & { alone?: number } = {}): Param {
  return param(field, { kind: 'choices', enumeration, alone: options.alone }, options, '');
}

/** Yes or no. `means`: see {@link ParamType}. */
export function flag(field: string, options: ParamOptions & { means?: readonly [unknown, unknown] } = {}): Param {
  return param(field, { kind: 'boolean', means: options.means }, options, '');
}

export function text(field: string, options: ParamOptions & { maxBytes?: number; format?: TextFormat } = {}): Param {
  const { maxBytes, format } = options;
  return param(field, { kind: 'text', maxBytes, format }, options, '');
}

/** The code of an order's security, for callers who name its market apart. */
export function code(field: string): Param {
  return param(field, { kind: 'code' }, {}, 'Code without a market prefix.');
}

/** A credential as text: for REST alone. See {@link Param.secret}. The field must be one of `C2S` itself. */
export function secret(field: string, options: Omit<ParamOptions, 'only'> & { maxBytes?: number; format?: TextFormat } = {}): Param {
  return { ...text(field, options), only: 'rest', secret: true };
}

/** Parameters that callers of a dialect may give, with the names and defaults of that dialect. */
export function callerParams(shape: Shape, dialect: Dialect): readonly Param[] {
  return paramsIn(shape, dialect).filter((param) => !param.hidden && (param.only === undefined || param.only === dialect));
}

/** A shape as a dialect has it, with what callers cannot give. */
export function paramsIn(shape: Shape, dialect: Dialect): readonly Param[] {
  return shape.map((param) => paramIn(param, dialect));
}

function paramIn(param: Param, dialect: Dialect): Param {
  const { default: fallback, ...rest } = param;
  const own = param.defaultIn === undefined || param.defaultIn === dialect || !('default' in param) ? param : rest;
  const { inTools } = param;
  if (dialect !== 'mcp' || inTools === undefined) return own;
  return { ...own, name: inTools, aliases: [param.name, ...param.aliases.filter((alias) => alias !== inTools)] };
}

/** Fields of `C2S` that callers of a dialect cannot set even in the low-level form: to them they are unknown. */
export function withheldFields(
  { shape, unused }: { readonly shape: Shape; readonly unused: readonly string[] },
  dialect: Dialect,
): ReadonlySet<string> {
  const secrets = shape.filter((param) => param.secret && dialect === 'mcp').map((param) => param.field);
  return new Set([...unused, ...secrets]);
}

export function texts(field: string, options: ParamOptions & { max?: number } = {}): Param {
  return param(field, { kind: 'texts', max: options.max ?? 400 }, options, '');
}

/** A local time of the market: `yyyy-MM-dd HH:mm:ss`, or a date alone. */
export function time(field: string, options: ParamOptions & { dateOnly?: boolean } = {}): Param {
  const dateOnly = options.dateOnly ?? false;
  return param(
    field,
    { kind: 'time', dateOnly },
    options,
    `${dateOnly ? 'yyyy-MM-dd' : 'yyyy-MM-dd HH:mm:ss'}, in the market's time zone.`,
  );
}

/** A 64-bit identifier, exact beyond 2^53. */
export function id(field: string, options: ParamOptions = {}): Param {
  return param(field, { kind: 'id' }, options, '');
}

/** Unix milliseconds: 0 is the beginning of 1970, and below it lies what came before. */
export function timestamp(field: string, options: ParamOptions = {}): Param {
  return param(field, { kind: 'timestamp' }, options, '');
}

export function ids(field: string, options: ParamOptions & { max?: number } = {}): Param {
  return param(field, { kind: 'ids', max: options.max ?? 100 }, options, '');
}

/** A message within a request that it cannot do without; its own fields say what it holds. */
export function part(field: string): Param {
  return param(field, { kind: 'boolean' }, { required: true }, '');
}

export function bytes(field: string, options: ParamOptions = {}): Param {
  return param(field, { kind: 'bytes' }, options, '');
}

/** A field that the message requires and callers need not give; who knows the message may give it in its own form. */
export function constant(field: string, value: unknown): Param {
  return {
    name: '',
    aliases: [],
    field,
    type: { kind: 'boolean' },
    default: value,
    absenceCounts: false,
    secret: false,
    hidden: true,
    required: false,
    about: '',
  };
}

/** A field whose value makes the operation what it is: no request of it says anything else. */
export function fixed(field: string, value: unknown): Param {
  return { ...constant(field, value), exactly: value };
}

/** The same where the field is as good as that value when it is not set, and stays so. */
export function never(field: string, { but: value }: { readonly but: unknown }): Param {
  const { default: _, ...param } = fixed(field, value);
  return param;
}

/**
 * The header of every account operation: account, environment and market. `names`: see {@link choice}; `toolEnv`: the default
 * environment (Trd_Common.TrdEnv) for tool callers.
 */
export function tradeHeader(options: { names?: boolean; only?: Dialect; marketDefault?: number; toolEnv?: number } = {}): Param[] {
  const only = options.only === undefined ? {} : { only: options.only };
  const names = { names: options.names ?? false };
  return [
    choice('header.trdMarket', enums.trdMarket, {
      as: 'market',
      aliases: ['trd_market'],
      about: 'The trading market, not the quote market.',
      brief: '',
      ...only,
      ...names,
      ...(options.marketDefault === undefined ? {} : { default: options.marketDefault }),
    }),
    id('header.accID', { as: 'acc_id', about: 'The account, from the account list.', brief: '', ...only }),
    choice('header.trdEnv', enums.trdEnv, {
      as: 'env',
      aliases: ['trd_env'],
      about: 'simulate is paper money.',
      brief: '',
      ...(options.toolEnv === undefined ? {} : { default: options.toolEnv, defaultIn: 'mcp' }),
      ...only,
      ...names,
    }),
  ];
}
