import type { Decimal } from '@svc-gateway/contract/decimal';
import type { CorporateAction } from './corporate-actions.js';

/**
 * Theoretical ex-price of a share that closed at `close`: less the cash, and divided among the shares that one becomes.
 * Exact but for the last billionth; never below one.
 */
export function exPrice(close: Decimal, actions: readonly CorporateAction[]): Decimal {
  let value = close;
  let [shares, of] = [1n, 1n];
  for (const action of actions) {
    switch (action.kind) {
      case 'dividend':
        value -= action.cash;
        break;
      case 'rights':
        value += (action.price * action.ratio[0]) / action.ratio[1];
        shares = shares * action.ratio[1] + action.ratio[0] * of;
        of *= action.ratio[1];
        break;
      default:
        shares *= action.ratio[0];
        of *= action.ratio[1];
    }
  }
  const ex = (value * of) / shares;
  return ex > 0n ? ex : 1n;
}
