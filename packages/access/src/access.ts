import type { AuditLog } from './audit.js';
import type { GateDenial, OrderFacts } from './gates.js';
import type { KeyRecord } from './key-record.js';
import type { AuthDenial, Keyring, ReloadOutcome } from './keyring.js';
import { formatLoadError } from './keys-source.js';
import type { Limits } from './limits.js';
import type { Admittance, GateVerdict, OrderGates, Wanted } from './order-gates.js';
import { publicInLegacyMode, type ScopeMask, scopesIn, scopesSatisfy } from './scopes.js';
import type { ExchangeRates } from './worth.js';

/** A named caller. In legacy mode, where there is no keys file, every caller is the anonymous one without a key. */
export type Authentication = { readonly ok: true; readonly key: KeyRecord | undefined } | AuthDenial;

/** Reason why a known caller may not do what it asks. */
export interface ScopeDenial {
  /** `auth.scope`: HTTP 403. `auth.legacy`: HTTP 401, a write or administration without a keys file. */
  readonly code: 'auth.scope' | 'auth.legacy';
  readonly message: string;
}

export interface AccessDeps {
  /** undefined = legacy mode. */
  readonly keyring: Keyring | undefined;
  readonly gates: OrderGates;
  readonly audit: AuditLog;
}

const anonymous: Authentication = { ok: true, key: undefined };
const missing: AuthDenial = { ok: false, code: 'auth.missing', message: 'bearer missing', keyId: null };
const legacyDenial: ScopeDenial = {
  code: 'auth.legacy',
  message: 'UNAUTHORIZED: trading, unlocking and administration need a key; start the daemon with --rest-keys-file',
};

/** Authentication, limits and the audit trail: the one interface of this folder that requests meet. */
export class Access {
  readonly keyring: Keyring | undefined;
  readonly gates: OrderGates;
  readonly audit: AuditLog;

  constructor(deps: AccessDeps) {
    this.keyring = deps.keyring;
    this.gates = deps.gates;
    this.audit = deps.audit;
  }

  get scopeMode(): boolean {
    return this.keyring !== undefined;
  }

  /** The start-up flags' limits, which hold for every caller together with the key's own. */
  get flagLimits(): Limits {
    return this.gates.flagLimits;
  }

  /** The currencies that the limits of a caller's orders are in, where they are in one: the rates that the gates will need. */
  limitsCurrencies(key: KeyRecord | undefined): readonly string[] {
    return this.gates.limitsCurrencies(key);
  }

  /** Names the bearer of `keyText` at `now`, epoch ms. Called for each request, so that a reload holds from the next request on. */
  authenticate(keyText: string | undefined, now?: number): Authentication {
    if (this.keyring === undefined) return anonymous;
    return keyText === undefined || keyText === '' ? missing : this.keyring.authenticate(keyText, now);
  }

  /** Names the bearer of the MD5 in hex of a key text, as the published clients show it. */
  authenticateSdk(md5Hex: string): Authentication {
    if (this.keyring === undefined) return anonymous;
    return md5Hex === '' ? missing : this.keyring.authenticateSdk(md5Hex);
  }

  /** The operator's default key for callers that cannot show one. */
  authenticateId(id: string): Authentication {
    return this.keyring === undefined ? anonymous : this.keyring.authenticateId(id);
  }

  /** Present state of a key that a connection was opened with. */
  revalidate(key: KeyRecord, now?: number): Authentication {
    return this.keyring === undefined ? anonymous : this.keyring.revalidate(key, now);
  }

  /** Whether the caller may do what any one of the scopes `accepted` allows. */
  authorise(key: KeyRecord | undefined, accepted: ScopeMask): ScopeDenial | undefined {
    if (key === undefined && this.keyring === undefined) return publicInLegacyMode(accepted) ? undefined : legacyDenial;
    if (scopesSatisfy(key?.scopes ?? 0, accepted)) return undefined;
    const holds = key === undefined ? 'no key was given' : `key "${key.id}" holds ${scopesIn(key.scopes).join(', ') || 'no scope'}`;
    return { code: 'auth.scope', message: `scope insufficient: needs ${scopesIn(accepted).join(' or ')}; ${holds}` };
  }

  /** Reason why a caller may not take more risk at all; undefined where nobody has ordered that. */
  haltOf(key: KeyRecord | undefined): GateDenial | undefined {
    return this.gates.haltOf(key);
  }

  /** Whether a change of a caller's order is judged by the terms that it replaces. */
  weighsChanges(key: KeyRecord | undefined): boolean {
    return this.gates.weighsChanges(key);
  }

  /** Facts about an order that the gates need before they can decide. */
  wants(key: KeyRecord | undefined, facts: OrderFacts): Wanted | undefined {
    return this.gates.wants(key, facts);
  }

  /** The gates, for a place or a modify. */
  admit(key: KeyRecord | undefined, facts: OrderFacts, now: number): Admittance {
    return this.gates.admit(key, facts, now);
  }

  /** Verdict of each gate, without counting anything. */
  judge(key: KeyRecord | undefined, facts: OrderFacts, now: number): readonly GateVerdict[] {
    return this.gates.judge(key, facts, now);
  }

  /** Use of the limits that hold for a caller, without counting anything. */
  uses(key: KeyRecord | undefined, rates: ExchangeRates, now: number): ReturnType<OrderGates['uses']> {
    return this.gates.uses(key, rates, now);
  }

  /**
   * Reads the keys file again. A broken one leaves the keys as they were. With `again`, a failure that the trail has already is
   * not recorded once more. undefined in legacy mode.
   */
  reloadKeys(requestId: string, again = false): ReloadOutcome | undefined {
    const known = this.keyring?.status().failure?.error;
    const outcome = this.keyring?.reload();
    if (outcome === undefined) return undefined;
    if (outcome.ok) this.recordReload(requestId, 'allow', 'keys file reloaded');
    else {
      const refused = formatLoadError(outcome.error);
      const isNews = !again || known === undefined || formatLoadError(known) !== refused;
      if (isNews) this.recordReload(requestId, 'reject', `keys file refused: ${refused}`);
    }
    return outcome;
  }

  /** A line of the trail about something that was taken up from disk, or refused. */
  recordReload(requestId: string, outcome: 'allow' | 'reject', reason: string): void {
    this.audit.record({ iface: 'daemon', endpoint: 'reload', keyId: null, outcome, reason, requestId });
  }
}
