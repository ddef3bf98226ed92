import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetBroker_pb.js';
import { Refusal } from '../../handler.js';
import { hasBrokerQueue, queueFields } from '../../view/broker-queue.js';
import { locate } from '../../view/locate.js';
import type { QuoteHandler } from '../../view/quote-simulation.js';

/** Qot_GetBroker: who queues at the best prices. Only the Hong Kong exchange shows it. */
export const getBroker: QuoteHandler<C2S, S2C> = (simulation, request) => {
  const listing = locate(simulation, request.security);
  if (listing instanceof Refusal) return listing;
  if (!hasBrokerQueue(listing)) {
    return new Refusal(`no broker queue for ${listing.instrument.symbol}: only Hong Kong shares and funds have one`);
  }
  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = listing.instrument.name;
  return Object.assign(payload, queueFields(simulation, listing));
};
