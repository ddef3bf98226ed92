/**
 * Sequence numbers of ticks: day, index of the background trade in the day, and a count of callers' prints after it. They rise
 * along the tape, are the same in every run, and stay below 2^53 until the year 2059.
 */
const PRINTS = 2 ** 20;
const TRADES = 2 ** 18;

/** Sequence of background trade `index` (from 0) of the day. */
export function tickSequence(dayNumber: number, index: number): number {
  return (dayNumber * TRADES + index + 1) * PRINTS;
}

/** Sequence of the next print when `count` background trades of the day have happened and `last` was the print before. */
export function printSequence(dayNumber: number, count: number, last: number): number {
  return Math.max((dayNumber * TRADES + count) * PRINTS, last) + 1;
}

/** How many background trades of the day have a sequence up to `sequence`; 0 for a sequence of an earlier day. */
export function tradesUpTo(dayNumber: number, sequence: number): number {
  return Math.max(0, Math.floor(sequence / PRINTS) - dayNumber * TRADES);
}
