import { withClientNames } from './client-names.js';
import { checkDeclaration } from './declaration-check.js';
import type { Operation, ProtocolMessages, RestRoute, ToolForm, ValuerName } from './operation.js';
import type { ScopeRule } from './scope.js';
import type { Shape } from './shape.js';

/** Values of fields that a declaration leaves out. */
const defaults = {
  valuer: null,
  answers: [],
  otherForm: null,
  envOfAccount: false,
  byCard: false,
  byCurrency: null,
  rows: null,
  guide: '',
  switches: [],
  classes: {},
  reach: 'beyond',
  beside: [],
  wrapper: null,
  unused: [],
  lowLevel: {},
  shape: [],
  withoutEffect: null,
  needs: [],
  values: [],
  keyField: null,
  loopbackOnly: false,
  waits: null,
} satisfies Partial<Operation>;

type Optional = keyof typeof defaults | 'tool' | 'idempotent' | 'rest';

/** Tools need a guide for the model. */
type Guided = { readonly tool: null } | { readonly tool?: string; readonly guide: string };

/** An operation that may add risk, or change an account's orders in another way, names its valuer. */
type Risked =
  | { readonly effect: 'order'; readonly valuer: ValuerName }
  | { readonly effect: 'write'; readonly scope: Extract<ScopeRule, { kind: 'byEnv' }>; readonly valuer: ValuerName }
  | { readonly effect: 'write'; readonly scope: Exclude<ScopeRule, { kind: 'byEnv' }>; readonly valuer?: null }
  | { readonly effect: 'read' | 'subscription'; readonly valuer?: null };

/** Declares an operation. The tool is `svc_` + name and its path {@link usualPath} unless said otherwise. Throws at a declaration that leaves a guard out: see {@link checkDeclaration}. */
export function operation<const M extends ProtocolMessages>(
  declared: Omit<Operation<M>, Optional> & Partial<Pick<Operation<M>, Optional>> & Guided & Risked,
): Operation<M> {
  const complete: Operation<M> = {
    ...defaults,
    tool: `svc_${declared.name}`,
    rest: [post(usualPath(declared.name))],
    idempotent: declared.effect === 'read' || declared.effect === 'subscription',
    ...declared,
  };
  const named = { ...complete, shape: withClientNames(complete.shape, complete.messages.C2SSchema.fields) };
  checkDeclaration(named);
  return named;
}

/** Lets a tool be answered by another operation, asked for by a shape of its own. */
export function answeredBy(operation: Operation, shape: Shape): ToolForm {
  return { operation, reading: { ...operation, shape: withClientNames(shape, operation.messages.C2SSchema.fields) } };
}

/** "get_order_fee" → "/api/order-fee". */
function usualPath(name: string): string {
  return `/api/${name.replace(/^get_/, '').replaceAll('_', '-')}`;
}

export function get(path: string): RestRoute {
  return { method: 'GET', path };
}

export function post(path: string): RestRoute {
  return { method: 'POST', path };
}
