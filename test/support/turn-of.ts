import type { Operation } from '@svc-gateway/contract/operation';
import type { Backend } from '@svc-gateway/gateway';
import { signal } from './until.js';

export interface TurnOf {
  /** The first of these calls is there. */
  readonly waiting: Promise<void>;
  /** Lets them go on. */
  readonly go: () => void;
  /** For {@link DeskOptions.backend}. */
  readonly backend: (simulated: Backend) => Partial<Backend>;
}

/** A brokerage behind which calls of one operation wait for their turn. */
export function turnOf(held: Operation): TurnOf {
  const { promise: waiting, resolve: comes } = signal();
  const { promise: turn, resolve: go } = signal();
  return {
    waiting,
    go,
    backend: (simulated) => ({
      async call(operation, request, context) {
        if (operation === held) {
          comes();
          await turn;
        }
        return simulated.call(operation, request, context);
      },
    }),
  };
}
