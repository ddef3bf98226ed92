import { metadata, quote } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { security, sharedBackend } from '../../../../../test/support/sim-backend.js';

const simulated = sharedBackend({ calendarMode: 'calendar', historyKlQuotaMax: 1000 });

async function bars(symbol: string, rehabType: number, beginTime: string) {
  const request = { security: security(symbol), klType: 2, rehabType, beginTime, endTime: '2026-11-20' };
  return (await simulated.payload(quote.getHistoryKline, request)).klList;
}

const rehabs = async (symbol: string) => (await simulated.payload(metadata.getRehab, { security: security(symbol) })).rehabList;

describe('adjustment factors', () => {
  const symbols = ['HK.00700', 'HK.00005', 'US.AAPL', 'US.NVDA', 'SH.600519', 'SZ.000858', 'JP.7203', 'HK.02800', 'US.SPY', 'US.BABA'];

  it.each(symbols)('%s: raw bars times forward factors are the adjusted bars', async (symbol) => {
    const [raw, forward, rehab] = [await bars(symbol, 0, '2021-01-04'), await bars(symbol, 1, '2021-01-04'), await rehabs(symbol)];
    expect(raw.length).toBe(forward.length);
    for (const [i, bar] of raw.entries()) {
      const day = bar.time.slice(0, 10);
      const adjust = (price: number) =>
        rehab.filter(({ time }) => time > day).reduce((sum, { fwdFactorA, fwdFactorB }) => sum * fwdFactorA + fwdFactorB, price);
      for (const field of ['openPrice', 'highPrice', 'lowPrice', 'closePrice'] as const) {
        expect(Math.abs(adjust(bar[field]) - (forward[i]?.[field] ?? 0))).toBeLessThan(2e-6 + 1e-9 * bar[field]);
      }
    }
  });

  it.each(symbols)('%s: backward factors join the days up as well', async (symbol) => {
    const [raw, backward, rehab] = [await bars(symbol, 0, '2024-01-02'), await bars(symbol, 2, '2024-01-02'), await rehabs(symbol)];
    for (const [i, bar] of raw.entries()) {
      const day = bar.time.slice(0, 10);
      const factor = rehab.filter(({ time }) => time <= day).reduce((product, { bwdFactorA }) => product * bwdFactorA, 1);
      const adjusted = backward[i]?.closePrice ?? 0;
      expect(Math.abs(bar.closePrice * factor - adjusted)).toBeLessThan(2e-6 + 1e-9 * adjusted);
    }
  });

  it('say what was done, oldest first, and nothing of days to come', async () => {
    const found = await rehabs('US.AAPL');
    expect(found.length).toBeGreaterThan(10);
    const days = found.map(({ time }) => time);
    expect(days).toEqual([...new Set(days)].sort());
    expect(days.every((day) => day > '1980-12-12' && day <= '2026-11-20')).toBe(true);
    for (const one of found) {
      const flags = Number(one.companyActFlag);
      expect([(flags & 64) !== 0, (flags & 128) !== 0]).toEqual([one.dividend > 0, one.spDividend > 0]);
      expect((flags & 1) !== 0).toBe(one.splitErt > 0);
      expect(one.fwdFactorA * one.bwdFactorA).toBeCloseTo(1, 12);
    }
  });

  it('none of what nobody issued', async () => {
    expect(await rehabs('HK.800000')).toEqual([]);
    expect(await rehabs('FX.EURUSD')).toEqual([]);
  });
});

