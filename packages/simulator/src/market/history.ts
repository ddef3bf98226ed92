import type { Decimal } from '@svc-gateway/contract/decimal';
import type { LoadedPrices } from '../companies/companies.js';
import type { Anchor } from '../rng/price-chain.js';
import type { Instrument } from '../world/instrument.js';
import { type Aggregate, merge, turnoverOf } from './aggregate.js';
import { firstIndex } from './prints.js';

/** One loaded bar. The files name no turnover: it is taken as volume × the mean of high, low and close. */
export interface LoadedBar {
  /** Days since 1970-01-01 of the trading day. */
  readonly day: number;
  /** Start of the minute, epoch ms; undefined for a day bar. */
  readonly minute?: number;
  /** A minute of extended hours: bars of a day and longer are of regular trading. */
  readonly extended?: boolean;
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  readonly volume: bigint;
}

/** The bars loaded for one instrument, by rising time: all of days, or all of minutes. */
export interface LoadedHistory {
  readonly instrument: Instrument;
  readonly bars: readonly LoadedBar[];
}

interface Loaded {
  readonly time: number;
  readonly totals: Aggregate;
}

/** The bars that stand in for one symbol's past. After its last day the generator goes on from its last close. */
export class History implements LoadedPrices {
  readonly #days: readonly { readonly number: number; readonly totals: Aggregate }[];
  readonly #minutes: readonly Loaded[];

  /** `bars`: at least one of regular trading, by rising time, all of days or all of minutes. */
  private constructor(instrument: Instrument, bars: readonly LoadedBar[]) {
    const days: { number: number; totals: Aggregate }[] = [];
    const minutes: Loaded[] = [];
    for (const [i, bar] of bars.entries()) {
      const typical = (bar.high + bar.low + bar.close) / 3n;
      const { open, high, low, close, volume } = bar;
      const turnover = turnoverOf(instrument, typical, volume);
      const totals: Aggregate = { firstSequence: i, lastSequence: i, open, high, low, close, volume, turnover };
      if (bar.minute !== undefined) minutes.push({ time: bar.minute, totals });
      if (bar.extended === true) continue;
      const last = days.at(-1);
      if (last?.number === bar.day) last.totals = merge(last.totals, totals) ?? totals;
      else days.push({ number: bar.day, totals });
    }
    this.#days = days;
    this.#minutes = minutes;
  }

  /** The history that `bars` make of the days before `today` (its number); undefined when there is none. */
  static of(instrument: Instrument, bars: readonly LoadedBar[], today: number): History | undefined {
    const past = bars.filter((bar) => bar.day < today);
    return past.some(({ extended }) => extended !== true) ? new History(instrument, past) : undefined;
  }

  get firstDay(): number {
    return this.#days[0]?.number ?? 0;
  }

  get lastDay(): number {
    return this.#days.at(-1)?.number ?? 0;
  }

  get anchor(): Anchor {
    return { number: this.lastDay, price: Number(this.#days.at(-1)?.totals.close ?? 0n) };
  }

  day(number: number): Aggregate | undefined {
    const found = this.#days[firstIndex(this.#days.length, (i) => (this.#days[i]?.number ?? Infinity) >= number)];
    return found?.number === number ? found.totals : undefined;
  }

  /** The last loaded day at or before `number`. */
  lastAt(number: number): Aggregate | undefined {
    return this.#days[firstIndex(this.#days.length, (i) => (this.#days[i]?.number ?? Infinity) > number) - 1]?.totals;
  }

  /** Totals of the loaded minutes in each [boundaries[i], boundaries[i + 1]). */
  slices(boundaries: readonly number[]): readonly (Aggregate | undefined)[] {
    const at = (time: number) => firstIndex(this.#minutes.length, (i) => (this.#minutes[i]?.time ?? Infinity) >= time);
    return boundaries.slice(1).map((end, i) => {
      let totals: Aggregate | undefined;
      for (const minute of this.#minutes.slice(at(boundaries[i] ?? end), at(end))) totals = merge(totals, minute.totals);
      return totals;
    });
  }
}

/** Selects the loaded bars that lie before a day: the past of each symbol. */
export function pastsOf(loaded: readonly LoadedHistory[], today: (instrument: Instrument) => number): ReadonlyMap<string, History> {
  const pasts = new Map<string, History>();
  for (const { instrument, bars } of loaded) {
    const past = History.of(instrument, bars, today(instrument));
    if (past !== undefined) pasts.set(instrument.symbol, past);
  }
  return pasts;
}
