import { isFieldSet } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { OptionType, type SecurityStaticInfo } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  type DataFilter,
  DataFilterSchema,
  OptionCondType,
  type OptionItem,
} from '@svc-gateway/contract/generated/Qot_GetOptionChain_pb';
import type { derivatives as declared } from '@svc-gateway/contract/operations';
import { isTimeText } from '@svc-gateway/contract/text-formats';
import { dayNumber, requireDay } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { type Listing, secondsOf } from '../../view/listings.js';
import { locateTerms } from '../../view/locate.js';
import type { Fields } from '../../view/messages.js';
import { cycleOf, figuresOf, isOfIndexType, type OptionFigures } from '../../view/option-figures.js';
import { dayRange, noDay } from '../../view/requests.js';
import { staticInfo } from '../../view/static-info.js';
import { kinds, type ListedSeries, type SecurityKind } from '../../world/index.js';
import type { Option } from '../../world/instrument.js';
import type { AnswerTo } from '../table.js';

const OWNERS: ReadonlySet<SecurityKind> = new Set(['equity', 'trust', 'etf', 'index']);

/** Finds the underlying of requested options, or says why its kind has none. */
export function locateOwner(
  facts: Facts<'listings'>,
  security: { readonly market: number; readonly code: string } | undefined,
): Listing | Refusal {
  const owner = locateTerms(facts, security);
  if (owner instanceof Refusal || OWNERS.has(owner.instrument.kind)) return owner;
  const { symbol, kind } = owner.instrument;
  return new Refusal(`owner: ${symbol} is ${kinds[kind].noun}; there are options on stocks, funds and indices`);
}

/** The series on an owner that are listed today, of the wanted kind of index options, in order of expiry. */
export function seriesOf({ world }: Facts<'world'>, { instrument }: Listing, indexType: number): readonly ListedSeries[] {
  const series = world.optionSeries(instrument).filter((one) => isOfIndexType(one.class, indexType));
  return [...series].sort((a, b) => (a.expiry < b.expiry ? -1 : a.expiry > b.expiry ? 1 : 0));
}

/** A day as requests name it, "2026-11-20", with or without a time; its day counts. */
export function dayOf(field: string, text: string): string | Refusal {
  const day = isTimeText(text) ? text.slice(0, 10) : text;
  return dayNumber(day) === undefined ? noDay(field, text) : day;
}

const RANGE_DAYS_MAX = 31;
/** Contracts of one answer: more than any month of a class on its exchange's ladder of strikes, and some megabytes. */
const CONTRACTS_MAX = 12_000;

type Used = 'world' | 'listings' | 'market';
type Bound = keyof DataFilter & `${string}${'Min' | 'Max'}`;

/** Qot_GetOptionChain: the listed options on a security that expire between two days, by expiry and strike. */
export const getOptionChain: AnswerTo<typeof declared.getOptionChain> = (facts, request) => {
  const owner = locateOwner(facts, request.owner);
  if (owner instanceof Refusal) return owner;
  const begin = dayOf('begin_time', request.beginTime);
  if (begin instanceof Refusal) return begin;
  const end = dayOf('end_time', request.endTime);
  if (end instanceof Refusal) return end;
  const refused = dayRange(begin, end, RANGE_DAYS_MAX);
  if (refused !== undefined) return refused;
  const series = seriesOf(facts, owner, request.indexOptionType).filter(({ expiry }) => begin <= expiry && expiry <= end);
  return chains(facts, owner, series, wantedBy(facts, request));
};

function chains(facts: Facts<Used>, owner: Listing, series: readonly ListedSeries[], wanted: Wanted) {
  let listed = 0;
  for (const one of series) {
    const count = facts.world.optionChain(owner.instrument, one).length;
    listed += wanted.right === undefined ? count : count / 2;
  }
  if (listed > CONTRACTS_MAX) {
    const narrow = `narrow begin_time and end_time${wanted.right === undefined ? ', or ask for calls or puts alone (type)' : ''}`;
    return new Refusal(
      `begin_time to end_time: ${listed} contracts expire in that time; at most ${CONTRACTS_MAX} in one answer: ${narrow}`,
      'broker.value',
    );
  }
  const optionChain = [...new Set(series.map((one) => one.expiry))].map((expiry) => {
    const options: Fields<OptionItem>[] = [];
    for (const one of series.filter((each) => each.expiry === expiry)) {
      const items = new Map<bigint, Partial<Record<'call' | 'put', Fields<SecurityStaticInfo>>>>();
      for (const option of facts.world.optionChain(owner.instrument, one)) {
        if (!wanted.takes(option)) continue;
        const { strike, right } = option.option;
        const item = items.get(strike) ?? {};
        items.set(strike, item);
        item[right] = staticInfo(facts, facts.listings.of(option));
      }
      options.push(...items.values());
    }
    return { strikeTime: expiry, option: options, strikeTimestamp: secondsOf(owner, expiry) };
  });
  return { optionChain: optionChain.filter(({ option }) => option.length > 0) };
}

