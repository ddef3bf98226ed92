/** The permissions that a key can hold, each with its meaning. There are no wildcards, and no scope implies another. */
export const scopeMeanings = {
  'qot:read': 'quote reads and subscriptions, and the handshake of /ws',
  'qot:write': 'quote-side user state: watchlists, price reminders, option-event alerts, stock notes',
  'qot:state': 'subscribe and unsubscribe',
  'acc:read': 'account reads (funds, positions, orders, fills) and account pushes',
  'trade:simulate': 'place, modify and cancel orders in simulated accounts',
  'trade:real': 'place, modify and cancel orders in real accounts',
  'trade:unlock': 'unlock trading',
  admin: 'daemon administration; for operations keys only',
  'metrics:read': 'the /metrics page',
  'auth:setup': 'answer a verification that the login backend asks for',
} as const;

export type Scope = keyof typeof scopeMeanings;

/** Every scope, in the specification's order. */
export const scopes = Object.keys(scopeMeanings) as readonly Scope[];

/**
 * Scopes that a caller must hold: any one of `anyOf`. `byEnv` is for orders: `trade:simulate` or `trade:real`, by the
 * request's environment. `byField`: the scope that a number in the request asks for; a number without one is refused.
 */
export type ScopeRule =
  | { readonly kind: 'anyOf'; readonly anyOf: readonly Scope[] }
  | { readonly kind: 'byEnv' }
  | { readonly kind: 'byField'; readonly field: string; readonly scopes: Readonly<Record<number, Scope>> };

export function anyOf(...scopes: Scope[]): Extract<ScopeRule, { kind: 'anyOf' }> {
  return { kind: 'anyOf', anyOf: scopes };
}

/** The scope that each number of a field of `C2S` asks for. */
export function byField(field: string, scopes: Readonly<Record<number, Scope>>): Extract<ScopeRule, { kind: 'byField' }> {
  return { kind: 'byField', field, scopes };
}

/** The scopes of which a caller must hold one whatever the request says: without any of them none would pass. */
export function possibleScopes(rule: ScopeRule): readonly Scope[] {
  switch (rule.kind) {
    case 'anyOf':
      return rule.anyOf;
    case 'byEnv':
      return ['trade:simulate', 'trade:real'];
    case 'byField':
      return [...new Set(Object.values(rule.scopes))];
  }
}
