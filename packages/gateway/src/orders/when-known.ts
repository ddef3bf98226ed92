/**
 * `next` of a value that a backend may have at once: then it is not waited for, and the order of a caller costs no turn of the
 * queue of promises.
 */
export function whenKnown<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
