/**
 * The matching engine alone: a stream of limit orders of callers, at random prices around the middle, in one instrument with a deep book. Each takes
 * what it meets by price and time; what is left rests, and a third of those that rest are withdrawn later. The market behind it shows and trades nothing of its own, and nothing is kept on disk.
 *
 *   node bench/matching.mjs [rounds]
 */
import { ManualClock } from '@svc-gateway/contract/clock';
import { createWorld } from '@svc-gateway/simulator/world';
import { Exchange } from '../packages/simulator/dist/exchange/index.js';
import { number, report } from './lib/report.mjs';
import { median, spread } from './lib/statistics.mjs';

const RATE_MIN = 300_000;
const ORDERS = 100_000;
const CENTRE = 600_000_000_000n;
const TICK = 200_000_000n;
/** Ticks to either side. */
const WIDE = 25;
const rounds = Number(process.argv[2] ?? 15);

const clock = new ManualClock(Date.UTC(2026, 10, 20, 2));
const world = createWorld({ clock, calendarMode: 'open', generatedInstruments: 0, seed: 1 });
const instrument = world.instrument('HK.00700');

/** Without flow of its own. */
function silentMarket() {
  let last;
  let sequence = 0n;
  return {
    book: () => ({ bids: [], asks: [] }),
    take: () => [],
    volumeAt: () => 0n,
    show: () => undefined,
    print(_, price, volume, direction) {
      last = { sequence: ++sequence, time: clock.now(), price, volume, turnover: price * volume, direction };
    },
    ticks: () => [last],
    onEvent: () => () => undefined,
    watch: () => undefined,
    unwatch: () => undefined,
  };
}

/** The same numbers every run. */
function randoms(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = randoms(1);
const orders = Array.from({ length: ORDERS }, (_, index) => ({
  id: BigInt(index + 1),
  side: random() < 0.5 ? 'buy' : 'sell',
  limit: CENTRE + BigInt(Math.floor(random() * (2 * WIDE + 1)) - WIDE) * TICK,
  volume: BigInt(1 + Math.floor(random() * 10)) * 100n,
  extendedHours: false,
  withdrawn: random() < 1 / 3,
}));

function round() {
  const exchange = new Exchange(clock, silentMarket(), (name) => world.calendar(name), {
    matched: () => undefined,
    ticked: () => undefined,
    mayTrade: () => true,
    comboTraded: () => undefined,
  });
  let matches = 0;
  const resting = [];
  const started = process.cpuUsage();
  for (const order of orders) {
    const arrival = exchange.arrive(instrument, order, 'rest');
    matches += arrival.matches.length;
    if (arrival.resting && order.withdrawn) resting.push(order.id);
    if (resting.length > 1_000) exchange.withdraw(instrument, resting.shift());
  }
  const { user, system } = process.cpuUsage(started);
  exchange.close();
  return { rate: (ORDERS * 1_000_000) / (user + system), matches };
}

for (let warm = 0; warm < 3; warm++) round();
const results = Array.from({ length: rounds }, round);
const rates = results.map(({ rate }) => rate);
report([
  {
    name: `limit orders of one instrument, matched by price and time (${number(results[0].matches)} matches of ${number(ORDERS)} orders)`,
    value: `${number(median(rates))} orders/s of processor time`,
    score: median(rates),
    spread: `${spread(rates, 0)} orders/s`,
    floor: `≥ ${number(RATE_MIN)}/s on one core`,
    pass: median(rates) >= RATE_MIN,
  },
]);
