import { type Access, isSameKey, type KeyRecord } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Store } from '@svc-gateway/storage';
import { LateRejection } from '../backend-failures.js';
import { type Identity, identityOf } from '../identity.js';
import { rejectUnstored } from '../storage-outage.js';
import { rejectDenial } from '../valuation/valuation.js';

/**
 * Reason why a write that was let through may not leave any more: {@link CallContext.lateRejection} of it. Its key was revoked, has expired or was
 * changed since, and so it was judged by what does not hold now; or it adds risk, and trading was halted or the disk, where a `store` is
 * given, takes nothing any more.
 */
export function lateRejection(
  access: Access,
  clock: Clock,
  { key }: Identity,
  { addsRisk, store }: { readonly addsRisk: boolean; readonly store?: Pick<Store, 'failure'> },
): () => LateRejection | undefined {
  return () => {
    const refusal =
      (key && refusalOfKey(access, key, clock.now())) ??
      (addsRisk ? (refusalOfHalt(access, key) ?? (store?.failure && rejectUnstored(store.failure))) : undefined);
    return refusal && new LateRejection(refusal);
  };
}

function refusalOfKey(access: Access, key: KeyRecord, now: number): Rejection | undefined {
  const current = identityOf(access.revalidate(key, now));
  if (current instanceof Rejection) return current;
  if (isSameKey(current.key, key)) return undefined;
  const message = `key "${key.id}" was changed while this waited to be sent: nothing was sent; send it again, by the key as it is now`;
  return new Rejection('auth.changed', message);
}

function refusalOfHalt(access: Access, key: KeyRecord | undefined): Rejection | undefined {
  const halted = access.gates.haltOf(key);
  return halted && rejectDenial(halted);
}
