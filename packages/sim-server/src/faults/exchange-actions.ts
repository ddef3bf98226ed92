import type { OrderedIncidents } from '@svc-gateway/simulator/brokerage/incidents';
import { count, type FaultActions, milliseconds, required, words } from './fault-action.js';

/** Faults at the exchange behind the simulated brokerage. */
export function exchangeActions(exchange: OrderedIncidents): FaultActions {
  return {
    /** The next orders are refused at its door: status 3. */
    exchange_refuses: {
      params: { times: count },
      run: ({ times }) => exchange.refuse(times as number | undefined),
      pending: () => exchange.waiting.flatMap(({ submission, left }) => (submission === 'refused' ? [{ times: left }] : [])),
      clear: () => exchange.clear(),
    },
    /** The next orders get no answer for a while: status 4, and then what it is. */
    exchange_silent: {
      params: { ms: required(milliseconds), times: count },
      run: ({ ms, times }) => exchange.silence(Number(ms), times as number | undefined),
      pending: () =>
        exchange.waiting.flatMap(({ submission, left }) => (submission === 'refused' ? [] : [{ ms: submission.silentMs, times: left }])),
      clear: () => exchange.clear(),
    },
    /** Nobody knows for a while what has become of the orders that rest unfilled: status -1. */
    exchange_lost: { params: { ms: required(milliseconds) }, run: ({ ms }) => exchange.loseSight(Number(ms)) },
    /** The trades of a filled order are taken back: status 24. */
    fills_cancelled: {
      params: { order_id_ex: required(words) },
      run: ({ order_id_ex }) => exchange.cancelFills(String(order_id_ex)),
    },
  };
}
