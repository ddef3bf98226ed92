import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';

/**
 * How far from the previous close the price of a day may go, as a fraction; undefined where there is no such rule.
 * Shanghai and Shenzhen: 20 % on the STAR (688…, 689…) and ChiNext (300…, 301…) boards, else 10 %.
 */
export function priceLimit(instrument: Instrument): number | undefined {
  if (instrument.market !== 'SH' && instrument.market !== 'SZ') return undefined;
  if (!kinds[instrument.kind].isShare) return undefined;
  const wide = instrument.market === 'SH' ? /^68[89]/ : /^30[01]/;
  return wide.test(instrument.code) ? 0.2 : 0.1;
}
