import { create, isFieldSet } from '@bufbuild/protobuf';
import {
  type Boundary,
  type C2S,
  type PropertyBasic,
  type QueryPropertyOption,
  ResultPropertyBasicSchema,
  ResultPropertyCumulativeSchema,
  ResultPropertyFinancialSchema,
  ResultPropertyIndicatorSchema,
  ResultPropertyOptionSchema,
  ResultPropertySimpleSchema,
  type RetrieveQuery,
  type RspItemResult,
  RspItemResultSchema,
  type S2C,
  S2CSchema,
  type ScreenQuery,
  ScreenQuerySchema,
  type Sort,
  StockScreenItemSchema,
} from '../../../contract/generated/Qot_StockScreen_pb.js';
import { type QuoteMarket, quoteMarket } from '../../../contract/markets.js';
import { shown } from '../../../contract/shown.js';
import { requireDay } from '../../../contract/time.js';
import { Refusal } from '../../refusal.js';
import { type Condition, type Figure, type Hit, type SortKey, screen, sorted, valuesOf } from '../../screen/index.js';
import type { Answer, Facts } from '../../view/facts.js';
import { locatePlate, membersOf } from '../../view/plates.js';
import { isIssuedByCompany } from '../../world/kinds.js';
import { indicatorFigureOf, optionFigureOf, positionCondition } from './screen-indicators.js';
import { basicProperties, cumulativeFigure, financialFigureOf, simpleFigure, unserved } from './stock-properties.js';

type Used = 'companies' | 'world' | 'listings' | 'boards';

const PAGE_DEFAULT = 200;
const PAGE_MAX = 300;
/** Filters, properties and sorts together; and plates. */
const PARTS_MAX = 128;

/** QuerySimpleField.simpleField. */
const MARKET = 1;
const WATCHLIST = 4;

/** The markets of a screen, which are no Qot_Common.QotMarket. Nothing is listed in the two without any. */
const markets: ReadonlyMap<number, readonly QuoteMarket[]> = new Map([
  [1, ['HK']],
  [2, ['US']],
  [3, ['SH', 'SZ']],
  [4, ['SG']],
  [5, []],
  [6, []],
  [7, ['JP']],
  [8, ['MY']],
]);
const everyMarket: readonly QuoteMarket[] = [...markets.values()].flat();

/** ResultProperty….valueType. */
const STRING = 1;
const DOUBLE = 4;

/** Sort.direction. */
const directions: ReadonlyMap<number, Pick<SortKey, 'direction' | 'absolute'>> = new Map([
  [1, { direction: 'ascending' }],
  [2, { direction: 'descending' }],
  [3, { direction: 'ascending', absolute: true }],
  [4, { direction: 'descending', absolute: true }],
]);

/** Qot_StockScreen: the stocks (and listed trusts) that meet every condition, with what is to be retrieved of each; by code unless sorted. */
export const stockScreen: Answer<Used, C2S, S2C> = async (facts, request) => {
  const { filterList, retrieveList, pageFrom } = request;
  const pageCount = request.pageCount || PAGE_DEFAULT;
  if (pageFrom < 0) return new Refusal(`page_from: ${pageFrom} is out of range, accepted: at least 0`);
  if (pageCount < 1 || pageCount > PAGE_MAX) return new Refusal(`page_count: ${pageCount} is out of range, accepted: 1 to ${PAGE_MAX}`);
  const sorts = request.sortList.length > 0 ? request.sortList : request.sort === undefined ? [] : [request.sort];
  const parts = filterList.length + retrieveList.length + sorts.length;
  if (parts > PARTS_MAX) return new Refusal(`${parts} filters, properties and sorts: at most ${PARTS_MAX} in one request`);
  const asked = await askedOf(facts, request);
  if (asked instanceof Refusal) return asked;
  const retrieved = retrieveList.map((query, index) => retrievalOf(query, `retrieve_list[${index}]`));
  const refused = retrieved.find((one) => one instanceof Refusal);
  if (refused !== undefined) return refused;
  const keys = keysOf(sorts);
  if (keys instanceof Refusal) return keys;

  const boards = await Promise.all(
    asked.markets.flatMap((market) => [facts.boards.of(market, 'equity'), facts.boards.of(market, 'trust')]),
  );
  const hits = await screen(boards, asked.conditions, ({ listing }) => asked.isCandidate(listing));
  hits.sort((a, b) => (codeOf(a) < codeOf(b) ? -1 : 1));
  if (keys.text !== undefined) hits.sort(keys.text);
  const ordered = await sorted(hits, keys.keys);
  const page = ordered.slice(pageFrom, pageFrom + pageCount);
  const columns = await Promise.all((retrieved as Retrieval[]).map((one) => one.of(facts, page)));
  const dataList = page.map(({ row: { listing } }, index) =>
    create(StockScreenItemSchema, {
      stockId: listing.instrument.id,
      results: columns.map((column) => column[index] as RspItemResult),
    }),
  );
  return create(S2CSchema, { dataList, lastPage: pageFrom + page.length >= hits.length ? 1 : 0, allCount: hits.length });
};

