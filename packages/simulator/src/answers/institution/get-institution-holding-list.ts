import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  C2SSchema,
  HoldingListItemSchema,
  type S2C,
  S2CSchema,
  SortField,
} from '@svc-gateway/contract/generated/Qot_GetInstitutionHoldingList_pb';
import { heldMarket } from '@svc-gateway/contract/institution-enums';
import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import { Refusal } from '../../refusal.js';
import { marketOf } from '../../view/choices.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given, known } from '../../view/optional-fields.js';
import { type Figure, inOrder, sortFigure } from '../../view/standings.js';
import { isoCode } from '../research/money.js';
import {
  amount,
  bookOf,
  changePercent,
  changesAsked,
  industryNameOf,
  institutionOf,
  type Position,
  portfolioPercent,
  type Sums,
  sourceOf,
  sumsIn,
} from './books.js';

const COUNT = { fallback: 20, max: 200 };

const holdingValue: Figure<Position> = ({ value }) => Number(value);

/** By `SortField`, but for the industry. All holdings of a quarter are of one day, and parts of a portfolio go by value. */
const sortFields: Readonly<Record<number, Figure<Position>>> = {
  [SortField.SortField_HoldingValue]: holdingValue,
  [SortField.SortField_HoldingPct]: ({ part }) => part,
  [SortField.SortField_LastHoldingPct]: ({ previousPart }) => previousPart,
  [SortField.SortField_ChangeShares]: ({ holding }) => Number(holding.change),
  [SortField.SortField_ChangePct]: changePercent,
  [SortField.SortField_PortfolioPct]: holdingValue,
  [SortField.SortField_Industry]: holdingValue,
  [SortField.SortField_HoldingDate]: () => 0,
};

/** Qot_GetInstitutionHoldingList: what an institution holds at the end of the last quarter that is known; what it sold in the quarter only where that is asked for. */
export const getInstitutionHoldingList: Answer<'world' | 'companies' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const institution = institutionOf(request.institutionId);
  if (institution instanceof Refusal) return institution;
  const isAsked = request.changeType === 0 ? ({ holding }: Position) => holding.shares > 0n : changesAsked(request.changeType);
  if (isAsked instanceof Refusal) return isAsked;
  const by = sortFigure(request.sortField, sortFields, holdingValue);
  if (by instanceof Refusal) return by;
  const book = bookOf(facts, market);
  const positions = book.positions.get(institution) ?? [];
  const sums = sumsIn(book, institution);
  const rows = ordered(market, positions.filter(isAsked).filter(named(request.keyword)), request, by);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(rows, ({ listing }) => listing.instrument.code, { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  return create(S2CSchema, {
    dataList: page.items.map((position) => itemOf(market, position, sums, book.asOf)),
    allCount: rows.length,
    nextPage: page.next,
    currency: isoCode(quoteMarket(market).currency),
  });
};

function named(keyword: string): (position: Position) => boolean {
  const wanted = keyword.trim().toLowerCase();
  if (wanted === '') return () => true;
  return ({ listing: { instrument } }) => instrument.name.toLowerCase().includes(wanted) || instrument.code.toLowerCase().includes(wanted);
}

/** Industries in the order of their names, and the largest holdings first within each. */
function ordered(market: QuoteMarket, rows: readonly Position[], { sortField, sortDir }: C2S, by: Figure<Position>): readonly Position[] {
  if (sortField !== SortField.SortField_Industry) return inOrder(rows, by, sortDir === 1);
  const sign = sortDir === 1 ? 1 : -1;
  const name = ({ industry }: Position) => industryNameOf(market, industry);
  return [...inOrder(rows, by, false)].sort((a, b) => (name(a) === name(b) ? 0 : name(a) < name(b) ? -sign : sign));
}

function itemOf(market: QuoteMarket, position: Position, sums: Sums, holdingDate: string) {
  const { listing, holding, industry, value, part, previousPart } = position;
  return create(HoldingListItemSchema, {
    security: listing.security,
    name: listing.instrument.name,
    industryName: industryNameOf(market, industry),
    holdingValue: amount(value),
    holdingPct: part,
    lastHoldingPct: previousPart,
    changeShares: holding.change,
    portfolioPct: portfolioPercent(position, sums),
    ...known({ changePct: changePercent(position) }),
    holdingDate,
    source: sourceOf(market),
  });
}
