import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { OptionOrderType, TickerType } from '@svc-gateway/contract/generated/Qot_GetOptionEvent_pb';
import type { EventAlertItem } from '@svc-gateway/contract/generated/Qot_GetOptionEventAlert_pb';
import { type Interval, OptionMarket } from '@svc-gateway/contract/generated/Qot_OptionCommon_pb';
import { moneyText } from '@svc-gateway/contract/money';
import { requireDay } from '@svc-gateway/contract/time';
import type { Tick } from '../market/market.js';
import type { World } from '../world/index.js';
import type { Instrument, Option } from '../world/instrument.js';
import { isIssuedByCompany } from '../world/kinds.js';
import { reportsBetween } from './earnings.js';
import type { Facts } from './facts.js';
import { typeOf } from './option-figures.js';
import { systemGroups } from './system-groups.js';

/** Least contracts of an unusual trade, and how many of those open when the day began it takes. */
const CONTRACTS_LEAST = 50n;
const OPEN_CONTRACTS_PART = 100;
const PERCENT = 100;
/** Underlyings examined for a whole-market alert: the most traded. */
const MARKET_UNDERLYINGS = 10;
const SERIES_FOLLOWED = 2;
const STRIKES_FOLLOWED = 2;

type Names = 'world' | 'market' | 'companies' | 'listings' | 'userState';

/** A trade that is unusual for its option. */
export interface OptionEvent {
  readonly option: Option;
  readonly underlying: Instrument;
  readonly tick: Tick;
  /** Percent. */
  readonly impliedVolatility: number;
}

/** The event that a new trade is; undefined for the usual ones. */
export function optionEventOf({ world, market }: Facts<'world' | 'market'>, option: Option, tick: Tick): OptionEvent | undefined {
  if (tick.volume < CONTRACTS_LEAST) return undefined;
  const underlying = world.instrument(option.option.underlying);
  if (underlying === undefined) return undefined;
  const { open, volatility } = market.valuation(option);
  if (Number(tick.volume) * OPEN_CONTRACTS_PART < open) return undefined;
  return { option, underlying, tick, impliedVolatility: volatility * PERCENT };
}

/** Whether an alert that is for the option's underlying asks for an event. Ranges that it does not give hold for everything. */
export function asksFor(facts: Facts<Names>, alert: EventAlertItem, event: OptionEvent): boolean {
  const { option, underlying, tick, impliedVolatility } = event;
  const { sideTypeList, orderTypeList } = alert;
  return (
    isOfType(alert, option) &&
    (sideTypeList.length === 0 || sideTypeList.includes(sideOf(tick))) &&
    // The tape is that of one exchange with one book: there are no sweeps over several, no crosses and no floor.
    (orderTypeList.length === 0 || orderTypeList.includes(OptionOrderType.OptionOrderType_Normal)) &&
    isIn(alert.expiryDaysRange, daysLeft(facts, option)) &&
    isIn(alert.priceRange, decimalToNumber(tick.price)) &&
    isIn(alert.sizeRange, Number(tick.volume)) &&
    isIn(alert.premiumRange, decimalToNumber(tick.turnover)) &&
    isIn(alert.ivRange, impliedVolatility) &&
    (alert.marketCapRange === undefined || isIn(alert.marketCapRange, marketCap(facts, underlying))) &&
    reportsIn(facts, alert, underlying)
  );
}

/** "AAPL 2026-12-18 305 call: 150 contracts bought at 4.55, 68250 USD". */
export function eventSentence({ option, underlying, tick }: OptionEvent): string {
  const { expiry, strike, right } = option.option;
  const done = tick.direction === 1 ? 'bought' : tick.direction === -1 ? 'sold' : 'traded';
  const name = `${underlying.code} ${expiry} ${decimalToNumber(strike)} ${right}`;
  const money = `${moneyText(tick.turnover, option.currency, 'nearest')} ${option.currency}`;
  return `${name}: ${tick.volume} contracts ${done} at ${decimalToNumber(tick.price)}, ${money}`;
}

/**
 * The contracts whose trades an alert is told of, those of an underlying at each step: of the nearest expiries that the alert takes, the strikes nearest the
 * price, which is where most is traded. The whole of a chain is thousands.
 */
