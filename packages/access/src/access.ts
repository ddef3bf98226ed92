import { Rejection } from '@svc-gateway/contract/rejection';
import type { AuditLog } from './audit.js';
import type { KeyRecord } from './key-record.js';
import type { Keyring, ReloadOutcome } from './keyring.js';
import { formatLoadError } from './keys-source.js';
import type { OrderGates } from './order-gates.js';
import { err, ok, type Result } from './result.js';
import { publicInLegacyMode, type ScopeMask, scopesIn, scopesSatisfy } from './scopes.js';

/** A named caller. In legacy mode, where there is no keys file, every caller is the anonymous one without a key. */
export type Authentication = Result<KeyRecord | undefined, Rejection>;

export interface AccessDeps {
  /** undefined = legacy mode. */
  readonly keyring: Keyring | undefined;
  readonly gates: OrderGates;
  readonly audit: AuditLog;
}

const anonymous: Authentication = ok(undefined);
const missing = err(new Rejection('auth.missing', 'bearer missing'));
const LEGACY = 'UNAUTHORIZED: trading, unlocking and administration need a key; start the daemon with --rest-keys-file';

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
  authorise(key: KeyRecord | undefined, accepted: ScopeMask): Rejection | undefined {
    if (key === undefined && this.keyring === undefined)
      return publicInLegacyMode(accepted) ? undefined : new Rejection('auth.legacy', LEGACY);
    if (scopesSatisfy(key?.scopes ?? 0, accepted)) return undefined;
    const holds = key === undefined ? 'no key was given' : `key "${key.id}" holds ${scopesIn(key.scopes).join(', ') || 'no scope'}`;
    return new Rejection('auth.scope', `scope insufficient: needs ${scopesIn(accepted).join(' or ')}; ${holds}`);
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
