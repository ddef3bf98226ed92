import { CustomIndicatorField } from '@svc-gateway/contract/generated/Qot_StockFilter_pb';
import { Refusal } from '../../refusal.js';
import { type Indicator, PERIOD_MAX, parametersOf, RUN_MAX } from '../../screen/bar-figures.js';

/** Terms of indicator and pattern conditions that the stock filter and the stock screen share; `path` is the field's, for refusals. */

/** An indicator with the parameters of a request, or the usual ones where it has none. */
export function withParameters(field: number, parameters: readonly number[], value: number, path: string): Indicator | Refusal {
  const usual = parametersOf.get(field) ?? [];
  if (parameters.length === 0 || hasFixedParameters(field)) return { field, parameters: usual, value };
  if (parameters.length !== usual.length)
    return new Refusal(`${path}: expected ${usual.length} parameters, found ${parameters.length}`, 'broker.value');
  const wrong = parameters.find((one) => one < 1 || one > PERIOD_MAX);
  if (wrong !== undefined) return new Refusal(`${path}: ${wrong} is out of range, accepted: 1 to ${PERIOD_MAX}`, 'broker.value');
  return { field, parameters, value };
}

/** The price has no parameters, and averages whose period is in their name have no others. */
function hasFixedParameters(field: number): boolean {
  return field < CustomIndicatorField.CustomIndicatorField_MA && field !== CustomIndicatorField.CustomIndicatorField_RSI;
}

/** Refuses a position of one indicator to another that neither message has. */
export function checkPosition(position: number, path: string): Refusal | undefined {
  if (position >= 1 && position <= 4) return undefined;
  return new Refusal(`${path}: unknown ${position}; accepted: 1 (above), 2 (below), 3 (crosses up), 4 (crosses down)`, 'broker.value');
}

/** Refuses a number of bars running that is out of bounds. */
export function checkRun(run: number, path: string): Refusal | undefined {
  return run >= 1 && run <= RUN_MAX ? undefined : new Refusal(`${path}: ${run} is out of range, accepted: 1 to ${RUN_MAX}`, 'broker.value');
}
