import { requireDay } from '@svc-gateway/contract/time';
import type { Instrument } from '../world/instrument.js';
import type { Industry, Plate } from '../world/plates.js';
import { coverageOf } from './brokers.js';
import type { Post } from './careers.js';
import { inSharesOf } from './declared.js';
import { type Consensus, Estimates, type Surprise } from './estimates.js';
import { FIRST_YEAR, firstOf, yearOf } from './growth.js';
import { IssuerTimeline } from './issuer-timeline.js';
import { News, type NewsItem } from './news.js';
import type { NewsFact } from './news-facts.js';
import { Opinions, type RatingChange, type RatingSummary } from './opinions.js';
import { type Holders, Ownership } from './ownership.js';
import type { Person } from './people.js';
import { industryOf, PlateMembership } from './plate-membership.js';
import { firstReported, type Restatement, restatement } from './restatements.js';
import { type Segments, segments } from './segments.js';
import { NOTICE_DAYS } from './share-events.js';
import type { Statements } from './statements.js';
import { employees, yearlyPay } from './workforce.js';

/** Somebody in a post. Days are counted from 1970-01-01. */
export interface Executive {
  readonly person: Person;
  readonly post: Post;
  /** First day in the post. */
  readonly since: number;
}

/** A station of a career. */
export interface CareerStep {
  /** Home listing; undefined for a company that is not in the world. */
  readonly company: Instrument | undefined;
  readonly post: Post;
  readonly from: number;
  /** Last day; undefined for the post that is held on the day asked for. */
  readonly until: number | undefined;
}

/** Opinions of others on a company. */
interface Research {
  readonly membership: PlateMembership;
  readonly ownership: Ownership;
  readonly estimates: Estimates;
  readonly opinions: Opinions;
  readonly news: News;
}

/**
 * An issuer with everything that is known of it: owners, analysts, plates, people and news, and how its revenue is made up. Each is a pure
 * function of seed, company and day; what nobody asks for is not made. Days are counted from 1970-01-01 in the home market's zone, and
 * quarters are those of `FiscalCalendar`.
 */
export class Company extends IssuerTimeline {
  #made: Research | undefined;

  /** Industry of the company. */
  get industry(): Industry {
    return industryOf(this.issuer, this.profile);
  }

  /** As last reported by institutions, 45 days after each calendar quarter. */
  holders(day: number): Holders {
    return this.#research.ownership.on(day);
  }

  /** Ratings published on the days [from, to], oldest first, confirmations included. */
  ratings(from: number, to: number): readonly RatingChange[] {
    return this.#research.opinions.between(from, to);
  }

  /** Summary of the brokers' ratings. */
  ratingSummary(day: number): RatingSummary {
    return this.#research.opinions.summary(day);
  }

  /** See `Estimates.consensus`. */
  consensus(quarter: number, day: number): Consensus | undefined {
    return this.#research.estimates.consensus(quarter, day);
  }

  /** See `Estimates.surprise`. */
  surprise(quarter: number, day: number): Surprise | undefined {
    return this.#research.estimates.surprise(quarter, day);
  }

  plates(day: number): readonly Plate[] {
    return this.#research.membership.on(day);
  }

  /** Executives in office, by post. */
  executives(day: number): readonly Executive[] {
    const { careers, place } = this.surroundings.seat();
    return careers.at(place, day, day).map(({ person, post, from }) => ({ person, post, since: from }));
  }

  /** The career of one of its executives up to a day, oldest step first; none for somebody who never was one here or at a peer. */
  career(person: Person, day: number): readonly CareerStep[] {
    const { careers, companyAt } = this.surroundings.seat();
    return careers
      .of(person)
      .filter(({ from }) => from <= day)
      .map(({ place, post, from, until }) => ({
        company: companyAt(place),
        post,
        from,
        until: until === undefined || until >= day ? undefined : until,
      }));
  }

  /** Employees at the end of a fiscal quarter. */
  employees(quarter: number): number {
    return employees(this.profile, this.issuer.home.currency, quarter);
  }

  /** Yearly pay of a post at the level of a day, in whole units of the accounts' currency. */
  yearlyPay({ person, post }: Executive, day: number): bigint {
    return yearlyPay(this.profile, this.issuer.home.currency, person, post, day);
  }

  /** How a quarter's revenue is made up. */
  segments(quarter: number): Segments {
    return segments(this.profile, this.industry, quarter, this.accounts.income(quarter).revenue);
  }

  /** A quarter's statements as they are known on a day: as first published, or as restated a year later. Undefined before. */
  reported(quarter: number, day: number): Statements | undefined {
    if (day < this.published(quarter)) return undefined;
    const restated = this.restatement(quarter);
    if (restated === undefined || day >= this.published(quarter + 4)) return this.accounts.statements(quarter);
    const statements = this.accounts.statements(quarter);
    return { ...statements, income: firstReported(statements.income, restated) };
  }

  /** How a quarter is restated when the same one of the next year is published; undefined where it stands. */
  restatement(quarter: number): Restatement | undefined {
    return restatement(this.profile, quarter, this.accounts.income(quarter));
  }

  /** News of the days [from, to], oldest first. Price moves are included as far as the market has made them: ask up to today. */
  news(from: number, to: number): readonly NewsItem[] {
    return this.#research.news.between(from, to);
  }

