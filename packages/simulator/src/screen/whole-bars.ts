import type { Bar } from '../market/market.js';

/** About a hundred megabytes. */
const BARS_MAX = 400_000;

/** Bars that will not change any more, by what they are of. When full, it starts anew: they can all be read again. */
export class WholeBars {
  readonly #bars = new Map<string, readonly Bar[]>();
  #count = 0;

  constructor(private readonly barsMax: number = BARS_MAX) {}

  of(name: string): readonly Bar[] | undefined {
    return this.#bars.get(name);
  }

  keep(name: string, bars: readonly Bar[]): void {
    const more = bars.length - (this.#bars.get(name)?.length ?? 0);
    if (this.#count + more > this.barsMax) {
      this.#bars.clear();
      this.#count = 0;
    }
    if (bars.length === 0 || bars.length > this.barsMax) return;
    this.#count += bars.length - (this.#bars.get(name)?.length ?? 0);
    this.#bars.set(name, bars);
  }
}
