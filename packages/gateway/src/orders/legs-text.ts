import type { ComboLeg } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { sideName } from '../trade-names.js';

/** The legs of an order in words: "BUY 1 US.AAPL + SELL 2 US.MSFT". */
export function legsText(legs: readonly ComboLeg[]): string {
  return legs
    .map(({ security, side, qtyRatio }) => {
      const symbol = security === undefined ? '?' : (symbolOf(security) ?? security.code);
      return `${sideName(side) ?? side} ${qtyRatio} ${symbol}`;
    })
    .join(' + ');
}