describe('suspensions', () => {
  it('of symbols that traded every day there are none, and a day to come is not one', async () => {
    const { SecuritySuspendList } = await simulated.payload(metadata.getSuspend, {
      securityList: ['HK.00700', 'US.AAPL', 'HK.800000'].map(security),
      beginTime: '2026-06-01',
      endTime: '2026-12-31',
    });
    expect(SecuritySuspendList.map(({ security: one, suspendList }) => [one?.code, suspendList])).toEqual([
      ['00700', []],
      ['AAPL', []],
      ['800000', []],
    ]);
  });

  it.each([
    [{ beginTime: '2026-13-01' }, 'begin_time: expected a date as yyyy-MM-dd, found "2026-13-01"'],
    [{ beginTime: '2026-12-01', endTime: '2026-11-01' }, 'begin_time is after end_time'],
    [{ beginTime: '1900-01-01' }, 'begin_time to end_time: at most 36600 days'],
    [{ beginTime: '1980-01-01', securityList: ['HK.00700', 'HK.00005', 'US.AAPL'].map(security) }, '3 symbols over'],
    [{ securityList: [] }, 'missing field "securityList": name at least one'],
  ])('refuses %j', async (fields, message) => {
    const request = { securityList: [security('HK.00700')], beginTime: '2026-11-01', endTime: '2026-11-20', ...fields };
    expect(await simulated.refusal(metadata.getSuspend, request)).toContain(message);
  });
});

describe('code changes', () => {
  const changes = async (request: object = {}) => (await simulated.payload(metadata.getCodeChange, request)).codeChangeList;

  it('are the splits, consolidations and rights issues that the adjustment factors tell of', async () => {
    const stocks = simulated.simulation.world.listed({ market: 'HK', kind: 'equity' });
    const expected: string[] = [];
    for (const { symbol, code } of stocks) {
      for (const { time, companyActFlag: flag } of await rehabs(symbol)) {
        if (flag & 1n) expected.push(`${code} 4 ${time}`);
        if (flag & 2n) expected.push(`${code} 5 ${time}`);
        if (flag & 16n) expected.push(`${code} 2 ${time}`);
      }
    }
    const all = await changes();
    expect(all.map(({ security: one, type, effectiveTime }) => `${one?.code} ${type} ${effectiveTime}`).sort()).toEqual(expected.sort());
    expect(all.length).toBeGreaterThan(20);
    for (const { publicTime, effectiveTime, endTime, relatedSecurity } of all) {
      expect(publicTime < effectiveTime && effectiveTime < endTime).toBe(true);
      expect(relatedSecurity?.code).toMatch(/^029\d\d$/);
    }
    expect(all.map(({ publicTime }) => publicTime)).toEqual([...all.map(({ publicTime }) => publicTime)].sort().reverse());
  });

  it('are narrowed by symbol, type and each of the days', async () => {
    const all = await changes();
    const [first] = all;
    const one = first?.security?.code;
    expect(await changes({ securityList: [first?.security] })).toEqual(all.filter((change) => change.security?.code === one));
    expect(await changes({ typeList: [2, 5] })).toEqual(all.filter(({ type }) => type === 2 || type === 5));
    for (const [type, field] of [
      [1, 'publicTime'],
      [2, 'effectiveTime'],
      [3, 'endTime'],
    ] as const) {
      const filter = { type, beginTime: '2005-01-01', endTime: '2012-12-31 23:59:59' };
      expect(await changes({ timeFilterList: [filter] })).toEqual(
        all.filter((change) => change[field] >= '2005-01-01' && change[field] <= '2012-12-31'),
      );
    }
    expect(await changes({ timeFilterList: [{ type: 2, beginTime: '2010-01-01' }] })).toEqual(
      all.filter(({ effectiveTime }) => effectiveTime >= '2010-01-01'),
    );
    expect(await changes({ securityList: [security('US.AAPL')] })).toEqual([]);
  });

  it.each([
    [{ timeFilterList: [{ type: 9 }] }, 'time_filter_list[0].type: unknown 9'],
    [{ timeFilterList: [{ type: 1, beginTime: 'soon' }] }, 'time_filter_list[0].begin_time: expected a time as'],
    [
      { timeFilterList: [{ type: 1, beginTime: '2020-01-02', endTime: '2020-01-01' }] },
      'time_filter_list[0]: begin_time is after end_time',
    ],
  ])('refuses %j', async (request, message) => {
    expect(await simulated.refusal(metadata.getCodeChange, request)).toContain(message);
  });
});
