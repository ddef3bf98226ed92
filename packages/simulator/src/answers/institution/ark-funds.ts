import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { ArkHoldingType, CycleType } from '@svc-gateway/contract/generated/Qot_GetArkFundHolding_pb';
import { DynamicType } from '@svc-gateway/contract/generated/Qot_GetArkStockDynamic_pb';
import type { institution as declared } from '@svc-gateway/contract/operations';
import { requireDay } from '@svc-gateway/contract/time';
import { ArkFunds, COMPANIES_MAX, mayHold } from '../../companies/ark.js';
import type { Company } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { threePlaces } from '../../view/figures.js';
import { lastCompleteDay } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { ofSecurity } from '../../view/locate.js';
import { countedPage } from '../../view/requests.js';
import { type Figure, inOrder } from '../../view/standings.js';
import type { Instrument } from '../../world/instrument.js';
import { percentOf } from '../research/money.js';
import type { AnswerTo } from '../table.js';
import { amount, type Change, changeOf } from './books.js';

const COUNT = { fallback: 20, max: 200 };

interface Row extends ArkHolding {
  /** Percent of all that the funds hold. */
  readonly weight: number;
  readonly weightChange: number;
}

/** By `SortField`. */
const sortFields: readonly Figure<Row>[] = [
  ({ shares }) => Number(shares),
  ({ weightChange }) => weightChange,
  ({ shares, previous }) => Number(shares - previous),
  ({ value }) => Number(value),
  ({ weight }) => weight,
];

const changes: ReadonlyMap<number, Change> = new Map([
  [ArkHoldingType.ArkHoldingType_Increase, 'increase'],
  [ArkHoldingType.ArkHoldingType_Decrease, 'decrease'],
  [ArkHoldingType.ArkHoldingType_New, 'new'],
  [ArkHoldingType.ArkHoldingType_SoldOut, 'sold out'],
]);

/** Qot_GetArkFundHolding: what the ARK funds hold together after the last trading day that is over, or what changed over a cycle of them. */
export const getArkFundHolding: AnswerTo<typeof declared.getArkFundHolding> = (facts, request) => {
  const isPosition = request.holdingType === ArkHoldingType.ArkHoldingType_Position;
  const wanted = changes.get(request.holdingType);
  if (!isPosition && wanted === undefined)
    return new Refusal(`holding_type: unknown ${request.holdingType}; accepted: 0 to ${changes.size}`, 'broker.value');
  const back = daysOfCycle(isPosition ? CycleType.CycleType_1Day : request.cycleType);
  if (back instanceof Refusal) return back;
  const by = sortFields[request.sortField];
  if (by === undefined)
    return new Refusal(`sort_field: unknown ${request.sortField}; accepted: 0 to ${sortFields.length - 1}`, 'broker.value');
  const days = tradedDays(facts, back);
  const holdings = holdingsOn(facts, days[0] ?? '', days.at(-1) ?? '');
  const rows = weighted(holdings).filter((row) => (isPosition ? row.shares > 0n : changeOf(row) === wanted));
  const ordered = inOrder(rows, by, request.sortDir === 1);
  const page = countedPage(ordered, ({ listing }) => listing.instrument.code, request, COUNT);
  if (page instanceof Refusal) return page;
  return {
    dataList: page.items.map(({ listing, shares, previous, value, weight, weightChange }) => ({
      security: listing.security,
      name: listing.instrument.name,
      shares,
      sharesChange: shares - previous,
      marketValue: amount(value),
      weight,
      weightChange,
    })),
    allCount: rows.length,
    nextPage: page.next,
  };
};

function weighted(holdings: readonly ArkHolding[]): readonly Row[] {
  const sum = (of: (holding: ArkHolding) => bigint) => Number(holdings.reduce((total, holding) => total + of(holding), 0n));
  const [whole, wholeBefore] = [sum(({ value }) => value), sum(({ previousValue }) => previousValue)];
  return holdings.map((holding) => {
    const weight = percentOf(Number(holding.value), whole) ?? 0;
    const before = percentOf(Number(holding.previousValue), wholeBefore) ?? 0;
    return { ...holding, weight, weightChange: threePlaces(weight - before) };
  });
}

const TRANSACTIONS = { fallback: 50, max: 200 };

/** By `HoldingType`. */
const transactionChanges: readonly Change[] = ['increase', 'decrease', 'new', 'sold out'];

interface TransactionRow {
  readonly home: Instrument;
  readonly change: Change;
  /** Sum of each day's trades at its close. */
  readonly amount: bigint;
  readonly shares: bigint;
}

const byAmount: Figure<TransactionRow> = (row) => Number(row.amount);
/** By `SortField`; 0 is the default. */
const transactionSorts: readonly Figure<TransactionRow>[] = [byAmount, byAmount, ({ shares }) => Number(shares)];

