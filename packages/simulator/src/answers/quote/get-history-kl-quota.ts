import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type DetailItem,
  DetailItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_RequestHistoryKLQuota_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import type { Answer, Facts } from '../../view/facts.js';
import type { QuotaUse } from '../../view/history-quota.js';

/** Qot_RequestHistoryKLQuota: symbols counted within 30 days. Each time text is of its symbol's market. */
export const getHistoryKlQuota: Answer<'listings' | 'historyQuota', C2S, S2C> = (facts, request) => {
  const uses = facts.historyQuota.uses();
  return create(S2CSchema, {
    usedQuota: uses.length,
    remainQuota: Math.max(0, facts.historyQuota.max - uses.length),
    detailList: request.bGetDetail ? uses.flatMap((use) => detail(facts, use)) : [],
  });
};

// A symbol of an earlier run may be gone (fewer generated instruments): it still counts but has nothing to show.
function detail(facts: Facts<'listings'>, { symbol, time }: QuotaUse): DetailItem[] {
  const listing = facts.listings.named(symbol);
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
