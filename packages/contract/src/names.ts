/** The snake_case of a protocol name: retType → ret_type, accID → acc_id, orderIDEx → order_id_ex, td_plVal → td_pl_val. */
export function snakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** Longest name to correct: longer than any real one, and the search costs the square of it. */
const NAME_LENGTH_MAX = 100;

/**
 * The candidate nearest to `name` by edit distance, when it is near enough to be a slip of the pen: one edit in names of up to four
 * characters, two in those of up to eleven, three in longer ones. Two neighbours in the wrong order are one edit.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  let best: string | undefined;
  const { length } = name;
  let bestDistance = (length <= 4 ? 1 : length <= 11 ? 2 : 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Edit distance with transpositions (optimal string alignment), or `limit` when it is at least that. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  let beforePrevious = previous;
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const transposition = swapped ? (beforePrevious[column - 2] ?? 0) + 1 : limit;
      current.push(Math.min(substitution, transposition, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) >= limit) return limit;
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(limit, previous[b.length] ?? limit);
}
