import { create } from '@bufbuild/protobuf';
import { type C2S, DynamicType, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetArkStockDynamic_pb';
import { requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locate } from '../../view/locate.js';
import { arkOf, type Needed, tradedDays } from './ark.js';

/** Trading days that are looked back over, and those that are recent. */
const DAYS = 60;
const RECENT = 10;

interface Transaction {
  readonly day: string;
  readonly shares: bigint;
}

/**
 * Qot_GetArkStockDynamic: at least two of the last transactions within ten trading days in one direction, one after another; else those of the ten days; else the last
 * one of sixty; else none.
 */
export const getArkStockDynamic: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'caches', C2S, S2C> = (
  facts,
  { security },
) => {
  const listing = locate(facts, security);
  if (listing instanceof Refusal) return listing;
  return answer(facts, listing);
};

function answer(facts: Needed, listing: Listing): S2C {
  const ark = arkOf(facts);
  const days = tradedDays(facts, DAYS);
  const transactions = days.slice(1).flatMap((day, index): Transaction[] => {
    const shares = ark.change(listing.instrument, requireDay(days[index] ?? day), requireDay(day));
    return shares === 0n ? [] : [{ day, shares }];
  });
  const last = transactions.at(-1);
  if (last === undefined) return create(S2CSchema, { dynamicType: DynamicType.DynamicType_NoDynamic, transactionCount: 0, netShares: 0n });
  const recentFrom = days.at(-RECENT) ?? '';
  const recent = transactions.filter(({ day }) => day >= recentFrom);
  const run = recent.slice(1 + recent.findLastIndex(({ shares }) => shares > 0n !== last.shares > 0n));
  if (run.length > 1) return told(DynamicType.DynamicType_ConsecutiveSameDirection, run, last);
  if (recent.length > 0) return told(DynamicType.DynamicType_RecentTransaction, recent, last);
  return told(DynamicType.DynamicType_LastTransaction, [last], last);
}

function told(dynamicType: DynamicType, transactions: readonly Transaction[], last: Transaction): S2C {
  return create(S2CSchema, {
    dynamicType,
    transactionCount: transactions.length,
    netShares: transactions.reduce((sum, { shares }) => sum + shares, 0n),
    lastTransactionTime: last.day,
  });
}
