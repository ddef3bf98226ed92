import type { Interval } from '@svc-gateway/contract/generated/Qot_OptionCommon_pb';
import { Refusal } from '../refusal.js';

/** A figure of a row; undefined where the row has none: it meets no condition on it, and comes last in its order. */
export type Figure<Row> = (row: Row) => number | undefined;

/** Whether a row stays. */
export type Condition<Row> = (row: Row) => boolean;

/** A condition of a request: a figure by its number, and the values that it may have. */
interface Wish {
  readonly indicatorType: number;
  readonly indicatorValue?: Interval | undefined;
}

/** The conditions of a request on ranges of figures, by the numbers of the message's `IndicatorType`. */
export function conditionsOf<Row>(
  wishes: readonly Wish[],
  figures: Readonly<Record<number, Figure<Row>>>,
  special: (wish: Wish, index: number) => Condition<Row> | Refusal | undefined = () => undefined,
): readonly Condition<Row>[] | Refusal {
  const conditions: Condition<Row>[] = [];
  for (const [index, wish] of wishes.entries()) {
    const condition = special(wish, index) ?? rangeOf(wish, index, figures);
    if (condition instanceof Refusal) return condition;
    conditions.push(condition);
  }
  return conditions;
}

function rangeOf<Row>(
  { indicatorType, indicatorValue }: Wish,
  index: number,
  figures: Readonly<Record<number, Figure<Row>>>,
): Condition<Row> | Refusal {
  const figure = figures[indicatorType];
  if (figure === undefined) return unknownIndicator(indicatorType, index, Object.keys(figures));
  return withinRange(indicatorValue, `filter_list[${index}].indicator_value`, figure);
}

/** A refusal of an `IndicatorType` that the message does not have. */
export function unknownIndicator(indicatorType: number, index: number, accepted: readonly (string | number)[]): Refusal {
  return new Refusal(`filter_list[${index}].indicator_type: unknown ${indicatorType}; accepted: ${accepted.join(', ')}`, 'broker.value');
}

/** Holds a figure against an interval, either end of which may be open. */
export function withinRange<Row>(interval: Interval | undefined, path: string, figure: Figure<Row>): Condition<Row> | Refusal {
  const { filterMin, filterMax } = interval ?? {};
  if (filterMin === undefined && filterMax === undefined)
    return new Refusal(`${path}: expected filter_min, filter_max or both`, 'broker.value');
  if (filterMin !== undefined && filterMax !== undefined && filterMin.value > filterMax.value) {
    return new Refusal(`${path}: filter_min ${filterMin.value} is above filter_max ${filterMax.value}`);
  }
  return (row) => {
    const value = figure(row);
    if (value === undefined) return false;
    if (filterMin !== undefined && !(filterMin.includes ? value >= filterMin.value : value > filterMin.value)) return false;
    return filterMax === undefined || (filterMax.includes ? value <= filterMax.value : value < filterMax.value);
  };
}

/**
 * The rows that meet all conditions.
 *
 * @param by what the rows are then ordered by
 */
export function meeting<Row>(rows: readonly Row[], conditions: readonly Condition<Row>[], by: Figure<Row>): readonly Row[] {
  const kept: Row[] = [];
  for (const row of rows) {
    if (!conditions.every((holds) => holds(row))) continue;
    kept.push(row);
    by(row);
  }
  return kept;
}

/** Sort order of a ranking. */
interface Order<Row> {
  readonly by: Figure<Row>;
  readonly ascending: boolean;
  readonly offset: number;
  readonly count: number;
}

/** Rows in order, those without the figure last, equal ones as they came; and of them one page. */
export function pageOf<Row>(rows: readonly Row[], { by, ascending, offset, count }: Order<Row>): readonly Row[] {
  const keys = keysOf(rows, by, ascending);
  // Numbers alone are sorted many times faster than rows: of many rows, only those that come no later than the page's last one are.
  const last = keys.toSorted()[offset + count - 1] ?? Number.NaN;
  return orderOf(keys, last)
    .slice(offset, offset + count)
    .map((index) => rows[index] as Row);
}

/** Rows in order, those without the figure last, equal ones as they came. */
export function inOrder<Row>(rows: readonly Row[], by: Figure<Row>, ascending: boolean): readonly Row[] {
  return orderOf(keysOf(rows, by, ascending)).map((index) => rows[index] as Row);
}

/** Sort keys of rows, negated for descending order; NaN where there is no figure. */
function keysOf<Row>(rows: readonly Row[], by: Figure<Row>, ascending: boolean): Float64Array {
  const sign = ascending ? 1 : -1;
  return Float64Array.from(rows, (row) => sign * (by(row) ?? Number.NaN));
}

/** The places of keys in their order; of those alone that come no later than `last`, unless that is NaN. */
function orderOf(keys: Float64Array, last = Number.NaN): number[] {
  const order: number[] = [];
  for (let index = 0; index < keys.length; index++) if (Number.isNaN(last) || (keys[index] as number) <= last) order.push(index);
  return order.sort((a, b) => compare(keys[a] as number, keys[b] as number) || a - b);
}

/** The less before the greater, and what is missing (NaN) last. */
function compare(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** Reason why a page cannot be given; undefined where it can. */
export function checkPage(
  { offset = 0, count }: { readonly offset?: number; readonly count: number },
  countMax: number,
): Refusal | undefined {
  if (offset < 0) return new Refusal(`offset ${offset}: expected 0 or more`, 'broker.value');
  return count >= 1 && count <= countMax ? undefined : new Refusal(`count ${count}: expected 1 to ${countMax}`, 'broker.value');
}

/** The figure of a sort field; 0 is the message's "unknown", which means the default. */
export function sortFigure<Row>(
  field: number,
  figures: Readonly<Record<number, Figure<Row>>>,
  fallback: Figure<Row>,
): Figure<Row> | Refusal {
  const figure = field === 0 ? fallback : figures[field];
  return figure ?? new Refusal(`unknown sort_field ${field}; accepted: ${Object.keys(figures).join(', ')}`, 'broker.value');
}
