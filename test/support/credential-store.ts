import type { CredentialStore } from '@svc-gateway/storage';

/** A credential store in memory; with `reason` there is none. */
export class FakeCredentialStore implements CredentialStore {
  secret: string | undefined;
  reads = 0;

  constructor(public reason?: string) {}

  read: CredentialStore['read'] = async () => {
    this.reads += 1;
    return this.#answer(this.secret);
  };

  write: CredentialStore['write'] = async (secret) => {
    if (this.reason === undefined) this.secret = secret;
    return this.#answer(undefined);
  };

  remove: CredentialStore['remove'] = async () => {
    const had = this.secret !== undefined;
    this.secret = undefined;
    return this.#answer(had);
  };

  #answer<T>(value: T) {
    return this.reason === undefined ? ({ available: true, value } as const) : ({ available: false, reason: this.reason } as const);
  }
}
