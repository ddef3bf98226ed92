import { ManualClock } from '@svc-gateway/contract/clock';
import { derivatives, quote, trade } from '@svc-gateway/contract/operations';
import { expect, test } from 'vitest';
import { ids } from '../../../../../test/support/brokerage.js';
import { ownBackend, security } from '../../../../../test/support/sim-backend.js';
import { strategies } from './get-option-strategy.js';

/** 11:00 of a Friday in New York. */
const OPEN = Date.UTC(2026, 10, 20, 16);

const DAY_ORDER = { orderType: 1, qty: 1, timeInForce: 0 };

test.each(Object.keys(strategies).map(Number))('legs of strategy %i are accepted by orders as they are', async (optionStrategy) => {
  const { payload, call } = await ownBackend({ calendarMode: 'calendar', clock: new ManualClock(OPEN) });
  const owner = security('US.AAPL');
  const { dateList } = await payload(derivatives.getOptionExpirationDate, { owner });
  const expireTime = dateList[3]?.strikeTime ?? '';
  const strikes = (await payload(derivatives.getOptionChain, { owner, beginTime: expireTime, endTime: expireTime })).optionChain[0];
  const middle = strikes?.option[Math.floor((strikes.option.length ?? 0) / 2)]?.call?.optionExData?.strikePrice ?? 0;
  const { strategyList } = await payload(derivatives.getOptionStrategy, {
    owner,
    optionStrategy,
    expireTime,
    farExpireTime: dateList[6]?.strikeTime ?? '',
    strikePrice: middle,
  });
  expect(strategyList.length).toBeGreaterThan(0);
  const header = { trdEnv: 0, accID: ids.us, trdMarket: 2 };
  for (const { multiLegs } of [strategyList[0], strategyList.at(-1)].filter((one) => one !== undefined)) {
    const named = multiLegs.map(({ security: one }) => one).filter((one) => one !== undefined);
    const { snapshotList } = await payload(quote.getSnapshot, { securityList: named });
    // A share or a contract is told in the same price: that of one share.
    const parts = multiLegs.map(({ qtyRatio, side }, i) => {
      const { basic, optionExData } = snapshotList[i] ?? {};
      const shares = qtyRatio * (optionExData?.contractSizeFloat ?? 1);
      return { shares, price: side === 1 ? (basic?.askPrice ?? 0) : -(basic?.bidPrice ?? 0) };
    });
    const size = Math.max(...snapshotList.map(({ optionExData }) => optionExData?.contractSizeFloat ?? 1));
    const cost = parts.reduce((sum, { shares, price }) => sum + (shares * price) / size, 0);
    const price = Math.round((cost + 0.5) * 100) / 100;
    const placed = await call(trade.placeComboOrder, { header, comboLegs: multiLegs, price, ...DAY_ORDER });
    expect([placed.retMsg, placed.retType]).toEqual(['', 0]);
  }
});
