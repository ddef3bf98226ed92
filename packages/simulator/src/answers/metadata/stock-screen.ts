import { isFieldSet } from '@bufbuild/protobuf';
import { ExchType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  type PropertyBasic,
  type RetrieveQuery,
  type RspItemResult,
  type ScreenQuery,
  ScreenQuerySchema,
  type Sort,
} from '@svc-gateway/contract/generated/Qot_StockScreen_pb';
import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { shown } from '@svc-gateway/contract/shown';
import { requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { type Condition, type Hit, type SortKey, screen, sorted, valuesOf } from '../../screen/screen.js';
import type { Facts } from '../../view/facts.js';
import { locateStock } from '../../view/locate.js';
import type { Fields } from '../../view/messages.js';
import { locatePlate, membersOf } from '../../view/plates.js';
import { isIssuedByCompany } from '../../world/kinds.js';
import type { AnswerTo } from '../table.js';
import { conditionOf, numberProperty } from './screen-properties.js';
import { basicProperties, unserved } from './stock-properties.js';

type Used = 'companies' | 'world' | 'listings' | 'columnSnapshots';

const PAGE_DEFAULT = 200;
const PAGE_MAX = 300;
/** Filters, properties and sorts together; and plates. */
const PARTS_MAX = 128;

/** QuerySimpleField.simpleField. */
const MARKET = 1;
const EXCHANGE = 2;
const INDEX = 3;
const WATCHLIST = 4;

/** Qot_Common.ExchType, the only published numbers of exchanges. */
const exchanges: ReadonlySet<number> = new Set(
  Object.values(ExchType).flatMap((value) => (typeof value === 'number' && value > 0 ? [value] : [])),
);

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

/** Sort.direction. */
const directions: ReadonlyMap<number, Pick<SortKey, 'direction' | 'absolute'>> = new Map([
  [1, { direction: 'ascending' }],
  [2, { direction: 'descending' }],
  [3, { direction: 'ascending', absolute: true }],
  [4, { direction: 'descending', absolute: true }],
]);

/** Qot_StockScreen: the stocks (and listed trusts) that meet every condition, with what is to be retrieved of each; by code unless sorted. */
export const stockScreen: AnswerTo<typeof declared.stockScreen> = (facts, request) => {
  const { filterList, retrieveList, pageFrom } = request;
  const pageCount = request.pageCount || PAGE_DEFAULT;
  if (pageFrom < 0) return new Refusal(`page_from: ${pageFrom} is out of range, accepted: at least 0`, 'broker.value');
  if (pageCount < 1 || pageCount > PAGE_MAX)
    return new Refusal(`page_count: ${pageCount} is out of range, accepted: 1 to ${PAGE_MAX}`, 'broker.value');
  const sorts = request.sortList.length > 0 ? request.sortList : request.sort === undefined ? [] : [request.sort];
  const parts = filterList.length + retrieveList.length + sorts.length;
  if (parts > PARTS_MAX) return new Refusal(`${parts} filters, properties and sorts: at most ${PARTS_MAX} in one request`, 'broker.value');
  const asked = askedOf(facts, request);
  if (asked instanceof Refusal) return asked;
  const retrieved = retrieveList.map((query, index) => retrievalOf(query, `retrieve_list[${index}]`));
  const refused = retrieved.find((one) => one instanceof Refusal);
  if (refused !== undefined) return refused;
  const keys = keysOf(sorts);
  if (keys instanceof Refusal) return keys;

  const boards = asked.markets.flatMap((market) => facts.columnSnapshots.stocks(market));
  const hits = screen(boards, asked.conditions, ({ listing }) => asked.isCandidate(listing));
  hits.sort((a, b) => (codeOf(a) < codeOf(b) ? -1 : 1));
  if (keys.text !== undefined) hits.sort(keys.text);
  const ordered = sorted(hits, keys.keys);
  const page = ordered.slice(pageFrom, pageFrom + pageCount);
  const columns = (retrieved as Retrieval[]).map((columnOf) => columnOf(facts, page));
  const dataList = page.map(({ row: { listing } }, index) => ({
    stockId: listing.instrument.id,
    results: columns.map((column) => column[index] ?? {}),
  }));
  return { dataList, lastPage: pageFrom + page.length >= hits.length ? 1 : 0, allCount: hits.length };
};

type Listing = Hit['row']['listing'];

interface ParsedScreen {
  readonly markets: readonly QuoteMarket[];
  readonly conditions: readonly Condition[];
  readonly isCandidate: (listing: Listing) => boolean;
}

function codeOf({ row: { listing } }: Hit): string {
  return `${listing.instrument.code} ${listing.market.number}`;
}

function askedOf(facts: Facts<Used>, { filterList, watchlistStockIds }: C2S): ParsedScreen | Refusal {
  let named = everyMarket;
  const plates: (readonly string[])[] = [];
  const candidates: ((listing: Listing) => boolean)[] = [];
  const conditions: Condition[] = [];
  for (const [index, query] of filterList.entries()) {
    const path = `filter_list[${index}]`;
    const refused = onlyOne(query, path);
    if (refused !== undefined) return refused;
    const { simpleFieldQuery: field, plateQuery } = query;
    const values = field?.screenValueList ?? [];
    if (field?.simpleField === MARKET) {
      const chosen = values.map((value) => markets.get(Number(value)));
      const unknown = chosen.indexOf(undefined);
      if (unknown >= 0)
        return new Refusal(
          `${path}.simple_field_query: market ${values[unknown]} is none; accepted: ${[...markets.keys()].join(', ')}`,
          'broker.value',
        );
      const wanted = new Set(chosen.flatMap((each) => each ?? []));
      named = named.filter((market) => wanted.has(market));
    } else if (field?.simpleField === EXCHANGE) {
      const unknown = values.find((value) => !exchanges.has(Number(value)));
      if (unknown !== undefined)
        return new Refusal(
          `${path}.simple_field_query: exchange ${unknown} is none; accepted: ${[...exchanges].join(', ')}`,
          'broker.value',
        );
      const wanted = new Set(values.map(Number));
      candidates.push(({ instrument }) => wanted.has(instrument.exchange));
    } else if (field?.simpleField === INDEX) {
      const members = membersOfIndices(facts, values, `${path}.simple_field_query`);
      if (members instanceof Refusal) return members;
      candidates.push(members);
    } else if (field?.simpleField === WATCHLIST) {
      const watched = new Set(watchlistStockIds);
      candidates.push(({ instrument }) => watched.has(instrument.id));
    } else if (field !== undefined) {
      return new Refusal(
        `${path}.simple_field_query: field ${field.simpleField} is not served; served: ${MARKET} market, ${EXCHANGE} exchange, ${INDEX} index, ${WATCHLIST} watchlist`,
        'broker.value',
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
    return new Refusal(`plate_query: ${plates.flat().length} plates: at most ${PARTS_MAX} in one request`, 'broker.value');
  for (const codes of plates) {
    const members = membersIn(facts, named, codes);
    if (members instanceof Refusal) return members;
    candidates.push((listing) => members.has(listing));
  }
  return { markets: named, conditions, isCandidate: (listing) => candidates.every((accepts) => accepts(listing)) };
}

/** Members of any of some indices, by their ids: of the index of a plate its own, of any other all of its market. */
function membersOfIndices(facts: Facts<Used>, ids: readonly bigint[], path: string): ((listing: Listing) => boolean) | Refusal {
  if (ids.length > PARTS_MAX) return new Refusal(`${path}: ${ids.length} indices: at most ${PARTS_MAX} in one request`, 'broker.value');
  const whole = new Set<QuoteMarket>();
  const members = new Set<Listing>();
  for (const stockId of ids) {
    const index = locateStock(facts, { stockId });
    if (index instanceof Refusal) return new Refusal(`${path}.screen_value_list: index ${index.message}`);
    const { kind, market, symbol, code } = index.instrument;
    if (kind === 'plate') {
      const plate = locatePlate({ market: quoteMarket(market).number, code });
      if (!(plate instanceof Refusal)) for (const member of membersOf(facts, plate)) members.add(member);
    } else if (kind === 'index') {
      whole.add(market);
    } else {
      return new Refusal(`${path}.screen_value_list: ${stockId} is ${symbol}; expected the id of an index or of a plate`);
    }
  }
  return (listing) => whole.has(listing.instrument.market) || members.has(listing);
}

/** A filter is one of several kinds. */
function onlyOne(query: ScreenQuery, path: string): Refusal | undefined {
  const set = ScreenQuerySchema.fields.filter((field) => isFieldSet(query, field));
  if (set.length === 1) return undefined;
  return new Refusal(
    `${path}: expected one condition, found ${set.length === 0 ? 'none' : set.map(({ name }) => name).join(', ')}`,
    'broker.value',
  );
}

/** The members of any of the plates, which are of one market each. */
function membersIn(facts: Facts<Used>, named: readonly QuoteMarket[], plates: readonly string[]): ReadonlySet<Listing> | Refusal {
  const members = new Set<Listing>();
  for (const code of plates) {
    const found = named.map((market) => locatePlate({ market: quoteMarket(market).number, code }));
    const plate = found.find((each) => !(each instanceof Refusal));
    if (plate === undefined) return found[0] instanceof Refusal ? found[0] : new Refusal(`plate_query: no market has plate ${shown(code)}`);
    for (const each of found) if (!(each instanceof Refusal)) for (const member of membersOf(facts, each)) members.add(member);
  }
  return members;
}

/** One column of the answer. */
type Retrieval = (facts: Facts<Used>, page: readonly Hit[]) => readonly Fields<RspItemResult>[];

function retrievalOf(query: RetrieveQuery, path: string): Retrieval | Refusal {
  if (query.basicProperty !== undefined) return basicColumn(query.basicProperty, `${path}.basic_property`);
  const property = numberProperty(query, path);
  if (property instanceof Refusal) return property;
  return (_, page) => Array.from(valuesOf(page, property.figure), property.result);
}

function basicColumn(property: PropertyBasic, path: string): Retrieval | Refusal {
  const served: readonly number[] = Object.values(basicProperties);
  if (!served.includes(property.name)) return unserved(path, property.name, served);
  return (facts, page) =>
    page.map(({ row: { listing } }) => ({
      basicPropertyResult: { property, valueType: STRING, sval: basicText(facts, listing, property.name) },
    }));
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
      return new Refusal(`${path}.direction: ${sort.direction} is none; accepted: ${[...directions.keys()].join(', ')}`, 'broker.value');
    const { basicProperty } = sort;
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
    const property = numberProperty(sort, path);
    if (property instanceof Refusal) return property;
    keys.push({ figure: property.figure, ...how });
  }
  return { keys, ...(text === undefined ? {} : { text }) };
}