/** Qot_GetArkActiveTransaction: what the ARK funds traded over a cycle of trading days that are over, net; sales are negative. Amounts are at the closes of the days. */
export const getArkActiveTransaction: AnswerTo<typeof declared.getArkActiveTransaction> = (facts, request) => {
  const wanted = transactionChanges[request.holdingType];
  if (wanted === undefined)
    return new Refusal(`holding_type: unknown ${request.holdingType}; accepted: 0 to ${transactionChanges.length - 1}`, 'broker.value');
  const back = daysOfCycle(request.cycleType);
  if (back instanceof Refusal) return back;
  const by = transactionSorts[request.sortField];
  if (by === undefined) return new Refusal(`sort_field: unknown ${request.sortField}; accepted: 1, 2`, 'broker.value');
  const rows = transactions(facts, tradedDays(facts, back)).filter(({ change }) => change === wanted);
  const page = countedPage(inOrder(rows, by, request.sortDir === 1), ({ home }) => home.code, request, TRANSACTIONS);
  if (page instanceof Refusal) return page;
  return {
    dataList: page.items.map(({ home, amount: money, shares }) => ({
      security: facts.listings.of(home).security,
      name: home.name,
      changeAmount: amount(money),
      changeShares: shares,
    })),
    allCount: rows.length,
    nextPage: page.next,
  };
};

function transactions(facts: Needed, days: readonly string[]): readonly TransactionRow[] {
  const ark = arkOf(facts);
  const numbers = days.map(requireDay);
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  return ark.universe.map((home) => {
    const shares = ark.shares(home, last);
    const previous = ark.sharesAsOf(home, first, last);
    const change = changeOf({ shares, previous });
    let money = 0n;
    for (const [index, day] of days.entries()) {
      const traded = index === 0 || change === 'none' ? 0n : ark.change(home, numbers[index - 1] ?? 0, numbers[index] ?? 0);
      if (traded !== 0n) money += traded * closeOn(facts, home, day);
    }
    return { home, change, amount: money, shares: shares - previous };
  });
}

/** Trading days that are looked back over, and those that are recent. */
const DAYS = 60;
const RECENT = 10;

interface Transaction {
  readonly day: string;
  readonly shares: bigint;
}

/**
 * Qot_GetArkStockDynamic: at least two of the last transactions within ten trading days in one direction, one after another; else those of the ten days; else the last
 * one of sixty; else none.
 */
export const getArkStockDynamic: AnswerTo<typeof declared.getArkStockDynamic> = ofSecurity((facts, listing) => {
  const ark = arkOf(facts);
  const days = tradedDays(facts, DAYS);
  const transactions = days.slice(1).flatMap((day, index): Transaction[] => {
    const shares = ark.change(listing.instrument, requireDay(days[index] ?? day), requireDay(day));
    return shares === 0n ? [] : [{ day, shares }];
  });
  const last = transactions.at(-1);
  if (last === undefined) return { dynamicType: DynamicType.DynamicType_NoDynamic, transactionCount: 0, netShares: 0n };
  const recentFrom = days.at(-RECENT) ?? '';
  const recent = transactions.filter(({ day }) => day >= recentFrom);
  const run = recent.slice(1 + recent.findLastIndex(({ shares }) => shares > 0n !== last.shares > 0n));
  if (run.length > 1) return told(DynamicType.DynamicType_ConsecutiveSameDirection, run, last);
  if (recent.length > 0) return told(DynamicType.DynamicType_RecentTransaction, recent, last);
  return told(DynamicType.DynamicType_LastTransaction, [last], last);
});

function told(dynamicType: DynamicType, transactions: readonly Transaction[], last: Transaction) {
  return {
    dynamicType,
    transactionCount: transactions.length,
    netShares: transactions.reduce((sum, { shares }) => sum + shares, 0n),
    lastTransactionTime: last.day,
  };
}

/** The family's largest fund, as a scale of its money. */
const LARGEST = 'US.ARKK';
/** Market of the funds. */
const MARKET = 'US';

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'caches'>;

const made: CacheKind<ArkFunds> = { max: 1 };

/** The funds. */
function arkOf(facts: Facts<'world' | 'companies' | 'caches'>): ArkFunds {
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
function daysOfCycle(cycleType: number): number | Refusal {
  return cycles[cycleType] ?? new Refusal(`cycle_type: unknown ${cycleType}; accepted: 0 to ${cycles.length - 1}`, 'broker.value');
}

/** The last trading days in New York that are over, oldest first: `count` of them and the one before. Holdings are told after each. */
function tradedDays({ clock, world }: Needed, count: number): readonly string[] {
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
interface ArkHolding {
  readonly listing: Listing;
  readonly shares: bigint;
  /** Then, in shares of today. */
  readonly previous: bigint;
  readonly value: Decimal;
  readonly previousValue: Decimal;
}

/** All that is held on the last of some days or was on the first. */
function holdingsOn(facts: Needed, from: string, to: string): readonly ArkHolding[] {
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
function closeOn({ world, market }: Needed, home: Listing['instrument'], day: string): Decimal {
  const next = world.calendar(home).nextTradingDay(day);
  const to = world.calendar(home).sessions(next)[0]?.start ?? 0;
  return market.bars(home, { unit: 'day' }, { to, limit: 1 })[0]?.close ?? home.referencePrice;
}
