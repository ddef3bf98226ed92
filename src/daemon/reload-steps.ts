import { type Access, formatLoadError } from '../access/index.js';
import type { Clock } from '../contract/clock.js';
import type { CertificateStatus } from '../gateway/index.js';
import type { Logger } from './log.js';
import type { ReloadStep } from './reloader.js';
import type { Settings } from './settings.js';
import { loadTlsMaterial, type TlsMaterial } from './tls.js';

/** Takes up the keys file. */
export function keysStep(access: Access, logger: Logger): ReloadStep {
  return {
    attempt(requestId, again) {
      const known = access.keyring?.status().failure?.error;
      if (again && access.keyring?.stillRefused) return false;
      const outcome = access.reloadKeys(requestId, again);
      if (outcome === undefined) logger.info({}, 'there is no keys file to reload');
      else if (outcome.ok) {
        const { added, removed, changed } = outcome.value;
        logger.info({ added: added.length, removed: removed.length, changed: changed.length }, 'keys file reloaded');
      } else {
        const reason = formatLoadError(outcome.error);
        const isNews = !again || known === undefined || formatLoadError(known) !== reason;
        if (isNews) logger.error({ reason }, 'keys file refused; the keys before it stay in force, and it is tried again');
      }
      return outcome?.ok ?? true;
    },
  };
}

/** Goes on in a new audit file. What fails here the file notices by itself. */
export function auditStep(access: Access): ReloadStep {
  return {
    attempt() {
      void access.audit.reopen();
      return true;
    },
  };
}

/** The certificate in force, and how the last attempt to take up another went. */
export class Certificate implements ReloadStep {
  readonly #parts: CertificateParts;
  #inForce: TlsMaterial;
  #loadedAt: number;
  #failure: { readonly at: number; readonly reason: string } | undefined;

  constructor(parts: CertificateParts, inForce: TlsMaterial) {
    this.#parts = parts;
    this.#inForce = inForce;
    this.#loadedAt = parts.clock.now();
  }

  status(): CertificateStatus {
    const { expiresAt } = this.#inForce;
    return { path: this.#parts.certPath, expiresAt, loadedAt: this.#loadedAt, failure: this.#failure };
  }

  attempt(requestId: string, again: boolean): boolean {
    const { certPath, keyPath, clock, logger, access, takeUp } = this.#parts;
    const loaded = loadTlsMaterial(certPath, keyPath, clock.now());
    if (!loaded.ok) {
      if (!again || this.#failure?.reason !== loaded.error) {
        logger.error({ reason: loaded.error }, 'certificate refused; the one before it stays in use, and it is tried again');
        access.recordReload(requestId, 'reject', `certificate refused: ${loaded.error}`);
      }
      this.#failure = { at: clock.now(), reason: loaded.error };
      return false;
    }
    this.#failure = undefined;
    this.#loadedAt = clock.now();
    for (const warning of loaded.value.warnings) logger.warn({}, warning);
    const { cert, key, expiresAt } = loaded.value;
    if (cert === this.#inForce.cert && key === this.#inForce.key) return true;
    this.#inForce = loaded.value;
    takeUp(loaded.value);
    logger.info({ expires_at: new Date(expiresAt).toISOString() }, 'certificate reloaded');
    access.recordReload(requestId, 'allow', 'certificate reloaded');
    return true;
  }
}

export interface CertificateParts {
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
  parts: Omit<CertificateParts, 'certPath' | 'keyPath'>,
): Certificate | undefined {
  if (tls === undefined || restTlsCert === null || restTlsKey === null) return undefined;
  return new Certificate({ ...parts, certPath: restTlsCert, keyPath: restTlsKey }, tls);
}
