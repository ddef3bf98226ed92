import type { DescMessage, Message, MessageShape } from '@bufbuild/protobuf';
import type { Enumeration } from './enums.js';
import type { FieldClasses } from './field-classes.js';
import type { FieldCondition } from './field-condition.js';
import type { FieldValue } from './field-value.js';
import type { Reach } from './listing.js';
import type { Need } from './needs.js';
import type { ScopeRule } from './scope.js';
import type { Shape } from './shape.js';
import type { Switch } from './switches.js';

/** The four messages that every protocol id has: a generated module is one. */
export interface ProtocolMessages {
  readonly C2SSchema: DescMessage;
  readonly S2CSchema: DescMessage;
  readonly RequestSchema: DescMessage;
  readonly ResponseSchema: DescMessage;
}

/** Groups of operations: sections of references, and the toolsets of language models. */
export const groups = [
  'system',
  'subscription',
  'quote',
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
  'user_state',
  'account',
  'forex_account',
  'trade',
  'admin',
] as const;
export type Group = (typeof groups)[number];

/** Groups about accounts and their orders, which brokers answer rather than the quote server. */
const ofAccounts: ReadonlySet<Group> = new Set<Group>(['account', 'forex_account', 'trade']);

/** Groups about markets. Derivatives are not among them. */
const ofMarkets: ReadonlySet<Group> = new Set<Group>([
  'quote',
  'kline_pattern',
  'metadata',
  'calendar',
  'ranking',
  'research',
  'institution',
  'industry',
  'extension',
  'news',
]);

/** Whether an operation reads market data. */
export function readsMarketData({ effect, group }: Pick<Operation, 'effect' | 'group'>): boolean {
  return effect === 'read' && ofMarkets.has(group);
}

/** Whether an operation is about accounts or their orders. */
export function isTrading({ group }: Pick<Operation, 'group'>): boolean {
  return ofAccounts.has(group);
}

/**
 * Side effects of an operation.
 * - `read`: nothing.
 * - `subscription`: changes what is pushed to the caller.
 * - `write`: changes the account or the daemon without adding risk (cancel, unlock): idempotency keys hold.
 * - `order`: may add risk (place, modify): idempotency keys and the limit gates hold.
 */
export type Effect = 'read' | 'subscription' | 'write' | 'order';

/**
 * How the gateway finds out what risk a request adds: each name stands for one piece of code there.
 * - `place`: a new order.
 * - `combo`: a new order of several legs.
 * - `bracket`: a new order with what closes it again, which adds no risk of its own.
 * - `relief`: what can only take risk away.
 * - `reconfirm`: an order that its owner lets go to the market.
 * - `modify`: a change of an order, or its end, which adds none.
 * - `position`: two orders at once that turn a position of the account into another.
 */
export type ValuerName = 'place' | 'combo' | 'bracket' | 'relief' | 'reconfirm' | 'modify' | 'position';

/** Another form of a tool's arguments, which another operation answers: its scopes, limits, quotas and audit hold. */
export interface ToolForm {
  readonly operation: Operation;
  /** The operation as this form asks for it: with a shape of the form's own. */
  readonly reading: Operation;
}

/** Fields that are parsed and ignored. */
export interface FieldsWithoutEffect {
  readonly message: DescMessage;
  readonly shape: Shape;
}

/** A list in a payload of which a caller may want only what is in one currency. */
export interface CurrencyList {
  /** Name of a list of messages in `S2C`, as the `.proto` has it. */
  readonly field: string;
  /** The currency of an item (Trd_Common.Currency); undefined where it cannot be told. */
  readonly currencyOf: (item: Message) => number | undefined;
}

/** A list of an answer that tools write as a header and rows of values, unless they are asked for objects. */
export interface RowList {
  /** Name of a list of messages in `S2C`, as the `.proto` has it. */
  readonly list: string;
  /** Default columns, as the `.proto` names them. */
  readonly columns: readonly string[];
}

export interface RestRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/**
 * One operation, declared once and served by every interface. See docs/architecture.md for how to add one.
 */
