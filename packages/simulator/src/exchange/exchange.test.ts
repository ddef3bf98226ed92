import { ManualClock } from '@svc-gateway/contract/clock';
import { type Decimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { describe, expect, it, vi } from 'vitest';
import { ScriptedMarket } from '../../../../test/support/scripted-market.js';
import type { Tick } from '../market/index.js';
import { createWorld } from '../world/index.js';
import type { Match } from './caller-book.js';
import { Exchange } from './exchange.js';
import type { Side } from './price-levels.js';

const world = createWorld({ clock: new ManualClock(Date.UTC(2026, 10, 20, 2)), calendarMode: 'open', generatedInstruments: 0, seed: 1 });
const tencent = world.instrument('HK.00700')!;
const hsbc = world.instrument('HK.00005')!;
const p = (text: string): Decimal => parseDecimal(text)!;

function setUp() {
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 2));
  const market = new ScriptedMarket(clock);
  const matches: Match[] = [];
  const ticks: Tick[] = [];
  const exchange = new Exchange(clock, market, (name) => world.calendar(name), {
    matched: (_, matching) => matches.push(...matching.matches),
    ticked: (_, told) => ticks.push(...told),
    mayTrade: () => true,
    comboTraded: () => undefined,
  });
  let id = 0n;
  const send = (side: Side, price: string, volume: bigint, instrument = tencent) => {
    id += 1n;
    clock.advance(1);
    return { id, ...exchange.arrive(instrument, { id, side, limit: p(price), volume, extendedHours: true }, 'rest') };
  };
  return { clock, market, exchange, matches, ticks, send };
}

describe('the exchange', () => {
  it('does not take the trades of callers for trades of the flow', () => {
    const { clock, market, matches, ticks, send } = setUp();
    const seller = send('sell', '600', 300n);
    const buyer = send('buy', '600', 100n);
    expect(buyer.matches).toHaveLength(2);
    clock.advance(10);
    expect(ticks).toHaveLength(1);
    expect(matches).toEqual([]);
    market.trade(tencent, p('600'), 100n, 1);
    clock.advance(10);
    expect(matches).toEqual([{ orderId: seller.id, price: p('600'), volume: 100n }]);
  });

  it('listens to an instrument only as long as an order rests there or somebody watches', () => {
    const { clock, market, exchange, send } = setUp();
    const first = send('buy', '600', 100n);
    const second = send('buy', '599', 100n);
    exchange.watch(tencent);
    expect(exchange.withdraw(tencent, first.id)).toBe(true);
    clock.advance(1);
    market.trade(tencent, p('598'), 500n, -1);
    clock.advance(10);
    expect(exchange.withdraw(tencent, second.id)).toBe(false);
    expect(market.isWatched(tencent)).toBe(true);
    exchange.unwatch(tencent);
    expect(market.isWatched(tencent)).toBe(false);
  });

  it('asks nothing of other instruments when one trades, however many orders rest in them', () => {
    const { clock, market, send } = setUp();
    for (let i = 0; i < 10_000; i += 1) send('buy', String(500 - (i % 100)), 100n);
    send('buy', '60', 100n, hsbc);
    clock.advance(10);
    const take = vi.spyOn(market, 'take');
    const volumeAt = vi.spyOn(market, 'volumeAt');
    for (let i = 0; i < 100; i += 1) {
      market.trade(hsbc, p('61'), 400n, 1);
      clock.advance(10);
    }
    expect(take).toHaveBeenCalled();
    for (const [instrument] of [...take.mock.calls, ...volumeAt.mock.calls]) expect(instrument).toBe(hsbc);
  });

  it('asks only for the best level of the instrument that trades', () => {
    const { clock, market, send } = setUp();
    for (let i = 0; i < 1_000; i += 1) send('buy', String(500 - (i % 100)), 100n);
    clock.advance(10);
    const take = vi.spyOn(market, 'take');
    market.trade(tencent, p('600'), 400n, 1);
    clock.advance(10);
    expect(take).toHaveBeenCalledTimes(1);
  });

  describe('triggers nothing by a trade far from the quotes', () => {
    const quoted = (market: ScriptedMarket, bid: string, ask: string) => market.setBook(tencent, [[p(bid), 100n]], [[p(ask), 100n]]);
    const watched = () => {
      const it = setUp();
      quoted(it.market, '600', '600.5');
      it.exchange.watch(tencent);
      it.clock.advance(10);
      const trade = (price: string) => {
        it.market.trade(tencent, p(price), 100n, -1);
        it.clock.advance(10);
      };
      return { ...it, trade, told: () => it.ticks.map(({ price }) => price) };
    };

    it.each(['500', '581', '620', '700'])('at %s', (price) => {
      const { clock, market, trade, told } = watched();
      trade(price);
      clock.advance(1_001);
      quoted(market, price, '701');
      clock.advance(10);
      expect(told()).toEqual([]);
      trade(price);
      expect(told()).toEqual([p(price)]);
    });

    it.each(['582', '600', '618'])('but by one within three percent of them, at %s', (price) => {
      const { trade, told } = watched();
      trade(price);
      expect(told()).toEqual([p(price)]);
    });

    it('unless a second one lies there within a second', () => {
      const { clock, trade, told } = watched();
      trade('500');
      clock.advance(900);
      trade('510');
      expect(told()).toEqual([p('510')]);
      trade('700');
      expect(told()).toEqual([p('510')]);
    });

    it('unless the quotes move there within a second', () => {
      const { clock, market, trade, told } = watched();
      trade('500');
      clock.advance(900);
      quoted(market, '499', '501');
      clock.advance(10);
      expect(told()).toEqual([p('500')]);
    });
  });

  it('leaves nothing behind when it closes', () => {
    const { clock, market, exchange, matches, send } = setUp();
    send('buy', '600', 100n);
    exchange.close();
    expect(market.isWatched(tencent)).toBe(false);
    market.trade(tencent, p('590'), 500n, -1);
    clock.advance(10);
    expect(matches).toEqual([]);
  });
});
