import { type Access, formatLoadError } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { CertificateStatus } from '@svc-gateway/gateway';
import type { Logger } from './log.js';
import type { Reloaded, ReloadStep } from './reloader.js';
import type { Settings } from './settings-table.js';
import { loadTlsMaterial, type TlsMaterial } from './tls.js';

const KEYS_REFUSED = 'keys file refused; the previous keys stay in force';

/** Takes up the keys file. */
export function keysStep(access: Access, logger: Logger): ReloadStep {
  return {
    async attempt(requestId, again) {
      const known = access.keyring?.status().failure?.error;
      if (again && access.keyring?.stillRefused) return { ok: false, message: KEYS_REFUSED };
      const outcome = access.reloadKeys(requestId, again);
      if (outcome === undefined) return { ok: true, message: 'there is no keys file to reload' };
      if (outcome.ok) {
        const { added, removed, changed } = outcome.value;
        logger.info({ added: added.length, removed: removed.length, changed: changed.length }, 'keys file reloaded');
        return { ok: true, message: `keys file reloaded: ${added.length} added, ${removed.length} removed, ${changed.length} changed` };
      }
      const reason = formatLoadError(outcome.error);
      const isNews = !again || known === undefined || formatLoadError(known) !== reason;
      if (isNews) logger.error({ reason }, `${KEYS_REFUSED}; it is tried again`);
      return { ok: false, message: `${KEYS_REFUSED}: ${reason}` };
    },
  };
}

/** Goes on in a new audit file. What fails here the file notices by itself. */
export function auditStep(access: Access): ReloadStep {
  return {
    async attempt() {
      const reopened = await access.audit.reopen();
      return { ok: true, message: reopened.ok ? 'audit log reopened' : reopened.error };
    },
  };
}

/** The certificate in force, and how the last attempt to take up another went. */
export class Certificate implements ReloadStep {
  readonly #deps: CertificateDeps;
  #inForce: TlsMaterial;
  #loadedAt: number;
  #failure: { readonly at: number; readonly reason: string } | undefined;

  constructor(deps: CertificateDeps, inForce: TlsMaterial) {
    this.#deps = deps;
    this.#inForce = inForce;
    this.#loadedAt = deps.clock.now();
  }

  status(): CertificateStatus {
    const { expiresAt } = this.#inForce;
    return { path: this.#deps.certPath, expiresAt, loadedAt: this.#loadedAt, failure: this.#failure };
  }

  async attempt(requestId: string, again: boolean): Promise<Reloaded> {
    const { certPath, keyPath, clock, logger, access, takeUp } = this.#deps;
    const loaded = loadTlsMaterial(certPath, keyPath, clock.now());
    if (!loaded.ok) {
      if (!again || this.#failure?.reason !== loaded.error) {
        logger.error({ reason: loaded.error }, 'certificate refused; the previous one stays in use, and will be retried');
        access.recordReload(requestId, 'reject', `certificate refused: ${loaded.error}`);
      }
      this.#failure = { at: clock.now(), reason: loaded.error };
      return { ok: false, message: `certificate refused; the previous one stays in use: ${loaded.error}` };
    }
    this.#failure = undefined;
    this.#loadedAt = clock.now();
    for (const warning of loaded.value.warnings) logger.warn({}, warning);
    const { cert, key, expiresAt } = loaded.value;
    if (cert === this.#inForce.cert && key === this.#inForce.key) return { ok: true, message: 'certificate unchanged' };
    this.#inForce = loaded.value;
    takeUp(loaded.value);
    logger.info({ expires_at: new Date(expiresAt).toISOString() }, 'certificate reloaded');
    access.recordReload(requestId, 'allow', 'certificate reloaded');
    return { ok: true, message: 'certificate reloaded' };
  }
}

export interface CertificateDeps {
  readonly certPath: string;
  readonly keyPath: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly access: Access;
  /** Gives it to every listener. */
  readonly takeUp: (tls: TlsMaterial) => void;
}

/** undefined without TLS. */
export function certificateOf(
  { restTlsCert, restTlsKey }: Settings,
  tls: TlsMaterial | undefined,
  deps: Omit<CertificateDeps, 'certPath' | 'keyPath'>,
): Certificate | undefined {
  if (tls === undefined || restTlsCert === null || restTlsKey === null) return undefined;
  return new Certificate({ ...deps, certPath: restTlsCert, keyPath: restTlsKey }, tls);
}