export interface Operation<M extends ProtocolMessages = ProtocolMessages> {
  /** "get_orderbook": unique; the command and the tool are named after it. */
  readonly name: string;
  readonly group: Group;
  /** The public protocol's id; null for what no protocol message asks for. */
  readonly protoId: number | null;
  /**
   * Conditions by which an operation's messages are told from others of the same protocol id: all must hold. The one
   * operation without conditions answers the rest.
   */
  readonly answers: readonly FieldCondition[];
  readonly scope: ScopeRule;
  readonly effect: Effect;
  /** Valuer of its risk for the limit gates and for previews; null = its requests cannot touch an order. */
  readonly valuer: ValuerName | null;
  /** Doing it twice does no more than doing it once. Reads and subscriptions are unless they say otherwise. */
  readonly idempotent: boolean;
  readonly messages: M;
  /** A few words to show people: "Order book". */
  readonly title: string;
  /** One sentence: what it answers or does. */
  readonly summary: string;
  /**
   * One paragraph for a language model, after the summary: when to use the tool, what it costs, what to call before.
   * Empty where there is no tool.
   */
  readonly guide: string;
  readonly shape: Shape;
  /** Fields that REST takes and checks, and that change nothing: those of another revision of the body. null where there are none. */
  readonly withoutEffect: FieldsWithoutEffect | null;
  /** Requirements of a request beyond the shape's always required fields. */
  readonly needs: readonly Need[];
  /** Rules of fields within the lists and messages of a request, and which of them it cannot do without. */
  readonly values: readonly FieldValue[];
  /** A POST to `/api/` and the name with dashes, without its `get_`, unless declared. */
  readonly rest: readonly RestRoute[];
  /** Name of the tool for language models; null where there is none. */
  readonly tool: string | null;
  /** The form that its tool takes as soon as an argument is given which only that form has; null where there is none. */
  readonly otherForm: ToolForm | null;
  /** Its environment is that of the account which it names, whatever its caller says: `byEnv` looks it up. */
  readonly envOfAccount: boolean;
  /** Its tool takes `card_num` in place of `acc_id`. */
  readonly byCard: boolean;
  /** List that its tool's `currency` selects from; null where there is no such argument. */
  readonly byCurrency: CurrencyList | null;
  /** The list that its tool writes as rows; null where there is none. */
  readonly rows: RowList | null;
  /** Start-up switches that must all be on. */
  readonly switches: readonly Switch[];
  /** Classes of fields of `C2S` that the table in field-classes.ts does not have. */
  readonly classes: FieldClasses;
  /** How far the answer reaches beyond the request, and so how limited keys are held. `beyond`, which refuses them, unless declared. */
  readonly reach: Reach;
  /**
   * Fields beside the lists of an answer that is filtered for limited keys; they are the same whatever is left out:
   * quotas, the request's header.
   */
  readonly beside: readonly string[];
  /** JSON callers may put the fields of the request into an object of this name, as they may into `c2s`; null where there is none. */
  readonly wrapper: string | null;
  /** Fields of `C2S` that mean nothing to this operation, though others of its message know them: JSON callers may not give them. */
  readonly unused: readonly string[];
  /** Enumerations of low-level fields that differ for this operation alone, by field path: "header.trdEnv". */
  readonly lowLevel: Readonly<Record<string, Enumeration>>;
  /** Path of the field of `C2S` that is its idempotency key, required then, whatever key its caller's interface carries; null where it has none of its own. */
  readonly keyField: string | null;
  /** Peers outside loopback are refused. */
  readonly loopbackOnly: boolean;
  /** The field of `C2S` that says for how many seconds the answer may be waited for by itself; null where it comes when it is ready. */
  readonly waits: string | null;
}

/** The request of an operation: its `C2S`. */
export type RequestOf<O extends Operation> = MessageShape<O['messages']['C2SSchema']>;
/** The payload of an operation's answer: its `S2C`. */
export type PayloadOf<O extends Operation> = MessageShape<O['messages']['S2CSchema']>;
