/** The permissions that a key can hold. `access` says what each grants; wildcards do not exist and none implies another. */
export const scopes = [
  'qot:read',
  'qot:write',
  'qot:state',
  'acc:read',
  'trade:simulate',
  'trade:real',
  'trade:unlock',
  'admin',
  'metrics:read',
  'auth:setup',
] as const;

export type Scope = (typeof scopes)[number];

/**
 * What a caller must hold: any one of `anyOf`. `byEnv` is for orders: `trade:simulate` or `trade:real`, whichever the
 * request's environment names. `none` is for probes.
 */
export type ScopeRule =
  | { readonly kind: 'anyOf'; readonly anyOf: readonly Scope[] }
  | { readonly kind: 'byEnv' }
  | { readonly kind: 'none' };

export function anyOf(...scopes: Scope[]): ScopeRule {
  return { kind: 'anyOf', anyOf: scopes };
}
