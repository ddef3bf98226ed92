import { describe, expect, it } from 'vitest';
import { allowsAccount, allowsMarket, allowsSymbol, limitsFromFlags, unlimited } from './limits.js';

function limits(flags: Parameters<typeof limitsFromFlags>[0]) {
  const read = limitsFromFlags(flags);
  if (!read.ok) throw new Error(read.error);
  return read.value.limits;
}

describe('what a whitelist allows', () => {
  it('allows everything where there is no list', () => {
    expect(allowsMarket(unlimited, ['FX'])).toBe(true);
    expect(allowsSymbol(unlimited, 'HK.00700')).toBe(true);
    expect(allowsAccount(unlimited, 1n)).toBe(true);
  });

  it.each([
    ['HK', ['HK'], true],
    ['HK', ['US'], false],
    ['HK', ['FX'], false],
    ['HK,FX', ['FX'], true],
    ['CN', ['SH'], true],
    ['CN', ['SZ'], true],
    ['SH', ['CN', 'SH'], true],
    ['SH', ['CN', 'SZ'], false],
    ['SH', ['CN'], false],
    ['HKCC', ['HKCC', 'SH'], true],
    ['CN', ['HKCC', 'SH'], true],
    ['HK', ['FUTURES'], false],
    ['HK', [], false],
  ])('markets %s for %j: %s', (allowedMarkets, markets, allowed) => {
    expect(allowsMarket(limits({ allowedMarkets }), markets)).toBe(allowed);
  });

  it('tells accounts apart that a double cannot', () => {
    const account = limits({ allowedAccIds: '281756455983234027' });
    expect(allowsAccount(account, 281756455983234027n)).toBe(true);
    expect(allowsAccount(account, 281756455983234026n)).toBe(false);
    expect(allowsAccount(limits({ allowedAccIds: '' }), 5n)).toBe(true);
  });

  it('allows no symbol by an empty list', () => {
    expect(allowsSymbol(limits({ allowedSymbols: '' }), 'HK.00700')).toBe(false);
    expect(allowsSymbol(limits({ allowedSymbols: 'hk.00700, US.AAPL' }), 'HK.00700')).toBe(true);
  });
});

describe('limitsFromFlags', () => {
  it('reads every flag exactly, and writes numbers as they were given', () => {
    const read = limitsFromFlags({
      allowedMarkets: 'HK, US',
      allowedSymbols: 'US.AAPL',
      allowedTrdSides: 'BUY,SELL',
      hoursWindow: '22:00-04:00',
      maxOrderValue: '100000.10',
      maxDailyValue: '9007199254740993.000000001',
      limitsCurrency: 'CNH',
      maxOrdersPerMinute: '5',
      allowedAccIds: '281756455983234027,18446744073709551615',
    });
    expect(read).toMatchObject({
      ok: true,
      value: {
        limits: {
          allowedMarkets: new Set(['HK', 'US']),
          allowedTrdSides: new Set(['BUY', 'SELL']),
          hoursWindow: { startMinute: 1320, endMinute: 240 },
          maxOrderValue: 100_000_100_000_000n,
          maxDailyValue: 9_007_199_254_740_993_000_000_001n,
          limitsCurrency: 'CNH',
          maxOrdersPerMinute: 5,
          allowedAccIds: new Set([281756455983234027n, 18446744073709551615n]),
        },
      },
    });
    expect(read.ok && read.value.json).toContain('"max_order_value": 100000.10');
    expect(read.ok && read.value.json).toContain('"allowed_acc_ids": [281756455983234027, 18446744073709551615]');
  });

  it('limits nothing without flags', () => expect(limitsFromFlags({})).toEqual({ ok: true, value: { limits: unlimited, json: '{}' } }));

  it.each([
    [{ maxOrderValue: '-1' }, '--max-order-value must be a non-negative number'],
    [{ maxOrderValue: 'lots' }, '--max-order-value must be a non-negative number'],
    [{ maxDailyValue: '9'.repeat(60) }, '--max-daily-value must be a non-negative number'],
    [{ maxOrdersPerMinute: '2.5' }, '--max-orders-per-minute must be a whole number'],
    [{ hoursWindow: '9-17' }, '--hours-window must be HH:MM-HH:MM'],
    [{ allowedMarkets: 'HK,USA' }, '--allowed-markets[1]: unknown market "USA", did you mean "US"?'],
    [{ allowedTrdSides: 'buy' }, '--allowed-trd-sides[0]: unknown side "buy", did you mean "BUY"?'],
    [{ allowedAccIds: '1e5' }, '--allowed-acc-ids[0] must be an account id'],
  ])('refuses %j', (flags, message) => {
    const read = limitsFromFlags(flags);
    expect(!read.ok && read.error).toContain(message);
  });
});