type Listing = Hit['row']['listing'];

interface Asked {
  readonly markets: readonly QuoteMarket[];
  readonly conditions: readonly Condition[];
  readonly isCandidate: (listing: Listing) => boolean;
}

function codeOf({ row: { listing } }: Hit): string {
  return `${listing.instrument.code} ${listing.market.number}`;
}

async function askedOf(facts: Facts<Used>, { filterList, watchlistStockIds }: C2S): Promise<Asked | Refusal> {
  let named = everyMarket;
  const plates: (readonly string[])[] = [];
  let watched: ReadonlySet<bigint> | undefined;
  const conditions: Condition[] = [];
  for (const [index, query] of filterList.entries()) {
    const path = `filter_list[${index}]`;
    const refused = onlyOne(query, path);
    if (refused !== undefined) return refused;
    const { simpleFieldQuery: field, plateQuery } = query;
    if (field?.simpleField === MARKET) {
      const chosen = field.screenValueList.map((value) => markets.get(Number(value)));
      const unknown = chosen.indexOf(undefined);
      if (unknown >= 0)
        return new Refusal(
          `${path}.simple_field_query: market ${field.screenValueList[unknown]} is none; accepted: ${[...markets.keys()].join(', ')}`,
        );
      const wanted = new Set(chosen.flatMap((each) => each ?? []));
      named = named.filter((market) => wanted.has(market));
    } else if (field?.simpleField === WATCHLIST) {
      watched = new Set(watchlistStockIds);
    } else if (field !== undefined) {
      return new Refusal(
        `${path}.simple_field_query: field ${field.simpleField} is not served; served: ${MARKET} market, ${WATCHLIST} watchlist`,
      );
    } else if (plateQuery !== undefined) {
      plates.push(plateQuery.plateList.flatMap(({ plateIdList }) => plateIdList));
    } else {
      const condition = conditionOf(query, path);
      if (condition instanceof Refusal) return condition;
      conditions.push(condition);
    }
  }
  if (plates.flat().length > PARTS_MAX)
    return new Refusal(`plate_query: ${plates.flat().length} plates: at most ${PARTS_MAX} in one request`);
  const memberships: ReadonlySet<Listing>[] = [];
  for (const codes of plates) {
    const members = await membersIn(facts, named, codes);
    if (members instanceof Refusal) return members;
    memberships.push(members);
  }
  return {
    markets: named,
    conditions,
    isCandidate: (listing) => (watched?.has(listing.instrument.id) ?? true) && memberships.every((members) => members.has(listing)),
  };
}

/** A filter is one of several kinds. */
function onlyOne(query: ScreenQuery, path: string): Refusal | undefined {
  const set = ScreenQuerySchema.fields.filter((field) => isFieldSet(query, field));
  if (set.length === 1) return undefined;
  return new Refusal(`${path}: expected one condition, found ${set.length === 0 ? 'none' : set.map(({ name }) => name).join(', ')}`);
}

/** The members of any of the plates, which are of one market each. */
async function membersIn(
  facts: Facts<Used>,
  named: readonly QuoteMarket[],
  plates: readonly string[],
): Promise<ReadonlySet<Listing> | Refusal> {
  const members = new Set<Listing>();
  for (const code of plates) {
    const found = named.map((market) => locatePlate({ market: quoteMarket(market).number, code }));
    const plate = found.find((each) => !(each instanceof Refusal));
    if (plate === undefined) return found[0] instanceof Refusal ? found[0] : new Refusal(`plate_query: no market has plate ${shown(code)}`);
    for (const each of found) if (!(each instanceof Refusal)) for (const member of await membersOf(facts, each)) members.add(member);
  }
  return members;
}

