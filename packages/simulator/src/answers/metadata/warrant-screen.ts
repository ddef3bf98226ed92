import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { PriceType, WarrantStatus } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { C2S, Interval, ScreenGroup } from '@svc-gateway/contract/generated/Qot_WarrantScreen_pb';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { locateNamed, locateStock } from '../../view/locate.js';
import { issuerOf, warrantTypes } from '../../view/warrant-figures.js';
import { WarrantRow } from '../../view/warrant-row.js';
import type { AnswerTo } from '../table.js';

type Used = 'world' | 'market' | 'listings';

/** Qot_WarrantScreen.C2S.marketType: of those that have warrants, the simulation lists them in Hong Kong alone. */
const HK = 1;
const PAGE_DEFAULT = 200;
const PAGE_MAX = 200;
const GROUPS_MAX = 64;

type Value = number | string;

/** One field that a screen may name. */
interface Field {
  readonly of: (row: WarrantRow) => Value;
  /** Chosen from a list; others lie in an interval. */
  readonly isChoice: boolean;
  /** In the terms: no quote is needed. */
  readonly isTerm: boolean;
}

const term = (of: Field['of']): Field => ({ of, isChoice: true, isTerm: true });
const figure = (of: (row: WarrantRow) => number): Field => ({ of, isChoice: false, isTerm: false });

/** The numbers that are published, of which the message itself names some. Issuers and stocks go by number, stocks by symbol too. */
const fields: ReadonlyMap<number, Field> = new Map([
  [1, term(({ warrant }) => warrant.code)],
  [4, term(({ warrant }) => issuerOf(warrant.warrant))],
  [5, term(({ warrant }) => warrant.warrant.underlying)],
  [6, term(({ warrant }) => warrantTypes[warrant.warrant.type])],
  [8, figure(({ quote }) => decimalToNumber(quote.last))],
  [9, figure(({ figures }) => figures.streetRate)],
  [10, figure(({ quote }) => Number(quote.volume))],
  [16, figure(({ figures }) => figures.leverage)],
  [19, { of: statusOf, isChoice: true, isTerm: false }],
  [23, figure(({ figures }) => figures.effectiveLeverage)],
]);
const OWNER = 5;

/** Qot_WarrantScreen: the warrants of a market that meet every condition, sorted, a page of them. */
export const warrantScreen: AnswerTo<typeof declared.warrantScreen> = (facts, request) => {
  const { pageFrom, filterList, sortList } = request;
  const pageCount = request.pageCount || PAGE_DEFAULT;
  if (pageFrom < 0) return new Refusal(`page_from: ${pageFrom} is out of range, accepted: at least 0`, 'broker.value');
  if (pageCount < 1 || pageCount > PAGE_MAX)
    return new Refusal(`page_count: ${pageCount} is out of range, accepted: 1 to ${PAGE_MAX}`, 'broker.value');
  if (filterList.length + sortList.length > GROUPS_MAX)
    return new Refusal(`${filterList.length + sortList.length} conditions and sorts: at most ${GROUPS_MAX} in one request`, 'broker.value');
  const conditions: Condition[] = [];
  for (const [index, group] of filterList.entries()) {
    const condition = conditionOf(facts, group, `filter_list[${index}]`);
    if (condition instanceof Refusal) return condition;
    conditions.push(condition);
  }
  const keys: Key[] = [];
  for (const [index, { sortFieldId, direction }] of sortList.entries()) {
    const field = fieldOf(sortFieldId, `sort_list[${index}].sort_field_id`);
    if (field instanceof Refusal) return field;
    if (direction !== 0 && direction !== 1)
      return new Refusal(`sort_list[${index}].direction: ${direction} is none; accepted: 0 ascending, 1 descending`, 'broker.value');
    keys.push({ field, sign: direction === 0 ? 1 : -1 });
  }
  return page(facts, request, conditions, keys, pageCount);
};

interface Condition {
  readonly field: Field;
  readonly accepts: (value: Value) => boolean;
}

interface Key {
  readonly field: Field;
  readonly sign: 1 | -1;
}

function page(
  facts: Facts<Used>,
  { marketType, onlyCount, pageFrom }: C2S,
  conditions: readonly Condition[],
  keys: readonly Key[],
  pageCount: number,
) {
  const listed = marketType === HK ? facts.world.warrants() : [];
  let rows = listed.map((one) => new WarrantRow(facts, one));
  // Conditions on terms come first, so that only the remaining warrants are quoted.
  for (const isTerm of [true, false]) {
    const asked = conditions.filter(({ field }) => field.isTerm === isTerm);
    if (asked.length === 0) continue;
    rows = rows.filter((row) => asked.every(({ field, accepts }) => accepts(field.of(row))));
  }
  const keyed = rows.map((row) => ({ row, values: keys.map(({ field }) => field.of(row)) }));
  keyed.sort((a, b) => {
    for (const [index, { sign }] of keys.entries()) {
      const [x = 0, y = 0] = [a.values[index], b.values[index]];
      if (x !== y) return x < y ? -sign : sign;
    }
    return a.row.warrant.code < b.row.warrant.code ? -1 : 1;
  });
  const shown = onlyCount ? [] : keyed.slice(pageFrom, pageFrom + pageCount);
  const warrants = shown.map(({ row }) => itemOf(row));
  const lastPage = onlyCount || pageFrom + pageCount >= keyed.length;
  return { warrants, lastPage, allCount: keyed.length };
}

