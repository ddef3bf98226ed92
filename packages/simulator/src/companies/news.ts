import { quoteMarket } from '@svc-gateway/contract/markets';
import { DAY_MS, dayOfNumber, localDayNumber, requireDay } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import { keyOf } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { companyFacts } from './company-facts.js';
import type { Estimates } from './estimates.js';
import { FIRST_YEAR, firstOf, LAST_YEAR, yearOf } from './growth.js';
import { wordedEnglish } from './headlines.js';
import type { IssuerTimeline } from './issuer-timeline.js';
import type { DayMove } from './market-prices.js';
import { isLargeMove, type NewsFact } from './news-facts.js';
import type { Opinions } from './opinions.js';
import { publicationTime } from './publication.js';
import { isTradingDay, shifted } from './trading-days.js';

/** One news item of a company. */
export interface NewsItem {
  /** Positive, below 2^63, stable; later items have larger ones. */
  readonly id: bigint;
  /** When it became known: the day in the market's zone, counted from 1970-01-01, and epoch ms. */
  readonly day: number;
  readonly time: number;
  /** The home listing. */
  readonly instrument: Instrument;
  readonly headline: string;
  readonly text: string;
  readonly fact: NewsFact;
}

const CACHED_MONTHS = 36;
/** A company is written about by readers in one month of so many. */
const LETTER_MONTHS = 24;
const LETTER_DAY = 10;
/** Trading days that a halt may last and still be called one. */
const HALT_DAYS_MAX = 250;

/** News of one company, computed month by month. */
export class News {
  readonly #months = new LruCache<number, readonly NewsItem[]>(CACHED_MONTHS);
  readonly #home: Instrument;

  constructor(
    private readonly company: IssuerTimeline,
    private readonly estimates: Estimates,
    private readonly opinions: Opinions,
  ) {
    this.#home = company.issuer.home;
  }

  /** News of the days [from, to] between 1990 and 2060, oldest first: one month's work for each month touched. */
  between(from: number, to: number): readonly NewsItem[] {
    const [first, last] = [Math.max(from, firstOf(FIRST_YEAR, 1)), Math.min(to, firstOf(LAST_YEAR + 1, 1) - 1)];
    const found: NewsItem[] = [];
    for (let month = monthOf(first); month <= monthOf(last); month++) {
      for (const item of this.#months.get(month, () => this.#make(month))) if (item.day >= first && item.day <= last) found.push(item);
    }
    return found;
  }

  #make(month: number): readonly NewsItem[] {
    const [from, to] = [startOf(month), startOf(month + 1) - 1];
    const home = this.#home;
    const listed = requireDay(home.listDate);
    const end = home.lastTradingDay === undefined ? Infinity : requireDay(home.lastTradingDay);
    if (from > end || to < listed) return [];
    const [first, last] = [Math.max(from, listed), Math.min(to, end)];
    const facts = companyFacts(this.company, this.estimates, this.opinions, first, last);
    // The move of a day that ends at midnight is news of the next.
    const [eve, before] = [first - 1, this.#move(first - 1)];
    if (before !== undefined && eve > listed && isLargeMove(home, before)) facts.push({ day: eve, fact: { kind: 'move', move: before } });
    if (listed >= from) facts.push({ day: listed, fact: { kind: 'listing' } });
    if (end <= to) facts.push({ day: end, fact: { kind: 'delisting' } });
    for (let day = first; day <= last; day++) {
      const move = this.#move(day);
      if (move !== undefined && day > listed && isLargeMove(home, move)) facts.push({ day, fact: { kind: 'move', move } });
      const turn = day > listed ? this.#haltTurn(day, move !== undefined, listed) : undefined;
      if (turn !== undefined) facts.push({ day, fact: { kind: turn } });
    }
    const letter = startOf(month) + LETTER_DAY;
    if (letter >= first && letter <= last && (keyOf(`${home.symbol}|letter`) + month) % LETTER_MONTHS === 0)
      facts.push({ day: letter, fact: { kind: 'letter' } });
    const items = facts.map(({ day, fact }) => this.#item(day, fact)).filter(({ day }) => day >= from && day <= to);
    return items.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Whether a halt begins on a day, or ends. Prices that nobody makes say nothing. */
  #haltTurn(day: number, traded: boolean, listed: number): 'halt' | 'resumption' | undefined {
    if (!isTradingDay(this.#home, day)) return undefined;
    const tradingDayBefore = (of: number) => requireDay(shifted(this.#home, dayOfNumber(of), -1));
    let before = tradingDayBefore(day);
    if (before < listed || (this.#move(before) !== undefined) === traded) return undefined;
    if (!traded) return 'halt';
    for (let back = 0; back < HALT_DAYS_MAX && before >= listed; back++) {
      if (this.#move(before) !== undefined) return 'resumption';
      before = tradingDayBefore(before);
    }
    return undefined;
  }

  #move(day: number): DayMove | undefined {
    return this.company.surroundings.move(dayOfNumber(day));
  }

  #item(day: number, fact: NewsFact): NewsItem {
    const home = this.#home;
    const { title: headline, text } = wordedEnglish(home, fact);
    const name = `${home.symbol}|${fact.kind}|${text}`;
    const time = publicationTime(fact, home, day);
    return {
      id: newsId(time, name),
      day: localDayNumber(time, quoteMarket(home.market).timeZone),
      time,
      instrument: home,
      headline,
      text,
      fact,
    };
  }
}

const MINUTE_MS = 60_000;
/** Bits of the name hash; the minutes since 1970 take the rest of 63. */
const HASH_BITS = 37n;

/** The number of an item: by its minute first, and the same whenever it is made of the same name. */
export function newsId(time: number, name: string): bigint {
  const hash = (BigInt(keyOf(name) >>> 0) << 5n) | BigInt(keyOf(`${name}|`) & 0x1f);
  return (BigInt(Math.floor(time / MINUTE_MS)) << HASH_BITS) | hash;
}

/** The largest number that an item of a moment, or an earlier one, can have. */
export function endOfNews(time: number): bigint {
  return (BigInt(Math.floor(time / MINUTE_MS) + 1) << HASH_BITS) - 1n;
}

/** When the item of a number became known, epoch ms. */
export function timeOfNews(id: bigint): number {
  return Number(id >> HASH_BITS) * MINUTE_MS;
}

function monthOf(day: number): number {
  return yearOf(day) * 12 + new Date(day * DAY_MS).getUTCMonth();
}

function startOf(month: number): number {
  return firstOf(Math.floor(month / 12), (month % 12) + 1);
}
