import { ManualClock } from '@svc-gateway/contract/clock';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { MemoryStore } from '@svc-gateway/storage';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSimulation } from '../simulation.js';
import { finalSettlement } from '../world/final-settlement.js';
import { spotInstrument } from '../world/futures.js';
import type { CalendarMode, ListedSeries } from '../world/index.js';
import type { Future, Instrument, Option, Warrant } from '../world/instrument.js';
import { tickSize } from '../world/ticks.js';

const YEAR_MS = 365 * 86_400_000;
const days = fc.integer({ min: requireDay('2022-06-01'), max: requireDay('2028-12-01') }).map(dayOfNumber);
const seeds = fc.nat(1_000);
/** Moments, as a fraction of a session. */
const places = fc.double({ min: 0, max: 0.999, noNaN: true });
const waits = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 3 });
const draws = fc.infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true }));
const money = (decimal: bigint) => Number(decimal) / 1e9;

/** A world at a moment of a session of an instrument's day; undefined on days without trading. */
function at(symbol: string, day: string, place: number, seed: number, calendarMode: CalendarMode = 'calendar') {
  // Some of a day's sessions begin on the evening before.
  const clock = new ManualClock(Date.parse(day) - 2 * 86_400_000);
  const { world, market } = createSimulation({ clock, seed, calendarMode, store: new MemoryStore() });
  const instrument = world.instrument(symbol)!;
  const calendar = world.calendar(instrument);
  const session = calendar.isTradingDay(day) ? calendar.sessions(day).find(({ kind }) => kind === 'regular') : undefined;
  if (session === undefined) return undefined;
  clock.advance(Math.floor(session.start + (session.end - session.start) * place) - clock.now());
  return { clock, world, market, instrument };
}

type Place = NonNullable<ReturnType<typeof at>>;

/** Cost of buying a unit, proceeds of selling it, and its price step. */
interface Quote {
  readonly ask: number;
  readonly bid: number;
  readonly step: number;
}

function quoted({ market }: Place, instrument: Instrument): Quote {
  const { bids, asks } = market.book(instrument, 1);
  const ask = asks[0]?.price ?? 10n ** 18n;
  return { ask: money(ask), bid: money(bids[0]?.price ?? 0n), step: money(tickSize(instrument.tickTable, ask)) };
}

/** Fails where what is bought and sold costs less than it certainly pays: by more than a step. */
function costs(what: string, bought: readonly [number, Quote][], sold: readonly [number, Quote][], pays: number): void {
  const cost =
    bought.reduce((sum, [units, { ask }]) => sum + units * ask, 0) - sold.reduce((sum, [units, { bid }]) => sum + units * bid, 0);
  const step = Math.max(...[...bought, ...sold].map(([units, one]) => units * one.step));
  expect(cost, what).toBeGreaterThanOrEqual(pays - step);
}

/** One unit of each. */
const units = (...quotes: Quote[]): [number, Quote][] => quotes.map((one) => [1, one]);

const chosen = <T>(from: readonly T[], draw: Iterator<number>, count: number): T[] => {
  const places = new Set(Array.from({ length: count }, () => Math.floor(draw.next().value * from.length)));
  return [...places].sort((a, b) => a - b).flatMap((i) => from[i] ?? []);
};

interface Strike {
  readonly call: Option;
  readonly put: Option;
}

/** Options of one expiry among themselves. `owed`: what one at the expiry is worth now; `most`: what a unit of a strike is worth at most. */
function checkExpiry(place: Place, when: string, chain: readonly Strike[], { owed, most }: { owed: number; most: number }): void {
  const strikes = chain.map(({ call, put }) => ({ strike: money(call.option.strike), call: quoted(place, call), put: quoted(place, put) }));
  for (const [i, low] of strikes.entries()) {
    for (const [j, high] of strikes.entries()) {
      if (j <= i) continue;
      const width = high.strike - low.strike;
      const of = `${chain[i]!.call.symbol} ${chain[j]!.call.symbol} ${when}`;
      costs(`call vertical ${of}`, units(low.call), units(high.call), 0);
      costs(`put vertical ${of}`, units(high.put), units(low.put), 0);
      costs(`call vertical sold ${of}`, units(high.call), units(low.call), -width * most);
      costs(`put vertical sold ${of}`, units(low.put), units(high.put), -width * most);
      costs(`box ${of}`, units(low.call, high.put), units(high.call, low.put), width * owed);
      for (const middle of strikes.slice(i + 1, j)) {
        const weight = (high.strike - middle.strike) / width;
        for (const right of ['call', 'put'] as const) {
          const wings: [number, Quote][] = [
            [weight, low[right]],
            [1 - weight, high[right]],
          ];
          costs(`${right} butterfly ${of} ${middle.strike}`, wings, [[1, middle[right]]], 0);
        }
      }
    }
  }
}