/** Options that a request selects. */
interface Wanted {
  /** Undefined for calls and puts. */
  readonly right: 'call' | 'put' | undefined;
  takes(option: Option): boolean;
}

function wantedBy(facts: Facts<Used>, { type, condition, dataFilter }: C2S): Wanted {
  const right = type === OptionType.OptionType_Call ? 'call' : type === OptionType.OptionType_Put ? 'put' : undefined;
  const filters = dataFilter === undefined ? [] : figureFilters.flatMap((filter) => boundsOf(dataFilter, filter));
  const volumes = dataFilter === undefined ? [] : boundsOf(dataFilter, volumeFilter);
  const isPriced = condition !== OptionCondType.OptionCondType_Unknow || filters.length > 0;
  return {
    right,
    takes(option) {
      if (right !== undefined && option.option.right !== right) return false;
      if (isPriced) {
        const figures = figuresOf(facts, option, 0);
        if (!meetsCondition(option, figures.spot, condition)) return false;
        if (!filters.every((meets) => meets(figures))) return false;
      }
      if (volumes.length === 0) return true;
      const volume = Number(facts.market.quote(option).volume);
      return volumes.every((meets) => meets({ volume }));
    },
  };
}

function meetsCondition({ option: { right, strike } }: Option, spot: number, condition: number): boolean {
  if (condition === OptionCondType.OptionCondType_Unknow) return true;
  const inMoney = right === 'call' ? decimalToNumber(strike) < spot : decimalToNumber(strike) > spot;
  return inMoney === (condition === OptionCondType.OptionCondType_WithIn);
}

/** A pair of bounds, of how many decimal places, and what it holds. What only some options have leaves the others out. */
interface Filter<F> {
  readonly least: Bound;
  readonly most: Bound;
  readonly places: number;
  readonly of: (figures: F) => number | undefined;
}

const figureFilters: readonly Filter<OptionFigures>[] = [
  { least: 'impliedVolatilityMin', most: 'impliedVolatilityMax', places: 0, of: ({ impliedVolatility }) => impliedVolatility },
  { least: 'deltaMin', most: 'deltaMax', places: 3, of: ({ delta }) => delta },
  { least: 'gammaMin', most: 'gammaMax', places: 3, of: ({ gamma }) => gamma },
  { least: 'vegaMin', most: 'vegaMax', places: 3, of: ({ vega }) => vega },
  { least: 'thetaMin', most: 'thetaMax', places: 3, of: ({ theta }) => theta },
  { least: 'rhoMin', most: 'rhoMax', places: 3, of: ({ rho }) => rho },
  { least: 'netOpenInterestMin', most: 'netOpenInterestMax', places: 0, of: ({ netOpenInterest }) => netOpenInterest },
  { least: 'openInterestMin', most: 'openInterestMax', places: 0, of: ({ openInterest }) => openInterest },
];
const volumeFilter: Filter<{ readonly volume: number }> = { least: 'volMin', most: 'volMax', places: 0, of: ({ volume }) => volume };

/** Condition of a filter; none where neither bound is given. Extra decimal places of a bound are truncated, as the message says. */
function boundsOf<F>(filter: DataFilter, { least, most, places, of }: Filter<F>): ((figures: F) => boolean)[] {
  const scale = 10 ** places;
  const bound = (name: Bound) => (isFieldSet(filter, DataFilterSchema.field[name]) ? Math.trunc(filter[name] * scale) / scale : undefined);
  const [low, high] = [bound(least), bound(most)];
  if (low === undefined && high === undefined) return [];
  return [
    (figures) => {
      const value = of(figures);
      return value !== undefined && (low === undefined || value >= low) && (high === undefined || value <= high);
    },
  ];
}

/** Qot_GetOptionExpirationDate: the days on which listed options on a security expire. */
export const getOptionExpirationDate: AnswerTo<typeof declared.getOptionExpirationDate> = (facts, request) => {
  const owner = locateOwner(facts, request.owner);
  if (owner instanceof Refusal) return owner;
  const { instrument } = owner;
  const today = requireDay(facts.world.today(instrument));
  // Two roots may expire on one day: what says more about it comes first.
  const days = new Map([...seriesOf(facts, owner, request.indexOptionType)].reverse().map((series) => [series.expiry, series] as const));
  const dateList = [...days.values()].reverse().map(({ expiry, of }) => ({
    strikeTime: expiry,
    strikeTimestamp: secondsOf(owner, expiry),
    optionExpiryDateDistance: requireDay(expiry) - today,
    cycle: cycleOf(of, expiry),
  }));
  return { dateList };
};
