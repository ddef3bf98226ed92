import { SortField, SortType, ValuationType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S } from '@svc-gateway/contract/generated/Qot_GetValuationPlateStockList_pb';
import type { research as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { Figure } from '../../screen/column-snapshot.js';
import { type Hit, sorted, valuesOf } from '../../screen/screen.js';
import { marketValue } from '../../screen/share-figures.js';
import type { Facts } from '../../view/facts.js';
import { locate, ofSecurity } from '../../view/locate.js';
import { given } from '../../view/messages.js';
import { membersOf, plateSecurity, platesWithMembers } from '../../view/plates.js';
import { numberedPage } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';
import { forwardFigure, type Group, groupOf, type Measure, measures, percentileFigure, sharesIn } from './valuations.js';

const NUM = { fallback: 10, max: 50 };

/** Qot_GetValuationPlateStockList: the members of a plate or an index with their valuations, of the minute. What has no value comes last. */
export const getValuationPlateStockList: AnswerTo<typeof declared.getValuationPlateStockList> = ofSecurity((facts, listing, request) => {
  const group = groupOf(facts, listing);
  if (group instanceof Refusal) return group;
  const type = given(request, 'valuationType') || ValuationType.ValuationType_PE;
  const measure = measures.get(type);
  if (measure === undefined)
    return new Refusal(`valuation_type: unknown ${type}; accepted: ${[...measures.keys()].join(', ')}`, 'broker.value');
  const figures = figuresOf(measure);
  const by = figures.get(given(request, 'sortId') || SortField.SortField_MarketCap);
  if (by === undefined)
    return new Refusal(`sort_id: ${request.sortId} does not sort valuations; accepted: ${[...figures.keys()].join(', ')}`, 'broker.value');
  const kept = narrowed(facts, group, request);
  if (kept instanceof Refusal) return kept;
  const descending = request.sortType === SortType.SortType_Desc;
  const hits = sorted(sharesIn(facts, kept), [{ figure: by, direction: descending ? 'descending' : 'ascending' }]);
  const page = numberedPage(hits, ({ row }) => row.listing.instrument.code, request, NUM);
  if (page instanceof Refusal) return page;
  const isWholeIndex = group.members === undefined && request.filterSecurity === undefined && request.nextKey === '';
  return {
    count: hits.length,
    stockList: itemsOf(page.items, figures),
    nextKey: page.next,
    plateList: isWholeIndex ? industriesOf(facts, group) : [],
  };
});

function figuresOf(measure: Measure): ReadonlyMap<number, Figure> {
  return new Map([
    [SortField.SortField_MarketCap, marketValue],
    [SortField.SortField_Valuation, measure.now],
    [SortField.SortField_ForwardValuation, forwardFigure(measure)],
    [SortField.SortField_HistoricalPercentile, percentileFigure(measure)],
  ]);
}

/** The members of an index that a plate has too. */
function narrowed(facts: Facts<'world' | 'companies' | 'listings'>, group: Group, { filterSecurity }: C2S): Group | Refusal {
  if (filterSecurity === undefined) return group;
  const named = locate(facts, filterSecurity);
  if (named instanceof Refusal) return named;
  const { instrument } = named;
  if (instrument.kind !== 'plate') return new Refusal(`filter_security: ${instrument.symbol} is no plate; take one of plate_list`);
  const plate = new Set(membersOf(facts, instrument.plate));
  const { market, members } = group;
  return { market, members: members === undefined ? plate : new Set([...members].filter((one) => plate.has(one))) };
}

function industriesOf(facts: Facts<'world' | 'companies' | 'listings'>, { market }: Group) {
  const plates = platesWithMembers(facts, market);
  return plates.filter(({ kind }) => kind === 'industry').map((plate) => ({ security: plateSecurity(plate), name: plate.name }));
}

function itemsOf(hits: readonly Hit[], figures: ReadonlyMap<number, Figure>) {
  const columns = new Map<number, Float64Array>();
  for (const [field, figure] of figures) columns.set(field, valuesOf(hits, figure));
  return hits.map(({ row: { listing } }, index) => {
    const of = (field: SortField) => {
      const value = columns.get(field)?.[index] ?? Number.NaN;
      return Number.isNaN(value) ? undefined : value;
    };
    return {
      security: listing.security,
      name: listing.instrument.name,
      valuationVal: of(SortField.SortField_Valuation),
      forwardValue: of(SortField.SortField_ForwardValuation),
      valuationPercentile: of(SortField.SortField_HistoricalPercentile),
      marketCap: of(SortField.SortField_MarketCap),
    };
  });
}
