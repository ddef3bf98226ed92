import type { Access, GateName, KeyRecord, OrderFacts } from '../../access/index.js';
import type { Operation } from '../../contract/operation.js';
import { rejectOrder, toldByGate } from '../orders/valuation.js';
import { maySee, shownRefusal } from '../sight.js';
import type { PreviewBase } from './preview.js';

/** What the gates would say at `now` (epoch ms) of an order, in the words in which they would refuse it. */
export function judge(
  access: Access,
  operation: Operation,
  key: KeyRecord | undefined,
  facts: OrderFacts,
  now: number,
): Pick<PreviewBase, 'gates' | 'wouldPass' | 'refusal'> {
  const verdicts = access.judge(key, facts, now);
  const denial = verdicts.find((verdict) => verdict.denial !== undefined)?.denial;
  const isShown = (gate: GateName) => {
    const told = toldByGate(gate, operation, facts);
    return told === undefined || maySee(access, key, told);
  };
  return {
    gates: verdicts.map(({ denial: own, currency, ...figures }) => {
      const passes = own === undefined;
      if (!isShown(figures.gate)) return { ...figures, after: null, passes };
      return { ...figures, ...(currency === undefined ? {} : { currency }), passes };
    }),
    wouldPass: denial === undefined,
    refusal: denial === undefined ? null : shownRefusal(access, key, rejectOrder(denial, operation, facts)),
  };
}
