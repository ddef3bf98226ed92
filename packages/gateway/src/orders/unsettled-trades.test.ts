import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { type Order, OrderSchema, PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { beforeEach, expect, it } from 'vitest';
import { type PositionReading, UnsettledTrades } from './unsettled-trades.js';

const APART_MS = 5_000;
const LONG_MS = 3_600_000;
const [SUBMITTED, FILLED_PART, FILLED_ALL, DISABLED] = [5, 10, 11, 22];
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
const closes = (qty: bigint, left: bigint | undefined, held = 100n) => {
  const closing = left ?? 0n;
  const reading: PositionReading = {
    askedAt: clock.monotonic(),
    held: held * unit,
    sellable: held * unit,
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
  clock.advance(LONG_MS);
  trades.see(accId, sale({ orderStatus: FILLED_PART, fillQty: 50, updateTimestamp: 1 }));
  expect(closes(50n, 50n)).toBe(true);
});

it('an order of another program that is first heard of when it is over counts as filled in this moment', () => {
  clock.advance(LONG_MS);
  trades.see(accId, sale({ orderStatus: FILLED_ALL, fillQty: 60, updateTimestamp: clock.now() / 1000 }));
  expect(closes(41n, undefined)).toBe(false);
  expect(closes(40n, undefined)).toBe(true);
  clock.advance(APART_MS);
  expect(closes(100n, undefined)).toBe(true);
});

it('an order that was over long ago is in the position', () => {
  clock.advance(LONG_MS);
  trades.see(accId, sale({ orderStatus: FILLED_ALL, fillQty: 60, updateTimestamp: 1 }));
  expect(closes(100n, undefined)).toBe(true);
});

it('what lists showed of a position long ago says nothing of it now', () => {
  const sell = () => {
    trades.sending(accId, [{ symbol: 'HK.00700', side: 'SELL', qty: 1n * unit }]).ended(`${clock.now()}`);
    trades.see(accId, sale({ orderIDEx: `${clock.now()}`, orderID: 0n, orderStatus: FILLED_ALL, qty: 1, fillQty: 1 }));
  };
  sell();
  expect(closes(6n, undefined, 6n)).toBe(false);
  clock.advance(LONG_MS);
  // Another program has sold two of the five, and the list is from before the next sale.
  sell();
  expect(closes(3n, undefined, 3n)).toBe(false);
  clock.advance(APART_MS);
  expect(closes(2n, undefined, 2n)).toBe(true);
});

it('an order that was acknowledged by its number is the one that lists show with a text as well', () => {
  trades.sending(accId, [{ symbol: 'HK.00700', side: 'SELL', qty: 100n * unit }]).ended('7');
  clock.advance(LONG_MS);
  trades.see(accId, sale({ orderStatus: FILLED_ALL, fillQty: 100 }));
  expect(closes(1n, undefined)).toBe(false);
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
