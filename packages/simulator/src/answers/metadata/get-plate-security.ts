import { create } from '@bufbuild/protobuf';
import { listAccepted, plateSort } from '@svc-gateway/contract/enums';
import { SortField } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetPlateSecurity_pb';
import { Refusal } from '../../refusal.js';
import { type Figure, screen, sorted } from '../../screen/index.js';
import * as figures from '../../screen/quote-figures.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { given } from '../../view/optional-fields.js';
import { locatePlate, membersOf } from '../../view/plates.js';
import { staticInfo } from '../../view/static-info.js';
import type { Plate } from '../../world/plates.js';

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
const byCode: ReadonlySet<number> = new Set([SortField.SortField_Unknow, SortField.SortField_Code, SortField.SortField_Status]);

/** Qot_GetPlateSecurity: today's members of a plate, by code or by the requested field. */
export const getPlateSecurity: Answer<'companies' | 'world' | 'listings' | 'columnSnapshots', C2S, S2C> = (facts, request) => {
  const plate = locatePlate(request.plate);
  if (plate instanceof Refusal) return plate;
  const { sortField } = request;
  const figure = sortFields.get(sortField);
  if (figure === undefined && !byCode.has(sortField)) {
    const accepted = listAccepted(plateSort, 'rest');
    return new Refusal(`sort_field: ${sortField} does not sort the members of a plate; accepted: ${accepted}`, 'broker.value');
  }
  const members = membersOf(facts, plate);
  const ascend = given(C2SSchema, request, 'ascend') ?? true;
  const ordered = figure === undefined ? inOrderOfCodes(members, ascend) : inOrderOf(facts, plate, members, figure, ascend);
  return answer(facts, ordered);
};

function answer(facts: Facts<'world' | 'listings'>, listings: readonly Listing[]): S2C {
  const payload = create(S2CSchema);
  payload.staticInfoList = listings.map((listing) => staticInfo(facts, listing));
  return payload;
}

function inOrderOfCodes(members: readonly Listing[], ascend: boolean): readonly Listing[] {
  const sign = ascend ? 1 : -1;
  return [...members].sort((a, b) => (a.instrument.code < b.instrument.code ? -sign : sign));
}

function inOrderOf(
  { columnSnapshots: boards }: Facts<'columnSnapshots'>,
  { market }: Plate,
  members: readonly Listing[],
  figure: Figure,
  ascend: boolean,
) {
  const wanted = new Set(members);
  const all = [boards.of(market, 'equity'), boards.of(market, 'trust')];
  const hits = screen(all, [], ({ listing }) => wanted.has(listing));
  const ordered = sorted(hits, [{ figure, direction: ascend ? 'ascending' : 'descending' }]);
  return ordered.map(({ row }) => row.listing);
}
