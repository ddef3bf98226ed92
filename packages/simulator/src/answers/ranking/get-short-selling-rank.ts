import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { C2S } from '@svc-gateway/contract/generated/Qot_GetShortSellingRank_pb';
import { rankedMarket } from '@svc-gateway/contract/list-enums';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { ranking as declared } from '@svc-gateway/contract/operations';
import { shown } from '@svc-gateway/contract/shown';
import { requireDay } from '@svc-gateway/contract/time';
import type { Bar } from '../../market/market.js';
import { Refusal } from '../../refusal.js';
import { keyOf, normal, uniform } from '../../rng/random.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { percent } from '../../view/figures.js';
import { trait } from '../../view/fundamentals.js';
import { completeDayStamp, lastCompleteDay } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { marketOf } from '../../view/requests.js';
import { checkPage, type Figure, meeting, pageOf, sortFigure } from '../../view/standings.js';
import { sharesOf } from '../../view/stock-figures.js';
import { marketCalendar } from '../../world/index.js';
import type { Instrument } from '../../world/instrument.js';
import { platesOf } from '../../world/plates.js';
import type { AnswerTo } from '../table.js';

const COUNT_MAX = 35;
/** Trading days of a week and of a month. */
const WEEK = 5;
const MONTH = 20;
const US = 11;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'caches'>;

/** Short sales of a share, as of the end of the last complete trading day. Ratios in percent. */
interface Row {
  readonly listing: Listing;
  readonly bar: Bar;
  readonly changeRatio: number;
  readonly changeRatio5D: number | undefined;
  readonly changeRatio10D: number | undefined;
  readonly shortNumber: bigint;
  readonly shortNumberChange: bigint;
  readonly shortRatio: number;
  readonly shortRatioChange: number | undefined;
  readonly position: bigint;
  readonly positionRatio: number;
  readonly daysToCover: number | undefined;
  readonly week: Averages;
  readonly month: Averages;
}

interface Averages {
  readonly volume: number;
  readonly shortNumber: bigint;
  readonly shortRatio: number;
}

/**
 * Qot_GetShortSellingRank: what was sold short on the last complete trading day. Volumes are those of the day's bars; the short part of each is made up.
 * Days to cover are the short position over the month's mean volume.
 */
export const getShortSellingRank: AnswerTo<typeof declared.getShortSellingRank> = (facts, request) => {
  const market = marketOf(request.market === 0 ? US : request.market, rankedMarket);
  if (market instanceof Refusal) return market;
  const refused = checkPage(request, COUNT_MAX);
  if (refused !== undefined) return refused;
  const by = sortFigure(request.sortField, sortFields, shortNumberChange);
  if (by instanceof Refusal) return by;
  const plates = platesOfRequest(market, request);
  if (plates instanceof Refusal) return plates;
  const all = rowsOf(facts, market);
  const rows = plates === undefined ? all : meeting(all, [({ listing }) => isIn(facts, listing, plates)], by);
  const { offset, count, sortDir } = request;
  const page = pageOf(rows, { by, ascending: sortDir === 1, offset, count });
  return { dataList: page.map(itemOf), allCount: rows.length };
};

const shortNumberChange: Figure<Row> = (row) => Number(row.shortNumberChange);

/** By `ShortSellingSortField`. */
const sortFields: Readonly<Record<number, Figure<Row>>> = {
  1: shortNumberChange,
  2: ({ shortRatioChange }) => shortRatioChange,
  3: ({ shortNumber }) => Number(shortNumber),
  4: ({ shortRatio }) => shortRatio,
  5: ({ bar }) => Number(bar.volume),
  6: ({ position }) => Number(position),
  7: ({ positionRatio }) => positionRatio,
  8: ({ daysToCover }) => daysToCover,
  9: ({ week }) => week.volume,
  10: ({ week }) => Number(week.shortNumber),
  11: ({ week }) => week.shortRatio,
  12: ({ month }) => month.volume,
  13: ({ month }) => Number(month.shortNumber),
  14: ({ month }) => month.shortRatio,
};

/** The industries that are wanted, by their symbols; undefined for all. */
function platesOfRequest(market: QuoteMarket, { plateList }: C2S): ReadonlySet<string> | undefined | Refusal {
  if (plateList.length === 0) return undefined;
  const offered = new Set(platesOf(market).map(({ symbol }) => symbol));
  const wanted = plateList.map(({ code }) => `${market}.${code.toUpperCase()}`);
  const unknown = wanted.findIndex((symbol) => !offered.has(symbol));
  return unknown < 0 ? new Set(wanted) : new Refusal(`plate_list[${unknown}]: no plate ${shown(wanted[unknown] ?? '')} in this market`);
}

function isIn({ world, companies }: Facts<'world' | 'companies'>, { instrument }: Listing, plates: ReadonlySet<string>): boolean {
  const day = requireDay(world.today(instrument));
  return companies
    .company(instrument)
    .plates(day)
    .some(({ symbol }) => plates.has(symbol));
}

const rowsOfDays: CacheKind<readonly Row[]> = { max: 16 };

/** The rows of a market: what a complete day brought does not change any more. */
function rowsOf(facts: Needed, market: QuoteMarket): readonly Row[] {
  return facts.caches.get(rowsOfDays, market, completeDayStamp(facts, market), () => {
    const day = lastCompleteDay(facts.world.calendar(marketCalendar(market)), facts.clock.now());
    return sharesOf(facts, market)
      .map((share) => rowOf(facts, share, day))
      .filter((row) => row !== undefined);
  });
}

