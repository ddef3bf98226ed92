import { F10Type, ValuationType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { research as declared } from '@svc-gateway/contract/operations';
import { localDateTime, requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { type Hit, valuesOf } from '../../screen/screen.js';
import { marketValue } from '../../screen/share-figures.js';
import type { Facts } from '../../view/facts.js';
import { threePlaces } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { ofSecurity } from '../../view/locate.js';
import { given } from '../../view/messages.js';
import { plateSecurity } from '../../view/plates.js';
import { isIssuedByCompany, kinds } from '../../world/kinds.js';
import { industryPlate } from '../../world/plates.js';
import type { AnswerTo } from '../table.js';
import { dated, periodsOf, type Subject, subjectFor } from './subject.js';
import {
  forwardFigure,
  groupOf,
  intervalOf,
  type Measure,
  measures,
  type PastValue,
  pastMeans,
  pastValues,
  pathParts,
  percentile,
  recommended,
  type Spread,
  sharesIn,
  sharesOfPlate,
  spreadOf,
  valueAt,
} from './valuations.js';

/** The members of a plate that are shown: the largest ones. */
const MEMBERS_MAX = 50;

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'columnSnapshots' | 'caches'>;

/**
 * Qot_GetValuationDetail: what a price is of earnings, net assets or sales; of a plate or an index its members' together. Values that are not positive
 * count in no mean, median or distribution. Means over members are weighted by market value.
 */
export const getValuationDetail: AnswerTo<typeof declared.getValuationDetail> = ofSecurity((facts, listing, request) => {
  const interval = intervalOf(given(request, 'intervalType'));
  if (interval === undefined) return new Refusal(`interval_type: unknown ${request.intervalType}; accepted: 1 to 10`, 'broker.value');
  const wanted = request.valuationType;
  if (wanted !== ValuationType.ValuationType_Unknown && !measures.has(wanted)) {
    return new Refusal(`valuation_type: unknown ${wanted}; accepted: 0 (recommended), ${[...measures.keys()].join(', ')}`, 'broker.value');
  }
  return isIssuedByCompany(listing.instrument) ? ofShare(facts, listing, wanted, interval) : ofGroup(facts, listing, wanted, interval);
});

type Interval = NonNullable<ReturnType<typeof intervalOf>>;

function ofShare(facts: Needed, listing: Listing, wanted: ValuationType, interval: Interval) {
  const { instrument } = listing;
  const { companies, market } = facts;
  const quote = market.quote(instrument);
  const figures = companies.figures(instrument, quote.tradingDay);
  const measure = measureOf(wanted === ValuationType.ValuationType_Unknown ? recommended(figures) : wanted);
  const now = valueAt(companies, measure, { listing }, quote.last, quote.tradingDay);
  const past = pastValues(facts, listing, measure, interval, quote.tradingDay);
  const forward = forwardFigure(measure).of(facts, { listing, quote });
  const plate = industryPlate(instrument.market, companies.company(instrument).industry);
  const peers = plate === undefined ? [] : sharesOfPlate(facts, plate);
  const days = past.map(({ day }) => requireDay(day));
  const means = pastMeans(facts, peers, measure, days);
  const ofPeers = spreadOf(peers, measure);
  const ofMarket = spreadOf(sharesIn(facts, { market: instrument.market, members: undefined }), measure);
  const subject = subjectFor(facts, listing);
  return {
    ...header(facts, listing, measure),
    trend: trendOf(listing, { now, past: [...past, { day: quote.tradingDay, value: now }], means: [...means, ofPeers.mean], forward }),
    marketDistribution: distributionOf(ofMarket, now),
    plateDistribution:
      plate === undefined
        ? undefined
        : {
            plate: plateSecurity(plate),
            plateName: plate.name,
            plateAverageValue: ofPeers.mean,
            plateRanking: rankOf(ofPeers, now),
            plateStockItemCount: peers.length,
            stockItems: peersOf(peers, measure),
          },
    profitGrowthRate: measure.expected === undefined ? undefined : profitGrowth(subject, measure, interval.from(subject.today)),
  };
}

/** Valuation of a plate or an index: the members' total value over their total fundamentals; the past follows its largest members. */
function ofGroup(facts: Needed, listing: Listing, wanted: ValuationType, interval: Interval) {
  const group = groupOf(facts, listing);
  if (group instanceof Refusal) {
    const { symbol, kind } = listing.instrument;
    return new Refusal(`${symbol} is ${kinds[kind].noun}: only shares of companies, plates and indices have valuations`);
  }
  const measure = measureOf(wanted === ValuationType.ValuationType_Unknown ? ValuationType.ValuationType_PE : wanted);
  const hits = sharesIn(facts, group);
  const spread = spreadOf(hits, measure);
  const now = spread.mean ?? Number.NaN;
  const today = facts.world.today(listing.instrument);
  const days = monthsBack(interval.from(today), today).filter((day) => day >= listing.instrument.listDate);
  const means = pastMeans(facts, hits, measure, days.map(requireDay));
  const past = days.map((day, index) => ({ day, value: means[index] ?? Number.NaN }));
  return {
    ...header(facts, listing, measure),
    trend: trendOf(listing, { now, past: [...past, { day: today, value: now }], means: [], forward: Number.NaN }),
    marketDistribution: distributionOf(spread, undefined),
  };
}

function measureOf(type: ValuationType): Measure {
  const measure = measures.get(type);
  if (measure === undefined) throw new RangeError(`no valuation ${type}`);
  return measure;
}

const DAYS_BACK_MAX = 362;

/** The first days of the months from a day to another, oldest first. */
function monthsBack(from: string, to: string): readonly string[] {
  const found: string[] = [];
  let [year, month] = [Number(to.slice(0, 4)), Number(to.slice(5, 7))];
  for (let count = 0; count < DAYS_BACK_MAX; count++) {
    const day = `${year}-${String(month).padStart(2, '0')}-01`;
    if (day < from) break;
    if (day < to) found.unshift(day);
    [year, month] = month === 1 ? [year - 1, 12] : [year, month - 1];
  }
  return found;
}

function header({ clock }: Needed, { instrument }: Listing, { type }: Measure) {
  const now = Math.floor(clock.now() / 1000) * 1000;
  const lastUpdateTimeStr = localDateTime(now, quoteMarket(instrument.market).timeZone);
  return { valuationType: type, lastUpdateTime: BigInt(now / 1000), lastUpdateTimeStr };
}

interface Past {
  readonly now: number;
  /** The current day last. */
  readonly past: readonly PastValue[];
  /** Industry means on the same days. */
  readonly means: readonly (number | undefined)[];
  readonly forward: number;
}

function trendOf(listing: Listing, { now, past, means, forward }: Past) {
  const values = past.map(({ value }) => value).filter((value) => value > 0);
  const average = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length);
  const standing = now > 0 ? percentile(now, values) : Number.NaN;
  return {
    currentValue: finite(now),
    averageValue: finite(threePlaces(average)),
    avgMinus1Stddev: finite(threePlaces(average - deviation)),
    avgPlus1Stddev: finite(threePlaces(average + deviation)),
    valuationPercentile: finite(standing),
    forwardValue: finite(forward),
    historicalItems: past.flatMap(({ day, value }, index) =>
      Number.isNaN(value)
        ? []
        : [
            {
              value,
              ...dated(listing, 'time', day),
              plateValue: means[index],
            },
          ],
    ),
  };
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** Lower ends of the sections, highest first; the first one has no upper end. */
const SECTIONS = [100, 50, 40, 30, 20, 15, 10, 5, 2, 1, 0] as const;

/** `now`: of the share whose rank is told, among its market's; an index has none. */
function distributionOf({ values, mean, median }: Spread, now: number | undefined) {
  const sections = SECTIONS.map((start, index) => {
    const end = SECTIONS[index - 1] ?? 0;
    const number = values.filter((value) => value >= start && (end === 0 || value < end)).length;
    return { start, end, number };
  });
  const ofShare = now === undefined ? {} : { ranking: rankOf({ values }, now), averageValue: mean, medianValue: median };
  return { sections, total: values.length, ...ofShare };
}

/** 1 for the highest value; undefined for one that is not positive. */
function rankOf({ values }: Pick<Spread, 'values'>, now: number): number | undefined {
  return now > 0 ? 1 + values.filter((value) => value > now).length : undefined;
}

function peersOf(hits: readonly Hit[], measure: Measure) {
  const [values, sizes] = [valuesOf(hits, measure.now), valuesOf(hits, marketValue)];
  return hits
    .map(({ row: { listing } }, index) => ({ listing, value: values[index] ?? Number.NaN, marketCap: sizes[index] ?? 0 }))
    .sort((a, b) => b.marketCap - a.marketCap)
    .slice(0, MEMBERS_MAX)
    .map(({ listing, value, marketCap }) => ({
      security: listing.security,
      name: listing.instrument.name,
      marketCap,
      value: finite(value),
    }));
}

/** At least so many fiscal years are compared, and at most. */
const YEARS = { least: 3, most: 10 };
/** Financial type of a year in this message, which numbers a year's quarters 1 to 3 and the year 4. */
const FISCAL_YEAR = 4;

/**
 * How earnings (or sales) and market value have grown, fiscal year by fiscal year, against the first one that is shown; undefined where that one has no positive
 * base. Market value is that of the path of the price at the year's publication.
 */
function profitGrowth(subject: Subject, measure: Measure, from: string) {
  const { company, listing, reported, over } = subject;
  const years = periodsOf(company, reported, F10Type.F10Type_Annual).slice(0, YEARS.most);
  const shown = years.filter(({ endDay }, index) => index < YEARS.least || endDay >= from).reverse();
  const [first] = shown;
  if (first === undefined || shown.length < 2) return undefined;
  const baseOf = (last: number) => Number(measure.base(company, last));
  // The value at the end of a day, or of the last one that is over.
  const valueOn = (on: number) => pathParts(company, measure, Math.min(on, over)).value;
  const start = { finance: baseOf(first.last), value: valueOn(company.published(first.last)) };
  if (start.finance <= 0 || start.value <= 0) return undefined;
  const base = Number(measure.base(company, company.lastPublished(reported)));
  const [finance, value] = [threePlaces(base / start.finance), threePlaces(valueOn(over) / start.value)];
  return {
    financialTtmMultiple: finance,
    marketCapMultiple: value,
    yearCount: shown.length,
    profitData: shown.map(({ last, fiscalYear, text, endDay }) => ({
      financialYear: fiscalYear,
      financialQuarter: FISCAL_YEAR,
      periodStr: text,
      ...dated(listing, 'reportDate', endDay),
      marketCapMultiple: threePlaces(valueOn(Math.max(company.published(last), requireDay(endDay))) / start.value),
      financeDataMultiple: threePlaces(baseOf(last) / start.finance),
    })),
    conclusionDetailed: conclusion(measure.type, finance, value, shown.length),
  };
}

function conclusion(type: ValuationType, finance: number, value: number, years: number): string {
  const what = type === ValuationType.ValuationType_PE ? 'earnings' : 'sales';
  const label = value > finance * 1.1 ? 'Dearer' : value < finance * 0.9 ? 'Cheaper' : 'In step';
  return `${label} : over ${years} fiscal years market value came to ${value} times what it was, ${what} to ${finance} times.`;
}
