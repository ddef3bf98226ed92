/** What a key may be granted, each with its meaning. There are no wildcards, and no scope implies another. */
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

/** A set of scopes: one bit each, so that a check is one AND. */
export type ScopeMask = number;

export function scopeMask(members: Iterable<Scope>): ScopeMask {
  let mask = 0;
  for (const scope of members) mask |= 1 << scopes.indexOf(scope);
  return mask;
}

export function scopesIn(mask: ScopeMask): Scope[] {
  return scopes.filter((_, bit) => (mask & (1 << bit)) !== 0);
}

export type TradeEnvironment = 'simulate' | 'real';

/**
 * What an operation asks for. Besides the plain scopes: `none` (open to everyone), `trade` (trade:simulate or
 * trade:real, by the order's environment), `qot:write strict` (stock notes: qot:read does not do), `metrics` (admin
 * does as well).
 */
export type ScopeRule = Scope | 'none' | 'trade' | 'qot:write strict' | 'metrics';

const one = (scope: Scope): ScopeMask => scopeMask([scope]);

const accepted: Readonly<Record<Exclude<ScopeRule, 'trade'>, ScopeMask>> = {
  none: 0,
  'qot:read': one('qot:read'),
  // qot:read keys made before v1.8.0 keep their watchlists, and those made before v1.4.106 their subscriptions.
  'qot:write': scopeMask(['qot:write', 'qot:read']),
  'qot:write strict': one('qot:write'),
  'qot:state': scopeMask(['qot:state', 'qot:read']),
  'acc:read': one('acc:read'),
  'trade:simulate': one('trade:simulate'),
  'trade:real': one('trade:real'),
  'trade:unlock': one('trade:unlock'),
  admin: one('admin'),
  'metrics:read': one('metrics:read'),
  metrics: scopeMask(['metrics:read', 'admin']),
  'auth:setup': one('auth:setup'),
};

/** The scopes any one of which satisfies `rule`; 0 = none is needed. */
export function acceptedScopes(rule: Exclude<ScopeRule, 'trade'>): ScopeMask {
  return accepted[rule];
}

/** What the rule `trade` comes to for an order of this environment. */
export function tradeScope(environment: TradeEnvironment): ScopeMask {
  return accepted[`trade:${environment}`];
}

/** Whether a key with the scopes `granted` may do what asks for any one of `accepted`. */
export function scopesSatisfy(granted: ScopeMask, accepted: ScopeMask): boolean {
  return accepted === 0 || (granted & accepted) !== 0;
}

const writesAndAdministration = scopeMask(['trade:simulate', 'trade:real', 'trade:unlock', 'admin']);

/** Whether legacy mode (no keys file) lets a caller without credentials do this: everything but order writes, unlock and administration. */
export function publicInLegacyMode(accepted: ScopeMask): boolean {
  return accepted === 0 || (accepted & ~writesAndAdministration) !== 0;
}
