import { Pace } from '../pace.js';

/** Makes something of each item, so many in one turn of the event loop: long lists hold up nobody. */
export async function inSlices<T, U>(items: readonly T[], perTurn: number, make: (item: T) => U): Promise<U[]> {
  const pace = new Pace(perTurn);
  const made: U[] = [];
  for (const item of items) {
    made.push(make(item));
    const turn = pace.step();
    if (turn !== undefined) await turn;
  }
  return made;
}
