import type { Access, KeyRecord } from '@svc-gateway/access';
import { BrokerRefusal } from '@svc-gateway/contract/broker-codes';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shownRefusal, shownText } from '../visibility.js';
import type { Preview, PreviewRefusal } from './preview.js';

/** A preview whose reasons leave out the facts that its caller may not see. @param tell says a text of the brokerage in the caller's words. */
export function shownPreview(access: Access, key: KeyRecord | undefined, preview: Preview, tell: (text: string) => string): Preview {
  const refusals = preview.refusals.map((refusal) => shown(access, key, refusal, tell));
  const reasons = { refusals, refusal: refusals[0] ?? null };
  if (!('capacity' in preview) || preview.capacity === null) return { ...preview, ...reasons };
  const { capacity } = preview;
  return { ...preview, ...reasons, capacity: { ...capacity, message: capacity.message === null ? null : tell(capacity.message) } };
}

function shown(access: Access, key: KeyRecord | undefined, refusal: PreviewRefusal, tell: (text: string) => string): PreviewRefusal {
  if (refusal instanceof Rejection) return shownRefusal(access, key, refusal);
  const { code, message, details, response } = refusal;
  const text = tell(shownText(access, key, { code, message, about: details.about }));
  return text === message ? refusal : new BrokerRefusal({ ...response, retMsg: text });
}
