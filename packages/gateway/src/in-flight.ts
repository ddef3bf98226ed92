import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { Tally } from '@svc-gateway/contract/tally';
import type { Identity } from './identity.js';
import { isCancel } from './orders/cancel-scope.js';

/** Requests that wait for the backend at a time. */
export interface InFlightBounds {
  readonly inAll: number;
  readonly perOwner: number;
}

/** The share of a bound that each kind of request may fill: what is left is for those that matter more. */
const shares = { read: 0.75, write: 0.875, cancel: 1 } as const;

/**
 * Counts the requests that the backend has yet to answer, and refuses more than it is to have at a time. Reads leave room for
 * orders, and those for cancels: a caller can always get out. What is answered in its turn is not counted.
 */
export class InFlight {
  /** With fewer than these under way, nobody is at a bound. */
  readonly #few: number;
  readonly #byOwner = new Tally<string>();
  #count = 0;

  /** @param isShortOfMemory whether there is no room for one more read beside so many requests under way */
  constructor(
    private readonly bounds: InFlightBounds,
    private readonly isShortOfMemory: (underWay: number) => boolean = () => false,
  ) {
    this.#few = shares.read * Math.min(bounds.inAll, bounds.perOwner);
  }

  get size(): number {
    return this.#count;
  }

  /** Reason why one more request of this caller is not sent now, if it is not. */
  refuse(operation: Operation, request: Message, identity: Pick<Identity, 'owner'>): Rejection | undefined {
    if (operation.effect === 'read' && this.isShortOfMemory(this.#count)) {
      return new Rejection('backend.busy', 'the daemon is short of memory and answers no reads for now; nothing was sent', {
        retryAfterSeconds: 1,
      });
    }
    if (this.#count < this.#few) return undefined;
    const kind = operation.effect === 'read' || operation.effect === 'subscription' ? 'read' : isCancel(request) ? 'cancel' : 'write';
    return this.refuseKind(kind, identity.owner);
  }

  /** The same for a request of which only this much is known. */
  refuseKind(kind: keyof typeof shares, owner: string): Rejection | undefined {
    const { inAll, perOwner } = this.bounds;
    const share = shares[kind];
    const own = this.#byOwner.of(owner);
    if (own >= share * perOwner) {
      return new Rejection('limit.calls', `this key has reached its limit of ${own} requests waiting for the backend; nothing was sent`, {
        retryAfterSeconds: 1,
      });
    }
    if (this.#count < share * inAll) return undefined;
    return new Rejection(
      'backend.busy',
      `the daemon has reached its limit of ${this.#count} requests waiting for the backend; nothing was sent`,
      {
        retryAfterSeconds: 1,
      },
    );
  }

  /** Counts a request until `work` settles, however long its caller waits for it. */
  enter(owner: string, work: Promise<unknown>): void {
    this.#count += 1;
    this.#byOwner.add(owner);
    const leave = () => {
      this.#count -= 1;
      this.#byOwner.add(owner, -1);
    };
    work.then(leave, leave);
  }
}
