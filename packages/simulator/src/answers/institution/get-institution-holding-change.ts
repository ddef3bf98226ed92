import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  C2SSchema,
  HoldingChangeItemSchema,
  HoldingChangeType,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetInstitutionHoldingChange_pb';
import { heldMarket } from '@svc-gateway/contract/institution-enums';
import { Refusal } from '../../refusal.js';
import { marketOf } from '../../view/choices.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given, known } from '../../view/optional-fields.js';
import { type Figure, inOrder, sortFigure } from '../../view/standings.js';
import { bookOf, changePercent, changesAsked, institutionOf, type Position, portfolioPercent, sourceOf, sumsIn } from './books.js';

const COUNT = { fallback: 20, max: 200 };

/** By `SortField`. All holdings of a quarter are of one day. */
const sortFields: Readonly<Record<number, Figure<Position>>> = {
  1: changePercent,
  2: ({ holding }) => Number(holding.change),
  3: () => 0,
};

/** Qot_GetInstitutionHoldingChange: what an institution did in the last quarter that is known, of one kind. What is new has no change in percent. */
export const getInstitutionHoldingChange: Answer<'world' | 'companies' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const institution = institutionOf(request.institutionId);
  if (institution instanceof Refusal) return institution;
  const isAsked = changesAsked(given(C2SSchema, request, 'changeType') || HoldingChangeType.HoldingChangeType_New);
  if (isAsked instanceof Refusal) return isAsked;
  const by = sortFigure(request.sortField, sortFields, changePercent);
  if (by instanceof Refusal) return by;
  const book = bookOf(facts, market);
  const positions = book.positions.get(institution) ?? [];
  const sums = sumsIn(book, institution);
  const rows = inOrder(positions.filter(isAsked), by, request.sortDir === 1);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(rows, ({ listing }) => listing.instrument.code, { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  return create(S2CSchema, {
    dataList: page.items.map((position) =>
      create(HoldingChangeItemSchema, {
        security: position.listing.security,
        name: position.listing.instrument.name,
        portfolioPct: portfolioPercent(position, sums),
        changeShares: position.holding.change,
        ...known({ changePct: changePercent(position) }),
        holdingDate: book.asOf,
        source: sourceOf(market),
      }),
    ),
    allCount: rows.length,
    nextPage: page.next,
  });
};
