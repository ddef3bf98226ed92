import { ManualClock } from '@svc-gateway/contract/clock';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dec } from '../../../../test/support/brokerage.js';
import { createWorld } from '../world/index.js';
import { feesOf, totalFees, totalFeesOf } from './fees.js';

const world = createWorld({ clock: new ManualClock(Date.UTC(2026, 10, 20, 2)), calendarMode: 'open', generatedInstruments: 0, seed: 1 });
const of = (symbol: string, buying: boolean, turnover: string, quantity: bigint) =>
  Object.fromEntries(
    feesOf(world.instrument(symbol)!, buying, dec(turnover), quantity).map(({ title, value }) => [title, formatDecimal(value)]),
  );

describe('fees', () => {
  it('of a Hong Kong stock: minimum commission, stamp duty to the next dollar, levies to the cent', () => {
    expect(of('HK.00700', true, '5001', 100n)).toEqual({
      Commission: '3',
      'Platform Fee': '15',
      'Stamp Duty': '6',
      'Trading Fee': '0.28',
      'SFC Transaction Levy': '0.14',
      'AFRC Transaction Levy': '0.01',
      'Settlement Fee': '0.21',
    });
  });

  it('of a Hong Kong fund: no stamp duty', () => {
    expect(of('HK.02800', true, '5001', 500n)).not.toHaveProperty('Stamp Duty');
  });

  it('of a US stock: by the share; regulators are paid by sellers, at most so much', () => {
    expect(of('US.AAPL', true, '25000', 100n)).toEqual({ Commission: '0.99', 'Platform Fee': '1', 'Settlement Fee': '0.3' });
    expect(of('US.AAPL', false, '25000000', 100_000n)).toEqual({
      Commission: '490',
      'Platform Fee': '500',
      'SEC Fee': '695',
      'FINRA TAF': '8.3',
      'Settlement Fee': '300',
    });
  });

  it('of a Shanghai stock: stamp duty on the sale', () => {
    expect(of('SH.600519', true, '140000', 100n)).not.toHaveProperty('Stamp Duty');
    expect(of('SH.600519', false, '140000', 100n)).toMatchObject({ 'Stamp Duty': '70' });
  });

  it('of a Japanese stock: whole yen', () => {
    expect(of('JP.7203', true, '301234', 100n)).toEqual({ Commission: '241' });
  });

  it('of futures: by the contract', () => {
    expect(of('HK.HSImain', true, '2600000', 2n)).toEqual({
      Commission: '5',
      'Platform Fee': '5',
      'Exchange Fee': '20',
      'SFC Levy': '1.08',
    });
  });

  it('are nothing before anything traded', () => {
    expect(feesOf(world.instrument('HK.00700')!, true, 0n, 0n)).toEqual([]);
  });

  it('never fall as an order trades more, so that a fill never pays back', () => {
    const instruments = world.instruments().filter(({ kind }) => kind !== 'index' && kind !== 'forex');
    const amount = fc.bigInt(1n, 10_000_000n);
    fc.assert(
      fc.property(
        fc.constantFrom(...instruments),
        fc.boolean(),
        amount,
        amount,
        amount,
        amount,
        (instrument, buying, q, v, moreQ, moreV) => {
          const before = totalFees(feesOf(instrument, buying, v * 1_000_000_000n, q));
          const after = totalFees(feesOf(instrument, buying, (v + moreV) * 1_000_000_000n, q + moreQ));
          expect(after >= before).toBe(true);
          expect(totalFeesOf(instrument, buying, v * 1_000_000_000n, q)).toBe(before);
        },
      ),
    );
  });
});
