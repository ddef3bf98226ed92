import { type Enumeration, listAccepted, publicNumbers } from '@svc-gateway/contract/enums';
import { type QuoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { Refusal } from '../refusal.js';

/** Refuses a number that an enumeration does not have. */
function unknownChoice(field: string, value: number, enumeration: Enumeration): Refusal {
  return new Refusal(`unknown ${field} ${value}; accepted: ${listAccepted(enumeration, 'rest')}`, 'broker.value');
}

/** Reason why a field's number is not accepted; undefined where it is. */
export function checkChoice(field: string, value: number, enumeration: Enumeration): Refusal | undefined {
  return publicNumbers(enumeration).has(value) ? undefined : unknownChoice(field, value, enumeration);
}

/** The quote market of a number, of those that an operation knows. */
export function marketOf(number: number, accepted: Enumeration): QuoteMarket | Refusal {
  const market = quoteMarketNumbered(number);
  return market !== undefined && publicNumbers(accepted).has(number) ? market.name : unknownChoice('market', number, accepted);
}
