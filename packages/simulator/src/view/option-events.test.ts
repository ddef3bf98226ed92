import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { type EventAlertItem, EventAlertItemSchema } from '@svc-gateway/contract/generated/Qot_GetOptionEventAlert_pb';
import { MemoryStore } from '@svc-gateway/storage';
import { beforeAll, describe, expect, it } from 'vitest';
import { security } from '../../../../test/support/sim-backend.js';
import { createSimulation, type RunningSimulation } from '../simulation.js';
import type { Option } from '../world/instrument.js';
import { asksFor, contractsFollowed, eventSentence, type OptionEvent, optionEventOf } from './option-events.js';

let simulation: RunningSimulation;
let event: OptionEvent;
beforeAll(() => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 16));
  simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'open' });
  event = {
    option: simulation.world.instrument('US.AAPL261218C300000') as Option,
    underlying: simulation.world.instrument('US.AAPL')!,
    tick: { sequence: 1n, time: clock.now(), price: 4_550_000_000n, volume: 150n, turnover: 68_250_000_000_000n, direction: 1 },
    impliedVolatility: 30,
  };
});

const alert = (fields: object): EventAlertItem => create(EventAlertItemSchema, fields as never);
const boundary = (value: number, includes: boolean) => ({ value, includes });
const asked = (fields: object) => asksFor(simulation, alert(fields), event);

describe('an alert', () => {
  it.each([
    ['priceRange', 4.55],
    ['sizeRange', 150],
    ['premiumRange', 68_250],
    ['ivRange', 30],
    ['expiryDaysRange', 28],
  ])('takes %s with its ends, or without', (field, value) => {
    const range = (least: object | undefined, most: object | undefined) => asked({ [field]: { filterMin: least, filterMax: most } });
    expect([range(boundary(value, true), undefined), range(boundary(value, false), undefined)]).toEqual([true, false]);
    expect([range(undefined, boundary(value, true)), range(undefined, boundary(value, false))]).toEqual([true, false]);
    expect([range(boundary(value - 1, true), boundary(value + 1, true)), range(boundary(value + 1, true), undefined)]).toEqual([
      true,
      false,
    ]);
    expect(range(undefined, boundary(value - 1, true))).toBe(false);
  });

  it('takes types, sides and kinds of orders, all where it names none', () => {
    expect(asked({})).toBe(true);
    expect([asked({ optionType: 1 }), asked({ optionType: 2 })]).toEqual([true, false]);
    expect([asked({ sideTypeList: [1, 3] }), asked({ sideTypeList: [2] })]).toEqual([true, false]);
    expect([asked({ orderTypeList: [0, 1] }), asked({ orderTypeList: [1, 2, 4] })]).toEqual([true, false]);
  });

  it('takes the market value of companies, and days of their results', () => {
    const worth = (value: number) => ({ marketCapRange: { filterMin: boundary(value, true) } });
    expect([asked(worth(1)), asked(worth(1e18))]).toEqual([true, false]);
    const between = (earningsDateBegin: string, earningsDateEnd: string) => asked({ earningsDateBegin, earningsDateEnd });
    expect([between('2026-11-20', '2027-11-20'), between('2026-11-21', '2026-11-21')]).toEqual([true, false]);
  });
});

it('a trade is unusual from 50 contracts and a hundredth of those open on', () => {
  const { open } = simulation.market.valuation(event.option);
  const of = (volume: number) => optionEventOf(simulation, event.option, { ...event.tick, volume: BigInt(volume) });
  const least = Math.max(50, Math.ceil(open / 100));
  expect([of(least)?.underlying.symbol, of(least - 1)]).toEqual(['US.AAPL', undefined]);
  expect(eventSentence(event)).toBe('AAPL 2026-12-18 300 call: 150 contracts bought at 4.55, 68250 USD');
});

it('contracts near the price are followed, of a few underlyings of a market', () => {
  const [apple = []] = [...contractsFollowed(simulation, alert({ underlying: security('US.AAPL') }))];
  expect(apple).toHaveLength(8);
  const far = { underlying: security('US.AAPL'), optionType: 2, expiryDaysRange: { filterMin: boundary(20, true) } };
  const [puts = []] = [...contractsFollowed(simulation, alert(far))];
  expect(puts.map(({ option }) => [option.right, option.expiry >= '2026-12-10'])).toEqual(Array(4).fill(['put', true]));
  const market = [...contractsFollowed(simulation, alert({ optionMarket: 4 }))];
  expect(market.length).toBeGreaterThan(0);
  expect(market.flat().every(({ option }) => option.underlying.startsWith('HK.'))).toBe(true);
  expect([...contractsFollowed(simulation, alert({ optionMarket: 1 }))]).toHaveLength(10);
});
