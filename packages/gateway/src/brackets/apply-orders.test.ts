import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { C2SSchema } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { OrderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { MemoryStore } from '@svc-gateway/storage';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { remarkOf } from '../valuation/bracket-terms.js';
import { applyOrders } from './apply-orders.js';
import { BracketBook, type Watched } from './book.js';
import { newBracket } from './bracket.js';

const NOW = Date.parse('2026-11-20T15:00:00Z');

/** State of a bracket with a lost entry answer after it sees an order created this long before it. */
function stateAfter(remark: string, secondsBefore: number) {
  const clock = new ManualClock(NOW);
  const logger = pino({ enabled: false });
  const book = new BracketBook({ store: new MemoryStore(), clock, logger, onStorageFailure: () => {} });
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const request = create(C2SSchema, { header, trdSide: 1, orderType: 1, code: '00700', qty: 10, price: 100, stopLossPrice: 90 });
  const bracket = newBracket('b', null, request, remark, NOW);
  const watched: Watched = {
    ...{ bracket, last: 0n, busy: false, again: false, withdrawAt: 0, retryAt: 0, stopRefusals: 0, asksChanges: false, changesAt: 0 },
    ...{ cancelAt: 0, confirmed: 0n, shown: undefined, lackingSince: undefined, spareSince: undefined, missingSince: 0, stop: () => {} },
    ...{ exitsKnown: true, recalledAt: undefined, listedSince: undefined, surplus: new Set<string>() },
  };
  const order = create(OrderSchema, {
    ...{ trdSide: 1, orderType: 1, orderStatus: 5, orderID: 7n, orderIDEx: 'seven', code: '00700', qty: 10, price: 100, remark },
    createTimestamp: NOW / 1000 - secondsBefore,
  });
  applyOrders(book, watched, [order], 'list', { backendClock: clock, logger });
  return watched.bracket.state;
}

it("knows its entry by the gateway's own remark, however far behind the brokerage's clock is", () => {
  expect(stateAfter(remarkOf('b', 0), 3_600)).toBe('open');
});

it("takes no order from before it for its entry by a caller's remark, nor one of another bracket", () => {
  expect(stateAfter('mine', 1)).toBe('open');
  expect(stateAfter('mine', 3_600)).toBe('placing');
  expect(stateAfter(remarkOf('c', 0), 3_600)).toBe('placing');
});
