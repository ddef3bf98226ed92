import type { Access, GateVerdict, KeyRecord } from '../../access/index.js';
import type { Valued } from '../order-facts.js';
import { factsOf, refuseUnpriced, rejectDenial } from '../valuation.js';
import type { PreviewBase, PreviewGate } from './preview.js';

/** What the gates would say at `now` (epoch ms) of an order, in the words in which they would refuse it. */
export function judge(
  access: Access,
  key: KeyRecord | undefined,
  valued: Valued,
  now: number,
): Pick<PreviewBase, 'gates' | 'wouldPass' | 'refusal'> {
  const verdicts = access.judge(key, factsOf(valued), now);
  const gates = verdicts.map((verdict) => (valued.value === undefined ? unpriced(verdict) : priced(verdict)));
  const denial = verdicts.find((verdict) => verdict.denial !== undefined)?.denial;
  const refusal = refuseUnpriced(access, key, valued) ?? (denial === undefined ? null : rejectDenial(denial));
  return { gates, wouldPass: refusal === null, refusal };
}

function priced({ gate, holder, limit, after, denial }: GateVerdict): PreviewGate {
  return { gate, holder, passes: denial === undefined, limit, after };
}

/** An order without a known value passes no cap on values, and nobody can say where it would bring them. */
function unpriced(verdict: GateVerdict): PreviewGate {
  const gate = priced(verdict);
  return gate.gate === 'order_value' || gate.gate === 'daily_value' ? { ...gate, passes: gate.limit === null, after: null } : gate;
}
