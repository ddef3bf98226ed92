import { addDays, requireDay } from '@svc-gateway/contract/time';
import type { Company } from '../companies/index.js';
import type { CacheKind } from './caches.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import type { Listing } from './listings.js';

/** Dividends of a share known when a trading day begins. Ratios in percent. */
export interface DividendRecord {
  /** Mean of the dividends of each of the last five years over the price at its end; of fewer, since its listing. Undefined in its first year. */
  readonly meanYield: number | undefined;
  /** 1 yearly, 2 half-yearly, 3 quarterly, 4 monthly; undefined where nothing was paid within a year, and in Hong Kong, where the protocol has none. */
  readonly frequency: number | undefined;
  /** Fiscal years on end in which the dividend rose, up to the last one that was reported. */
  readonly growYears: number;
  /** Payout ratio of the last fiscal year; undefined where earnings were not positive. */
  readonly payoutRatio: number | undefined;
  /** The next payment of what is declared, "2026-12-15"; and calendar days until then. */
  readonly nextPayment: string | undefined;
  readonly daysToPayment: number | undefined;
}

const YEAR_DAYS = 365;
const YIELD_YEARS = 5;
/** Nothing that is declared is paid later. */
const DECLARED_AHEAD_DAYS = 200;
/** No company of the world is older. */
const GROW_YEARS_MAX = 100;

const records: CacheKind<DividendRecord> = { max: 40_000 };

/** The record of a share on a trading day ("2026-11-20"). */
export function dividendRecord(facts: Facts<'world' | 'companies' | 'market' | 'caches'>, listing: Listing, day: string): DividendRecord {
  return facts.caches.get(records, listing.instrument.symbol, day, () => work(facts, listing, day));
}

function work(facts: Facts<'world' | 'companies' | 'market'>, { instrument }: Listing, day: string): DividendRecord {
  const { companies } = facts;
  const today = requireDay(day);
  const actions = companies.timeline(instrument)?.between(today - YEAR_DAYS + 1, today + DECLARED_AHEAD_DAYS) ?? [];
  const dividends = actions.filter((action) => action.kind === 'dividend');
  const regular = dividends.filter(({ exDay, special }) => exDay <= day && !special).length;
  const next = dividends
    .filter(({ announcedDay, payDay }) => announcedDay < day && payDay >= day)
    .sort((a, b) => (a.payDay < b.payDay ? -1 : 1))[0];
  const { earningsPerShare, dividendOfYear } = companies.figures(instrument, day);
  return {
    meanYield: meanYield(facts, instrument, today),
    frequency: instrument.market === 'HK' || regular === 0 ? undefined : frequencyOf(regular),
    growYears: growYears(companies.company(instrument), today),
    payoutRatio: earningsPerShare > 0n ? percent(dividendOfYear, earningsPerShare) : undefined,
    nextPayment: next?.payDay,
    daysToPayment: next === undefined ? undefined : requireDay(next.payDay) - today,
  };
}

/** Frequency code of the payments within a year; ex-days move, so one more or less still counts. */
function frequencyOf(payments: number): number {
  if (payments >= 9) return 4;
  if (payments >= 3) return 3;
  return payments;
}

function meanYield(
  { world, companies, market }: Facts<'world' | 'companies' | 'market'>,
  instrument: Listing['instrument'],
  today: number,
): number | undefined {
  const timeline = companies.timeline(instrument);
  const calendar = world.calendar(instrument);
  const listed = requireDay(instrument.listDate);
  let [sum, years] = [0, 0];
  for (let year = 0; year < YIELD_YEARS; year++) {
    const end = today - year * YEAR_DAYS;
    if (end - YEAR_DAYS < listed) break;
    const after = calendar.sessions(calendar.nextTradingDay(addDays(instrument.listDate, end - listed)))[0]?.start;
    const close = market.bars(instrument, { unit: 'day' }, { limit: 1, ...(after === undefined ? {} : { to: after }) }).at(-1)?.close;
    if (close === undefined || timeline === undefined) break;
    sum += percent(timeline.cashBetween(end - YEAR_DAYS, end), close);
    years += 1;
  }
  return years === 0 ? undefined : Math.round((sum / years) * 1000) / 1000;
}

function growYears(company: Company, today: number): number {
  const { fiscal } = company.profile;
  const last = fiscal.fiscalYearOf(company.lastPublishedYear(today - 1));
  let years = 0;
  let newer = company.dividendOfYear(last, today - 1);
  for (; years < GROW_YEARS_MAX; years++) {
    const older = company.dividendOfYear(last - years - 1, today - 1);
    if (older === 0n || newer <= older) break;
    newer = older;
  }
  return years;
}
