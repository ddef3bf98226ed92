import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '../../contract/generated/Qot_GetRT_pb.js';
import { type Handler, Refusal } from '../handler.js';
import { locate } from './locate.js';
import { timeShareMessage } from './time-shares.js';

/** Qot_GetRT: the trading day minute by minute. Volumes and turnovers sum to the quote's. */
export const getRt: Handler<C2S, S2C> = (simulation, request) => {
  const listing = locate(simulation, request.security);
  if (listing instanceof Refusal) return listing;
  const { instrument } = listing;
  const { tradingDay, previousClose } = simulation.market.quote(instrument);
  const sessions = simulation.world.calendar(instrument).sessions(tradingDay);
  const from = sessions[0]?.start;
  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = instrument.name;
  if (from === undefined) return payload;
  let volume = 0n;
  let turnover = 0n;
  for (const bar of simulation.market.bars(instrument, { unit: 'minute', count: 1 }, { from })) {
    volume += bar.volume;
    turnover += bar.turnover;
    payload.rtList.push(timeShareMessage(listing, bar, { volume, turnover, previousClose }));
  }
  return payload;
};