function conditionOf(query: ScreenQuery, path: string): Condition | Refusal {
  const { simplePropertyQuery: simple, cumulativePropertyQuery: cumulative, financialPropertyQuery: financial } = query;
  if (simple !== undefined)
    return bounded(simple.property && simpleFigure(simple.property, `${path}.simple_property_query.property`), simple, path);
  if (cumulative !== undefined) {
    if (cumulative.continuousPeriod > 1) return new Refusal(`${path}.cumulative_property_query.continuous_period: runs are not served`);
    return bounded(
      cumulative.property && cumulativeFigure(cumulative.property, `${path}.cumulative_property_query.property`),
      cumulative,
      path,
    );
  }
  if (financial !== undefined) {
    if (financial.continuousPeriod > 1) return new Refusal(`${path}.financial_property_query.continuous_period: runs are not served`);
    return bounded(
      financial.property && financialFigureOf(financial.property, `${path}.financial_property_query.property`),
      financial,
      path,
    );
  }
  if (query.indicatorPositionalQuery !== undefined)
    return positionCondition(query.indicatorPositionalQuery, `${path}.indicator_positional_query`);
  if (query.optionQuery !== undefined) return withinIntervals(query.optionQuery, `${path}.option_query`);
  return new Refusal(
    `${path}: conditions on patterns, featured figures, brokers and K-line shapes are not served; served: simple_field_query, plate_query, simple_property_query, cumulative_property_query, financial_property_query, indicator_positional_query, option_query`,
  );
}

/** Within any of some intervals; without one, whatever has the figure. */
function withinIntervals({ property, intervals }: QueryPropertyOption, path: string): Condition | Refusal {
  const figure = property && optionFigureOf(property, `${path}.property`);
  if (intervals.length === 0) return bounded(figure, {}, path);
  const each: Condition[] = [];
  for (const [index, interval] of intervals.entries()) {
    const condition = bounded(figure, interval, `${path}.intervals[${index}]`);
    if (condition instanceof Refusal) return condition;
    each.push(condition);
  }
  const [{ figure: of } = {}] = each;
  return of === undefined
    ? new Refusal(`${path}: missing field "property"`)
    : { figure: of, accepts: (value) => each.some((one) => one.accepts(value)) };
}

function bounded(
  figure: Figure | Refusal | undefined,
  { filterMin, filterMax }: { readonly filterMin?: Boundary | undefined; readonly filterMax?: Boundary | undefined },
  path: string,
): Condition | Refusal {
  if (figure === undefined || figure instanceof Refusal) return figure ?? new Refusal(`${path}: missing field "property"`);
  if (filterMin !== undefined && filterMax !== undefined && filterMin.value > filterMax.value)
    return new Refusal(`${path}: filter_min ${filterMin.value} exceeds filter_max ${filterMax.value}`);
  const accepts = (value: number) =>
    (filterMin === undefined || value > filterMin.value || (filterMin.includes && value === filterMin.value)) &&
    (filterMax === undefined || value < filterMax.value || (filterMax.includes && value === filterMax.value));
  return { figure, accepts };
}

/** One column of the answer. */
interface Retrieval {
  readonly of: (facts: Facts<Used>, page: readonly Hit[]) => Promise<RspItemResult[]> | RspItemResult[];
}

function retrievalOf(query: RetrieveQuery, path: string): Retrieval | Refusal {
  const { basicProperty, simpleProperty, cumulativeProperty, financialProperty, indicatorProperty, optionProperty } = query;
  if (basicProperty !== undefined) return basicColumn(basicProperty, `${path}.basic_property`);
  if (simpleProperty !== undefined) {
    return column(simpleFigure(simpleProperty, `${path}.simple_property`), (value) => ({
      simplePropertyResult: create(ResultPropertySimpleSchema, { property: simpleProperty, ...value }),
    }));
  }
  if (cumulativeProperty !== undefined) {
    return column(cumulativeFigure(cumulativeProperty, `${path}.cumulative_property`), (value) => ({
      cumulativePropertyResult: create(ResultPropertyCumulativeSchema, { property: cumulativeProperty, ...value }),
    }));
  }
  if (financialProperty !== undefined) {
    return column(financialFigureOf(financialProperty, `${path}.financial_property`), (value) => ({
      financialPropertyResult: create(ResultPropertyFinancialSchema, { property: financialProperty, ...value }),
    }));
  }
  if (indicatorProperty !== undefined) {
    return column(indicatorFigureOf(indicatorProperty, `${path}.indicator_property`), (value) => ({
      indicatorPropertyResult: create(ResultPropertyIndicatorSchema, { property: indicatorProperty, ...value }),
    }));
  }
  if (optionProperty !== undefined) {
    return column(optionFigureOf(optionProperty, `${path}.option_property`), (value) => ({
      optionPropertyResult: create(ResultPropertyOptionSchema, { property: optionProperty, ...value }),
    }));
  }
  return new Refusal(`${path}: ${SERVED}`);
}

