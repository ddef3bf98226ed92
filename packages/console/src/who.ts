import { type Fields, type Json, rowsOf, textOf } from './json.js';

/** Identity and rights of the caller, as `GET /api/whoami` says. */
export interface Who {
  /** Undefined where the daemon asks for no key. */
  readonly keyId: string | undefined;
  readonly scopes: ReadonlySet<string>;
  readonly switches: ReadonlySet<string>;
  /** ISO 8601 UTC; undefined where the key never expires. */
  readonly expiresAt: string | undefined;
  readonly limits: readonly Fields[];
}

export function whoOf(payload: Fields): Who {
  return {
    keyId: payload.has_key === true ? textOf(payload.key_id) : undefined,
    scopes: textsOf(payload.scope_list),
    switches: textsOf(payload.switch_list),
    expiresAt: textOf(payload.expires_at) || undefined,
    limits: rowsOf(payload.limit_list),
  };
}

/** Why the caller may not cancel in a real or a simulated account; undefined where it may. */
export function cancelForbidden({ scopes, switches }: Who, real: boolean): string | undefined {
  const scope = real ? 'trade:real' : 'trade:simulate';
  if (!scopes.has(scope)) return `the key has no ${scope}`;
  return switches.has('--enable-trading') ? undefined : 'the daemon runs without --enable-trading';
}

function textsOf(list: Json | undefined): ReadonlySet<string> {
  return new Set(Array.isArray(list) ? list.map((one) => textOf(one as Json)) : []);
}
