import { type Access, type KeyChanges, type KeyRecord, scopeMask } from '@svc-gateway/access';
import { every } from '@svc-gateway/contract/clock';
import { Emitter } from '@svc-gateway/contract/emitter';
import type { GatewayBase } from './gateway-base.js';
import { ownerOfKey } from './identity.js';
import type { LongPolls } from './long-polls/index.js';
import type { Entitled, PushHub } from './push/index.js';
import { permitsOf, permitsStreamOf } from './push-permits.js';

export interface KeyWatchDeps extends GatewayBase {
  readonly push: PushHub;
  readonly waits: Pick<LongPolls, 'review'>;
}

/** How often keys are looked at for their expiry, beside the moment itself. */
const WATCH_MS = 5_000;
const quoteScopes = scopeMask(['qot:read']);
const accountScopes = scopeMask(['acc:read']);

/** Ends what keys hold open (push connections, streams, waits) when they expire, are revoked or are narrowed by a reload of the keys file. */
export class KeyWatch {
  /** Cancels the timer of a key's expiry, by the key's id. */
  readonly #expiries = new Map<string, () => void>();
  readonly #changes = new Emitter();
  readonly #looks = new Emitter();
  readonly #endLooks: () => void;

  constructor(private readonly deps: KeyWatchDeps) {
    // The clock may have been set past an expiry, or back before one that has been acted on: keys are looked at again and again.
    this.#endLooks = every(deps.clock, WATCH_MS, () => {
      this.#endExpired();
      this.#endIdle();
    });
    deps.access.keyring?.onReload((outcome) => {
      if (outcome.ok) this.#apply(outcome.value);
    });
  }

  /**
   * Calls `changed` whenever a reload has put other keys in force, and `look` every few seconds, to end what is held for keys that are no
   * good any more. Returns the removal of both.
   */
  follow(changed: () => void, look: () => void): () => void {
    const removals = [this.#changes.on(changed), this.#looks.on(look)];
    return () => {
      for (const remove of removals) remove();
    };
  }

  /** Ends what a key holds open at the moment of its expiry. */
  watch({ id, expiresAt }: KeyRecord): void {
    this.#expiries.get(id)?.();
    this.#expiries.delete(id);
    if (expiresAt === null) return;
    const cancel = this.deps.clock.at(expiresAt, () => this.#endExpired());
    this.#expiries.set(id, cancel);
  }

  /** Rights that an owner of stored subscriptions has now. */
  entitled(owner: string): Entitled {
    const { access, clock } = this.deps;
    if (!access.scopeMode) return { quotes: () => owner === 'anonymous', accounts: owner === 'anonymous' };
    const key = keyOf(access, owner);
    if (key === undefined || !access.revalidate(key, clock.now()).ok) return { quotes: () => false, accounts: false };
    this.watch(key);
    const may = (scopes: number) => access.authorise(key, scopes) === undefined;
    const quotes = may(quoteScopes) ? permitsStreamOf(access, key) : () => false;
    return { quotes, accounts: may(accountScopes) };
  }

  stop(): void {
    this.#endLooks();
    for (const cancel of this.#expiries.values()) cancel();
  }

  #endIdle(): void {
    for (const keyId of this.deps.push.idleKeys.review()) {
      this.deps.logger.info({ key_id: keyId }, 'the subscriptions that the key made over REST have ended: it was not used for an hour');
    }
  }

  #endExpired(): void {
    const { access, push, waits } = this.deps;
    const { keyring } = access;
    if (keyring === undefined) return;
    for (const [owner, keyId] of push.owners()) {
      const judged = keyId === undefined ? undefined : keyring.authenticateId(keyId);
      if (judged?.ok !== false) continue;
      push.revokeOwner(owner, judged.error.code === 'auth.expired' ? 'key expired' : judged.error.message);
    }
    waits.review();
    this.#looks.emit();
  }

  /** A reload holds for open connections at once: revoked keys lose them, narrowed ones the events they may no longer see. */
  #apply({ removed, changed }: KeyChanges): void {
    const { access, push, waits } = this.deps;
    for (const key of removed) push.revokeOwner(ownerOfKey(key), 'key revoked');
    for (const { after } of changed) {
      this.watch(after);
      const owner = ownerOfKey(after);
      const judged = access.revalidate(after);
      if (!judged.ok) {
        push.revokeOwner(owner, judged.error.message);
        continue;
      }
      const denied = access.authorise(after, quoteScopes);
      if (denied !== undefined) push.endStreams(owner, denied.message);
      push.updatePermits(owner, permitsOf(access, after));
      push.endUnseen(owner, permitsStreamOf(access, after));
    }
    waits.review();
    this.#changes.emit();
  }
}

/** The key of an owner; undefined for callers without one, and where the keys file has none of its id. */
export function keyOf(access: Access, owner: string): KeyRecord | undefined {
  return owner.startsWith('key:') ? access.keyring?.keyNamed(owner.slice('key:'.length)) : undefined;
}
