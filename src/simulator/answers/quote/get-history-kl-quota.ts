import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type DetailItem,
  DetailItemSchema,
  type S2C,
  S2CSchema,
} from '../../../contract/generated/Qot_RequestHistoryKLQuota_pb.js';
import { localDateTime } from '../../../contract/time.js';
import type { QuotaUse } from '../../view/history-quota.js';
import type { QuoteHandler, QuoteSimulation } from '../../view/quote-simulation.js';

/** Qot_RequestHistoryKLQuota: symbols counted within 30 days. Each time text is of its symbol's market. */
export const getHistoryKlQuota: QuoteHandler<C2S, S2C> = (simulation, request) => {
  const uses = simulation.historyQuota.uses();
  return create(S2CSchema, {
    usedQuota: uses.length,
    remainQuota: Math.max(0, simulation.historyQuota.max - uses.length),
    detailList: request.bGetDetail ? uses.flatMap((use) => detail(simulation, use)) : [],
  });
};

// A symbol of an earlier run may be gone (fewer generated instruments): it still counts but has nothing to show.
function detail(simulation: QuoteSimulation, { symbol, time }: QuotaUse): DetailItem[] {
  const listing = simulation.listings.named(symbol);
  if (listing === undefined) return [];
  const { security, instrument, market } = listing;
  return [
    create(DetailItemSchema, {
      security,
      name: instrument.name,
      requestTime: localDateTime(time, market.timeZone),
      requestTimeStamp: BigInt(Math.floor(time / 1000)),
    }),
  ];
}
