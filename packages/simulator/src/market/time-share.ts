import { type Decimal, divide } from '@svc-gateway/contract/decimal';
import type { Calendar } from '../world/calendar.js';
import type { Instrument } from '../world/instrument.js';
import type { Bar } from './market.js';
import type { Market } from './simulated-market.js';

const MINUTE = 60_000;

/** One minute of the intraday chart (protocol: TimeShare). */
export interface TimeSharePoint {
  /** Start of the minute, epoch ms. */
  readonly time: number;
  /** Price at the minute's end (or now): of a minute without a trade, the last one before. */
  readonly price: Decimal;
  readonly previousClose: Decimal;
  /** Turnover ÷ volume (÷ multiplier for futures) of the day so far; the price while nothing has traded. */
  readonly averagePrice: Decimal;
  /** Volume of this minute alone. */
  readonly volume: bigint;
  readonly turnover: Decimal;
}

/** The minutes of the current trading day's regular hours up to now, oldest first, those without a trade included. */
export function timeShare(market: Market, calendar: Calendar, instrument: Instrument, now: number): readonly TimeSharePoint[] {
  const { tradingDay, previousClose } = market.quote(instrument);
  const sessions = calendar.sessions(tradingDay).filter(({ kind }) => kind === 'regular');
  const from = sessions[0]?.start;
  if (from === undefined) return [];
  const bars = new Map<number, Bar>(market.bars(instrument, { unit: 'minute', count: 1 }, { from }).map((bar) => [bar.start, bar]));
  const points: TimeSharePoint[] = [];
  let price = previousClose;
  let [volume, turnover] = [0n, 0n];
  for (const session of sessions) {
    for (let time = session.start; time < session.end && time <= now; time += MINUTE) {
      const bar = bars.get(time);
      price = bar?.close ?? price;
      volume += bar?.volume ?? 0n;
      turnover += bar?.turnover ?? 0n;
      const averagePrice = volume === 0n ? price : divide(turnover, volume * instrument.multiplier);
      points.push({ time, price, previousClose, averagePrice, volume: bar?.volume ?? 0n, turnover: bar?.turnover ?? 0n });
    }
  }
  return points;
}
