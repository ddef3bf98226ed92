import type * as EtfScreen from '@svc-gateway/contract/generated/svc/etf_screen_pb';
import type { ScreenItem } from '@svc-gateway/contract/generated/svc/screen_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { between, type Figure, type Hit, screen, sorted, valuesOf } from '../../screen/index.js';
import { bondFigures, fundFigures, futureFigures } from '../../screen/kind-figures.js';
import * as quotes from '../../screen/quote-figures.js';
import type { Facts } from '../../view/facts.js';
import { type Fields as FieldsOf, given } from '../../view/messages.js';
import { versioned } from '../../view/requests.js';
import type { SecurityKind } from '../../world/instrument.js';
import type { AnswerTo } from '../table.js';

/** Figures by the numbers that requests have for them. */
type Fields = ReadonlyMap<number, Figure>;

/** Fields of everything that is quoted. */
const quoteFields: readonly [number, Figure][] = [
  [1, quotes.price],
  [2, quotes.change],
  [3, quotes.changeRate],
  [4, quotes.openPrice],
  [5, quotes.highPrice],
  [6, quotes.lowPrice],
  [7, quotes.previousClose],
  [8, quotes.volume],
  [9, quotes.turnover],
  [10, quotes.amplitude],
  [11, quotes.averageOfDay],
  [12, quotes.bidPrice],
  [13, quotes.askPrice],
  [14, quotes.changeOverFiveMinutes],
  [15, quotes.changeThisYear],
  [16, quotes.toYearRange('last', 'high')],
  [17, quotes.toYearRange('last', 'low')],
  [18, quotes.listedDays],
];

const fundFields: Fields = new Map([
  ...quoteFields,
  [21, quotes.turnoverRateOfDay],
  [22, quotes.lotPrice],
  [23, fundFigures.aum],
  [24, fundFigures.netAssetValue],
  [25, fundFigures.premium],
  [26, fundFigures.dividendYield],
  [27, fundFigures.units],
  [28, fundFigures.assetClass],
]);

const futureFields: Fields = new Map([
  ...quoteFields,
  [31, futureFigures.openInterest],
  [32, futureFigures.openInterestChange],
  [33, futureFigures.lastSettlement],
  [34, futureFigures.daysToExpiry],
  [35, futureFigures.multiplier],
  [36, futureFigures.isMain],
]);

const bondFields: Fields = new Map([
  ...quoteFields,
  [41, bondFigures.coupon],
  [42, bondFigures.yieldToMaturity],
  [43, bondFigures.yearsToMaturity],
  [44, bondFigures.accruedInterest],
  [45, bondFigures.nominalIssued],
  [46, bondFigures.isGovernment],
]);

/** Fields shared by the four screens' requests. */
type Request = Pick<EtfScreen.C2S, 'market' | 'dataFrom' | 'dataMaxCount' | 'needFields' | 'filters' | 'sorts' | 'extensionVersion'>;

interface Page {
  readonly dataList: readonly FieldsOf<ScreenItem>[];
  readonly allCount: number;
  readonly lastPage: boolean;
}

const COUNT_DEFAULT = 50;
const COUNT_MAX = 500;
const CONDITIONS_MAX = 64;

/** svc.etf_screen: exchange traded funds. */
export const etfScreen: AnswerTo<typeof declared.etfScreen> = versioned((facts, request) => pageOf(facts, 'etf', fundFields, request));

/** svc.fund_screen: listed trusts, which hold property and keep accounts. */
export const fundScreen: AnswerTo<typeof declared.fundScreen> = versioned((facts, request) => pageOf(facts, 'trust', fundFields, request));

/** svc.future_screen: the contracts that are listed today, continuous ones among them. */
export const futureScreen: AnswerTo<typeof declared.futureScreen> = versioned((facts, request) =>
  pageOf(facts, 'future', futureFields, request),
);

/** svc.bond_screen: listed bonds. */
export const bondScreen: AnswerTo<typeof declared.bondScreen> = versioned((facts, request) => pageOf(facts, 'bond', bondFields, request));

function pageOf(
  { columnSnapshots: boards }: Facts<'columnSnapshots'>,
  kind: SecurityKind,
  fields: Fields,
  request: Request,
): Page | Refusal {
  const market = quoteMarketNumbered(request.market);
  if (market === undefined) return new Refusal(`invalid market ${request.market}`, 'broker.value');
  const from = request.dataFrom;
  const count = request.dataMaxCount === 0 ? COUNT_DEFAULT : request.dataMaxCount;
  if (from < 0) return new Refusal(`data_from: ${from} is out of range, accepted: at least 0`, 'broker.value');
  if (count < 1 || count > COUNT_MAX)
    return new Refusal(`data_max_count: ${count} is out of range, accepted: 1 to ${COUNT_MAX}`, 'broker.value');
  const asked = request.filters.length + request.sorts.length + request.needFields.length;
  if (asked > CONDITIONS_MAX)
    return new Refusal(`${asked} fields: at most ${CONDITIONS_MAX} in need_fields, filters and sorts together`, 'broker.value');
  const unknown = [...request.needFields, ...request.filters, ...request.sorts].find(({ fieldId }) => !fields.has(fieldId));
  if (unknown !== undefined)
    return new Refusal(`unknown field_id ${unknown.fieldId}; accepted: ${[...fields.keys()].join(', ')}`, 'broker.value');

  const figure = (id: number) => fields.get(id) as Figure;
  for (const [index, filter] of request.filters.entries()) {
    const [min, max] = [given(filter, 'min'), given(filter, 'max')];
    if (min !== undefined && max !== undefined && min > max) return new Refusal(`filters[${index}]: min ${min} is above max ${max}`);
  }
  const conditions = request.filters.map((filter) => between(figure(filter.fieldId), given(filter, 'min'), given(filter, 'max')));
  const keys = request.sorts.map(({ fieldId, ascend }) => ({
    figure: figure(fieldId),
    direction: ascend ? ('ascending' as const) : ('descending' as const),
  }));
  const hits = screen([boards.of(market.name, kind)], conditions);
  const ordered = sorted(hits, keys, codeOf);
  const page = ordered.slice(from, from + count);
  const needed = [...new Set(request.needFields.map(({ fieldId }) => fieldId))];
  const columns = needed.map((id) => valuesOf(page, figure(id)));
  const dataList = page.map(({ row: { listing } }, index) => ({
    security: listing.security,
    name: listing.instrument.name,
    fieldList: needed.flatMap((fieldId, i) => {
      const value = columns[i]?.[index] ?? Number.NaN;
      return Number.isNaN(value) ? [] : [{ fieldId, value }];
    }),
  }));
  return { dataList, allCount: hits.length, lastPage: from + page.length >= hits.length };
}

function codeOf({ row }: Hit): string {
  return row.listing.instrument.code;
}
