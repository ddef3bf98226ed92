import { isFieldSet } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { IpoPeriod, PriceType, SortField, WarrantStatus } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, C2SSchema } from '@svc-gateway/contract/generated/Qot_GetWarrant_pb';
import type { derivatives as declared } from '@svc-gateway/contract/operations';
import { addDays } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { locateTerms } from '../../view/locate.js';
import { issuerOf, warrantTypes } from '../../view/warrant-figures.js';
import { WarrantRow } from '../../view/warrant-row.js';
import type { Instrument } from '../../world/index.js';
import type { AnswerTo } from '../table.js';
import { dayOf } from './option-chain.js';

const MONTH_DAYS = 30;
const WEEK_DAYS = 7;

type Used = 'world' | 'market' | 'listings';

/** Qot_GetWarrant: listed warrants that meet every condition, sorted, a page of them. */
export const getWarrant: AnswerTo<typeof declared.getWarrant> = (facts, request) => {
  const owner = request.owner === undefined ? undefined : locateTerms(facts, request.owner);
  if (owner instanceof Refusal) return owner;
  const bounds = maturityBounds(request);
  if (bounds instanceof Refusal) return bounds;
  return page(facts, request, owner?.instrument, bounds);
};

function page(facts: Facts<Used>, request: C2S, owner: Instrument | undefined, bounds: Bounds) {
  const isWanted = termsFilter(facts, request, bounds);
  const listed = facts.world.warrants(owner);
  const conditions = figureConditions(request);
  const rows = listed.map((one) => new WarrantRow(facts, one)).filter((row) => isWanted(row) && conditions.every((meets) => meets(row)));
  const column = columns[request.sortField as SortField] ?? code;
  const keyed = rows.map((row) => ({ row, key: column.of(row) }));
  keyed.sort((a, b) => compare(a.key, b.key) * (request.ascend ? 1 : -1) || compare(a.row.warrant.code, b.row.warrant.code));
  const shown = keyed.slice(request.begin, request.begin + request.num);

  return {
    allCount: keyed.length,
    lastPage: request.begin + request.num >= keyed.length,
    warrantDataList: shown.map(({ row }) => row.message()),
  };
}

interface Bounds {
  readonly from: string;
  readonly until: string;
}

function maturityBounds({ maturityTimeMin, maturityTimeMax }: C2S): Bounds | Refusal {
  const from = maturityTimeMin === '' ? '' : dayOf('maturity_time_min', maturityTimeMin);
  if (from instanceof Refusal) return from;
  const until = maturityTimeMax === '' ? '9999-12-31' : dayOf('maturity_time_max', maturityTimeMax);
  return until instanceof Refusal ? until : { from, until };
}

/** Conditions on terms alone. */
function termsFilter(
  { world }: Facts<Used>,
  { typeList, issuerList, ipoPeriod }: C2S,
  { from, until }: Bounds,
): (row: WarrantRow) => boolean {
  const listing = listingPeriods[ipoPeriod as IpoPeriod];
  const today = world.today('HK');
  return ({ warrant }) => {
    const { type, maturity } = warrant.warrant;
    if (typeList.length > 0 && !typeList.includes(warrantTypes[type])) return false;
    if (issuerList.length > 0 && !issuerList.includes(issuerOf(warrant.warrant))) return false;
    if (maturity < from || maturity > until) return false;
    if (listing === undefined) return true;
    const [first, last] = listing;
    return addDays(today, first) <= warrant.listDate && warrant.listDate <= addDays(today, last);
  };
}

/** Days from today. */
const listingPeriods: Readonly<Partial<Record<IpoPeriod, readonly [number, number]>>> = {
  [IpoPeriod.IpoPeriod_Today]: [0, 0],
  [IpoPeriod.IpoPeriod_Tomorrow]: [1, 1],
  [IpoPeriod.IpoPeriod_Nextweek]: [1, WEEK_DAYS],
  [IpoPeriod.IpoPeriod_Lastweek]: [-WEEK_DAYS, 0],
  [IpoPeriod.IpoPeriod_Lastmonth]: [-MONTH_DAYS, 0],
};

type Key = number | bigint | string | undefined;
interface Column {
  readonly of: (row: WarrantRow) => Key;
  /** It is in the terms, so that no quote is needed. */
  readonly isTerm?: true;
}

const code: Column = { of: ({ warrant }) => warrant.code, isTerm: true };

