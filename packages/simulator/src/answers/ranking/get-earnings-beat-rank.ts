import { BeatTerm, BeatType, PostPeriodType } from '@svc-gateway/contract/generated/Qot_GetEarningsBeatRank_pb';
import { beatMarket, beatTerm, beatType } from '@svc-gateway/contract/list-enums';
import type { ranking as declared } from '@svc-gateway/contract/operations';
import { DAY_MS } from '@svc-gateway/contract/time';
import type { Company } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import { type EarningsReport, earningsFigures, publicationOf, type ReportedFigure, reportsBetween } from '../../view/earnings.js';
import type { Facts } from '../../view/facts.js';
import { percent } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { checkChoice, marketOf } from '../../view/requests.js';
import { type Condition, checkPage, conditionsOf, type Figure, meeting, pageOf, sortFigure } from '../../view/standings.js';
import { industryName, type StockFigures, stocksOf } from '../../view/stock-figures.js';
import { changeRate } from '../research/money.js';
import type { AnswerTo } from '../table.js';

const COUNT_MAX = 300;
/** Without conditions: what was published so recently, and was better than expected. */
const RECENT_DAYS = 30;
/** The newest report of any company is not older. */
const REPORT_AGE_MAX_DAYS = 500;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

interface Row {
  readonly stock: StockFigures;
  readonly report: EarningsReport;
  readonly actual: number;
  readonly estimate: number;
  readonly yearBefore: number;
  /** Percent, of the estimate's size. */
  readonly beatRatio: number | undefined;
  readonly yearGrowth: number | undefined;
  readonly dayChange: number | undefined;
}

/**
 * Qot_GetEarningsBeatRank: results against the consensus of the day before their publication, in the currency of the accounts. Without conditions: those of the
 * last thirty days that were better.
 */
export const getEarningsBeatRank: AnswerTo<typeof declared.getEarningsBeatRank> = (facts, request) => {
  const market = marketOf(request.market, beatMarket);
  if (market instanceof Refusal) return market;
  const term = Object.hasOwn(request, 'term') ? request.term : BeatTerm.BeatTerm_All;
  const refused =
    checkChoice('beat_type', request.beatType, beatType) ?? checkChoice('term', term, beatTerm) ?? checkPage(request, COUNT_MAX);
  if (refused !== undefined) return refused;
  const by = sortFigure(request.sortField, sortFields, marketCap);
  if (by instanceof Refusal) return by;
  const asked = conditionsOf(request.filterList, indicators);
  if (asked instanceof Refusal) return asked;
  const conditions = asked.length > 0 ? asked : usual(facts.clock.now());
  const rows = facts.caches.ofMinute(rankings, `${market} ${request.beatType} ${term}`, () => {
    const made = stocksOf(facts, market).map((stock) => rowOf(facts, stock, request.beatType, term));
    return made.filter((row) => row !== undefined);
  });
  const kept = meeting(rows, conditions, by);
  const page = pageOf(kept, { by, ascending: false, offset: 0, count: request.count });
  return { dataList: page.map((row) => itemOf(facts, row)), allCount: kept.length };
};

/** Rankings by market and kind of results. */
const rankings: CacheKind<readonly Row[]> = { max: 24 };

const marketCap: Figure<Row> = ({ stock: { equity } }) => equity.issuedMarketVal;

const indicators: Readonly<Record<number, Figure<Row>>> = {
  1: ({ beatRatio }) => beatRatio,
  2: ({ report }) => report.time / 1000,
  3: marketCap,
  4: ({ stock: { board } }) => board.curPrice,
  5: ({ stock: { equity } }) => equity.peTTMRate,
};

/** By `SortField`. */
const sortFields: Readonly<Record<number, Figure<Row>>> = {
  1: ({ beatRatio }) => beatRatio,
  2: ({ dayChange }) => dayChange,
  3: ({ report }) => report.time,
  4: ({ actual }) => actual,
  5: ({ estimate }) => estimate,
  6: ({ yearBefore }) => yearBefore,
  7: ({ yearGrowth }) => yearGrowth,
  8: ({ stock: { equity } }) => equity.peTTMRate,
  9: ({ stock: { equity } }) => equity.dividendRatioTTM,
  10: ({ stock: { board } }) => board.curPrice,
  11: ({ stock: { changeRate } }) => changeRate,
};

