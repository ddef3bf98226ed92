import { listAccepted, plateSetType, plateSort } from '@svc-gateway/contract/enums';
import { SortField } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { Figure } from '../../screen/column-snapshot.js';
import * as figures from '../../screen/quote-figures.js';
import { screen, sorted } from '../../screen/screen.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms } from '../../view/locate.js';
import { given } from '../../view/messages.js';
import { locatePlate, membersOf, plateSecurity, platesOn, platesWithMembers, plateTypes } from '../../view/plates.js';
import { staticInfo } from '../../view/static-info.js';
import type { Plate } from '../../world/plates.js';
import type { AnswerTo } from '../table.js';

/** Qot_GetPlateSet: the plates of a market that have members today, of one kind or of all. */
export const listPlates: AnswerTo<typeof declared.listPlates> = (facts, { market: number, plateSetType: wanted }) => {
  const market = quoteMarketNumbered(number);
  if (market === undefined) return new Refusal(`invalid market ${number}`, 'broker.value');
  if (!plateSetType.members.some((member) => member.public === wanted)) {
    return new Refusal(`unknown plate_set_type ${wanted}; accepted: ${listAccepted(plateSetType, 'rest')}`, 'broker.value');
  }
  const plates = platesWithMembers(facts, market.name);
  const plateInfoList = plates.filter(({ kind }) => wanted === 0 || plateTypes[kind] === wanted).map(plateInfo);
  return { plateInfoList };
};

function plateInfo(plate: Plate) {
  return { plate: plateSecurity(plate), name: plate.name, plateType: plateTypes[plate.kind] };
}

/** As many as the public protocol's servers take. */
const SYMBOLS_MAX = 200;

/** Qot_GetOwnerPlate: the plates that each security belongs to today. What is no stock belongs to none. */
export const getOwnerPlate: AnswerTo<typeof declared.getOwnerPlate> = (facts, { securityList }) => {
  const listings = locateAllTerms(facts, securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const ownerPlateList = listings.map((listing) => ({
    security: listing.security,
    name: listing.instrument.name,
    plateInfoList: platesOn(facts, listing).map(plateInfo),
  }));
  return { ownerPlateList };
};

/** Sort fields of members. */
const sortFields: ReadonlyMap<number, Figure> = new Map([
  [SortField.SortField_CurPrice, figures.price],
  [SortField.SortField_PriceChangeVal, figures.change],
  [SortField.SortField_ChangeRate, figures.changeRate],
  [SortField.SortField_BidPrice, figures.bidPrice],
  [SortField.SortField_AskPrice, figures.askPrice],
  [SortField.SortField_BidVol, figures.bidVolume],
  [SortField.SortField_AskVol, figures.askVolume],
  [SortField.SortField_Volume, figures.volume],
  [SortField.SortField_Turnover, figures.turnover],
  [SortField.SortField_Amplitude, figures.amplitude],
  [SortField.SortField_PreCurPrice, figures.extended('preMarket', 'price')],
  [SortField.SortField_AfterCurPrice, figures.extended('afterMarket', 'price')],
  [SortField.SortField_PrePriceChangeVal, figures.extended('preMarket', 'change')],
  [SortField.SortField_AfterPriceChangeVal, figures.extended('afterMarket', 'change')],
  [SortField.SortField_PreChangeRate, figures.extended('preMarket', 'changeRate')],
  [SortField.SortField_AfterChangeRate, figures.extended('afterMarket', 'changeRate')],
  [SortField.SortField_PreAmplitude, figures.extended('preMarket', 'amplitude')],
  [SortField.SortField_AfterAmplitude, figures.extended('afterMarket', 'amplitude')],
  [SortField.SortField_PreTurnover, figures.extended('preMarket', 'turnover')],
  [SortField.SortField_AfterTurnover, figures.extended('afterMarket', 'turnover')],
]);

/** In the simulation every security trades, so that all stand at the same place. */
const codeFields: ReadonlySet<number> = new Set([SortField.SortField_Unknow, SortField.SortField_Code, SortField.SortField_Status]);

/** Qot_GetPlateSecurity: today's members of a plate, by code or by the requested field. */
export const getPlateSecurity: AnswerTo<typeof declared.getPlateSecurity> = (facts, request) => {
  const plate = locatePlate(request.plate);
  if (plate instanceof Refusal) return plate;
  const { sortField } = request;
  const figure = sortFields.get(sortField);
  if (figure === undefined && !codeFields.has(sortField)) {
    const accepted = listAccepted(plateSort, 'rest');
    return new Refusal(`sort_field: ${sortField} does not sort the members of a plate; accepted: ${accepted}`, 'broker.value');
  }
  const members = membersOf(facts, plate);
  const isAscending = given(request, 'ascend') ?? true;
  return { staticInfoList: inOrder(facts, plate, members, figure, isAscending).map((listing) => staticInfo(facts, listing)) };
};

/** By a figure, or else by code. */
function inOrder(
  { columnSnapshots }: Facts<'columnSnapshots'>,
  { market }: Plate,
  members: readonly Listing[],
  figure: Figure | undefined,
  isAscending: boolean,
): readonly Listing[] {
  const sign = isAscending ? 1 : -1;
  if (figure === undefined) return members.toSorted((a, b) => (a.instrument.code < b.instrument.code ? -sign : sign));
  const wanted = new Set(members);
  const hits = screen(columnSnapshots.stocks(market), [], ({ listing }) => wanted.has(listing));
  return sorted(hits, [{ figure, direction: isAscending ? 'ascending' : 'descending' }]).map(({ row }) => row.listing);
}
