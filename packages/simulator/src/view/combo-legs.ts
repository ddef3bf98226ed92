import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { LegRequest } from '../brokerage/place-request.js';
import { tradeSides } from '../brokerage/terms.js';
import { Refusal } from '../refusal.js';

/** The legs of a request, in the brokerage's terms. Ratios are not checked yet. */
export function comboLegsOf(comboLegs: readonly ComboLeg[]): LegRequest[] | Refusal {
  const legs: LegRequest[] = [];
  for (const [index, { security, side: number, qtyRatio, positionID }] of comboLegs.entries()) {
    const market = quoteMarketNumbered(security?.market ?? 0);
    if (security === undefined || market === undefined)
      return new Refusal(`comboLegs[${index}]: unknown quote market ${security?.market}`, 'broker.enumeration');
    const side = tradeSides.wordOf(number);
    if (side === undefined) return new Refusal(`comboLegs[${index}]: ${tradeSides.unknown(number)}`, 'broker.enumeration');
    legs.push({ code: security.code, secMarket: market.secMarket, side, ratio: qtyRatio, positionId: positionID });
  }
  return legs;
}
