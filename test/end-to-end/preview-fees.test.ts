import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';

const NUMBER = (last: number) => `28175647839654700${last}`;
const ROUND_TRIPS = [
  { symbol: 'HK.00700', acc_id: NUMBER(2), qty: 100 },
  { symbol: 'HK.02800', acc_id: NUMBER(1), qty: 500 },
  { symbol: 'US.AAPL', acc_id: NUMBER(3), qty: 7 },
  { symbol: 'SH.600519', acc_id: NUMBER(4), qty: 100 },
  { symbol: 'SG.D05', acc_id: NUMBER(5), qty: 100 },
  { symbol: 'JP.7203', acc_id: NUMBER(6), qty: 100 },
  { symbol: 'MY.1155', acc_id: NUMBER(7), qty: 100 },
  { symbol: 'HK.HSImain', acc_id: NUMBER(8), qty: 1, market: 'FUTURES' },
] as const;
/** Longer than an order takes to the exchange. */
const SETTLED_MS = 200;
const TRIES_MAX = 20;
const DAY_MS = 86_400_000;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } } });
});
afterAll(() => desk.close());

/** Trades at the other side's best price, until an order fills in one piece at its limit. Its fees: foretold, and charged. */
async function trip(terms: (typeof ROUND_TRIPS)[number], side: 'BUY' | 'SELL') {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const book = await desk.payload(quote.getOrderBook, { symbol: terms.symbol, depth: 1 });
    const price = (side === 'BUY' ? book.orderBookAskList : book.orderBookBidList)[0]?.price;
    const order = { env: 'simulate', side, price, ...terms };
    const { fees, value } = await previewed(desk, 'place', trade.placeOrder, order);
    const { orderIDEx, header } = await desk.payload(trade.placeOrder, order);
    desk.clock.advance(SETTLED_MS);
    const address = {
      market: header?.trdMarket === 5 ? 'FUTURES' : terms.symbol.slice(0, 2).replace('SH', 'CN'),
      acc_id: terms.acc_id,
      env: 'simulate',
    };
    const { orderFillList } = await desk.payload(account.getDeals, address);
    const fills = orderFillList.filter((fill) => fill.orderIDEx === orderIDEx);
    if (fills.length === 1 && fills[0]?.price === price && fills[0]?.qty === terms.qty) {
      const { orderFeeList } = await desk.payload(account.getOrderFee, { ...address, order_id_ex_list: [orderIDEx] });
      return { fees, value, charged: orderFeeList[0] };
    }
    await desk.payload(trade.cancelAllOrder, address);
    desk.clock.advance(SETTLED_MS);
  }
  throw new Error(`no order for ${terms.symbol} filled in one piece at its price in ${TRIES_MAX} tries`);
}

describe('the fees that a preview foretells', () => {
  it.each(ROUND_TRIPS)('are those that $symbol is charged, bought and sold', async (terms) => {
    for (const side of ['BUY', 'SELL'] as const) {
      // Mainland shares are sold from the day after they were bought.
      if (side === 'SELL') desk.clock.advance(DAY_MS);
      const { fees, charged } = await trip(terms, side);
      expect(fees?.items.map(({ title, amount }) => [title, amount])).toEqual(
        charged?.feeList.map(({ title, value }) => [title, decimalFromNumber(value)]),
      );
      expect(fees?.items.length).toBeGreaterThan(0);
      expect(fees?.total).toBe(decimalFromNumber(charged?.feeAmount ?? 0));
    }
  });
});
