import type { Decimal } from '@svc-gateway/contract/decimal';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import type { BackgroundDay } from './background-day.js';
import { RunningTotals } from './running-totals.js';
import type { TradingDay } from './trading-days.js';

interface Running {
  readonly day: BackgroundDay;
  readonly totals: RunningTotals;
}

/** Members of the largest plates of several markets, at a few kilobytes each. */
const CACHE_SIZE = 5_000;

/** Running totals of the background's trades in each member of a plate, counted on from one look to the next. */
export class MemberTrades {
  readonly #running = new LruCache<number, { running: Running | undefined }>(CACHE_SIZE);

  constructor(private readonly dayOf: (instrument: Instrument, day: TradingDay) => BackgroundDay) {}

  /**
   * Volume and turnover of a day's regular trading before a moment (epoch ms).
   *
   * @param index of the instrument's profile
   */
  upTo(member: Instrument, index: number, day: TradingDay, until: number): { readonly volume: bigint; readonly turnover: Decimal } {
    const known = this.#running.get(index, () => ({ running: undefined }));
    if (known.running?.day.day.number !== day.number) {
      const background = this.dayOf(member, day);
      known.running = { day: background, totals: new RunningTotals(background.tape, day.regular.start) };
    }
    const { lotSize, amountUnit } = known.running.day;
    const { lots, amount } = known.running.totals.at(Math.min(until, day.regular.end));
    return { volume: BigInt(lots) * BigInt(lotSize), turnover: BigInt(amount) * amountUnit };
  }
}
