import { beyondQuotes, CONFIRMED_WITHIN_MS } from '@svc-gateway/contract/doubtful-print';
import type { Instrument } from '../world/instrument.js';
import { tickSize } from '../world/ticks.js';
import type { Book, MarketEvent, Tick } from './market.js';

/**
 * Trades that may trigger something. One that lies beyond the quotes ({@link beyondQuotes}) counts once a second one lies there too, or the quotes have moved
 * to it, within a second; else it never does. Trades of before that second are told after a pause, and there are no quotes to judge them by.
 */
export class TrustedPrints {
  #doubtful: { readonly tick: Tick; readonly side: 1 | -1 } | undefined;
  #isLastDoubtful = false;

  /** @param book the best prices now */
  constructor(
    private readonly instrument: Instrument,
    private readonly book: () => Book,
  ) {}

  /** Whether the last trade is one that does not count. */
  get isLastDoubtful(): boolean {
    return this.#isLastDoubtful;
  }

  /** The trades that count from an event on. */
  after(event: MarketEvent, now: number): readonly Tick[] {
    return event.kind === 'tick' ? this.#traded(event.ticks, now) : this.#quoted(now);
  }

  #traded(ticks: readonly Tick[], now: number): readonly Tick[] {
    const counted: Tick[] = [];
    for (const tick of ticks) {
      const side = now - tick.time > CONFIRMED_WITHIN_MS ? 0 : this.#beyond(tick);
      const before = this.#doubtful;
      const isConfirmed = before?.side === side && tick.time - before.tick.time <= CONFIRMED_WITHIN_MS;
      this.#isLastDoubtful = side !== 0 && !isConfirmed;
      this.#doubtful = side === 0 ? undefined : { tick, side };
      if (!this.#isLastDoubtful) counted.push(tick);
    }
    return counted;
  }

  #quoted(now: number): readonly Tick[] {
    if (this.#doubtful === undefined || !this.#isLastDoubtful) return [];
    const { tick } = this.#doubtful;
    if (now - tick.time > CONFIRMED_WITHIN_MS || this.#beyond(tick) !== 0) return [];
    this.#doubtful = undefined;
    this.#isLastDoubtful = false;
    return [tick];
  }

  #beyond({ price }: Tick): 1 | -1 | 0 {
    const { bids, asks } = this.book();
    return beyondQuotes(price, { bid: bids[0]?.price, ask: asks[0]?.price }, tickSize(this.instrument.tickTable, price));
  }
}
