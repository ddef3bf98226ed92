import { requireDay } from '@svc-gateway/contract/time';
import type { Instrument } from '../world/instrument.js';
import type { Industry, Plate } from '../world/plates.js';
import { coverageOf } from './brokers.js';
import type { Post } from './careers.js';
import { type Consensus, Estimates, type Surprise } from './estimates.js';
import { IssuerTimeline } from './issuer-timeline.js';
import { News, type NewsItem } from './news.js';
import { Opinions, type RatingChange } from './opinions.js';
import { type Holders, Ownership } from './ownership.js';
import type { Person } from './people.js';
import { industryOf, PlateMembership } from './plate-membership.js';
import { firstReported } from './restatements.js';
import { type Segments, segments } from './segments.js';
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

  /** News of the days [from, to], oldest first. Price moves are included as far as the market has made them: ask up to today. */
  news(from: number, to: number): readonly NewsItem[] {
    return this.#research.news.between(from, to);
  }

  get #research(): Research {
    this.#made ??= this.#makeResearch();
    return this.#made;
  }

  #makeResearch(): Research {
    const { home } = this.issuer;
    const coverage = coverageOf(this.profile, home.market, requireDay(home.listDate));
    const estimates = new Estimates(this, coverage);
    const opinions = new Opinions(this, coverage, estimates);
    return {
      membership: new PlateMembership(this.issuer, this.profile, this.industry),
      ownership: new Ownership(this),
      estimates,
      opinions,
      news: new News(this, estimates, opinions),
    };
  }
}
