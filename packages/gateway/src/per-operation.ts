import type { Operation } from '@svc-gateway/contract/operation';

/** A function of an operation's declaration that is computed once for each operation. */
export function perOperation<T>(compute: (operation: Operation) => T): (operation: Operation) => T {
  const known = new WeakMap<Operation, { readonly value: T }>();
  return (operation) => {
    let entry = known.get(operation);
    if (entry === undefined) {
      entry = { value: compute(operation) };
      known.set(operation, entry);
    }
    return entry.value;
  };
}
