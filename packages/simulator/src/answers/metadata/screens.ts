import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { Snapshot } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import type * as EtfScreen from '@svc-gateway/contract/generated/svc/etf_screen_pb';
import type { ScreenItem } from '@svc-gateway/contract/generated/svc/screen_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Figure } from '../../screen/column-snapshot.js';
import * as quotes from '../../screen/quote-figures.js';
import { between, type Hit, screen, sorted, valuesOf } from '../../screen/screen.js';
import type { Facts } from '../../view/facts.js';
import { type Fields, given } from '../../view/messages.js';
import { versioned } from '../../view/requests.js';
import { kindData } from '../../view/snapshot-kinds.js';
import { accruedInterest, settlementOf, yieldToMaturity } from '../../world/bond-price.js';
import type { Bond, SecurityKind } from '../../world/instrument.js';
import type { AnswerTo } from '../table.js';

/** Figures by the numbers that requests have for them. */
type ScreenFields = ReadonlyMap<number, Figure>;

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

const SPEED = 20;
const DAY = { lasts: 'day', speed: 1_000 } as const;
const DAYS_A_YEAR = 365.25;

/** A figure that the snapshot has for instruments of one kind: the same one, since it is read from there. */
function ofSnapshot(key: string, read: (snapshot: Fields<Snapshot>) => number | bigint | boolean | undefined): Figure {
  return {
    key,
    lasts: 'moment',
    speed: SPEED,
    of: (facts, { listing, quote }) => Number(read(kindData(facts, listing, quote)) ?? Number.NaN),
  };
}

function ofBond(key: string, of: (bond: Bond, price: number, day: number) => number | undefined): Figure {
  return {
    key,
    lasts: 'moment',
    speed: 50,
    of: (_, { listing: { instrument }, quote }) =>
      instrument.kind === 'bond' ? (of(instrument, decimalToNumber(quote.last), requireDay(quote.tradingDay)) ?? Number.NaN) : Number.NaN,
  };
}

const round = (value: number, places: number) => Math.round(value * 10 ** places) / 10 ** places;

/** Calendar days to the last trading day; NaN for the continuous contract. */
const daysToExpiry: Figure = {
  key: 'days to expiry',
  ...DAY,
  of: (_, { listing: { instrument }, quote }) =>
    instrument.lastTradingDay === undefined ? Number.NaN : requireDay(instrument.lastTradingDay) - requireDay(quote.tradingDay),
};

const multiplier: Figure = { key: 'multiplier', ...DAY, of: (_, { listing }) => decimalToNumber(listing.instrument.multiplier) };

/** Percent a year, compounded twice, at the last price. */
const bondYield = ofBond('yield to maturity', (bond, price, day) => {
  const yearly = yieldToMaturity(bond, price, settlementOf(day));
  return yearly === undefined ? undefined : round(yearly * 100, 6);
});

const fundFields: ScreenFields = new Map([
  ...quoteFields,
  [21, quotes.turnoverRateOfDay],
  [22, quotes.lotPrice],
  [23, ofSnapshot('aum', ({ trustExData }) => trustExData?.aum)],
  [24, ofSnapshot('net asset value', ({ trustExData }) => trustExData?.netAssetValue)],
  [25, ofSnapshot('premium', ({ trustExData }) => trustExData?.premium)],
  [26, ofSnapshot('fund yield', ({ trustExData }) => trustExData?.dividendYield)],
  [27, ofSnapshot('units', ({ trustExData }) => trustExData?.outstandingUnits)],
  [28, ofSnapshot('asset class', ({ trustExData }) => trustExData?.assetClass)],
]);

const futureFields: ScreenFields = new Map([
  ...quoteFields,
  [31, ofSnapshot('open interest', ({ futureExData }) => futureExData?.position)],
  [32, ofSnapshot('open interest change', ({ futureExData }) => futureExData?.positionChange)],
  [33, ofSnapshot('last settlement', ({ futureExData }) => futureExData?.lastSettlePrice)],
  [34, daysToExpiry],
  [35, multiplier],
  [36, ofSnapshot('is main', ({ futureExData }) => futureExData?.isMainContract)],
]);

/** Coupon and accrued interest in percent of the nominal. */
const bondFields: ScreenFields = new Map([
  ...quoteFields,
  [41, ofBond('coupon', ({ bond }) => decimalToNumber(bond.coupon))],
  [42, bondYield],
  [43, ofBond('years to maturity', ({ bond }, _, day) => round((requireDay(bond.maturity) - day) / DAYS_A_YEAR, 4))],
  [44, ofBond('accrued interest', (bond, _, day) => round(accruedInterest(bond, settlementOf(day)), 6))],
  [45, ofBond('nominal issued', ({ bond }) => Number(bond.nominalIssued))],
  [46, ofBond('is government', ({ bond }) => Number(bond.sector === 'government'))],
]);

/** Fields shared by the four screens' requests. */
type Request = Pick<EtfScreen.C2S, 'market' | 'dataFrom' | 'dataMaxCount' | 'needFields' | 'filters' | 'sorts' | 'extensionVersion'>;

interface Page {
  readonly dataList: readonly Fields<ScreenItem>[];
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
  fields: ScreenFields,
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
