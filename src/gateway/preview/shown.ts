import type { Access, KeyRecord } from '../../access/index.js';
import { BrokerRefusal } from '../../contract/broker-codes.js';
import { Rejection } from '../../contract/rejection.js';
import { shownRefusal, shownText } from '../sight.js';
import type { Preview, PreviewRefusal } from './preview.js';

/** A preview whose reasons leave out the facts that its caller may not see. */
export function shownPreview(access: Access, key: KeyRecord | undefined, preview: Preview): Preview {
  const refusals = preview.refusals.map((refusal) => shown(access, key, refusal));
  return { ...preview, refusals, refusal: refusals[0] ?? null };
}

function shown(access: Access, key: KeyRecord | undefined, refusal: PreviewRefusal): PreviewRefusal {
  if (refusal instanceof Rejection) return shownRefusal(access, key, refusal);
  const { code, message, details, response } = refusal;
  const text = shownText(access, key, { code, message, about: details.about });
  return text === message ? refusal : new BrokerRefusal({ ...response, retMsg: text });
}
