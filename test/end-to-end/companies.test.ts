import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

/** rehab_type. */
const [NONE, FORWARD, BACKWARD] = [0, 1, 2];
const [DAY, WEEK, MONTH] = [1, 2, 3];
const SYMBOLS = ['HK.00005', 'HK.00941', 'US.KO', 'US.AAPL', 'SH.600519', 'US.SPY', 'HK.02800'];

interface Line {
  readonly time: string;
  readonly open_price: number;
  readonly high_price: number;
  readonly low_price: number;
  readonly close_price: number;
  readonly last_close_price: number;
  readonly pe?: number;
  readonly turnover_rate: number;
  readonly volume: number;
}

// Saturdays: no market trades, so that two answers are of the same moment.
describe.each(['2016-11-19', '2026-11-21', '2036-11-22'])('companies seen from %s', (today) => {
  const daemon = TestDaemon.forAll({ flags: ['--sim-clock', `replay:${today}T12:00:00Z`] });

  const read = (path: string, body: object) => daemon.as().s2c(path, body);
  const bars = async (symbol: string, klType: number, rehabType: number): Promise<Line[]> => {
    const year = Number(today.slice(0, 4));
    const range = { begin_time: `${year - 1}${today.slice(4)}`, end_time: today };
    return (await read('/api/history-kline', { symbol, kl_type: klType, rehab_type: rehabType, ...range, max_count: 1000 })).kl_list;
  };
  const snapshot = async (symbol: string) => (await read('/api/snapshot', { symbols: [symbol] })).snapshot_list[0];

  it.each(SYMBOLS)('%s: the price falls on ex-days by what the snapshot says was paid', async (symbol) => {
    const raw = await bars(symbol, DAY, NONE);
    let paid = 0;
    let exDays = 0;
    for (const [i, { last_close_price: reference }] of raw.entries()) {
      const close = raw[i - 1]?.close_price ?? reference;
      if (close !== reference) exDays += 1;
      // No dividend is that large: a split, after which what was paid before counts for each of the new shares.
      if (reference < 0.75 * close) paid *= reference / close;
      else paid += close - reference;
    }
    const { equity_ex_data: equity, trust_ex_data: trust, basic } = await snapshot(symbol);
    const told = equity?.dividend_ttm ?? (trust.dividend_yield / 100) * basic.cur_price;
    // Reference prices are on the tick.
    expect(Math.abs(paid - told)).toBeLessThanOrEqual(exDays * basic.price_spread + 0.001 * told);
  });

  it.each(SYMBOLS)('%s: adjusted bars go on where the bar before ended, raw ones do but for ex-days', async (symbol) => {
    const raw = await bars(symbol, DAY, NONE);
    for (const rehabType of [FORWARD, BACKWARD]) {
      const adjusted = await bars(symbol, DAY, rehabType);
      expect(adjusted.length).toBe(raw.length);
      for (const [i, bar] of adjusted.entries()) {
        const traded = raw[i]!;
        const factor = bar.close_price / traded.close_price;
        for (const name of ['open_price', 'high_price', 'low_price', 'last_close_price'] as const) {
          expect(bar[name] / traded[name]).toBeCloseTo(factor, 4);
        }
        // Funds have none.
        expect(bar.pe ?? 0).toBeCloseTo(traded.pe ?? 0, 2);
        expect([bar.volume, bar.turnover_rate, bar.time]).toEqual([traded.volume, traded.turnover_rate, traded.time]);
        const before = adjusted[i - 1];
        if (before !== undefined) expect(bar.last_close_price).toBeCloseTo(before.close_price, 5);
      }
    }
    expect((await bars(symbol, DAY, FORWARD)).at(-1)).toEqual(raw.at(-1));
  });

  it('weeks and months are made of adjusted days', async () => {
    for (const klType of [WEEK, MONTH]) {
      const days = await bars('US.KO', DAY, FORWARD);
      const last = (await bars('US.KO', klType, FORWARD)).at(-1)!;
      const own = days.filter(({ time }) => time >= last.time);
      expect(last.open_price).toBe(own[0]!.open_price);
      expect(last.close_price).toBe(own.at(-1)!.close_price);
      expect(last.high_price).toBe(Math.max(...own.map(({ high_price }) => high_price)));
      expect(last.low_price).toBe(Math.min(...own.map(({ low_price }) => low_price)));
    }
  });

  it.each(SYMBOLS.slice(0, 5))('%s: figures per share are totals over shares, and ratios are over the price', async (symbol) => {
    const { basic, equity_ex_data: data } = await snapshot(symbol);
    const price = basic.cur_price;
    expect(data.earnings_pershare * data.issued_shares).toBeCloseTo(data.net_profit, -2);
    expect(data.net_asset_pershare * data.issued_shares).toBeCloseTo(data.net_asset, -2);
    expect(data.issued_market_val / (price * data.issued_shares)).toBeCloseTo(1, 9);
    expect(data.outstanding_market_val / (price * data.outstanding_shares)).toBeCloseTo(1, 9);
    expect(data.pe_rate).toBeCloseTo(price / data.earnings_pershare, 2);
    expect(data.pb_rate).toBeCloseTo(price / data.net_asset_pershare, 2);
    const running = (await bars(symbol, DAY, NONE)).at(-1)!;
    expect(running.pe).toBeCloseTo(data.pe_ttm_rate * (running.close_price / price), 2);
  });

  it('the price-earnings ratio of a bar is of the earnings known on its day', async () => {
    const lines = await bars('US.KO', DAY, NONE);
    const earnings = lines.map(({ close_price, pe }) => (close_price / (pe ?? 0)).toFixed(2));
    // Four reports a year, five where the year begins or ends between one and the next of the same season.
    const known = earnings.filter((one, i) => one !== earnings[i - 1]);
    expect(known.length).toBeGreaterThanOrEqual(4);
    expect(known.length).toBeLessThanOrEqual(16);
  });
});
