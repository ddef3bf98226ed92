import { Refusal } from '../../refusal.js';
import { type Change, changeOf, type Position } from './books.js';

/** By HoldingChangeType, which both messages number alike. */
const changes: readonly Change[] = ['new', 'sold out', 'increase', 'decrease'];

/** Filter for a change type, or a refusal of an unknown one. */
export function changesAsked(type: number): ((position: Position) => boolean) | Refusal {
  const wanted = changes[type - 1];
  if (wanted === undefined)
    return new Refusal(`change_type: unknown ${type}; accepted: 1 (new), 2 (sold out), 3 (increase), 4 (decrease)`, 'broker.value');
  return (position) => changeOf(position) === wanted;
}
