import { create } from '@bufbuild/protobuf';
import {
  ArkFundHoldingItemSchema,
  ArkHoldingType,
  type C2S,
  C2SSchema,
  CycleType,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Qot_GetArkFundHolding_pb';
import { Refusal } from '../../refusal.js';
import { pageAfter } from '../../view/cursor.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { type Figure, inOrder } from '../../view/standings.js';
import { percentOf } from '../research/money.js';
import { type ArkChange, type ArkHolding, arkChange, daysOfCycle, holdingsOn, tradedDays } from './ark.js';
import { amount } from './books.js';

const COUNT = { fallback: 20, max: 200 };

interface Row extends ArkHolding {
  /** Percent of all that the funds hold. */
  readonly weight: number;
  readonly weightChange: number;
}

/** By `SortField`. */
const sortFields: readonly Figure<Row>[] = [
  ({ shares }) => Number(shares),
  ({ weightChange }) => weightChange,
  ({ shares, previous }) => Number(shares - previous),
  ({ value }) => Number(value),
  ({ weight }) => weight,
];

const changes: ReadonlyMap<number, ArkChange> = new Map([
  [ArkHoldingType.ArkHoldingType_Increase, 'increase'],
  [ArkHoldingType.ArkHoldingType_Decrease, 'decrease'],
  [ArkHoldingType.ArkHoldingType_New, 'new'],
  [ArkHoldingType.ArkHoldingType_SoldOut, 'sold out'],
]);

/** Qot_GetArkFundHolding: what the ARK funds hold together after the last trading day that is over, or what changed over a cycle of them. */
export const getArkFundHolding: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const isPosition = request.holdingType === ArkHoldingType.ArkHoldingType_Position;
  const wanted = changes.get(request.holdingType);
  if (!isPosition && wanted === undefined)
    return new Refusal(`holding_type: unknown ${request.holdingType}; accepted: 0 to ${changes.size}`, 'broker.value');
  const back = daysOfCycle(isPosition ? CycleType.CycleType_1Day : request.cycleType);
  if (back instanceof Refusal) return back;
  const by = sortFields[request.sortField];
  if (by === undefined)
    return new Refusal(`sort_field: unknown ${request.sortField}; accepted: 0 to ${sortFields.length - 1}`, 'broker.value');
  const days = tradedDays(facts, back);
  const holdings = holdingsOn(facts, days[0] ?? '', days.at(-1) ?? '');
  const rows = weighted(holdings).filter((row) => (isPosition ? row.shares > 0n : arkChange(row) === wanted));
  const ordered = inOrder(rows, by, request.sortDir === 1);
  const size = { field: 'count', value: given(C2SSchema, request, 'count') ?? COUNT.fallback, max: COUNT.max };
  const page = pageAfter(ordered, ({ listing }) => listing.instrument.code, { field: 'page', value: request.page, end: '' }, size);
  if (page instanceof Refusal) return page;
  return create(S2CSchema, {
    dataList: page.items.map(({ listing, shares, previous, value, weight, weightChange }) =>
      create(ArkFundHoldingItemSchema, {
        security: listing.security,
        name: listing.instrument.name,
        shares,
        sharesChange: shares - previous,
        marketValue: amount(value),
        weight,
        weightChange,
      }),
    ),
    allCount: rows.length,
    nextPage: page.next,
  });
};

function weighted(holdings: readonly ArkHolding[]): readonly Row[] {
  const sum = (of: (holding: ArkHolding) => bigint) => Number(holdings.reduce((total, holding) => total + of(holding), 0n));
  const [whole, wholeBefore] = [sum(({ value }) => value), sum(({ previousValue }) => previousValue)];
  return holdings.map((holding) => {
    const weight = percentOf(Number(holding.value), whole) ?? 0;
    const before = percentOf(Number(holding.previousValue), wholeBefore) ?? 0;
    return { ...holding, weight, weightChange: Math.round((weight - before) * 1000) / 1000 };
  });
}
