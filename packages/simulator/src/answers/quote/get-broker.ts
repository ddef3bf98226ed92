import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetBroker_pb';
import { Refusal } from '../../refusal.js';
import { hasBrokerQueue, queueFields } from '../../view/broker-queue.js';
import type { Answer } from '../../view/facts.js';
import { locate } from '../../view/locate.js';

/** Qot_GetBroker: the broker queue at the best prices. Only the Hong Kong exchange shows it. */
export const getBroker: Answer<'market' | 'listings', C2S, S2C> = (facts, request) => {
  const listing = locate(facts, request.security);
  if (listing instanceof Refusal) return listing;
  if (!hasBrokerQueue(listing)) {
    return new Refusal(`no broker queue for ${listing.instrument.symbol}: only Hong Kong shares and funds have one`);
  }
  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = listing.instrument.name;
  return Object.assign(payload, queueFields(facts, listing));
};
