import { type Anchor, chainPrice } from '../rng/price-chain.js';
import type { Instrument } from '../world/instrument.js';
import { compound, REFERENCE_DAY, yearsTo } from './growth.js';
import { RIGHTS_DISCOUNT, type ShareEvent } from './share-events.js';

const DAYS_PER_YEAR = 365;

/** Market value of a company, day by day: the one path behind the prices of all its listings. */
export class PricePath {
  readonly #daily: number;

  constructor(
    private readonly key: number,
    home: Instrument,
    /** Yearly, of one share. */
    private readonly growth: number,
    private readonly events: readonly (ShareEvent & { readonly ex: number })[],
    private readonly known: (instrument: Instrument) => Anchor | undefined,
  ) {
    this.#daily = home.volatility / Math.sqrt(DAYS_PER_YEAR);
  }

  /** Price of a listing at the end of a day, in unrounded billionths, without the dividend that the next ex-day takes off. */
  at(instrument: Instrument, day: number): number {
    const known = this.known(instrument);
    const price = chainPrice(this.key, day, this.#daily, known ?? { price: Number(instrument.referencePrice) }) * this.levelOn(day);
    return known === undefined ? price : price / this.levelOn(known.number);
  }

  /** Price level from growth and share events, against the reference day. */
  levelOn(day: number): number {
    return compound(this.growth, yearsTo(day)) * this.eventLevel(day);
  }

  /** Price level from share events alone. */
  eventLevel(day: number): number {
    let level = 1;
    for (const event of this.events) {
      if (event.ex > REFERENCE_DAY && event.ex <= day) level /= priceFactor(event);
      if (event.ex <= REFERENCE_DAY && event.ex > day) level *= priceFactor(event);
    }
    return level;
  }
}

/** The price before a share event over the one that follows from it. */
function priceFactor({ kind, becomes, from }: ShareEvent): number {
  const ratio = becomes / from;
  return kind === 'rights' ? ratio / (1 + RIGHTS_DISCOUNT * (ratio - 1)) : ratio;
}
