import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import { ArkFunds, COMPANIES_MAX, mayHold } from '../../companies/ark.js';
import type { Company } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { lastCompleteDay } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';

/** The family's largest fund, as a scale of its money. */
const LARGEST = 'US.ARKK';
/** Market of the funds. */
const MARKET = 'US';

export type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'caches'>;

const made: CacheKind<ArkFunds> = { max: 1 };

/** The funds. */
export function arkOf(facts: Facts<'world' | 'companies' | 'caches'>): ArkFunds {
  return facts.caches.get(made, '', '', () => makeFunds(facts));
}

function makeFunds({ world, companies }: Facts<'world' | 'companies'>): ArkFunds {
  const fund = world.instrument(LARGEST);
  const money = fund === undefined ? 0n : (fund.referencePrice * fund.sharesIssued) / DECIMAL_ONE;
  const chosen: Company[] = [];
  for (const equity of world.instruments({ market: MARKET, kind: 'equity' })) {
    if (chosen.length === COMPANIES_MAX) break;
    if (companies.issuer(equity).home !== equity) continue;
    const company = companies.company(equity);
    if (mayHold(company)) chosen.push(company);
  }
  return new ArkFunds(chosen, Number(money));
}

/** Trading days of each `CycleType`. */
const cycles: readonly number[] = [1, 5, 10, 30, 60];

/** How many trading days a cycle goes back, or why there is no such cycle. */
export function daysOfCycle(cycleType: number): number | Refusal {
  return cycles[cycleType] ?? new Refusal(`cycle_type: unknown ${cycleType}; accepted: 0 to ${cycles.length - 1}`, 'broker.value');
}

/** The last trading days in New York that are over, oldest first: `count` of them and the one before. Holdings are told after each. */
export function tradedDays({ clock, world }: Needed, count: number): readonly string[] {
  const calendar = world.calendar(MARKET);
  const last = lastCompleteDay(calendar, clock.now());
  const days = [last];
  for (let day = last; days.length <= count; ) {
    day = calendar.previousTradingDay(day);
    days.unshift(day);
  }
  return days;
}

/** The fund family's holding of a stock, compared with some days earlier. */
export interface ArkHolding {
  readonly listing: Listing;
  readonly shares: bigint;
  /** Then, in shares of today. */
  readonly previous: bigint;
  readonly value: Decimal;
  readonly previousValue: Decimal;
}

/** All that is held on the last of some days or was on the first. */
export function holdingsOn(facts: Needed, from: string, to: string): readonly ArkHolding[] {
  const ark = arkOf(facts);
  const [first, last] = [requireDay(from), requireDay(to)];
  const held = ark.universe.filter((home) => ark.shares(home, last) > 0n || ark.shares(home, first) > 0n);
  return held.map((home) => {
    const [shares, then] = [ark.shares(home, last), ark.shares(home, first)];
    return {
      listing: facts.listings.of(home),
      shares,
      previous: ark.sharesAsOf(home, first, last),
      value: shares * closeOn(facts, home, to),
      previousValue: then * closeOn(facts, home, from),
    };
  });
}

/** The close of a trading day, as traded; of the last one before it where nothing was traded. */
export function closeOn({ world, market }: Needed, home: Listing['instrument'], day: string): Decimal {
  const next = world.calendar(home).nextTradingDay(day);
  const to = world.calendar(home).sessions(next)[0]?.start ?? 0;
  return market.bars(home, { unit: 'day' }, { to, limit: 1 })[0]?.close ?? home.referencePrice;
}