const SERVED = 'served: basic_property, simple_property, cumulative_property, financial_property, indicator_property, option_property';

type Result = Parameters<typeof create<typeof RspItemResultSchema>>[1];

/** What a stock does not have is told without a value. */
function column(figure: Figure | Refusal, wrap: (value: { valueType: number; dval?: number }) => Result): Retrieval | Refusal {
  if (figure instanceof Refusal) return figure;
  return {
    of: async (_, page) =>
      Array.from(await valuesOf(page, figure), (value) =>
        create(RspItemResultSchema, wrap({ valueType: DOUBLE, ...(Number.isNaN(value) ? {} : { dval: value }) })),
      ),
  };
}

function basicColumn(property: PropertyBasic, path: string): Retrieval | Refusal {
  const served: readonly number[] = Object.values(basicProperties);
  if (!served.includes(property.name)) return unserved(path, property.name, served);
  return {
    of: (facts, page) =>
      page.map(({ row: { listing } }) =>
        create(RspItemResultSchema, {
          basicPropertyResult: create(ResultPropertyBasicSchema, {
            property,
            valueType: STRING,
            sval: basicText(facts, listing, property.name),
          }),
        }),
      ),
  };
}

function basicText({ companies, world }: Facts<Used>, { instrument }: Listing, name: number): string {
  if (name === basicProperties.code) return instrument.code;
  if (name === basicProperties.name) return instrument.name;
  if (!isIssuedByCompany(instrument)) return '';
  const plates = companies.company(instrument).plates(requireDay(world.today(instrument)));
  return plates.find(({ kind, market }) => kind === 'industry' && market === instrument.market)?.name ?? '';
}

interface Keys {
  readonly keys: readonly SortKey[];
  /** By a text, which no figure is. */
  readonly text?: (a: Hit, b: Hit) => number;
}

function keysOf(sorts: readonly Sort[]): Keys | Refusal {
  const keys: SortKey[] = [];
  let text: Keys['text'];
  for (const [index, sort] of sorts.entries()) {
    const path = `sort_list[${index}]`;
    const how = directions.get(sort.direction);
    if (how === undefined)
      return new Refusal(`${path}.direction: ${sort.direction} is none; accepted: ${[...directions.keys()].join(', ')}`);
    const { basicProperty, simpleProperty, cumulativeProperty, financialProperty, indicatorProperty, optionProperty } = sort;
    if (basicProperty !== undefined) {
      const { code, name } = basicProperties;
      if (basicProperty.name !== code && basicProperty.name !== name)
        return unserved(`${path}.basic_property`, basicProperty.name, [code, name]);
      if (index < sorts.length - 1) return new Refusal(`${path}.basic_property: code and name come last among sorts`);
      const of = ({ row: { listing } }: Hit) => (basicProperty.name === code ? listing.instrument.code : listing.instrument.name);
      const sign = how.direction === 'ascending' ? 1 : -1;
      text = (a, b) => (of(a) === of(b) ? 0 : of(a) < of(b) ? -sign : sign);
      continue;
    }
    const figure =
      simpleProperty !== undefined
        ? simpleFigure(simpleProperty, `${path}.simple_property`)
        : cumulativeProperty !== undefined
          ? cumulativeFigure(cumulativeProperty, `${path}.cumulative_property`)
          : financialProperty !== undefined
            ? financialFigureOf(financialProperty, `${path}.financial_property`)
            : indicatorProperty !== undefined
              ? indicatorFigureOf(indicatorProperty, `${path}.indicator_property`)
              : optionProperty !== undefined
                ? optionFigureOf(optionProperty, `${path}.option_property`)
                : new Refusal(`${path}: ${SERVED}`);
    if (figure instanceof Refusal) return figure;
    keys.push({ figure, ...how });
  }
  return { keys, ...(text === undefined ? {} : { text }) };
}