/** Undefined for a share that was not traded on the day. */
function rowOf({ world, market, companies }: Needed, listing: Listing, day: string): Row | undefined {
  const { instrument } = listing;
  const calendar = world.calendar(instrument);
  const to = calendar.sessions(calendar.nextTradingDay(day))[0]?.start;
  const bars = market.bars(instrument, { unit: 'day' }, { limit: MONTH + 1, ...(to === undefined ? {} : { to }) }, 'forward');
  const sales = bars.map((bar) => shortSalesOf(instrument, calendar.tradingDay(bar.start), bar));
  const [bar, sold] = [bars.at(-1), sales.at(-1)];
  if (bar === undefined || sold === undefined || calendar.tradingDay(bar.start) !== day) return undefined;
  const before = sales.at(-2) ?? 0n;
  const float = companies.outstandingShares(instrument, day);
  const position = shortPosition(instrument, day, float);
  const month = averages(bars, sales, MONTH);
  const since = (days: number) => {
    const close = bars.at(-1 - days)?.close;
    return close === undefined ? undefined : percent(bar.close - close, close);
  };
  return {
    listing,
    bar,
    changeRatio: percent(bar.close - bar.previousClose, bar.previousClose),
    changeRatio5D: since(5),
    changeRatio10D: since(10),
    shortNumber: sold,
    shortNumberChange: sold - before,
    shortRatio: percent(sold, bar.volume),
    shortRatioChange: before === 0n ? undefined : percent(sold - before, before),
    position,
    positionRatio: percent(position, float),
    daysToCover: month.volume === 0 ? undefined : Math.round((Number(position) / month.volume) * 100) / 100,
    week: averages(bars, sales, WEEK),
    month,
  };
}

function shortSalesOf(instrument: Listing['instrument'], day: string, bar: Bar): bigint {
  return shortVolume(instrument, day, bar.volume, Number(bar.close - bar.previousClose) / Number(bar.previousClose));
}

/** Over the newest days, or as many as there are. */
function averages(bars: readonly Bar[], sales: readonly bigint[], days: number): Averages {
  const count = BigInt(Math.min(days, bars.length));
  const volume = bars.slice(-days).reduce((sum, bar) => sum + bar.volume, 0n);
  const sold = sales.slice(-days).reduce((sum, each) => sum + each, 0n);
  return { volume: Number(volume / count), shortNumber: sold / count, shortRatio: percent(sold, volume) };
}

function itemOf(row: Row) {
  return {
    security: row.listing.security,
    name: row.listing.instrument.name,
    closePrice: decimalToNumber(row.bar.close),
    changeRatio: row.changeRatio,
    changeRatio5D: row.changeRatio5D,
    changeRatio10D: row.changeRatio10D,
    volume: row.bar.volume,
    shortNumber: row.shortNumber,
    shortNumberChange: row.shortNumberChange,
    shortRatio: row.shortRatio,
    shortRatioChange: row.shortRatioChange,
    shortPositionVolume: row.position,
    shortPositionRatio: row.positionRatio,
    daysToCover: row.daysToCover,
    weekAvgShortNumber: row.week.shortNumber,
    weekAvgShortRatio: row.week.shortRatio,
    monthAvgShortNumber: row.month.shortNumber,
    monthAvgShortRatio: row.month.shortRatio,
  };
}

/** The part of a share's volume that is usually sold short: this, and up to so much more by the share. */
const USUAL = { least: 0.04, more: 0.2 };
/** Deviation from day to day, and how much a fall draws: a day of -5 % has half as much again. */
const DAILY_NOISE = 0.18;
const DRAWN_BY_FALL = 10;
const PART_MAX = 0.6;

/** Positions against the free float: from this up to so much more, mostly low. */
const POSITIONS = { least: 0.001, more: 0.07 };
/** A position is built and given up over weeks. */
const POSITION_DAYS = 14;
const POSITION_NOISE = 0.12;

/**
 * Short volume within a day's volume: made up, deterministic for a share and a day. The listing's own fraction, higher on days on
 * which the price fell, never above {@link PART_MAX}.
 *
 * @param change of the day's price, as a fraction.
 */
function shortVolume(instrument: Instrument, day: string, volume: bigint, change: number): bigint {
  const usual = USUAL.least + USUAL.more * trait(instrument, 'short volume');
  const noise = 1 + DAILY_NOISE * normal(keyOf(`${instrument.symbol} short volume`), requireDay(day));
  const part = Math.min(PART_MAX, usual * noise * (1 + DRAWN_BY_FALL * Math.max(-0.05, Math.min(0.05, -change))));
  return (volume * BigInt(Math.round(Math.max(0, part) * 1e6))) / 1_000_000n;
}

/** Shares sold short and not bought back by the end of a day, of `float` shares: made up, moving over weeks. */
function shortPosition(instrument: Instrument, day: string, float: bigint): bigint {
  const key = keyOf(`${instrument.symbol} short position`);
  const usual = POSITIONS.least + POSITIONS.more * uniform(key, 0) ** 3;
  const number = requireDay(day);
  const span = Math.floor(number / POSITION_DAYS);
  const passed = (number - span * POSITION_DAYS) / POSITION_DAYS;
  const noise = normal(key, span) * (1 - passed) + normal(key, span + 1) * passed;
  return (float * BigInt(Math.round(usual * (1 + POSITION_NOISE * noise) * 1e9))) / 1_000_000_000n;
}
