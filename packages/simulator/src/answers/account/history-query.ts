import type { TrdFilterConditions, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type Filter, filterOf, requiredTimes } from '../../brokerage/filter.js';
import { type Addressed, addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import { Refusal } from '../../refusal.js';

/** Parsed request of a history: account, filter, and time range (epoch ms, inclusive). */
interface HistoryQuery {
  readonly to: Addressed;
  readonly filter: Filter;
  readonly times: { readonly from: number; readonly to: number };
}

/** Reads the header and the conditions of a history of orders or fills. */
export function historyQueryOf(
  brokerage: Brokerage,
  request: { readonly header?: TrdHeader | undefined; readonly filterConditions?: TrdFilterConditions | undefined },
): HistoryQuery | Refusal {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const times = requiredTimes(filter);
  return times instanceof Refusal ? times : { to, filter, times };
}
