import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Instrument } from '../world/instrument.js';
import { isIssuedByCompany } from '../world/kinds.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import { figuresBetween, type Story, storiesBetween } from './news.js';

export type NewsFacts = Facts<'clock' | 'world' | 'companies' | 'macro' | 'caches'>;

/** Tells the stories of a span of time (epoch ms, both ends included), oldest first. */
export type Teller = (from: number, to: number) => readonly Story[];

const DAY_MS = 86_400_000;
/** The markets whose companies a newsroom follows, and how many of each: those worth most. */
const MARKETS: readonly QuoteMarket[] = ['HK', 'US', 'SH', 'SZ', 'SG', 'JP', 'MY'];
const FOLLOWED = 15;
const followedCompanies: CacheKind<readonly Instrument[]> = { max: 1 };

/** Home listings of the companies that the wire reports on: the largest of each market at their reference prices, whoever else is made up. */
function followed({ world, companies }: Facts<'world' | 'companies'>): readonly Instrument[] {
  const found: Instrument[] = [];
  for (const market of MARKETS) {
    const issued = world.instruments({ market }).filter(isIssuedByCompany);
    const worth = new Map(issued.map((one) => [one, one.referencePrice * one.sharesIssued]));
    const worthOf = (one: Instrument) => worth.get(one) ?? 0n;
    issued.sort((a, b) => (worthOf(b) > worthOf(a) ? 1 : worthOf(b) < worthOf(a) ? -1 : 0));
    const largest = found.length + FOLLOWED;
    for (const one of issued) {
      if (found.length === largest) break;
      if (companies.issuer(one).home === one) found.push(one);
    }
  }
  return found;
}

/** Days of the wire, as everybody asks for the same. */
const days: CacheKind<readonly Story[]> = { max: 200 };

/** The wire's stories: of the companies that it follows and of economies. What a day brought is the same whenever it is asked for. */
export function wire(facts: NewsFacts): Teller {
  return function tell(from, to) {
    const found: Story[] = [];
    for (let day = Math.floor(from / DAY_MS); day <= Math.floor(to / DAY_MS); day++) {
      const stories = facts.caches.get(days, String(day), '', () => dayOf(facts, day));
      found.push(...stories.filter(({ time }) => time >= from && time <= to));
    }
    return found;
  };
}

function dayOf(facts: NewsFacts, day: number): readonly Story[] {
  const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS - 1];
  const found = [...figuresBetween(facts, from, to)];
  for (const home of facts.caches.get(followedCompanies, '', '', () => followed(facts))) {
    found.push(...storiesBetween(facts.companies.company(home), from, to));
  }
  return found.sort(bySeq);
}

/** The stories of some securities' companies; what no company issued has none. */
export function tellerOf({ companies }: Facts<'companies'>, instruments: readonly Instrument[]): Teller {
  const issued = new Set(instruments.filter(isIssuedByCompany).map((one) => companies.company(one)));
  return function tell(from, to) {
    const found: Story[] = [];
    for (const company of issued) {
      found.push(...storiesBetween(company, from, to));
    }
    return found.sort(bySeq);
  };
}

function bySeq(a: Story, b: Story): number {
  return a.seq < b.seq ? -1 : a.seq > b.seq ? 1 : 0;
}
