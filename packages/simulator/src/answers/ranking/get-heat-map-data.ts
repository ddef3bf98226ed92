import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { ValuationType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type HeatMapPlateData, HeatMapPlateType, SortField } from '@svc-gateway/contract/generated/Qot_GetHeatMapData_pb';
import { chainMarket, heatMapPlate } from '@svc-gateway/contract/industry-enums';
import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import type { ranking as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { Row } from '../../screen/column-snapshot.js';
import type { Hit } from '../../screen/screen.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { percent } from '../../view/figures.js';
import type { Fields } from '../../view/messages.js';
import { checkChoice, countedPage, marketOf } from '../../view/requests.js';
import { type Figure, inOrder, sortFigure } from '../../view/standings.js';
import { summaryOf } from '../../world/chains.js';
import type { Plate } from '../../world/plates.js';
import { sharesOf, worthOf } from '../industry/shares.js';
import { measures, spreadOf } from '../research/valuations.js';
import type { AnswerTo } from '../table.js';

const COUNT = { fallback: 30, max: 200 };

type Needed = Facts<'world' | 'companies' | 'listings' | 'columnSnapshots' | 'caches'>;

/** A plate with its index and its members, at one moment. */
interface Field extends Row {
  readonly plate: Plate;
  readonly members: readonly Hit[];
  readonly worth: Decimal;
}

interface Shown extends Field {
  /** Shared: nothing may write to it. */
  readonly data: Fields<HeatMapPlateData>;
}

const changeRate = ({ quote: { last, previousClose } }: Row) => percent(last - previousClose, previousClose);

/** By `SortField`. */
const sortFields: Readonly<Record<number, Figure<Field>>> = {
  [SortField.SortField_ChangeRate]: changeRate,
  [SortField.SortField_MarketVal]: ({ worth }) => Number(worth),
  [SortField.SortField_Turnover]: ({ quote }) => Number(quote.turnover),
  [SortField.SortField_Hot]: ({ members }) => members.reduce((sum, { row }) => sum + usualTurnover(row), 0),
};

/**
 * Qot_GetHeatMapData: the industries or concepts of a market that have members today, with the quotes of the minute. The index, turnover and volume are the
 * plate's own; the rest follows from its members. The simulation has no themes beside them.
 */
export const getHeatMapData: AnswerTo<typeof declared.getHeatMapData> = (facts, request) => {
  const market = marketOf(request.market, chainMarket);
  if (market instanceof Refusal) return market;
  const unknown = checkChoice('plate_type', request.plateType, heatMapPlate);
  if (unknown !== undefined) return unknown;
  const by = sortFigure(request.sortField, sortFields, changeRate);
  if (by instanceof Refusal) return by;
  const plates = facts.caches.ofMinute(shownPlates, `${market} ${request.plateType}`, () => fieldsOf(facts, market, request.plateType));
  const fields = inOrder(plates, by, request.ascend);
  const page = countedPage(fields, ({ plate }) => plate.symbol, request, COUNT);
  if (page instanceof Refusal) return page;
  return { plateDataList: page.items.map(({ data }) => data), allCount: fields.length, nextPage: page.next };
};

/** Plates of each market and kind: with 20,000 instruments, adding up their members takes 15 ms. */
const shownPlates: CacheKind<readonly Shown[]> = { max: 32 };

const kindOf: Readonly<Record<number, Plate['kind']>> = {
  [HeatMapPlateType.HeatMapPlateType_Industry]: 'industry',
  [HeatMapPlateType.HeatMapPlateType_Concept]: 'concept',
};

/** The plates of a kind that have members today, in the market's order. */
function fieldsOf(facts: Needed, market: QuoteMarket, plateType: number): readonly Shown[] {
  const kind = kindOf[plateType];
  const shares = sharesOf(facts, market);
  const fields: Shown[] = [];
  for (const row of facts.columnSnapshots.of(market, 'plate').rows) {
    const { instrument } = row.listing;
    if (instrument.kind !== 'plate' || instrument.plate.kind !== kind) continue;
    const { plate } = instrument;
    const members = shares.members(plate);
    if (members.length === 0) continue;
    const worth = worthOf(facts, members, quoteMarket(plate.market).currency);
    const field = { ...row, plate, members, worth };
    fields.push({ ...field, data: dataOf(field) });
  }
  return fields;
}

function dataOf(field: Field) {
  const { listing, plate, quote, members, worth } = field;
  const earnings = measures.get(ValuationType.ValuationType_PE);
  const peAvg = earnings === undefined ? undefined : spreadOf(members, earnings).mean;
  const rises = members.map((member) => Math.sign(Number(member.row.quote.last - member.row.quote.previousClose)));
  const counted = (sign: number) => rises.filter((each) => each === sign).length;
  const [leader] = inOrder(members, ({ row }) => changeRate(row), false);
  return {
    plate: listing.security,
    plateName: plate.name,
    curPrice: decimalToNumber(quote.last),
    changeRate: changeRate(field),
    turnover: decimalToNumber(quote.turnover),
    volume: quote.volume,
    marketVal: decimalToNumber(worth),
    riseCount: counted(1),
    fallCount: counted(-1),
    equalCount: counted(0),
    peAvg,
    leaderStock: leader?.row.listing.security,
    description: summaryOf(plate),
  };
}

/** Money that is traded in a share on a usual day: what makes it hot. */
function usualTurnover({ listing: { instrument }, quote }: Row): number {
  return instrument.dailyVolume * decimalToNumber(quote.last);
}