/** The moments of a property, as its failures name them, while the place's instrument trades. */
function* moments({ clock, world, instrument }: Place, seed: number, later: readonly number[]): Generator<string, void> {
  for (const wait of [0, ...later]) {
    clock.advance(wait);
    if (world.calendar(instrument).sessionAt(clock.now())?.kind === 'regular') yield `${new Date(clock.now()).toISOString()}, seed ${seed}`;
  }
}

/** The dated contracts that follow a spot price. */
const isOn =
  (spot: Instrument) =>
  (one: Instrument): one is Future =>
    one.kind === 'future' && one.future.month !== undefined && spotInstrument(one.future.product) === spot;

/** Some strikes of an expiry, each as a call and a put; those that a split has made to deliver more shares are of another unit. */
function strikesOf({ market, world, instrument }: Place, series: ListedSeries, draw: Iterator<number>): readonly Strike[] {
  const last = money(market.quote(instrument).last);
  const options = world.optionChain(instrument, series).filter((one) => Math.abs(market.valuation(one).outlook.spot / last - 1) < 0.1);
  const calls = chosen(
    options.filter(({ option }) => option.right === 'call'),
    draw,
    5,
  );
  return calls.map((call) => ({
    call,
    put: options.find(({ option }) => option.right === 'put' && option.strike === call.option.strike)!,
  }));
}

const runs = { numRuns: 12 };