export function* contractsFollowed(facts: Facts<Names>, alert: EventAlertItem): Generator<readonly Option[]> {
  const { world, market } = facts;
  for (const underlying of underlyingsOf(facts, alert)) {
    if (underlying.kind === 'option') {
      yield [underlying];
      continue;
    }
    const today = requireDay(world.today(underlying));
    const near = world
      .optionSeries(underlying)
      .filter(({ expiry }) => isIn(alert.expiryDaysRange, requireDay(expiry) - today))
      .sort((a, b) => (a.expiry < b.expiry ? -1 : 1))
      .slice(0, SERIES_FOLLOWED);
    if (near.length === 0) continue;
    const spot = market.quote(underlying).last;
    const away = ({ option: { strike } }: Option) => (strike > spot ? strike - spot : spot - strike);
    yield near.flatMap((series) =>
      (['call', 'put'] as const).flatMap((right) =>
        world
          .optionChain(underlying, series)
          .filter((option) => option.option.right === right && isOfType(alert, option))
          .sort((a, b) => (away(a) < away(b) ? -1 : 1))
          .slice(0, STRIKES_FOLLOWED),
      ),
    );
  }
}

function underlyingsOf(facts: Facts<Names>, alert: EventAlertItem): readonly Instrument[] {
  const { world, listings, userState } = facts;
  if (alert.underlying !== undefined) {
    const listing = listings.find(alert.underlying);
    return listing === undefined ? [] : [listing.instrument];
  }
  if (Object.hasOwn(alert, 'watchlistGroupName')) {
    const { watchlists } = userState;
    const isMember = systemGroups.get(alert.watchlistGroupName);
    const symbols = isMember === undefined ? (watchlists.group(alert.watchlistGroupName) ?? []) : watchlists.all();
    const watched = symbols.flatMap((symbol) => listings.named(symbol) ?? []);
    return (isMember === undefined ? watched : watched.filter(isMember)).map(({ instrument }) => instrument);
  }
  const { optionMarket } = alert;
  const market =
    optionMarket === OptionMarket.OptionMarket_HK_Security || optionMarket === OptionMarket.OptionMarket_HK_Index ? 'HK' : 'US';
  const ofIndices = optionMarket === OptionMarket.OptionMarket_HK_Index || optionMarket === OptionMarket.OptionMarket_US_Index;
  return mostTraded(world, market, ofIndices);
}

/** Sorted before it is asked which of them have options: few have, and those that are traded most do. */
function mostTraded(world: World, market: 'HK' | 'US', ofIndices: boolean): readonly Instrument[] {
  const candidates = world
    .instruments({ market })
    .filter((one) => (one.kind === 'index') === ofIndices)
    .map((one) => ({ one, turnover: one.dailyVolume * Number(one.referencePrice) }))
    .sort((a, b) => b.turnover - a.turnover);
  const found: Instrument[] = [];
  for (const { one } of candidates) {
    if (world.optionSeries(one).length > 0) found.push(one);
    if (found.length === MARKET_UNDERLYINGS) break;
  }
  return found;
}

function isOfType(alert: EventAlertItem, option: Option): boolean {
  return !Object.hasOwn(alert, 'optionType') || alert.optionType === 0 || alert.optionType === typeOf(option);
}

function sideOf({ direction }: Tick): number {
  if (direction === 0) return TickerType.TickerType_Neutral;
  return direction === 1 ? TickerType.TickerType_Buy : TickerType.TickerType_Sell;
}

function isIn(range: Interval | undefined, value: number | undefined): boolean {
  if (range === undefined) return true;
  if (value === undefined) return false;
  const { filterMin: least, filterMax: most } = range;
  if (least !== undefined && (least.includes ? value < least.value : value <= least.value)) return false;
  return most === undefined || (most.includes ? value <= most.value : value < most.value);
}

function daysLeft({ world }: Facts<'world'>, option: Option): number {
  return requireDay(option.option.expiry) - requireDay(world.today(option));
}

/** Undefined for what has none: funds and indices. */
function marketCap({ world, market, companies }: Facts<Names>, underlying: Instrument): number | undefined {
  if (!isIssuedByCompany(underlying)) return undefined;
  const { issuedShares } = companies.figures(underlying, world.today(underlying));
  return decimalToNumber(market.quote(underlying).last * issuedShares);
}

function reportsIn(
  { companies }: Facts<Names>,
  { earningsDateBegin: begin, earningsDateEnd: end }: EventAlertItem,
  of: Instrument,
): boolean {
  if (begin === '') return true;
  return isIssuedByCompany(of) && reportsBetween(companies.company(of), requireDay(begin), requireDay(end)).length > 0;
}
