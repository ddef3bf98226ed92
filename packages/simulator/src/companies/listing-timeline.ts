import { type Decimal, divide, multiply, roundTo } from '@svc-gateway/contract/decimal';
import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import type { Instrument } from '../world/instrument.js';
import type { CorporateAction } from './corporate-actions.js';
import type { DatedShareEvent, Declared } from './declared.js';
import { firstOf, yearOf } from './growth.js';
import { reportingIn } from './reporting.js';
import { NOTICE_DAYS } from './share-events.js';
import { firstFrom, shifted } from './trading-days.js';

/** Corporate actions and value of a listing's source: a company for an equity, the fund itself for a fund. */
export interface Source {
  readonly dividendsIn: (year: number) => readonly Declared[];
  readonly events: readonly DatedShareEvent[];
  readonly subscriptionPrice: (event: DatedShareEvent) => Decimal;
  /** As of `PricePath.at`. */
  readonly priceAt: (day: number) => number;
  /** Shares of today for each share of the reference day. */
  readonly shareFactor: (day: number) => number;
  /** Cash for one ordinary share, for one share of this listing in its currency, at the rate of the day on which it is announced. */
  readonly cash: (perShare: Decimal, announced: number) => Decimal;
  /** No dividend is counted for in the price before this day. */
  readonly accruesFrom: number;
}

/** With the day counted from 1970-01-01. */
interface DatedAction {
  readonly ex: number;
  readonly action: CorporateAction;
}

const CACHED_YEARS = 32;
/** Trades in the United States settle on the next day from then on, and on the second before. */
const ONE_DAY_SETTLEMENT = '2024-05-28';
const LONGEST_ACCRUAL_DAYS = 366;

/** Corporate actions of one listing, and its price on each day as they leave it. Days are counted from 1970-01-01. */
export class ListingTimeline {
  readonly #years = new LruCache<number, readonly DatedAction[]>(CACHED_YEARS);
  readonly #listed: number;
  constructor(
    readonly instrument: Instrument,
    private readonly source: Source,
  ) {
    this.#listed = requireDay(instrument.listDate);
  }

  /** Actions that go ex on the days [from, to], oldest first. */
  between(from: number, to: number): readonly CorporateAction[] {
    const found: CorporateAction[] = [];
    for (let year = yearOf(from); year <= yearOf(to); year++) {
      for (const { ex, action } of this.#year(year)) if (ex >= from && ex <= to) found.push(action);
    }
    return found;
  }

  /** The days of a year on which something goes ex, in order. */
  exDays(year: number): readonly number[] {
    return [...new Set(this.#year(year).map(({ ex }) => ex))];
  }

  /** Corporate actions that go ex on a day. */
  on(day: number): readonly CorporateAction[] {
    return this.#year(yearOf(day)).flatMap(({ ex, action }) => (ex === day ? action : []));
  }

  /**
   * The price at the end of a day in unrounded billionths. It rises towards each ex-day by the dividend that then goes off, as the
   * price of a bond does by its coupon: what is left is the path of the company itself.
   */
  priceAt(day: number): number {
    return this.source.priceAt(day) + this.#accrued(day);
  }

  shareFactor(day: number): number {
    return this.source.shareFactor(day);
  }

  /** Sum of the cash that went ex on the days (after, to], in shares of `to`. */
  cashBetween(after: number, to: number): Decimal {
    let sum = 0n;
    for (const action of this.between(after + 1, to)) {
      if (action.kind === 'dividend') sum += action.cash;
      else if (action.kind !== 'rights') sum = (sum * action.ratio[1]) / action.ratio[0];
    }
    return sum;
  }

  /** The part of the next dividend that is in the price: it grows from one ex-day to the next. */
  #accrued(day: number): number {
    const year = yearOf(day);
    const after = (of: number) => this.#year(of).find(({ ex, action }) => action.kind === 'dividend' && ex > day);
    const next = after(year) ?? after(year + 1);
    if (next?.action.kind !== 'dividend' || day < this.source.accruesFrom) return 0;
    const before = (of: number) => this.#year(of).findLast(({ ex, action }) => action.kind === 'dividend' && ex <= day)?.ex;
    const last = next.ex - 1;
    const since = Math.max(before(year) ?? before(year - 1) ?? firstOf(year - 1, 1), this.source.accruesFrom);
    const start = Math.max(since, next.ex - LONGEST_ACCRUAL_DAYS);
    const part = last <= start ? 1 : Math.max(0, (day - start) / (last - start));
    return (Number(next.action.cash) * part * this.source.shareFactor(last)) / this.source.shareFactor(day);
  }

  /** Actions that go ex in a year, oldest first. */
  #year(year: number): readonly DatedAction[] {
    return this.#years.get(year, () => this.#makeYear(year));
  }

  #makeYear(year: number): readonly DatedAction[] {
    const dividends = this.source
      .dividendsIn(year)
      .filter(({ ex }) => ex > this.#listed)
      .map((declared) => ({ ex: declared.ex, action: this.#dividend(declared) }));
    const events = this.source.events
      .filter(({ ex }) => ex > this.#listed && yearOf(ex) === year)
      .map((event) => ({ ex: event.ex, action: this.#shareAction(event) }));
    return [...dividends, ...events].sort((a, b) => a.ex - b.ex);
  }

  #dividend({ announced, ex, pay, perShare, special }: Declared): CorporateAction {
    const exDay = dayOfNumber(ex);
    const recordDay = this.#recordDay(exDay);
    const payDay = firstFrom(this.instrument, Math.max(pay, requireDay(recordDay)));
    const { currency } = this.instrument;
    const announcedDay = dayOfNumber(announced);
    return { kind: 'dividend', announcedDay, exDay, recordDay, payDay, cash: this.source.cash(perShare, announced), currency, special };
  }

  #shareAction(event: DatedShareEvent): CorporateAction {
    const { kind, ex, becomes, from } = event;
    const exDay = dayOfNumber(ex);
    const recordDay = this.#recordDay(exDay);
    const announcedDay = dayOfNumber(ex - NOTICE_DAYS);
    if (kind !== 'rights') return { kind, announcedDay, exDay, recordDay, payDay: exDay, ratio: [BigInt(becomes), BigInt(from)] };
    return {
      kind,
      announcedDay,
      exDay,
      recordDay,
      payDay: firstFrom(this.instrument, ex + NOTICE_DAYS),
      ratio: [BigInt(becomes - from), BigInt(from)],
      price: this.source.subscriptionPrice(event),
      currency: this.instrument.currency,
    };
  }

  #recordDay(exDay: string): string {
    const { market } = this.instrument;
    const after = market === 'US' && exDay < ONE_DAY_SETTLEMENT ? 1 : reportingIn(market).recordAfter;
    return shifted(this.instrument, exDay, after);
  }
}

/** Money at a rate, to the millionth: rates are units of a currency for a dollar. */
export function converted(amount: Decimal, from: Decimal, to: Decimal): Decimal {
  return from === to ? amount : roundTo(divide(multiply(amount, to), from), MILLIONTH);
}

const MILLIONTH: Decimal = 1_000n;
