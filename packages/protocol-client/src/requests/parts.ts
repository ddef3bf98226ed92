/** A list in parts of at most so many items. */
export function partsOf<T>(items: readonly T[], sizeMax: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / sizeMax) }, (_, part) => items.slice(part * sizeMax, (part + 1) * sizeMax));
}

/** Some items, and the answer about them. */
export type Answered<T, A> = readonly [items: readonly T[], answer: A];

/** Asks about items together; where the answer may be due to some of them only, those are found by halving. */
export async function askInHalves<T, A>(
  items: readonly T[],
  ask: (items: readonly T[]) => Promise<A>,
  isDueToSome: (answer: A) => boolean,
): Promise<readonly Answered<T, A>[]> {
  const answer = await ask(items);
  if (items.length < 2 || !isDueToSome(answer)) return [[items, answer]];
  const halves = partsOf(items, Math.ceil(items.length / 2));
  return (await Promise.all(halves.map((half) => askInHalves(half, ask, isDueToSome)))).flat();
}
