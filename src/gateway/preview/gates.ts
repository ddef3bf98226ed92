import type { Access, GateName, KeyRecord, OrderFacts } from '../../access/index.js';
import type { Operation } from '../../contract/operation.js';
import { rejectOrder, toldByGate } from '../orders/valuation.js';
import { maySee } from '../sight.js';
import type { Judged } from './preview.js';

/** Verdicts of the gates at `now` (epoch ms) on an order, in the words in which they would refuse it. */
export function judge(access: Access, operation: Operation, key: KeyRecord | undefined, facts: OrderFacts, now: number): Judged {
  const verdicts = access.judge(key, facts, now);
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
    refusals: verdicts.flatMap(({ denial }) => (denial === undefined ? [] : [rejectOrder(denial, operation, facts)])),
  };
}
