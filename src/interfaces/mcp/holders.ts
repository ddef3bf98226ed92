import type { Identity } from '../../gateway/index.js';

/** The callers for whom something was made that is kept for later: it may be given out only while all of their keys are as they were. */
export class Holders {
  readonly #identities = new Map<string, Identity>();

  /** `isAsItWas`: whether a key has not been changed, revoked or run out since its bearer was named. */
  constructor(private readonly isAsItWas: (identity: Identity) => boolean) {}

  /** The first record of a key counts: what was made for it came first. */
  add(identity: Identity): void {
    if (!this.#identities.has(identity.owner)) this.#identities.set(identity.owner, identity);
  }

  get areAsTheyWere(): boolean {
    return [...this.#identities.values()].every(this.isAsItWas);
  }
}
