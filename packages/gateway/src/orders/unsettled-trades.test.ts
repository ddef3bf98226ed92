import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { type Order, OrderSchema, PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { beforeEach, expect, it } from 'vitest';
import { type PositionReading, UnsettledTrades } from './unsettled-trades.js';

const APART_MS = 5_000;
const [SUBMITTED, FILLED_PART, DISABLED] = [5, 10, 22];
const accId = 1n;
const position = { accId, symbol: 'HK.00700', side: PositionSide.PositionSide_Long };
const unit = 1_000_000_000n;

let clock: ManualClock;
let trades: UnsettledTrades;
beforeEach(() => {
  clock = new ManualClock(0);
  trades = new UnsettledTrades(clock, APART_MS);
});

const sale = (over: Partial<Order> = {}) =>
  create(OrderSchema, {
    ...{ orderID: 7n, orderIDEx: 'X7', code: '00700', secMarket: 1, trdSide: 2, qty: 100, orderStatus: SUBMITTED },
    ...over,
  } as Record<string, unknown>);

/** Whether so much of a position of 100 can be closed, by lists that show an order with so much left. */
const closes = (qty: bigint, left: bigint | undefined) => {
  const closing = left ?? 0n;
  const reading: PositionReading = {
    askedAt: clock.monotonic(),
    held: 100n * unit,
    sellable: 100n * unit,
    closing: closing * unit,
    leftOf: () => left && left * unit,
  };
  const claim = trades.claim(position, { qty: qty * unit }, reading);
  claim?.settle(undefined);
  return claim !== undefined;
};

it('a part that fills before the answer to its order counts as unseen', () => {
  const sent = trades.sending(accId, [{ symbol: 'HK.00700', side: 'SELL', qty: 100n * unit }]);
  trades.see(accId, sale({ orderStatus: FILLED_PART, fillQty: 50 }));
  sent.ended('X7');
  // The list of positions does not show the 50 yet.
  expect(closes(50n, 50n)).toBe(false);
});

it('the part that an order of before had filled is in the position', () => {
  trades.see(accId, sale({ orderStatus: FILLED_PART, fillQty: 50 }));
  expect(closes(50n, 50n)).toBe(true);
});

it('an order that is enabled counts while lists show it as disabled', () => {
  trades.changing(accId, sale({ orderStatus: DISABLED }), 100n * unit);
  clock.advance(APART_MS - 1);
  expect(closes(1n, 0n)).toBe(false);
});

it('a combination that is made larger counts with all of its legs', () => {
  const leg = (code: string) => ({ security: { market: 1, code }, side: 2, qtyRatio: 10 });
  const comboLegs = [leg('00700'), leg('00005')];
  trades.changing(accId, sale({ qty: 1, comboLegs } as unknown as Partial<Order>), 10n * unit);
  expect(closes(1n, 10n)).toBe(false);
});
