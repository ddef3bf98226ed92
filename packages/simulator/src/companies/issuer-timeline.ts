import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import type { Anchor } from '../rng/price-chain.js';
import { mix, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { Accounts } from './accounts.js';
import { significant } from './amounts.js';
import { type DatedShareEvent, type Declared, type Fraction, inSharesOf } from './declared.js';
import { compound, FIRST_YEAR, firstOf, LAST_YEAR, REFERENCE_DAY, yearOf, yearsTo } from './growth.js';
import type { Issuer } from './issuers.js';
import type { DayMove } from './market-prices.js';
import type { Seat } from './peers.js';
import { PricePath } from './price-path.js';
import { aspect, type CompanyProfile } from './profile.js';
import { type Restatement, restatement } from './restatements.js';
import { RIGHTS_DISCOUNT, shareEvents } from './share-events.js';
import { firstCommon } from './trading-days.js';

/** Facts outside the company that its timeline depends on. */
export interface Surroundings {
  /** Stream of the price. */
  readonly priceKey: number;
  readonly known: (instrument: Instrument) => Anchor | undefined;
  /** Days on which no action goes ex: those of loaded price history. */
  readonly isQuiet: (day: number) => boolean;
  readonly seat: () => Seat;
  /** Price move of the home listing on a day ("2026-11-20"); undefined on days without trading. */
  readonly move: (day: string) => DayMove | undefined;
}

const UNCHANGED: Fraction = { numerator: 1n, denominator: 1n };

const CACHED_YEARS = 32;
const CACHED_QUARTERS = 96;
const SPECIAL_CHANCE = 0.03;
/** Days from the regular dividend's ex-day to a special one's. */
const SPECIAL_DAYS = 14;
/** The longest that a day may have to wait for one on which all listings trade. */
const HOLIDAYS_MAX_DAYS = 20;
/** A special dividend over what the year pays otherwise. */
const SPECIAL_SIZE = 0.8;

/**
 * An issuer on its timeline: reports, shares, dividends and share events, each a pure function of the day. Nothing is stored but
 * what was worked out lately.
 */
export class IssuerTimeline {
  readonly accounts: Accounts;
  readonly prices: PricePath;
  readonly events: readonly DatedShareEvent[];
  readonly #lagKey: number;
  readonly #reportKey: number;
  readonly #years = new LruCache<number, readonly Declared[]>(CACHED_YEARS);
  readonly #reports = new LruCache<number, number>(CACHED_QUARTERS);
  readonly #declared = new LruCache<number, readonly Declared[]>(CACHED_QUARTERS);

  constructor(
    readonly issuer: Issuer,
    readonly profile: CompanyProfile,
    readonly surroundings: Surroundings,
  ) {
    const { priceKey, known, isQuiet } = surroundings;
    this.#lagKey = aspect(profile, 'lags');
    this.#reportKey = aspect(profile, 'reports');
    const listings = issuer.classes.map(({ instrument }) => instrument);
    const drawn = shareEvents(aspect(profile, 'share events'), issuer.home, this.priceGrowth);
    this.events = drawn.map((event) => ({ ...event, ex: firstCommon(listings, event.due) })).filter(({ ex }) => !isQuiet(ex));
    this.prices = new PricePath(priceKey, issuer.home, this.priceGrowth, this.events, known);
    this.accounts = new Accounts(profile, {
      paidIn: (quarter) => this.#paidIn(quarter),
      raisedIn: (quarter) => this.#raisedIn(quarter),
    });
  }

  /** Yearly growth of what one share stands for. */
  get priceGrowth(): number {
    return (1 + this.profile.growth) / (1 + this.profile.shareGrowth) - 1;
  }

  /** How many shares each share of the reference day is on `day`, as a fraction. */
  shareFactor(day: number): Fraction {
    if (this.events.length === 0) return UNCHANGED;
    let [numerator, denominator] = [1n, 1n];
    for (const { ex, becomes, from } of this.events) {
      if (ex > REFERENCE_DAY && ex <= day) [numerator, denominator] = [numerator * BigInt(becomes), denominator * BigInt(from)];
      if (ex <= REFERENCE_DAY && ex > day) [numerator, denominator] = [numerator * BigInt(from), denominator * BigInt(becomes)];
    }
    return { numerator, denominator };
  }

  /** An amount for one share of a day, for one share of another. */
  inSharesOf(amount: Decimal, then: number, now: number): Decimal {
    return inSharesOf(amount, this.shareFactor(then), this.shareFactor(now));
  }

  /** Issued ordinary shares at the end of a day. What is issued and bought back counts from the quarter after. */
  ordinaryShares(day: number): bigint {
    const ended = this.profile.fiscal.endOf(this.profile.fiscal.lastEnded(day));
    const drift = compound(this.profile.shareGrowth, yearsTo(ended));
    const { numerator, denominator } = this.shareFactor(day);
    const drifted = (this.issuer.ordinaryShares * BigInt(Math.round(drift * 1e9))) / 1_000_000_000n;
    return (drifted * numerator) / denominator;
  }

  /** Day on which the figures of a quarter are published: with those of the half-year where companies report twice a year. */
  published(quarter: number): number {
    return this.#reports.get(quarter, () => {
      const { fiscal, reporting } = this.profile;
      const number = fiscal.numberOf(quarter);
      if (reporting.reports === 2 && number % 2 === 1) return this.published(quarter + 1);
      const [least, most] = number === 4 ? reporting.annualLag : reporting.interimLag;
      const lag = this.#within(least, most, 0) + Math.floor(4 * uniform(this.#stream(quarter), 0)) - 2;
      return firstCommon([this.issuer.home], fiscal.endOf(quarter) + Math.max(least, Math.min(lag, most)));
    });
  }

  /** The last quarter whose figures are known on `day`. */
  lastPublished(day: number): number {
    let quarter = this.profile.fiscal.lastEnded(day);
    while (this.published(quarter) > day) quarter -= 1;
    return quarter;
  }

  /** The last quarter whose figures were out before a trading day of any listing began: what figures of a trading day are made of. */
  lastKnown(tradingDay: number): number {
    return this.lastPublished(tradingDay - 1);
  }

  /** The last quarter of the last fiscal year whose figures are known on `day`. */
  lastPublishedYear(day: number): number {
    const { fiscal } = this.profile;
    const quarter = this.lastPublished(day);
    return fiscal.numberOf(quarter) === 4 ? quarter : fiscal.lastOf(fiscal.fiscalYearOf(quarter) - 1);
  }

  /** Fiscal quarters that a report covers. */
  get quartersPerReport(): 1 | 2 {
    return this.profile.reporting.reports === 2 ? 2 : 1;
  }

  /** How a quarter is restated when the same one of the next year is published; undefined where it stands. */
  restatement(quarter: number): Restatement | undefined {
    return restatement(this.profile, quarter, this.accounts.income(quarter));
  }

  /** Dividends that go ex in a calendar year, oldest first. */
  dividendsIn(year: number): readonly Declared[] {
    if (year < FIRST_YEAR || year > LAST_YEAR) return [];
    return this.#years.get(year, () => {
      const { fiscal } = this.profile;
      const found: Declared[] = [];
      for (let quarter = fiscal.quarterOf(year, 1) - 4; quarter <= fiscal.quarterOf(year, 12); quarter++) {
        if (!this.#mayGoExIn(year, quarter)) continue;
        found.push(...this.#declaredFor(quarter).filter(({ ex }) => yearOf(ex) === year));
      }
      return found.sort((a, b) => a.ex - b.ex);
    });
  }

  /** Whether a dividend for a quarter may go ex in a year: to find out on which day it does costs far more. */
  #mayGoExIn(year: number, quarter: number): boolean {
    const { fiscal, reporting } = this.profile;
    const terms = reporting.dividends.find((one) => one.quarter === fiscal.numberOf(quarter));
    if (terms === undefined) return false;
    const end = fiscal.endOf(quarter);
    const latest = reporting.exAfter === 'period' ? 0 : 2 * HOLIDAYS_MAX_DAYS + Math.max(reporting.interimLag[1], reporting.annualLag[1]);
    const last = end + latest + terms.exLag[1] + SPECIAL_DAYS + HOLIDAYS_MAX_DAYS;
    return last >= firstOf(year, 1) && end + terms.exLag[0] < firstOf(year + 1, 1);
  }

  /** Dividends of a fiscal year for one ordinary share of `day`, those declared so far. */
  dividendOfYear(fiscalYear: number, day: number): Decimal {
    const last = this.profile.fiscal.lastOf(fiscalYear);
    let sum = 0n;
    for (let quarter = last - 3; quarter <= last; quarter++) {
      for (const { announced, ex, perShare } of this.#declaredFor(quarter)) {
        if (announced <= day) sum += this.inSharesOf(perShare, ex - 1, day);
      }
    }
    return sum;
  }

  /** Dividends declared for a quarter of the fiscal year. */
  #declaredFor(quarter: number): readonly Declared[] {
    return this.#declared.get(quarter, () => this.#declare(quarter));
  }

  #declare(quarter: number): readonly Declared[] {
    const { fiscal, reporting, payout } = this.profile;
    const terms = reporting.dividends.find((one) => one.quarter === fiscal.numberOf(quarter));
    if (terms === undefined || payout === 0) return [];
    const end = fiscal.endOf(quarter);
    const ahead = reporting.exAfter === 'period';
    const announced = this.published(ahead ? quarter - 1 : quarter);
    const due = (ahead ? end : announced) + this.#within(terms.exLag[0], terms.exLag[1], terms.quarter);
    const regular = this.#dated(announced, due, terms.part * reporting.dividends.length * this.#payable(quarter), false);
    if (terms.quarter !== 4 || uniform(this.#stream(quarter), 1) >= SPECIAL_CHANCE) return regular;
    const special = this.#dated(announced, due + SPECIAL_DAYS, SPECIAL_SIZE * reporting.dividends.length * this.#payable(quarter), true);
    return [...regular, ...special];
  }

  /** The part of the year's dividends, in money, that an even share of the payments is. */
  #payable(quarter: number): number {
    const { fiscal, reporting, payout, earnings, growth } = this.profile;
    const payments = reporting.dividends.length;
    if (reporting.steady) {
      const yearBefore = fiscal.endOf(fiscal.lastOf(fiscal.fiscalYearOf(quarter) - 1));
      return (payout * earnings * compound(growth, yearsTo(yearBefore))) / payments;
    }
    return payout * Math.max(0, Number(this.accounts.netIncome(quarter, 4 / payments)));
  }

  #dated(announced: number, due: number, money: number, special: boolean): readonly Declared[] {
    const listings = this.issuer.classes.map(({ instrument }) => instrument);
    const ex = firstCommon(listings, due);
    if (this.surroundings.isQuiet(ex) || ex <= requireDay(this.issuer.home.listDate)) return [];
    const perShare = significant(money / Number(this.ordinaryShares(ex - 1)));
    if (perShare <= 0n) return [];
    return [{ announced, ex, pay: ex + this.profile.reporting.payLag, perShare, special }];
  }

  #paidIn(quarter: number): bigint {
    const [from, to] = this.#daysOf(quarter);
    const year = yearOf(from);
    const declared = [year - 1, year, year + 1].flatMap((one) => this.dividendsIn(one));
    return declared
      .filter(({ pay }) => pay >= from && pay <= to)
      .reduce((sum, { perShare, ex }) => sum + (perShare * this.ordinaryShares(ex - 1)) / DECIMAL_ONE, 0n);
  }

  /** Proceeds of a quarter's rights issues: new shares × subscription price. */
  #raisedIn(quarter: number): bigint {
    const [from, to] = this.#daysOf(quarter);
    return this.events
      .filter(({ kind, ex }) => kind === 'rights' && ex >= from && ex <= to)
      .reduce((sum, event) => {
        const offered = (this.ordinaryShares(event.ex - 1) * BigInt(event.becomes - event.from)) / BigInt(event.from);
        return sum + (this.subscriptionPrice(this.issuer.home, event) * offered) / DECIMAL_ONE;
      }, 0n);
  }

  /** Subscription price of a rights issue for one share of a listing, below the close of the day before. */
  subscriptionPrice(instrument: Instrument, { ex }: DatedShareEvent): Decimal {
    return significant((RIGHTS_DISCOUNT * this.prices.at(instrument, ex - 1)) / 1e9);
  }

  #daysOf(quarter: number): readonly [from: number, to: number] {
    const { fiscal } = this.profile;
    return [fiscal.endOf(quarter - 1) + 1, fiscal.endOf(quarter)];
  }

  /** A steady trait of the company between two bounds, both included. */
  #within(least: number, most: number, trait: number): number {
    return least + Math.floor((most - least + 1) * uniform(this.#lagKey, trait));
  }

  #stream(quarter: number): number {
    return mix(this.#reportKey, quarter);
  }
}
