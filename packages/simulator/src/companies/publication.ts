import { quoteMarket } from '@svc-gateway/contract/markets';
import { DAY_MS, fromWall, localDayNumber } from '@svc-gateway/contract/time';
import type { Instrument } from '../world/instrument.js';
import type { NewsFact } from './news-facts.js';

/**
 * The one clock of publication. Minutes after midnight in the home market's zone: before trading begins for what is known from the day on, after
 * it for what the day brought. The tie-break of what happens on one day, too.
 */
const minuteOf: Readonly<Record<NewsFact['kind'], number>> = {
  results: 7 * 60,
  // With the report that restates them.
  restatement: 7 * 60,
  dividend: 7 * 60 + 5,
  shares: 7 * 60 + 10,
  executive: 7 * 60 + 30,
  rating: 7 * 60 + 45,
  listing: 8 * 60 + 30,
  resumption: 8 * 60 + 45,
  halt: 9 * 60 + 20,
  letter: 12 * 60 + 15,
  move: 20 * 60 + 30,
  delisting: 20 * 60 + 45,
};

const MINUTE_MS = 60_000;

/** When a fact of a day (counted from 1970-01-01) of the home market becomes known, epoch ms: what trading made of a price, when it is over. */
export function publicationTime(
  fact: Pick<NewsFact, 'kind'> | Extract<NewsFact, { kind: 'move' }>,
  { market }: Instrument,
  day: number,
): number {
  const time = fromWall(day * DAY_MS + minuteOf[fact.kind] * MINUTE_MS, quoteMarket(market).timeZone);
  return 'move' in fact ? Math.max(time, Math.ceil(fact.move.end / MINUTE_MS) * MINUTE_MS) : time;
}

/** The last day of the home market whose facts of a kind are out at a moment. */
export function lastPublicDay(kind: NewsFact['kind'], home: Instrument, now: number): number {
  const today = localDayNumber(now, quoteMarket(home.market).timeZone);
  return publicationTime({ kind }, home, today) <= now ? today : today - 1;
}

/** The last day of the home market that is over. */
export function lastDayOver({ market }: Instrument, now: number): number {
  return localDayNumber(now, quoteMarket(market).timeZone) - 1;
}