/** Sort columns; rows without the figure come last. */
const columns: Readonly<Partial<Record<SortField, Column>>> = {
  [SortField.SortField_Code]: code,
  [SortField.SortField_CurPrice]: { of: ({ quote }) => quote.last },
  [SortField.SortField_PriceChangeVal]: { of: ({ quote }) => quote.last - quote.previousClose },
  [SortField.SortField_ChangeRate]: { of: (row) => row.changeRate },
  [SortField.SortField_Status]: { of: (row) => row.status },
  [SortField.SortField_BidPrice]: { of: ({ top }) => top.bid?.price ?? 0n },
  [SortField.SortField_AskPrice]: { of: ({ top }) => top.ask?.price ?? 0n },
  [SortField.SortField_BidVol]: { of: ({ top }) => top.bid?.volume ?? 0n },
  [SortField.SortField_AskVol]: { of: ({ top }) => top.ask?.volume ?? 0n },
  [SortField.SortField_Volume]: { of: ({ quote }) => quote.volume },
  [SortField.SortField_Turnover]: { of: ({ quote }) => quote.turnover },
  [SortField.SortField_Amplitude]: { of: (row) => row.amplitude },
  [SortField.SortField_Score]: { of: ({ figures }) => figures.score },
  [SortField.SortField_Premium]: { of: ({ figures }) => figures.premium },
  [SortField.SortField_EffectiveLeverage]: { of: ({ figures }) => figures.effectiveLeverage },
  [SortField.SortField_Delta]: { of: ({ figures }) => figures.delta },
  [SortField.SortField_ImpliedVolatility]: { of: ({ figures }) => figures.impliedVolatility },
  [SortField.SortField_Type]: { of: ({ warrant }) => warrantTypes[warrant.warrant.type], isTerm: true },
  [SortField.SortField_StrikePrice]: { of: ({ warrant }) => warrant.warrant.strike, isTerm: true },
  [SortField.SortField_BreakEvenPoint]: { of: ({ figures }) => figures.breakEven },
  [SortField.SortField_MaturityTime]: { of: ({ warrant }) => warrant.warrant.maturity, isTerm: true },
  [SortField.SortField_ListTime]: { of: ({ warrant }) => warrant.listDate, isTerm: true },
  [SortField.SortField_LastTradeTime]: { of: ({ warrant }) => warrant.lastTradingDay, isTerm: true },
  [SortField.SortField_Leverage]: { of: ({ figures }) => figures.leverage },
  [SortField.SortField_InOutMoney]: { of: ({ figures }) => figures.inMoney },
  [SortField.SortField_RecoveryPrice]: { of: ({ warrant }) => warrant.warrant.callPrice, isTerm: true },
  [SortField.SortField_ChangePrice]: { of: ({ figures }) => figures.conversionPrice },
  [SortField.SortField_Change]: { of: ({ warrant }) => warrant.warrant.conversionRatio, isTerm: true },
  [SortField.SortField_StreetRate]: { of: ({ figures }) => figures.streetRate },
  [SortField.SortField_StreetVol]: { of: ({ figures }) => figures.streetVolume },
  [SortField.SortField_WarrantName]: { of: ({ warrant }) => warrant.name, isTerm: true },
  [SortField.SortField_Issuer]: { of: ({ warrant }) => issuerOf(warrant.warrant), isTerm: true },
  [SortField.SortField_LotSize]: { of: ({ warrant }) => warrant.lotSize, isTerm: true },
  [SortField.SortField_IssueSize]: { of: ({ warrant }) => warrant.sharesIssued, isTerm: true },
  [SortField.SortField_UpperStrikePrice]: { of: ({ warrant }) => warrant.warrant.upperStrike, isTerm: true },
  [SortField.SortField_LowerStrikePrice]: {
    of: ({ warrant }) => (warrant.warrant.type === 'inline' ? warrant.warrant.strike : undefined),
    isTerm: true,
  },
  [SortField.SortField_InLinePriceStatus]: { of: ({ figures }) => figures.inside },
};

function compare(a: Key, b: Key): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

type Bound = keyof C2S & `${string}${'Min' | 'Max'}`;

/** Pairs of bounds and what they hold. Prices are cut to three places, as the message says; what a type does not have leaves it out. */
const pairs: readonly (readonly [least: Bound, most: Bound, of: (row: WarrantRow) => number | undefined])[] = [
  ['curPriceMin', 'curPriceMax', ({ quote }) => decimalToNumber(quote.last)],
  ['strikePriceMin', 'strikePriceMax', ({ figures }) => figures.strike],
  ['streetMin', 'streetMax', ({ figures }) => figures.streetRate],
  ['conversionMin', 'conversionMax', ({ figures }) => figures.conversionRatio],
  ['volMin', 'volMax', ({ quote }) => Number(quote.volume)],
  ['premiumMin', 'premiumMax', ({ figures }) => figures.premium],
  ['leverageRatioMin', 'leverageRatioMax', ({ figures }) => figures.leverage],
  ['deltaMin', 'deltaMax', ({ figures }) => figures.delta],
  ['impliedMin', 'impliedMax', ({ figures }) => figures.impliedVolatility],
  ['recoveryPriceMin', 'recoveryPriceMax', ({ figures }) => figures.callPrice],
  ['priceRecoveryRatioMin', 'priceRecoveryRatioMax', ({ figures }) => figures.callDistance],
];

/** Conditions that need quotes. */
function figureConditions(request: C2S): ((row: WarrantRow) => boolean)[] {
  const bound = (name: Bound) => (isFieldSet(request, C2SSchema.field[name]) ? Math.trunc(Number(request[name]) * 1000) / 1000 : undefined);
  const conditions = pairs.flatMap(([least, most, of]) => {
    const [low, high] = [bound(least), bound(most)];
    if (low === undefined && high === undefined) return [];
    return [
      (row: WarrantRow) => {
        const value = of(row);
        return value !== undefined && (low === undefined || value >= low) && (high === undefined || value <= high);
      },
    ];
  });
  const { priceType, status } = request;
  // Whether an inline warrant is inside is another question.
  if (priceType !== PriceType.PriceType_Unknow)
    conditions.push(({ figures }) => figures.inside === undefined && figures.inMoney > 0 === (priceType === PriceType.PriceType_WithIn));
  if (status !== WarrantStatus.WarrantStatus_Unknow) conditions.push((row) => row.status === status);
  return conditions;
}
