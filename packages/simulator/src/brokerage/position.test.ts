import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dec } from '../../../../test/support/brokerage.js';
import { afterTrade, emptyPosition, type PositionRecord, tradesOn } from './position.js';

const DAY = '2026-11-20';
const flat = emptyPosition({ id: 1n, accId: 1n, symbol: 'HK.00700', tradeMarket: 'HK' }, DAY);
const trade = (before: PositionRecord, side: 'buy' | 'sell', quantity: bigint, price: string) =>
  afterTrade(before, { side, quantity, unitValue: dec(price), day: DAY });

describe('a position', () => {
  it('closes at average cost, and keeps what was realised in the diluted cost', () => {
    const bought = trade(trade(flat, 'buy', 100n, '10').position, 'buy', 100n, '12').position;
    expect(bought).toMatchObject({ quantity: 200n, cost: dec('2200'), invested: dec('2200') });
    const { position, realised } = trade(bought, 'sell', 150n, '14');
    expect(realised).toBe(dec('450'));
    expect(position).toMatchObject({ quantity: 50n, cost: dec('550'), invested: dec('100'), realised: dec('450') });
  });

  it('turns from long to short in one trade', () => {
    const { position, realised } = trade(trade(flat, 'buy', 100n, '10').position, 'sell', 150n, '11');
    expect(realised).toBe(dec('100'));
    expect(position).toMatchObject({ quantity: -50n, cost: dec('550'), invested: dec('-550'), realised: 0n });
  });

  it('begins anew after it was flat', () => {
    const closed = trade(trade(flat, 'buy', 100n, '10').position, 'sell', 100n, '11').position;
    expect(closed).toMatchObject({ quantity: 0n, cost: 0n, invested: dec('-100'), realised: dec('100') });
    expect(trade(closed, 'buy', 10n, '12').position).toMatchObject({ invested: dec('120'), realised: 0n });
  });

  it('counts the trades of its day only', () => {
    const { position } = trade(flat, 'buy', 100n, '10');
    expect(tradesOn(position, DAY)).toMatchObject({ buyQuantity: 100n, buyValue: dec('1000') });
    expect(tradesOn(position, '2026-11-23')).toMatchObject({ buyQuantity: 0n, sellQuantity: 0n });
  });
});

it('money paid and received, cost of what is open and what was realised always balance', () => {
  const trades = fc.array(fc.tuple(fc.constantFrom<'buy' | 'sell'>('buy', 'sell'), fc.bigInt(1n, 1_000n), fc.bigInt(1n, 10n ** 12n)), {
    minLength: 1,
  });
  fc.assert(
    fc.property(trades, (list) => {
      let position = flat;
      let cash = 0n;
      let realised = 0n;
      for (const [side, quantity, unitValue] of list) {
        const after = afterTrade(position, { side, quantity, unitValue, day: DAY });
        cash += (side === 'buy' ? -1n : 1n) * unitValue * quantity;
        realised += after.realised;
        position = after.position;
        expect(position.cost >= 0n && (position.quantity !== 0n || position.cost === 0n)).toBe(true);
        const atCost = position.quantity < 0n ? -position.cost : position.cost;
        expect(cash + atCost).toBe(realised);
      }
    }),
  );
});
