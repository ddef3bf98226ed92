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
    let left: number[] = [];
    for (const [index, row] of board.rows.entries()) if (isCandidate(row)) left.push(index);
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
  const columns = await Promise.all(
    keys.map(async ({ figure, direction, absolute }) => {
      const values = await valuesOf(hits, figure);
      // Turned so that the least comes first: comparing is what a sort does most.
      const sign = direction === 'ascending' ? 1 : -1;
      return values.map((value) => sign * (absolute ? Math.abs(value) : value));
    }),
  );
  const order = Uint32Array.from(hits, (_, index) => index).sort((a, b) => {
    for (const column of columns) {
      const compared = compare(column[a] as number, column[b] as number);
      if (compared !== 0) return compared;
    }
    return a - b;
  });
  return Array.from(order, (index) => hits[index] as Hit);
}

/** The less before the greater, and what is missing last. */
function compare(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
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
