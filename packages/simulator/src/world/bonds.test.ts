import { ManualClock } from '@svc-gateway/contract/clock';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { describe, expect, it } from 'vitest';
import {
  accruedInterest,
  cleanPrice,
  closingPrice,
  dailyDeviation,
  marketYield,
  nextCoupon,
  settlementOf,
  yieldToMaturity,
} from './bond-price.js';
import { createWorld } from './index.js';
import type { Bond } from './instrument.js';
import { governmentYield, riskFreeRate } from './risk-free-rate.js';

const worldAt = (time: string) =>
  createWorld({ clock: new ManualClock(Date.parse(time)), calendarMode: 'calendar', generatedInstruments: 0, seed: 'w' });
const world = worldAt('2026-11-20T02:00:00Z');
const bonds = world.listed({ kind: 'bond' }).filter((one) => one.kind === 'bond');
const bond = (symbol: string): Bond => {
  const found = world.instrument(symbol);
  if (found?.kind !== 'bond') throw new Error(`no bond ${symbol}`);
  return found;
};

describe('bonds', () => {
  it.each(['2016-03-01', '2026-11-20', '2036-08-18'])(
    'are listed on %s from their issue to the last business day before they are due',
    (day) => {
      const then = worldAt(`${day}T02:00:00Z`);
      const listed = then.listed({ kind: 'bond' }).filter((one) => one.kind === 'bond');
      expect(listed.length).toBeGreaterThan(30);
      for (const one of listed) {
        expect(one.listDate <= day && day <= one.lastTradingDay!, one.symbol).toBe(true);
        expect(one.lastTradingDay! < one.bond.maturity && one.listDate >= one.bond.issued).toBe(true);
        expect(then.instrument(one.symbol)).toBe(one);
      }
    },
  );

  it('are known by their codes after they have been paid back, and not before a programme began', () => {
    expect(world.instrument('US.UST10Y24')).toMatchObject({ kind: 'bond', bond: { issued: '2014-08-15', maturity: '2024-08-15' } });
    expect(world.state(bond('US.UST10Y24'))).toBe('over');
    for (const symbol of ['US.UST10Y19X', 'US.AAPL10Y21', 'US.AAPL10Y23', 'HK.04015', 'US.UST99', 'SH.UST10Y36']) {
      expect(world.instrument(symbol), symbol).toBeUndefined();
    }
  });

  it('are issued at their nominal or a little below, with a coupon of whole eighths', () => {
    for (const one of bonds) {
      expect(one.bond.coupon % 125_000_000n).toBe(0n);
      const issued = requireDay(one.bond.issued);
      const price = cleanPrice(one, marketYield(one, issued), issued);
      expect(price).toBeLessThan(100.01);
      expect(price).toBeGreaterThan(100 - 0.13 * Math.min(20, (requireDay(one.bond.maturity) - issued) / 365));
    }
  });
});

describe('the price of a bond', () => {
  const ust = bond('US.UST10Y36');

  it('is 100 at a yield of the coupon on a coupon day, falls with the yield, and is the nominal at the maturity', () => {
    const coupon = Number(ust.bond.coupon) / 1e11;
    const onCoupon = requireDay('2027-02-15');
    expect(cleanPrice(ust, coupon, onCoupon)).toBeCloseTo(100, 9);
    for (let yearly = 0; yearly < 0.2; yearly += 0.01) {
      expect(cleanPrice(ust, yearly + 0.01, onCoupon)).toBeLessThan(cleanPrice(ust, yearly, onCoupon));
    }
    expect(cleanPrice(ust, 0.1, requireDay(ust.bond.maturity))).toBe(100);
    expect(closingPrice(ust, requireDay(ust.lastTradingDay!))).toBeCloseTo(100, 1);
  });

  it('is what its payments are worth, discounted one by one', () => {
    const day = requireDay('2026-11-20');
    for (const one of bonds) {
      const yearly = marketYield(one, day);
      const coupon = Number(one.bond.coupon) / 2e9;
      // Every payment after the day, by the calendar.
      const payments: string[] = [];
      for (let at = nextCoupon(one, '2026-11-20'); at !== undefined; at = nextCoupon(one, at)) payments.push(at);
      expect(payments.at(-1)).toBe(one.bond.maturity);
      const next = requireDay(payments[0]!);
      const months = Number(payments[0]!.slice(5, 7));
      const lastCoupon = `${months > 6 ? payments[0]!.slice(0, 4) : Number(payments[0]!.slice(0, 4)) - 1}-${String(months > 6 ? months - 6 : months + 6).padStart(2, '0')}-15`;
      const period = next - requireDay(lastCoupon);
      const left = (next - day) / period;
      let worth = 0;
      for (const [i] of payments.entries()) worth += (coupon + (i === payments.length - 1 ? 100 : 0)) / (1 + yearly / 2) ** i;
      const dirty = worth / (1 + (left * yearly) / 2);
      expect(cleanPrice(one, yearly, day) + accruedInterest(one, day), one.symbol).toBeCloseTo(dirty, 9);
      expect(accruedInterest(one, day)).toBeCloseTo(coupon * (1 - left), 9);
    }
  });

  it('gives its yield back, over all its life', () => {
    for (const one of bonds) {
      for (let day = requireDay(one.listDate); day < requireDay(one.bond.maturity) - 1; day += 397) {
        const yearly = marketYield(one, day);
        const settled = settlementOf(day);
        expect(yieldToMaturity(one, cleanPrice(one, yearly, settled), settled)).toBeCloseTo(yearly, 9);
      }
    }
    expect(yieldToMaturity(ust, 100, requireDay(ust.bond.maturity))).toBeUndefined();
  });

  it('moves more the longer it runs', () => {
    const day = requireDay('2026-11-20');
    const [two, ten, thirty] = ['US.UST2Y28', 'US.UST10Y36', 'US.UST30Y55'].map((symbol) => dailyDeviation(bond(symbol), day));
    expect(two).toBeLessThan(ten!);
    expect(ten).toBeLessThan(thirty!);
  });

  it('accrues nothing on a coupon day, and a whole coupon up to the next', () => {
    const coupon = Number(ust.bond.coupon) / 2e9;
    expect(accruedInterest(ust, requireDay('2027-02-15'))).toBe(0);
    expect(accruedInterest(ust, requireDay('2027-08-14'))).toBeCloseTo(coupon * (180 / 181), 9);
    expect(nextCoupon(ust, '2027-02-15')).toBe('2027-08-15');
    expect(nextCoupon(ust, ust.bond.maturity)).toBeUndefined();
  });
});

it('the curve begins at the risk-free rate and stays positive', () => {
  for (let day = requireDay('1990-01-01'); day < requireDay('2060-01-01'); day += 211) {
    for (const area of ['hk', 'us', 'jp'] as const) {
      expect(governmentYield(day, 0, area) * 100).toBeCloseTo(Number(riskFreeRate(day, area)) / 1e9, 1);
      for (const years of [1, 2, 5, 10, 30]) expect(governmentYield(day, years, area), dayOfNumber(day)).toBeGreaterThan(0);
    }
  }
});