describe('nobody gains without risk', () => {
  beforeEach(() => expect.hasAssertions());

  it.each(['US.AAPL', 'US.SPY', 'US.KO', 'US.PLTR', 'HK.00700', 'HK.00941'])('from options on %s and its shares', (symbol) => {
    fc.assert(
      fc.property(days, places, seeds, waits, draws, (day, part, seed, later, draw) => {
        const place = at(symbol, day, part, seed);
        if (place === undefined) return;
        const { market, world, instrument } = place;
        const chains = chosen(world.optionSeries(instrument), draw, 3).map((series) => strikesOf(place, series, draw));
        for (const when of moments(place, seed, later)) {
          const share = quoted(place, instrument);
          for (const chain of chains) {
            const [first] = chain;
            if (first === undefined) continue;
            const { rate, years, dividends } = market.valuation(first.call).outlook;
            const owed = Math.exp(-rate * years);
            const paid = dividends.reduce((sum, { cash }) => sum + cash, 0);
            checkExpiry(place, when, chain, { owed, most: 1 });
            for (const { call, put } of chain) {
              const [strike, ofCall, ofPut] = [money(call.option.strike), quoted(place, call), quoted(place, put)];
              const of = `${call.symbol} ${when}`;
              costs(`exercise of the call ${of}`, units(ofCall), units(share), -strike);
              costs(`exercise of the put ${of}`, units(ofPut, share), [], strike);
              costs(`conversion ${of}`, units(share, ofPut), units(ofCall), strike * owed);
              costs(`reversal ${of}`, units(ofCall), units(share, ofPut), -strike - paid);
              for (const later of chains) {
                const same = later.find((one) => one.call.option.strike === call.option.strike);
                if (same === undefined || same.call.option.expiry <= call.option.expiry) continue;
                costs(`calendar ${same.call.symbol} ${of}`, [[1, quoted(place, same.call)]], [[1, ofCall]], 0);
                costs(`calendar ${same.put.symbol} ${of}`, [[1, quoted(place, same.put)]], [[1, ofPut]], 0);
              }
            }
          }
        }
      }),
      runs,
    );
  });

  it.each(['US..SPX', 'HK.800000', 'HK.800100', 'HK.800700'])('from options on %s and its futures', (symbol) => {
    fc.assert(
      fc.property(days, places, seeds, waits, draws, (day, part, seed, later, draw) => {
        const place = at(symbol, day, part, seed);
        if (place === undefined) return;
        const { market, world, instrument } = place;
        const futures = world.listed({ market: instrument.market, kind: 'future' }).filter(isOn(instrument));
        const series = chosen(world.optionSeries(instrument), draw, 3);
        const chains = series.map((one) => strikesOf(place, one, draw));
        for (const when of moments(place, seed, later)) {
          for (const chain of chains) {
            const [first] = chain;
            if (first === undefined) continue;
            const { rate, years } = market.valuation(first.call).outlook;
            const owed = Math.exp(-rate * years);
            checkExpiry(place, when, chain, { owed, most: owed });
            // On the last day the future's settlement price is being fixed already, and the option's is not.
            for (const future of futures.filter(({ lastTradingDay: last }) => last === first.call.option.expiry && last > day)) {
              const { ask, bid, step } = quoted(place, future);
              const discounted = { ask: ask * owed, bid: bid * owed, step };
              for (const { call, put } of chain) {
                const [strike, ofCall, ofPut] = [money(call.option.strike) * owed, quoted(place, call), quoted(place, put)];
                const of = `${call.symbol} ${future.symbol} ${when}`;
                costs(`synthetic ${of}`, units(ofCall), units(ofPut, discounted), -strike);
                costs(`synthetic sold ${of}`, units(ofPut, discounted), units(ofCall), strike);
              }
            }
          }
        }
      }),
      runs,
    );
  });

  it.each(['HK.HSImain', 'HK.HHImain', 'US.ESmain', 'US.NQmain', 'JP.NK225main'])(
    'from the months and sizes of %s and their spot price',
    (symbol) => {
      fc.assert(
        fc.property(days, places, seeds, waits, (day, part, seed, later) => {
          const place = at(symbol, day, part, seed);
          if (place?.instrument.kind !== 'future') return;
          const { world, instrument, clock } = place;
          const spot = spotInstrument(place.instrument.future.product);
          const all = world.listed({ market: instrument.market, kind: 'future' }).filter(isOn(spot));
          for (const when of moments(place, seed, later)) {
            for (const one of all) {
              const ofOne = quoted(place, one);
              const isFixed = finalSettlement(one).moments.some((moment) => moment < clock.now());
              const isOpen = spot.kind === 'index' && world.calendar(spot).sessionAt(clock.now())?.kind === 'regular';
              if (isOpen && !isFixed) {
                const last = money(place.market.quote(spot).last);
                const ends = finalSettlement(one).moments.at(-1) ?? world.calendar(one).sessions(one.lastTradingDay!).at(-1)!.end;
                const carried = last * Math.exp((one.future.product.carry / 100) * (Math.max(0, ends - clock.now()) / YEAR_MS));
                expect(ofOne.bid, `${one.symbol} ${when}`).toBeLessThanOrEqual(carried + ofOne.step);
                expect(ofOne.ask, `${one.symbol} ${when}`).toBeGreaterThanOrEqual(carried - ofOne.step);
              }
              for (const other of all.filter((each) => each.lastTradingDay === one.lastTradingDay && each !== one)) {
                costs(`${one.symbol} ${other.symbol} ${when}`, [[1, ofOne]], [[1, quoted(place, other)]], 0);
              }
            }
          }
        }),
        runs,
      );
    },
  );

  it.each(['HK.800000', 'HK.00700'])('from warrants on %s', (symbol) => {
    fc.assert(
      fc.property(days, places, seeds, waits, draws, (day, part, seed, later, draw) => {
        const place = at(symbol, day, part, seed);
        if (place === undefined) return;
        const { market, world, instrument } = place;
        const listed = world.listed({ kind: 'warrant', underlying: symbol }).filter((one): one is Warrant => one.kind === 'warrant');
        const some = chosen(listed, draw, 20);
        for (const when of moments(place, seed, later)) {
          const last = money(market.quote(instrument).last);
          for (const one of some) {
            const { type, strike: exact, conversionRatio } = one.warrant;
            const { outlook } = market.valuation(one);
            if (market.isCalled(one) || Math.abs(outlook.spot / last - 1) > 0.1) continue;
            expect(outlook.spot / last, `${one.symbol} ${when}`).toBeCloseTo(1, 9);
            const [strike, owed] = [money(exact), Math.exp(-outlook.rate * outlook.years)];
            const { ask, bid, step } = quoted(place, one);
            const least = {
              call: (outlook.forward - strike) * owed,
              put: (strike - outlook.forward) * owed,
              bull: outlook.spot - strike,
              bear: strike - outlook.spot,
              inline: 0,
            }[type];
            expect(ask + step, `${one.symbol} ${when}`).toBeGreaterThanOrEqual(least / conversionRatio);
            if (type === 'inline') expect(bid).toBeLessThanOrEqual(1 / conversionRatio);
          }
        }
      }),
      runs,
    );
  });

  it('from pairs of currencies in a round', () => {
    fc.assert(
      fc.property(days, places, seeds, waits, fc.constantFrom('open', 'calendar'), (day, part, seed, later, mode) => {
        const place = at('FX.EURUSD', day, part, seed, mode);
        if (place === undefined) return;
        const pairs = new Map(place.world.instruments({ market: 'FX' }).map((pair) => [pair.code, pair]));
        for (const when of moments(place, seed, later)) {
          /** Proceeds in the second currency of one unit of the first. */
          const brings = (from: string, to: string): number | undefined => {
            const [direct, inverse] = [pairs.get(from + to), pairs.get(to + from)];
            return direct !== undefined ? quoted(place, direct).bid : inverse === undefined ? undefined : 1 / quoted(place, inverse).ask;
          };
          const currencies = [...new Set([...pairs.keys()].flatMap((code) => [code.slice(0, 3), code.slice(3)]))];
          for (const [a, b, c] of currencies.flatMap((x) => currencies.flatMap((y) => currencies.map((z) => [x, y, z] as const)))) {
            const [first, second, third] = [brings(a, b), brings(b, c), brings(c, a)];
            if (first === undefined || second === undefined || third === undefined) continue;
            expect(first * second * third, `${a} ${b} ${c} ${when}`).toBeLessThanOrEqual(1);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});
