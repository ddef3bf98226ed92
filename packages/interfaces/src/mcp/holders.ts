import type { Identity } from '@svc-gateway/gateway';

/** Callers for whom kept data was made: it may be handed out only while all their keys are unchanged. */
export class Holders {
  readonly #identities = new Map<string, Identity>();

  /** @param isUnchanged Returns false once a key was changed, revoked or has expired. */
  constructor(private readonly isAsItWas: (identity: Identity) => boolean) {}

  /** Adds a caller. The first record of a key counts: the oldest data was made for it. */
  add(identity: Identity): void {
    if (!this.#identities.has(identity.owner)) this.#identities.set(identity.owner, identity);
  }

  get areAsTheyWere(): boolean {
    return [...this.#identities.values()].every(this.isAsItWas);
  }
}
