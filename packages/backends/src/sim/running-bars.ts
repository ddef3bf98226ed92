import { type Decimal, greater, lesser } from '@svc-gateway/contract/decimal';
import { adjustedPrice, type Bar, type BarPeriod, FACTOR_ONE, type PriceAdjustment, type Tick } from '@svc-gateway/simulator/market';
import { EMITTED_TICKS_MAX } from '@svc-gateway/simulator/market/live-events';
import { inTurns } from '@svc-gateway/simulator/pace';
import { type Hours, inHours, isRegular } from '@svc-gateway/simulator/view/bars';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import type { Listing } from '@svc-gateway/simulator/view/listings';

/** Bars read, and pushed, at once: the running one, and the final form of the one before. */
export const PUSHED_BARS_MAX = 2;

/**
 * The running bar of a stream, carried on from trade to trade: reading it from the market at every trade would cost the
 * more, the longer the bar. It is read anew when a trade opens the next bar.
 */
export class RunningBars {
  #bar: Bar | undefined;
  /** Adjustment factor of the trading day in which the bar was read: the next day's prices, and earlier ones, may be adjusted otherwise. */
  #factor = FACTOR_ONE;
  #tradingDay = '';
  /** Sequence of the newest trade in the bar: a read bar may be ahead of the events. */
  #sequence = 0n;

  constructor(
    private readonly facts: Facts<'world' | 'market'>,
    private readonly listing: Listing,
    private readonly period: BarPeriod,
    private readonly hours: Hours,
    private readonly adjustment: PriceAdjustment,
  ) {
    this.#read(1);
  }

  /** The bar as of now; none outside the stream's hours. */
  newest(): readonly Bar[] {
    return this.#wanted(this.facts.market.bars(this.listing.instrument, this.period, { limit: 1 }, this.adjustment));
  }

  /** The bars that new trades changed: the running one, after the final form of the one before it when they opened a new one. */
  changedBy(ticks: readonly Tick[]): readonly Bar[] {
    const before = this.#bar;
    const counted = this.#counted(ticks);
    if (counted.length === 0) return [];
    const fresh = this.#fresh(counted);
    const last = fresh.at(-1);
    if (before === undefined || this.#isToRead(ticks, last)) {
      return this.#wanted(this.#read(PUSHED_BARS_MAX).filter((bar) => before === undefined || bar.start >= before.start));
    }
    if (last !== undefined) {
      this.#sequence = last.sequence;
      this.#bar = fresh.reduce((bar, tick) => withTick(bar, tick, adjustedPrice(tick.price, this.#factor)), before);
    }
    return this.#bar === undefined ? [] : this.#wanted([this.#bar]);
  }

  /**
   * Works out in turns what {@link RunningBars.changedBy} takes long for: bars of a plate are made of what all its members traded. Undefined where there is nothing to
   * wait for.
   */
  prepare(ticks: readonly Tick[]): Promise<unknown> | undefined {
    const { instrument } = this.listing;
    if (instrument.kind !== 'plate' || !this.#isToRead(ticks, this.#fresh(this.#counted(ticks)).at(-1))) return undefined;
    const preparing = inTurns(this.facts.market.barsInTurns(instrument, this.period, { limit: PUSHED_BARS_MAX }));
    return preparing instanceof Promise ? preparing : undefined;
  }

  /** Bars of days and longer are of regular trading. */
  #counted(ticks: readonly Tick[]): readonly Tick[] {
    return this.period.unit === 'minute' ? ticks : ticks.filter((tick) => isRegular(this.facts, this.listing, tick.time));
  }

  #fresh(ticks: readonly Tick[]): readonly Tick[] {
    return ticks.filter((tick) => tick.sequence > this.#sequence);
  }

  /** Whether the bar cannot be carried on: another one has begun, or trades are missing. */
  #isToRead(ticks: readonly Tick[], last: Tick | undefined): boolean {
    if (this.#bar === undefined || ticks.length >= EMITTED_TICKS_MAX) return true;
    return last !== undefined && this.#isBeyond(this.#bar, last);
  }

  /** Whether a trade is of the next bar, or of another day than the one that the bar was adjusted for. */
  #isBeyond(bar: Bar, tick: Tick): boolean {
    if (tick.time >= bar.end) return true;
    if (this.adjustment === 'none' || this.period.unit === 'minute') return false;
    return this.facts.market.quote(this.listing.instrument).tradingDay !== this.#tradingDay;
  }

  #read(limit: number): readonly Bar[] {
    const { market } = this.facts;
    const { instrument } = this.listing;
    const bars = market.bars(instrument, this.period, { limit }, this.adjustment);
    this.#bar = bars.at(-1);
    this.#factor = market.adjustmentFactor(instrument, this.adjustment);
    this.#tradingDay = market.quote(instrument).tradingDay;
    this.#sequence = market.ticks(this.listing.instrument, 1).at(-1)?.sequence ?? 0n;
    return bars;
  }

  #wanted(bars: readonly Bar[]): readonly Bar[] {
    return bars.filter((bar) => inHours(this.facts, this.listing, this.period, bar, this.hours));
  }
}

function withTick(bar: Bar, tick: Tick, price: Decimal): Bar {
  return {
    ...bar,
    high: greater(price, bar.high),
    low: lesser(price, bar.low),
    close: price,
    volume: bar.volume + tick.volume,
    turnover: bar.turnover + tick.turnover,
  };
}
