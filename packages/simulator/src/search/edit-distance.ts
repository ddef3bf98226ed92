/** Edits between two texts, two neighbours that changed places counting as one (optimal string alignment distance); `most` + 1 where it is more than `most`. */
export function editDistance(a: string, b: string, most: number): number {
  const columns = b.length;
  if (Math.abs(a.length - columns) > most) return most + 1;
  let before: number[] = [];
  let above = Array.from({ length: columns + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= columns; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let edits = Math.min(at(above, column - 1) + (isSame ? 0 : 1), at(above, column) + 1, at(current, column - 1) + 1);
      const isSwap = !isSame && row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) edits = Math.min(edits, at(before, column - 2) + 1);
      current[column] = edits;
      if (edits < least) least = edits;
    }
    if (least > most) return most + 1;
    [before, above] = [above, current];
  }
  return at(above, columns);
}

function at(row: readonly number[], column: number): number {
  return row[column] as number;
}
