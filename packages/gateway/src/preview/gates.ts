import type { Access, KeyRecord, OrderFacts } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { restsOnAccount } from '../orders/told-denials.js';
import { rejectOrder, toldByGate } from '../orders/valuation.js';
import { maySee } from '../sight.js';
import type { Judged, PreviewGate } from './preview.js';

/**
 * Verdicts of the gates at `now` (epoch ms) on an order, in the words in which they would refuse it. A verdict that rests on an order, a position or
 * a loss that the caller may not see is left out: by asking again and again it would find them out.
 */
export function judge(access: Access, operation: Operation, key: KeyRecord | undefined, facts: OrderFacts, now: number): Judged {
  const seesAccount = maySee(access, key, facts.legs);
  const verdicts = access.judge(key, seesAccount ? facts : withoutAccount(facts), now);
  const gates: PreviewGate[] = [];
  const refusals: Judged['refusals'][number][] = [];
  const undecidedBy: string[] = [];
  for (const verdict of verdicts) {
    const { denial, currency, ...figures } = verdict;
    // A gate without a limit lets everything pass; a halt has none to show.
    const isSet = verdict.limit !== null || verdict.gate === 'halt';
    if (!seesAccount && isSet && restsOnAccount(operation, verdict.gate, denial)) {
      gates.push({ ...figures, after: null, passes: null });
      undecidedBy.push(verdict.gate === 'halt' && denial !== undefined ? denial.reason : GATES_UNDECIDED);
      continue;
    }
    const told = toldByGate(figures, operation, facts);
    const isShown = told === undefined || maySee(access, key, told);
    const passes = denial === undefined;
    gates.push(isShown ? { ...figures, ...(currency === undefined ? {} : { currency }), passes } : { ...figures, after: null, passes });
    if (denial !== undefined) refusals.push(rejectOrder(denial, operation, facts));
  }
  return { gates, refusals, undecidedBy };
}

const GATES_UNDECIDED =
  'a limit depends on an order, a position or a loss that this key may not see: that takes acc:read and, if the key has lists, the market and symbol in them';

/** An order as it counts whatever the account holds. */
function withoutAccount({ laterSides: _, ...facts }: OrderFacts): OrderFacts {
  return { ...facts, reduces: false };
}
