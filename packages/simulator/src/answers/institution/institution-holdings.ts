import { HoldingChangeType } from '@svc-gateway/contract/generated/Qot_GetInstitutionHoldingChange_pb';
import { type C2S, SortField } from '@svc-gateway/contract/generated/Qot_GetInstitutionHoldingList_pb';
import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import type { institution as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { given } from '../../view/messages.js';
import { countedPage } from '../../view/requests.js';
import { type Figure, inOrder, sortFigure } from '../../view/standings.js';
import { isoCode } from '../research/money.js';
import type { AnswerTo } from '../table.js';
import {
  amount,
  changePercent,
  changesAsked,
  industryNameOf,
  type Portfolio,
  type Position,
  portfolioOf,
  portfolioPercent,
  sourceOf,
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
export const getInstitutionHoldingList: AnswerTo<typeof declared.getInstitutionHoldingList> = (facts, request) => {
  const portfolio = portfolioOf(facts, request);
  if (portfolio instanceof Refusal) return portfolio;
  const { market, positions } = portfolio;
  const isAsked = request.changeType === 0 ? ({ holding }: Position) => holding.shares > 0n : changesAsked(request.changeType);
  if (isAsked instanceof Refusal) return isAsked;
  const by = sortFigure(request.sortField, sortFields, holdingValue);
  if (by instanceof Refusal) return by;
  const rows = ordered(market, positions.filter(isAsked).filter(named(request.keyword)), request, by);
  const page = countedPage(rows, ({ listing }) => listing.instrument.code, request, COUNT);
  if (page instanceof Refusal) return page;
  return {
    dataList: page.items.map((position) => ({
      ...changeFields(portfolio, position),
      industryName: industryNameOf(market, position.industry),
      holdingValue: amount(position.value),
      holdingPct: position.part,
      lastHoldingPct: position.previousPart,
    })),
    allCount: rows.length,
    nextPage: page.next,
    currency: isoCode(quoteMarket(market).currency),
  };
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

/** By `SortField`. All holdings of a quarter are of one day. */
const changeSorts: Readonly<Record<number, Figure<Position>>> = {
  1: changePercent,
  2: ({ holding }) => Number(holding.change),
  3: () => 0,
};

/** Qot_GetInstitutionHoldingChange: what an institution did in the last quarter that is known, of one kind. What is new has no change in percent. */
export const getInstitutionHoldingChange: AnswerTo<typeof declared.getInstitutionHoldingChange> = (facts, request) => {
  const portfolio = portfolioOf(facts, request);
  if (portfolio instanceof Refusal) return portfolio;
  const { positions } = portfolio;
  const isAsked = changesAsked(given(request, 'changeType') || HoldingChangeType.HoldingChangeType_New);
  if (isAsked instanceof Refusal) return isAsked;
  const by = sortFigure(request.sortField, changeSorts, changePercent);
  if (by instanceof Refusal) return by;
  const rows = inOrder(positions.filter(isAsked), by, request.sortDir === 1);
  const page = countedPage(rows, ({ listing }) => listing.instrument.code, request, COUNT);
  if (page instanceof Refusal) return page;
  return {
    dataList: page.items.map((position) => changeFields(portfolio, position)),
    allCount: rows.length,
    nextPage: page.next,
  };
};

/** Fields of a position and its change in the quarter. */
function changeFields({ market, book, sums }: Portfolio, position: Position) {
  const { listing, holding } = position;
  return {
    security: listing.security,
    name: listing.instrument.name,
    portfolioPct: portfolioPercent(position, sums),
    changeShares: holding.change,
    changePct: changePercent(position),
    holdingDate: book.asOf,
    source: sourceOf(market),
  };
}