  get #quartersPerReport(): 1 | 2 {
    return this.profile.reporting.reports === 2 ? 2 : 1;
  }

  /** See `NewsFacts`. */
  #facts(from: number, to: number): readonly { readonly day: number; readonly fact: NewsFact }[] {
    return [
      ...this.#resultsBetween(from, to),
      ...this.#actionsBetween(from, to),
      ...this.#ratingsBetween(from, to),
      ...this.#appointments(from, to),
    ];
  }

  #resultsBetween(from: number, to: number): { readonly day: number; readonly fact: NewsFact }[] {
    const { fiscal } = this.profile;
    const count = this.#quartersPerReport;
    const found: { readonly day: number; readonly fact: NewsFact }[] = [];
    for (let quarter = this.lastPublished(to); this.published(quarter) >= from; quarter -= count) {
      const day = this.published(quarter);
      const [fiscalYear, number] = [fiscal.fiscalYearOf(quarter), fiscal.numberOf(quarter)];
      const incomes = Array.from({ length: count }, (_, back) => this.accounts.income(quarter - back));
      const revenue = incomes.reduce((sum, income) => sum + income.revenue, 0n);
      const netIncome = incomes.reduce((sum, income) => sum + income.netIncome, 0n);
      const surprise = this.surprise(quarter, day);
      found.push({ day, fact: { kind: 'results', quarter, quarters: count, fiscalYear, number, revenue, netIncome, surprise } });
      for (let back = 0; back < count; back++) {
        const restated = this.restatement(quarter - back - 4);
        if (restated === undefined) continue;
        const fact = { ...restated, kind: 'restatement', fiscalYear: fiscalYear - 1, number: fiscal.numberOf(quarter - back) } as const;
        found.push({ day, fact });
      }
    }
    return found;
  }

  #actionsBetween(from: number, to: number): { readonly day: number; readonly fact: NewsFact }[] {
    const years = [...new Set([yearOf(from), yearOf(to), yearOf(to) + 1])];
    const dividends = years
      .flatMap((year) => this.dividendsIn(year))
      .map((declared) => ({ day: declared.announced, fact: { kind: 'dividend', declared } as const }));
    const events = this.events.map((event) => {
      const price = event.kind === 'rights' ? this.subscriptionPrice(this.issuer.home, event) : undefined;
      return { day: event.ex - NOTICE_DAYS, fact: { kind: 'shares', event, price } as const };
    });
    return [...dividends, ...events].filter(({ day }) => day >= from && day <= to);
  }

  /** Confirmations are no news. */
  #ratingsBetween(from: number, to: number): { readonly day: number; readonly fact: NewsFact }[] {
    return this.ratings(from, to)
      .filter(({ rating, previous }) => rating !== previous?.rating)
      .map((change) => ({ day: change.day, fact: { kind: 'rating', change } as const }));
  }

  #appointments(from: number, to: number): { readonly day: number; readonly fact: NewsFact }[] {
    const { careers, place } = this.surroundings.seat();
    const terms = careers.at(place, from - 1, to);
    return terms
      .filter((term) => term.from >= from && term.from > firstOf(FIRST_YEAR, 1))
      .map((term) => {
        const follows = terms.find(({ post, until }) => post === term.post && until === term.from - 1);
        return { day: term.from, fact: { kind: 'executive', term, follows } as const };
      });
  }

  get #research(): Research {
    this.#made ??= this.#makeResearch();
    return this.#made;
  }

  #makeResearch(): Research {
    const { issuer, profile, accounts, surroundings } = this;
    const { home } = issuer;
    const published = (quarter: number) => this.published(quarter);
    const lastPublished = (day: number) => this.lastPublished(day);
    const ordinaryShares = (day: number) => this.ordinaryShares(day);
    const coverage = coverageOf(profile, home.market, requireDay(home.listDate));
    const estimates = new Estimates(profile, coverage, {
      income: (quarter) => accounts.income(quarter),
      published,
      lastPublished,
      ordinaryShares,
    });
    return {
      membership: new PlateMembership(issuer, profile, this.industry),
      ownership: new Ownership(profile, {
        name: home.name,
        listed: requireDay(home.listDate),
        ordinaryShares,
        inSharesOf: (shares, then, now) => inSharesOf(shares, this.shareFactor(now), this.shareFactor(then)),
        executives: (day) => this.executives(day).map(({ person }) => person),
      }),
      estimates,
      opinions: new Opinions(coverage, {
        published,
        lastPublished,
        nextReport: (quarter) => quarter + this.#quartersPerReport,
        previousReport: (quarter) => quarter - this.#quartersPerReport,
        beat: (quarter) => estimates.beat(quarter),
        priceAt: (day) => this.prices.at(home, day),
        inSharesOf: (amount, then, now) => inSharesOf(amount, this.shareFactor(then), this.shareFactor(now)),
        tradingDayFrom: (day) => surroundings.calendars.firstCommon([home], day),
        lastDay: home.lastTradingDay === undefined ? Infinity : requireDay(home.lastTradingDay),
      }),
      news: new News({
        home,
        between: (from, to) => this.#facts(from, to),
        move: (day) => surroundings.move(surroundings.calendars.text(day)),
        isTradingDay: (day) => surroundings.calendars.isTradingDay(home, day),
        tradingDayBefore: (day) => requireDay(surroundings.calendars.shifted(home, surroundings.calendars.text(day), -1)),
      }),
    };
  }
}
