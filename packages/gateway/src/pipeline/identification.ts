import { type Access, isSameKey } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Rejection } from '@svc-gateway/contract/rejection';
import { type Caller, type Identity, identityOf, isSameText } from '../identity.js';

/** The first stage: names the caller of a request, or says why its credential is no good. */
export class Identification {
  constructor(
    private readonly access: Access,
    private readonly clock: Clock,
  ) {}

  /** @param now epoch ms. */
  identify(caller: Caller, now = this.clock.now()): Identity | Rejection {
    const { access } = this;
    if (caller.key !== undefined) return identityOf(access.revalidate(caller.key, now));
    const { keyText, peer } = caller;
    const { shown } = peer;
    if (shown !== undefined && keyText !== undefined && isSameText(keyText, shown.keyText)) {
      const known = access.revalidate(shown.key, now);
      if (known.ok) return identityOf(known);
    }
    const authenticated = access.authenticate(keyText, now);
    if (authenticated.ok && authenticated.key !== undefined && keyText !== undefined) peer.shown = { keyText, key: authenticated.key };
    return identityOf(authenticated);
  }

  /** Whether a key is as it was when its bearer was named: what was made for it may be given out. */
  isAsItWas({ key }: Identity): boolean {
    if (key === undefined) return true;
    const judged = this.access.revalidate(key);
    return judged.ok && isSameKey(judged.key, key);
  }
}
