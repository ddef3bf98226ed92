/** Part of `Map` and `WeakMap` that a value is looked up and kept in. */
interface Lookup<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key, computed and kept where there is none: `Map.prototype.getOrInsertComputed`, which Node 24 does not have yet. */
export function getOrInsert<K, V>(map: Lookup<K, V>, key: K, compute: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = compute();
  map.set(key, value);
  return value;
}

/** A function of an object that is computed once for each. */
export function memoized<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => getOrInsert(known, key, () => ({ value: compute(key) })).value;
}
