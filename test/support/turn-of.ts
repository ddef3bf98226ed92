import type { Operation } from '@svc-gateway/contract/operation';
import type { Answering } from './desk.js';
import { signal } from './until.js';

export interface TurnOf {
  /** The first of these calls is there. */
  readonly waiting: Promise<void>;
  /** Lets them go on. */
  readonly go: () => void;
  readonly answer: Answering;
}

/** A brokerage behind which calls of one operation wait for their turn. */
export function turnOf(held: Operation): TurnOf {
  const { promise: waiting, resolve: comes } = signal();
  const { promise: turn, resolve: go } = signal();
  return {
    waiting,
    go,
    async answer(operation, _, pass) {
      if (operation === held) {
        comes();
        await turn;
      }
      return pass();
    },
  };
}
