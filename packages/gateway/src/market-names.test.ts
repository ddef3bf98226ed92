import { type Limits, limitsFromFlags } from '@svc-gateway/access';
import { TrdMarket } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { describe, expect, it } from 'vitest';
import { allowsTraded } from './market-names.js';

function limitedTo(allowedMarkets: string): Limits {
  const limits = limitsFromFlags({ allowedMarkets });
  if (!limits.ok) throw new Error(limits.error);
  return limits.value.limits;
}

const shanghai = { secMarket: 31, code: '600519' };
const hangSeng = { secMarket: 1, code: 'HSImain' };
const { TrdMarket_CN, TrdMarket_HKCC, TrdMarket_HK, TrdMarket_Futures, TrdMarket_Futures_Simulate_HK, TrdMarket_Futures_Simulate_US } =
  TrdMarket;

describe('a list of markets', () => {
  it.each([
    ['CN', TrdMarket_CN, shanghai, true],
    ['SH', TrdMarket_CN, shanghai, true],
    ['SZ', TrdMarket_CN, shanghai, false],
    // Stock Connect is a market of its own, whatever it lists.
    ['CN', TrdMarket_HKCC, shanghai, false],
    ['SH', TrdMarket_HKCC, shanghai, false],
    ['HK', TrdMarket_HKCC, shanghai, false],
    ['HKCC', TrdMarket_HKCC, shanghai, true],
    ['HKCC', TrdMarket_CN, shanghai, false],
    // And so are futures.
    ['HK', TrdMarket_HK, { secMarket: 1, code: '00700' }, true],
    ['HK', TrdMarket_Futures, hangSeng, false],
    ['FUTURES', TrdMarket_Futures, hangSeng, true],
    ['HK_FUTURE', TrdMarket_Futures_Simulate_HK, hangSeng, true],
    ['HK_FUTURE', TrdMarket_Futures_Simulate_US, { secMarket: 2, code: 'ESmain' }, false],
  ])('of %s and an order in trading market %s', (market, trdMarket, security, allowed) => {
    expect(allowsTraded(limitedTo(market), { trdMarket, ...security }, 0)).toBe(allowed);
    // Securities without a trading market of their own belong to the request's.
    expect(allowsTraded(limitedTo(market), { trdMarket: 0, ...security }, trdMarket)).toBe(allowed);
  });

  it('does not allow securities of unknown markets', () => {
    expect(allowsTraded(limitedTo('HK'), { trdMarket: 0, ...hangSeng }, 0)).toBe(false);
    expect(allowsTraded(limitedTo('HK'), { trdMarket: 999, ...hangSeng }, 0)).toBe(false);
  });
});
