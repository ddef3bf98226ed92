import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  C2SSchema,
  InstitutionListItemSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetInstitutionList_pb';
import { heldMarket } from '@svc-gateway/contract/institution-enums';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { Refusal } from '../../refusal.js';
import { marketOf } from '../../view/choices.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { type Figure, inOrder, sortFigure } from '../../view/standings.js';
import { isoCode } from '../research/money.js';
import { amount, bookOf, idOf, type Sums } from './books.js';

const COUNT = { fallback: 20, max: 200 };

interface Row extends Sums {
  readonly institution: string;
}

const positionValue: Figure<Row> = ({ value }) => Number(value);

/** By `SortField`. */
const sortFields: Readonly<Record<number, Figure<Row>>> = {
  1: positionValue,
  2: ({ value, previousValue }) => Number(value - previousValue),
  3: ({ count }) => count,
  4: ({ count, previousCount }) => count - previousCount,
};

/** Qot_GetInstitutionList: institutions with what they hold of companies that have their home in a market, at the end of the last quarter that is known. */
export const getInstitutionList: Answer<'world' | 'companies' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const market = marketOf(request.market, heldMarket);
  if (market instanceof Refusal) return market;
  const by = sortFigure(request.sortField, sortFields, positionValue);
  if (by instanceof Refusal) return by;
  const { sums, known: disclosureDate } = bookOf(facts, market);
  const wanted = request.namePart.trim().toLowerCase();
  const rows = [...sums]
    .filter(([institution]) => institution.toLowerCase().includes(wanted))
    .map(([institution, of]): Row => ({ institution, ...of }));
  const ordered = inOrder(rows, by, request.sortDir === 1);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(ordered, ({ institution }) => String(idOf(institution)), { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  return create(S2CSchema, {
    dataList: page.items.map(({ institution, value, previousValue, count, previousCount }) =>
      create(InstitutionListItemSchema, {
        institutionId: idOf(institution),
        institutionName: institution,
        positionValue: amount(value),
        positionValueChange: amount(value - previousValue),
        positionCount: count,
        positionCountChange: count - previousCount,
        disclosureDate,
      }),
    ),
    allCount: rows.length,
    nextPage: page.next,
    currency: isoCode(quoteMarket(market).currency),
  });
};
