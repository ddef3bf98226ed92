import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';

/** The decimal that a number literal of the data tables spells. Throws when it needs more than nine places. */
export function exact(value: number): Decimal {
  const decimal = decimalFromNumber(value);
  if (decimal === undefined) throw new Error(`no exact decimal: ${value}`);
  return decimal;
}
