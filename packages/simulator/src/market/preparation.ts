import type { Clock } from '@svc-gateway/contract/clock';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument, PlateIndex } from '../world/instrument.js';
import { daysOfBars } from './bars.js';
import type { BarPeriod } from './market.js';
import type { Tape } from './tape.js';
import type { Views } from './views.js';

/** More than there are plates. */
const CACHED_PLATES = 1_000;

/** Works out what first looks take long for, ready to pause: see `Market.prepare` and `Market.prepareBars`. */
export class Preparation {
  /** The day (from 1970-01-01) for which a plate has been worked out. */
  readonly #prepared = new LruCache<string, { day: number | undefined }>(CACHED_PLATES);

  constructor(
    private readonly clock: Clock,
    private readonly tape: Tape,
    private readonly views: Views,
  ) {}

  *firstLook(instrument: Instrument): Generator<void, void> {
    if (instrument.kind === 'plate') {
      yield* this.#plate(instrument);
      return;
    }
    if (this.views.isKnown(instrument)) return;
    const { background } = this.tape;
    const day = this.tape.days(instrument).at(this.views.now(instrument));
    background.profile(instrument);
    yield;
    background.day(instrument, day);
    yield;
    this.views.of(instrument);
  }

  *#plate(plate: PlateIndex): Generator<void, void> {
    const prepared = this.#prepared.get(plate.symbol, () => ({ day: undefined }));
    if (prepared.day === this.#today(plate)) return;
    yield* this.#forToday(plate, () => this.tape.plates.prepare(plate, this.clock.now()));
    prepared.day = this.#today(plate);
  }

  *bars(instrument: Instrument, period: BarPeriod, range: { from?: number; to?: number; limit?: number }): Generator<void, void> {
    if (instrument.kind !== 'plate') return;
    yield* this.#forToday(instrument, () => this.#bars(instrument, period, range));
  }

  *#bars(plate: PlateIndex, period: BarPeriod, range: { from?: number; to?: number; limit?: number }): Generator<void, void> {
    const now = this.views.now(plate);
    for (const day of daysOfBars(this.tape, plate, period, { ...range, to: range.to ?? now + 1 }, now)) {
      yield* this.tape.plates.prepareBars(plate, day, period.unit === 'minute');
    }
  }

  /** Work that pauses, for the trading day that it is: once more where another began before it was done. */
  *#forToday(instrument: Instrument, work: () => Generator<void, void>): Generator<void, void> {
    let day: number;
    do {
      day = this.#today(instrument);
      yield* work();
    } while (this.#today(instrument) !== day);
  }

  /** The number of the trading day that it is. */
  #today(instrument: Instrument): number {
    return this.tape.days(instrument).at(this.clock.now()).number;
  }
}
