import type * as UpdateOptionEvent from '@svc-gateway/contract/generated/Qot_UpdateOptionEvent_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { derivatives, userState } from '@svc-gateway/contract/operations';
import { afterEach, expect, test, vi } from 'vitest';
import { type Fixture, payload, security, startFixture } from '../../../../test/support/sim-backend.js';

let fixture: Fixture;
afterEach(() => fixture.backend.stop());

const AAPL = security('US.AAPL');
const Op = { add: 1, enable: 4, disable: 5, deleteAll: 6 };

async function set(operType: number, ...alertList: object[]): Promise<void> {
  await payload(fixture.backend, userState.setOptionEventAlert, { operType, alertList });
}

/** Lets the contracts be looked for, a turn each. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function told(): UpdateOptionEvent.S2C[] {
  return fixture.pushes.flatMap((push) => (push.protoId === 3310 ? [(push.message as UpdateOptionEvent.Response).s2c!] : []));
}

/** Until something is told, for at most so many hours. */
async function pass(hours: number): Promise<void> {
  for (let step = 0; step < hours * 12 && told().length === 0; step++) {
    fixture.clock.advance(300_000);
    await settled();
  }
}

const SENTENCE = /^AAPL (\S+) (\S+) (call|put): (\d+) contracts (bought|sold|traded) at (\S+), (\S+) USD \(big\)$/;
const soon = { underlying: AAPL, expiryDaysRange: { filterMin: { value: 20, includes: true } } };

test('an unusual trade is told with the figures of the tape, once, whatever the number of alerts', async () => {
  fixture = await startFixture();
  const { backend, simulation } = fixture;
  await set(Op.add, { ...soon, note: 'big' }, { ...soon, note: 'big' }, { ...soon, note: 'big', sideTypeList: [1, 2, 3] });
  // Nothing is as large as this.
  await set(Op.add, { ...soon, note: 'never', sizeRange: { filterMin: { value: 1e9, includes: true } } });
  await settled();
  await pass(24);
  const events = told();
  expect(events.length).toBeGreaterThan(0);
  expect(new Set(events.map(({ message }) => message)).size).toBe(events.length);
  for (const { owner, option, message } of events) {
    expect(symbolOf(owner!)).toBe('US.AAPL');
    const [, expiry = '', , right, volume, side, price, premium] = SENTENCE.exec(message) ?? [];
    expect(option!.code).toContain(`${expiry.slice(2).replaceAll('-', '')}${right === 'call' ? 'C' : 'P'}`);
    expect(Number(premium)).toBeCloseTo(Number(volume) * Number(price) * 100, 6);
    const direction = side === 'bought' ? 1 : side === 'sold' ? -1 : 0;
    const tape = simulation.market.ticks(simulation.world.instrument(symbolOf(option!)!)!, 100);
    const same = tape.filter((tick) => Number(tick.volume) === Number(volume) && Number(tick.price) / 1e9 === Number(price));
    expect(same.map((tick) => tick.direction)).toContain(direction);
    const multiLegs = [{ security: option, side: 1, qtyRatio: 1 }];
    const { optionQuoteList } = await payload(backend, derivatives.getOptionQuote, { multiLegs });
    expect(Number(volume) * 100).toBeGreaterThanOrEqual(optionQuoteList[0]!.openInterest);
  }
});

test('a disabled or deleted alert is silent, and watches nothing', async () => {
  fixture = await startFixture();
  const { market } = fixture.simulation;
  let watched = 0;
  const [watch, unwatch] = [market.watch.bind(market), market.unwatch.bind(market)];
  market.watch = (instrument) => {
    watched += 1;
    watch(instrument);
  };
  market.unwatch = (instrument) => {
    watched -= 1;
    unwatch(instrument);
  };
  await set(Op.add, soon);
  await vi.waitFor(() => expect(watched).toBe(8));
  const { alertList } = await payload(fixture.backend, userState.getOptionEventAlert, { count: 10 });
  await set(Op.disable, ...alertList);
  expect(watched).toBe(0);
  await set(Op.enable, ...alertList);
  await vi.waitFor(() => expect(watched).toBe(8));
  await set(Op.deleteAll);
  expect(watched).toBe(0);
  fixture.clock.advance(600_000);
  await settled();
  expect([watched, told()]).toEqual([0, []]);
});
