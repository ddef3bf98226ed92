import type { ColumnSnapshot, Figure, Row } from './column-snapshot.js';

/** Condition on a figure. A missing figure (NaN) passes nothing. */
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
  readonly board: ColumnSnapshot;
  readonly index: number;
  readonly row: Row;
}

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
export function screen(
  boards: readonly ColumnSnapshot[],
  conditions: readonly Condition[],
  isCandidate: (row: Row) => boolean = () => true,
): Hit[] {
  const ordered = [...conditions].sort((a, b) => b.figure.speed - a.figure.speed);
  const hits: Hit[] = [];
  for (const board of boards) {
    let left: number[] = [];
    for (const [index, row] of board.rows.entries()) if (isCandidate(row)) left.push(index);
    for (const { figure, accepts } of ordered) {
      const values = board.column(figure, left);
      left = left.filter((index) => {
        const value = values[index] ?? Number.NaN;
        return !Number.isNaN(value) && accepts(value);
      });
    }
    for (const index of left) hits.push({ board, index, row: board.rows[index] as Row });
  }
  return hits;
}

/**
 * Hits by the first key, those that are equal by the second, and so on; in the end by `codeOf`, or as they were. What has no such figure comes last.
 *
 * @param codeOf a text of its own for each hit
 */
export function sorted(hits: readonly Hit[], keys: readonly SortKey[], codeOf?: (hit: Hit) => string): readonly Hit[] {
  if (keys.length === 0) return codeOf === undefined ? hits : byText(hits, codeOf);
  const columns = keys.map(({ figure, direction, absolute }) => {
    const values = valuesOf(hits, figure);
    // Turned so that the least comes first: comparing is what a sort does most.
    const sign = direction === 'ascending' ? 1 : -1;
    return values.map((value) => sign * (absolute ? Math.abs(value) : value));
  });
  const order = Uint32Array.from(hits, (_, index) => index).sort((a, b) => {
    for (const column of columns) {
      const compared = compare(column[a] as number, column[b] as number);
      if (compared !== 0) return compared;
    }
    if (codeOf === undefined) return a - b;
    return codeOf(hits[a] as Hit) < codeOf(hits[b] as Hit) ? -1 : 1;
  });
  return Array.from(order, (index) => hits[index] as Hit);
}

function byText(hits: readonly Hit[], textOf: (hit: Hit) => string): readonly Hit[] {
  const texts = hits.map(textOf);
  const order = Uint32Array.from(hits, (_, index) => index).sort((a, b) => ((texts[a] as string) < (texts[b] as string) ? -1 : 1));
  return Array.from(order, (index) => hits[index] as Hit);
}

/** The less before the greater, and what is missing last. */
function compare(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** A figure of each hit, in their order; NaN where there is none. */
export function valuesOf(hits: readonly Hit[], figure: Figure): Float64Array {
  const byBoard = new Map<ColumnSnapshot, number[]>();
  for (const { board, index } of hits) {
    const rows = byBoard.get(board);
    if (rows === undefined) byBoard.set(board, [index]);
    else rows.push(index);
  }
  const columns = new Map<ColumnSnapshot, Float64Array>();
  for (const [board, rows] of byBoard) columns.set(board, board.column(figure, rows));
  return Float64Array.from(hits, ({ board, index }) => columns.get(board)?.[index] ?? Number.NaN);
}