function fieldOf(fieldId: number, path: string): Field | Refusal {
  return (
    fields.get(fieldId) ?? new Refusal(`${path}: field ${fieldId} is not served; served: ${[...fields.keys()].join(', ')}`, 'broker.value')
  );
}

/** The symbols of stocks that go by their symbol, or by their number. */
function ownersOf(facts: Facts<'world' | 'listings'>, choices: ScreenGroup['choices'], path: string): readonly string[] | Refusal {
  const symbols: string[] = [];
  for (const [index, { contentType, text, value }] of choices.entries()) {
    const owner = contentType === TEXT ? locateNamed(facts, text, `${path}[${index}].text`) : locateStock(facts, { stockId: value });
    if (owner instanceof Refusal) return owner;
    symbols.push(owner.instrument.symbol);
  }
  return symbols;
}

function conditionOf(facts: Facts<Used>, { fieldId, interval, choices }: ScreenGroup, path: string): Condition | Refusal {
  const field = fieldOf(fieldId, `${path}.field_id`);
  if (field instanceof Refusal) return field;
  if (field.isChoice) {
    if (interval !== undefined) return new Refusal(`${path}.interval: field ${fieldId} is chosen from a list: give choices`);
    const values =
      fieldId === OWNER
        ? ownersOf(facts, choices, `${path}.choices`)
        : choices.map(({ contentType, text, value }): Value => (contentType === TEXT ? text : Number(value)));
    if (values instanceof Refusal) return values;
    const wanted = new Set<Value>(values);
    // Without any, there is no condition.
    return { field, accepts: (value) => wanted.size === 0 || wanted.has(value) };
  }
  if (choices.length > 0) return new Refusal(`${path}.choices: field ${fieldId} lies in an interval: give interval`);
  return { field, accepts: within(interval) };
}

/** Qot_WarrantScreen.Choice.contentType. */
const TEXT = 2;

function within(interval: Interval | undefined): (value: Value) => boolean {
  const { filterMin, filterMax } = interval ?? {};
  // A bound that does not say whether it is included is.
  const isIn = (bound: { readonly includes?: boolean }) => !Object.hasOwn(bound, 'includes') || bound.includes === true;
  return (given) => {
    const value = Number(given);
    if (filterMin !== undefined && (value < filterMin.value || (value === filterMin.value && !isIn(filterMin)))) return false;
    return filterMax === undefined || value < filterMax.value || (value === filterMax.value && isIn(filterMax));
  };
}

/** As this message counts them: 0 normal, 1 suspended, 2 ended, 3 to be listed. */
function statusOf(row: WarrantRow): number {
  switch (row.status) {
    case WarrantStatus.WarrantStatus_Suspend:
      return 1;
    case WarrantStatus.WarrantStatus_StopTrade:
      return 2;
    case WarrantStatus.WarrantStatus_PendingListing:
      return 3;
    default:
      return 0;
  }
}

function itemOf(row: WarrantRow) {
  const data = row.message();
  const { warrant, owner, figures } = row;
  return {
    stockId: warrant.id,
    issuerId: data.issuer,
    warrantType: data.type,
    strikePrice: data.strikePrice,
    maturityDate: BigInt(data.maturityTimestamp),
    lastTradeDate: BigInt(data.lastTradeTimestamp),
    conversionRatio: data.conversionRatio,
    lastclosePrice: data.lastClosePrice,
    currentPrice: data.curPrice,
    volume: data.volume,
    turnover: data.turnover,
    sellVol: data.askVol,
    buyVol: data.bidVol,
    sellPrice: data.askPrice,
    buyPrice: data.bidPrice,
    streetRate: data.streetRate,
    streetRateNew: data.streetRate,
    highPrice: data.highPrice,
    lowPrice: data.lowPrice,
    status: statusOf(row),
    score: data.score,
    premium: data.premium,
    leverage: data.leverage,
    effectiveLeverage: data.effectiveLeverage,
    breakEvenPoint: data.breakEvenPoint,
    ipop: data.ipop,
    amplitude: data.amplitude,
    ipoTime: BigInt(data.listTimestamp),
    streetVol: BigInt(data.streetVol),
    lotSize: data.lotSize,
    issueSize: data.issueSize,
    security: row.listing.security,
    name: warrant.name,
    stockOwner: owner?.instrument.id,
    stockOwnerPrice: owner && figures.spot,
    ownerSecurity: owner?.security,
    ownerName: owner?.instrument.name,
    recoveryPrice: data.recoveryPrice,
    priceRecoveryRatio: data.priceRecoveryRatio,
    impliedVolatility: data.impliedVolatility,
    delta: data.delta,
    upperStrikePrice: data.upperStrikePrice,
    lowerStrikePrice: data.lowerStrikePrice,
    // 0 inside, 1 outside.
    iwPriceStatus: figures.inside === undefined ? undefined : Number(figures.inside !== PriceType.PriceType_WithIn),
  };
}
