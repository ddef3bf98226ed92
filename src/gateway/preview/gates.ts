import type { Access, KeyRecord, OrderFacts } from '../../access/index.js';
import { rejectDenial } from '../orders/valuation.js';
import type { PreviewBase } from './preview.js';

/** What the gates would say at `now` (epoch ms) of an order, in the words in which they would refuse it. */
export function judge(
  access: Access,
  key: KeyRecord | undefined,
  facts: OrderFacts,
  now: number,
): Pick<PreviewBase, 'gates' | 'wouldPass' | 'refusal'> {
  const verdicts = access.judge(key, facts, now);
  const denial = verdicts.find((verdict) => verdict.denial !== undefined)?.denial;
  return {
    gates: verdicts.map(({ denial: own, ...figures }) => ({ ...figures, passes: own === undefined })),
    wouldPass: denial === undefined,
    refusal: denial === undefined ? null : rejectDenial(denial),
  };
}
