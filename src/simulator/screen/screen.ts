import { nextTurn } from '../pace.js';
import type { Board, Figure, Row } from './board.js';

/** What a figure has to be for an instrument to pass. A figure that is missing (NaN) passes nothing. */
export interface Condition {
  readonly figure: Figure;
  readonly accepts: (value: number) => boolean;
}

export interface SortKey {
  readonly figure: Figure;
  readonly direction: 'ascending' | 'descending';
  /** Sort by size, whatever the sign. */
  readonly absolute?: boolean;
}

/** A row that passed. */
export interface Hit {
  readonly board: Board;
  readonly index: number;
  readonly row: Row;
}

/** Rows compared in one turn of the event loop: about a millisecond's worth. */
const ROWS_A_TURN = 20_000;

/** Bounds that a figure must lie within, both included. Without any, everything that has the figure passes. */
export function between(figure: Figure, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): Condition {
  return { figure, accepts: (value) => value >= least && value <= most };
}

/**
 * The rows that meet all conditions, in the boards' order. Cheap figures are looked at first, and costly ones only of what is left:
 * the order of conditions makes no difference to the answer.
 *
 * @param isCandidate which rows are looked at at all.
 */
export async function screen(
  boards: readonly Board[],
  conditions: readonly Condition[],
  isCandidate: (row: Row) => boolean = () => true,
): Promise<Hit[]> {
  const ordered = [...conditions].sort((a, b) => b.figure.rowsATurn - a.figure.rowsATurn);
  const hits: Hit[] = [];
  for (const board of boards) {
    let left: readonly number[] = board.rows.flatMap((row, index) => (isCandidate(row) ? [index] : []));
    for (const { figure, accepts } of ordered) {
      const values = await board.column(figure, left);
      left = left.filter((index) => {
        const value = values[index] ?? Number.NaN;
        return !Number.isNaN(value) && accepts(value);
      });
      if (left.length >= ROWS_A_TURN) await nextTurn();
    }
    for (const index of left) hits.push({ board, index, row: board.rows[index] as Row });
  }
  return hits;
}

/** Hits by the first key, those that are equal by the second, and so on; otherwise as they were. What has no such figure comes last. */
export async function sorted(hits: readonly Hit[], keys: readonly SortKey[]): Promise<readonly Hit[]> {
  if (keys.length === 0) return hits;
  const figures = await Promise.all(keys.map(({ figure }) => valuesOf(hits, figure)));
  const order = hits.map((_, index) => index);
  order.sort((a, b) => {
    for (const [i, { direction, absolute }] of keys.entries()) {
      const [x, y] = [figures[i]?.[a] ?? Number.NaN, figures[i]?.[b] ?? Number.NaN];
      const compared = compare(absolute ? Math.abs(x) : x, absolute ? Math.abs(y) : y, direction);
      if (compared !== 0) return compared;
    }
    return a - b;
  });
  return order.map((index) => hits[index] as Hit);
}

function compare(a: number, b: number, direction: SortKey['direction']): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return direction === 'ascending' ? a - b : b - a;
}

/** A figure of each hit, in their order; NaN where there is none. */
export async function valuesOf(hits: readonly Hit[], figure: Figure): Promise<Float64Array> {
  const byBoard = new Map<Board, number[]>();
  for (const { board, index } of hits) {
    const rows = byBoard.get(board);
    if (rows === undefined) byBoard.set(board, [index]);
    else rows.push(index);
  }
  const columns = new Map<Board, Float64Array>();
  for (const [board, rows] of byBoard) columns.set(board, await board.column(figure, rows));
  return Float64Array.from(hits, ({ board, index }) => columns.get(board)?.[index] ?? Number.NaN);
}
