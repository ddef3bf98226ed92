import type { OrderStatus } from './terms.js';

/**
 * The life of an order: every move that is legal. What is not here is a defect.
 *
 * `unsubmitted`: looks like a slip, and waits until its owner confirms it. `waiting_submit`: kept by the brokerage until its session opens or its trigger is reached. `submitting`: on its way to the
 * exchange. `timed_out`: sent, and not answered. `unknown`: what has become of it at the exchange is not known at present. `disabled`: taken back by its owner, who can enable it again. `fill_cancelled`: the
 * exchange has taken its trades back.
 */
const moves: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  unsubmitted: ['waiting_submit', 'submitting', 'cancelling_all', 'cancelled_all', 'disabled'],
  waiting_submit: ['submitting', 'cancelling_all', 'cancelled_all', 'disabled', 'failed'],
  submitting: ['submitted', 'submit_failed', 'timed_out', 'cancelling_all', 'cancelled_all', 'disabled', 'failed'],
  timed_out: ['submitted', 'cancelling_all', 'cancelled_all', 'disabled', 'failed'],
  submit_failed: ['deleted'],
  submitted: ['unknown', 'filled_part', 'filled_all', 'cancelling_all', 'cancelled_all', 'disabled', 'failed'],
  unknown: ['submitted', 'cancelling_all', 'cancelled_all', 'disabled', 'failed'],
  filled_part: ['filled_part', 'filled_all', 'cancelling_part', 'cancelled_part'],
  filled_all: ['fill_cancelled'],
  cancelling_part: ['cancelled_part'],
  cancelling_all: ['cancelled_all'],
  cancelled_part: [],
  cancelled_all: ['deleted'],
  failed: ['deleted'],
  disabled: ['waiting_submit', 'submitting', 'deleted'],
  deleted: [],
  fill_cancelled: [],
};

/** Whether `from` may become `to`. */
export function isLegalMove(from: OrderStatus, to: OrderStatus): boolean {
  return moves[from].includes(to);
}

/** `to`, when the move is legal. Throws otherwise: the caller has a defect. */
export function moved(from: OrderStatus, to: OrderStatus): OrderStatus {
  if (!isLegalMove(from, to)) throw new Error(`an order cannot go from ${from} to ${to}`);
  return to;
}

/** The order still holds funds: it can trade, or its cancellation is not confirmed yet. */
export function isOpen(status: OrderStatus): boolean {
  return isChangeable(status) || isCancelling(status);
}

/** The order can be modified, cancelled or disabled. */
export function isChangeable(status: OrderStatus): boolean {
  return moves[status].some(isCancelling);
}

/** The cancellation of the order is not confirmed yet. */
export function isCancelling(status: OrderStatus): boolean {
  return status === 'cancelling_all' || status === 'cancelling_part';
}

/** The partial form of a pair of statuses when something has been filled. */
export function cancelling(filled: bigint): OrderStatus {
  return filled === 0n ? 'cancelling_all' : 'cancelling_part';
}

export function cancelled(filled: bigint): OrderStatus {
  return filled === 0n ? 'cancelled_all' : 'cancelled_part';
}

const words: Readonly<Record<OrderStatus, string>> = {
  unsubmitted: 'is waiting to be confirmed',
  waiting_submit: 'is waiting to be submitted',
  submitting: 'is being submitted',
  timed_out: 'is not answered by the exchange yet',
  submit_failed: 'was refused by the exchange',
  submitted: 'is submitted',
  unknown: 'is out of sight at the exchange',
  filled_part: 'is partly filled',
  filled_all: 'is filled',
  cancelling_part: 'is being cancelled after a partial fill',
  cancelling_all: 'is being cancelled',
  cancelled_part: 'was cancelled after a partial fill',
  cancelled_all: 'is cancelled',
  failed: 'has failed',
  disabled: 'is disabled',
  deleted: 'is deleted',
  fill_cancelled: 'has lost its trades',
};

/** Words for a status in a sentence: "order 7 … and cannot be cancelled". */
export function statusInWords(status: OrderStatus): string {
  return words[status];
}