function usual(now: number): readonly Condition<Row>[] {
  return [({ beatRatio }) => beatRatio !== undefined && beatRatio > 0, ({ report }) => report.time >= now - RECENT_DAYS * DAY_MS];
}

/** Row of a company; undefined without a report of the term or without estimates. */
function rowOf(facts: Needed, stock: StockFigures, type: BeatType, term: BeatTerm): Row | undefined {
  const share = stock.listing;
  const now = facts.clock.now();
  const company = facts.companies.company(share.instrument);
  const report = newestReport(company, now, term);
  if (report === undefined) return undefined;
  const { actual, estimate, yearBefore } = figureOf(company, share, report, type);
  if (actual === undefined || estimate === undefined) return undefined;
  return {
    stock,
    report,
    actual,
    estimate,
    yearBefore,
    beatRatio: changeRate(actual, estimate),
    yearGrowth: changeRate(actual, yearBefore),
    dayChange: changeAfter(facts, share, report.time),
  };
}

const periods: Readonly<Partial<Record<BeatTerm, EarningsReport['period']>>> = {
  [BeatTerm.BeatTerm_LatestQuarter]: 'quarter',
  [BeatTerm.BeatTerm_LatestHalf]: 'half',
  [BeatTerm.BeatTerm_LatestAnnual]: 'annual',
};

/** The newest one published by `now`; of those of one day the shortest period. */
function newestReport(company: Company, now: number, term: BeatTerm): EarningsReport | undefined {
  const today = Math.floor(now / DAY_MS) + 1;
  const period = periods[term];
  return reportsBetween(company, today - REPORT_AGE_MAX_DAYS, today).find(
    (report) => report.time <= now && (period === undefined || report.period === period),
  );
}

function figureOf(company: Company, { instrument }: Listing, report: EarningsReport, type: BeatType): ReportedFigure {
  const { earningsPerShare, revenue, ebit } = earningsFigures(company, instrument, report, report.day);
  if (type === BeatType.BeatType_EPS) return earningsPerShare;
  return type === BeatType.BeatType_REVENUE ? revenue : ebit;
}

/** Percent that the price changed on the first trading day that could take note of it; undefined before that day has traded. */
function changeAfter({ clock, world, market }: Needed, { instrument }: Listing, time: number): number | undefined {
  const calendar = world.calendar(instrument);
  const { day, at } = publicationOf(instrument, time);
  const first = at === 'after' || !calendar.isTradingDay(day) ? calendar.nextTradingDay(day) : day;
  const [session] = calendar.sessions(first);
  if (session === undefined || session.start > clock.now()) return undefined;
  const [bar] = market.bars(instrument, { unit: 'day' }, { from: session.start, limit: 1 });
  if (bar === undefined || calendar.tradingDay(bar.start) !== first) return undefined;
  return percent(bar.close - bar.previousClose, bar.previousClose);
}

const postPeriods = {
  before: PostPeriodType.PostPeriodType_Before,
  during: PostPeriodType.PostPeriodType_IntradayTrading,
  after: PostPeriodType.PostPeriodType_After,
} as const;

function itemOf(facts: Needed, row: Row) {
  const { stock, report } = row;
  const { listing, board, equity, changeRate } = stock;
  const { day, at } = publicationOf(listing.instrument, report.time);
  const part = { quarter: `Q${report.number}`, half: 'H1', annual: 'FY' }[report.period];
  return {
    security: listing.security,
    name: board.name,
    industry: industryName(facts, listing),
    curPrice: board.curPrice,
    lastClosePrice: board.lastClosePrice,
    changeRate,
    marketCap: equity.issuedMarketVal,
    peTTM: equity.peTTMRate,
    dividendsTTM: equity.dividendRatioTTM,
    releasedDate: day,
    beatRatio: row.beatRatio,
    actual: row.actual,
    estimate: row.estimate,
    yoy: row.yearBefore,
    yoyGrowth: row.yearGrowth,
    earningDayChg: row.dayChange,
    term: `${report.fiscalYear}/${part}`,
    detailPostPeriod: postPeriods[at],
  };
}
