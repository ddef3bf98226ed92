type Row = Uint16Array<ArrayBuffer>;

/** Three rows of the table of edits, as long as the longest text so far. */
let [rowBefore, previousRow, currentRow]: [Row, Row, Row] = [new Uint16Array(64), new Uint16Array(64), new Uint16Array(64)];

/**
 * Edits between two texts, two neighbours that changed places counting as one (optimal string alignment distance); more than `most` where it is more. Only what lies within
 * `most` of the diagonal is looked at.
 */
export function editDistance(a: string, b: string, most: number): number {
  const [rows, columns] = [a.length, b.length];
  if (Math.abs(rows - columns) > most) return most + 1;
  if (columns + 2 > currentRow.length) grow(2 * columns + 2);
  for (let column = 0; column <= columns; column++) previousRow[column] = column;
  for (let row = 1; row <= rows; row++) {
    const [from, to] = [Math.max(1, row - most), Math.min(columns, row + most)];
    let least = from === 1 ? row : most + 1;
    currentRow[from - 1] = least;
    for (let column = from; column <= to; column++) {
      const [above, left, diagonal] = [previousRow[column] as number, currentRow[column - 1] as number, previousRow[column - 1] as number];
      let edits = Math.min(diagonal + (a.charCodeAt(row - 1) === b.charCodeAt(column - 1) ? 0 : 1), above + 1, left + 1);
      if (
        row > 1 &&
        column > 1 &&
        a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1)
      ) {
        edits = Math.min(edits, (rowBefore[column - 2] as number) + 1);
      }
      currentRow[column] = edits;
      if (edits < least) least = edits;
    }
    // The next row's band reaches one further.
    if (to < columns) currentRow[to + 1] = most + 1;
    if (least > most) return most + 1;
    [rowBefore, previousRow, currentRow] = [previousRow, currentRow, rowBefore];
  }
  return previousRow[columns] as number;
}

function grow(length: number): void {
  [rowBefore, previousRow, currentRow] = [new Uint16Array(length), new Uint16Array(length), new Uint16Array(length)];
}
