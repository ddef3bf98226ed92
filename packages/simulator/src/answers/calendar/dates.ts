import { quoted } from '@svc-gateway/contract/shown';
import { dayNumber } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';

/** Days from `first` to `last`, both included, counted from 1970-01-01. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

/** The days between two dates of a request ("2026-11-20"), at most `daysMax`. */
export function daysOf(beginName: string, begin: string, endName: string, end: string, daysMax: number): Days | Refusal {
  const first = dayOf(beginName, begin);
  if (first instanceof Refusal) return first;
  const last = dayOf(endName, end);
  if (last instanceof Refusal) return last;
  if (first > last) return new Refusal(`${beginName} is after ${endName}`);
  return last - first >= daysMax
    ? new Refusal(`${beginName} to ${endName}: at most ${daysMax} days, found ${last - first + 1}`, 'broker.value')
    : { first, last };
}

/** A date of a request, counted from 1970-01-01. */
export function dayOf(name: string, text: string): number | Refusal {
  return dayNumber(text) ?? new Refusal(`${name}: expected a date as yyyy-MM-dd, found ${quoted(text)}`, 'broker.value');
}
