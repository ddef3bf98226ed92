import { account, derivatives, quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { afterEach, expect, it } from 'vitest';
import { US_MARGIN } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';

const header = { market: 'US', acc_id: US_MARGIN, env: 'simulate' };
const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;

let desk: Desk;
afterEach(() => desk.close());

/** A call of next month at the money. */
async function call(): Promise<string> {
  const chain = await desk.payload(derivatives.getOptionChain, {
    symbol: 'US.AAPL',
    begin_time: '2026-12-01',
    end_time: '2026-12-31',
    option_type: 'call',
  });
  const { basicQotList } = await desk.payload(quote.getQuote, { symbol: 'US.AAPL' });
  const spot = basicQotList[0]!.curPrice;
  const options = chain.optionChain.flatMap(({ option }) => option.flatMap(({ call: each }) => (each === undefined ? [] : [each])));
  const away = ({ optionExData }: (typeof options)[number]) => Math.abs((optionExData?.strikePrice ?? 0) - spot);
  return options.reduce((best, each) => (away(each) < away(best) ? each : best)).basic!.security!.code;
}

async function turn(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

it('an option is bought at the market makers’ price, counts with its multiplier towards caps, and shows among positions', async () => {
  desk = await openDesk({
    keys: { desk: { scopes: [...scopes] }, capped: { scopes: [...scopes], limits: { maxOrderValue: '3000' } } },
  });
  const code = await call();
  const { orderBookAskList } = await desk.payload(quote.getOrderBook, { symbol: `US.${code}`, depth: 1 });
  const ask = orderBookAskList[0]!.price;
  const order = { ...header, symbol: `US.${code}`, side: 'BUY', price: ask };
  const lots = Math.floor(3000 / (100 * ask));
  const refused = await desk.call(trade.placeOrder, { ...order, qty: lots + 1 }, { as: 'capped' });
  expect(refused).toBeInstanceOf(Rejection);
  expect(refused).toMatchObject({ code: 'limit.order_value' });
  const { orderIDEx } = await desk.payload(trade.placeOrder, { ...order, qty: 1 }, { as: lots > 0 ? 'capped' : 'desk' });
  desk.clock.advance(1000);
  await turn();
  const { orderList } = await desk.payload(account.getOrders, header);
  expect(orderList.find((each) => each.orderIDEx === orderIDEx)).toMatchObject({ code, fillQty: 1 });
  const { positionList } = await desk.payload(account.getPositions, header);
  const held = positionList.find((each) => each.code === code);
  expect(held).toMatchObject({ qty: 1, canSellQty: 1 });
  expect(held?.val).toBeCloseTo(100 * (held?.price ?? 0), 6);
  const { funds } = await desk.payload(account.getFunds, header);
  expect(funds?.cash).toBeLessThan(2_000_000 - 100 * (orderList[0]?.fillAvgPrice ?? 0));
});
