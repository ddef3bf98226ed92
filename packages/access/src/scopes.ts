import { type Scope, scopes } from '@svc-gateway/contract/scope';

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

/** Whether a key with the scopes `granted` may do what asks for any one of `accepted`. */
export function scopesSatisfy(granted: ScopeMask, accepted: ScopeMask): boolean {
  return accepted === 0 || (granted & accepted) !== 0;
}

const writesAndAdministration = scopeMask(['trade:simulate', 'trade:real', 'trade:unlock', 'admin']);

/** Whether legacy mode (no keys file) lets a caller without credentials do this: everything but order writes, unlock and administration. */
export function publicInLegacyMode(accepted: ScopeMask): boolean {
  return accepted === 0 || (accepted & ~writesAndAdministration) !== 0;
}
