import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { CompanyAct, type Rehab } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { CodeChangeType, type TimeFilter, TimeFilterType } from '@svc-gateway/contract/generated/Qot_GetCodeChange_pb';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { quoted } from '@svc-gateway/contract/shown';
import { addDays, epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import type { CorporateAction } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import { keyOf, uniform } from '../../rng/random.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms, locateTerms } from '../../view/locate.js';
import { type Fields, given } from '../../view/messages.js';
import { tradingDaysOf } from '../../world/business-days.js';
import type { AnswerTo } from '../table.js';

const SYMBOLS_MAX = 400;
/** Announced a month before it is effective. */
const AHEAD_DAYS = 60;
/** Old and new shares trade side by side this long (HKEX, trading arrangements for subdivisions and consolidations). */
const PARALLEL_TRADING_DAYS = 15;
/** Nil-paid rights trade this long (HKEX, rights issues). */
const NIL_PAID_DAYS = 8;

/** Days of a code change, "2026-11-20". */
interface Change {
  readonly listing: Listing;
  readonly type: CodeChangeType;
  readonly publicDay: string;
  readonly effectiveDay: string;
  readonly endDay: string;
}

/** Qot_GetCodeChange: temporary codes around splits, consolidations and rights issues in Hong Kong, newest announcement first. */
export const getCodeChange: AnswerTo<typeof declared.getCodeChange> = (facts, request) => {
  const named = request.securityList.length === 0 ? undefined : locateAllTerms(facts, request.securityList, SYMBOLS_MAX);
  if (named instanceof Refusal) return named;
  const listings = named ?? facts.world.listed({ market: 'HK', kind: 'equity' }).map((one) => facts.listings.of(one));
  const isWanted = timesWanted(request.timeFilterList);
  if (isWanted instanceof Refusal) return isWanted;
  const changes = changesOfAll(facts, listings);
  const types = new Set<number>(request.typeList);
  const wanted = changes.filter((change) => (types.size === 0 || types.has(change.type)) && isWanted(change));
  wanted.sort((a, b) => (a.publicDay > b.publicDay ? -1 : a.publicDay < b.publicDay ? 1 : 0));
  return { codeChangeList: wanted.map(message) };
};

function changesOfAll(facts: Facts<'world' | 'companies'>, listings: readonly Listing[]): Change[] {
  const changes: Change[] = [];
  for (const listing of listings) {
    for (const action of actionsOf(facts, listing)) {
      const type = typeOf(action);
      if (type === undefined) continue;
      const endDay = later(action.exDay, type === CodeChangeType.CodeChangeType_Unpaid ? NIL_PAID_DAYS : PARALLEL_TRADING_DAYS);
      changes.push({ listing, type, publicDay: action.announcedDay, effectiveDay: action.exDay, endDay });
    }
  }
  return changes;
}

/** All that a share of Hong Kong had announced when today began. */
function actionsOf({ world, companies }: Facts<'world' | 'companies'>, { instrument }: Listing): CorporateAction[] {
  if (instrument.market !== 'HK' || instrument.kind !== 'equity') return [];
  const today = world.today(instrument);
  const actions = companies.corporateActions(instrument.symbol, instrument.listDate, addDays(today, AHEAD_DAYS));
  return actions.filter(({ announcedDay }) => announcedDay < today);
}

/** Effect of an action on codes; none for cash and bonus shares. */
function typeOf(action: CorporateAction): CodeChangeType | undefined {
  switch (action.kind) {
    case 'split':
      return action.ratio[0] > action.ratio[1] ? CodeChangeType.CodeChangeType_Split : CodeChangeType.CodeChangeType_Joint;
    case 'rights':
      return CodeChangeType.CodeChangeType_Unpaid;
    default:
      return undefined;
  }
}

function later(day: string, count: number): string {
  const calendar = tradingDaysOf('HK');
  let last = day;
  for (let step = 0; step < count; step++) last = calendar.nextTradingDay(last);
  return last;
}

/** Temporary codes are of 02900 to 02999, which the exchange gives out again and again. */
function temporaryCode({ listing: { security, instrument }, effectiveDay }: Change) {
  const number = 2900 + Math.floor(100 * uniform(keyOf(`${instrument.symbol} ${effectiveDay} temporary code`), 0));
  return { market: security.market, code: String(number).padStart(5, '0') };
}

function message(change: Change) {
  const { listing, type, publicDay, effectiveDay, endDay } = change;
  const seconds = (day: string) => epochSeconds(parseLocal(day, listing.market.timeZone));
  return {
    type,
    security: listing.security,
    relatedSecurity: temporaryCode(change),
    publicTime: publicDay,
    publicTimestamp: seconds(publicDay),
    effectiveTime: effectiveDay,
    effectiveTimestamp: seconds(effectiveDay),
    endTime: endDay,
    endTimestamp: seconds(endDay),
  };
}

/** Whether a change meets every filter; a bound that is left out does not bound. */
function timesWanted(filters: readonly TimeFilter[]): ((change: Change) => boolean) | Refusal {
  const checks: ((change: Change) => boolean)[] = [];
  for (const [index, filter] of filters.entries()) {
    const dayOf = days[filter.type];
    if (dayOf === undefined)
      return new Refusal(
        `time_filter_list[${index}].type: unknown ${filter.type}; accepted: 1 (public), 2 (effective), 3 (end)`,
        'broker.value',
      );
    const bounds: number[] = [];
    for (const name of ['beginTime', 'endTime'] as const) {
      const text = given(filter, name);
      // A day alone is its beginning, or its end.
      const time = text === undefined || text === '' ? undefined : parseLocal(text, 'UTC');
      if (text !== undefined && text !== '' && time === undefined) {
        const field = name === 'beginTime' ? 'begin_time' : 'end_time';
        return new Refusal(
          `time_filter_list[${index}].${field}: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, found ${quoted(text)}`,
          'broker.value',
        );
      }
      bounds.push(time ?? (name === 'beginTime' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY));
    }
    const [begin = 0, end = 0] = bounds;
    if (begin > end) return new Refusal(`time_filter_list[${index}]: begin_time is after end_time`);
    checks.push((change) => {
      const time = parseLocal(dayOf(change), 'UTC') ?? 0;
      return time >= begin && time <= end;
    });
  }
  return (change) => checks.every((check) => check(change));
}

const days: Readonly<Record<number, (change: Change) => string>> = {
  [TimeFilterType.TimeFilterType_Public]: ({ publicDay }) => publicDay,
  [TimeFilterType.TimeFilterType_Effective]: ({ effectiveDay }) => effectiveDay,
  [TimeFilterType.TimeFilterType_End]: ({ endDay }) => endDay,
};

/**
 * Qot_RequestRehab: what went ex up to today, with the factors by which bars are adjusted. They multiply only: factor A is the reference
 * price of the ex-day over the close before it, or the other way round, and factor B is 0.
 */
export const getRehab: AnswerTo<typeof declared.getRehab> = (facts, { security }) => {
  const listing = locateTerms(facts, security);
  return listing instanceof Refusal ? listing : answer(facts, listing);
};

function answer(facts: Facts<'world' | 'companies' | 'market'>, listing: Listing) {
  const { instrument } = listing;
  const { symbol, listDate, lastTradingDay } = instrument;
  const today = facts.world.today(instrument);
  const until = lastTradingDay !== undefined && lastTradingDay < today ? lastTradingDay : today;
  const byDay = new Map<string, CorporateAction[]>();
  for (const action of facts.companies.corporateActions(symbol, listDate, until)) {
    byDay.set(action.exDay, [...(byDay.get(action.exDay) ?? []), action]);
  }
  const days = [...byDay];
  const rehabList = days.map(([day, actions]) => rehab(facts, listing, day, actions));
  return { rehabList };
}

function rehab(facts: Facts<'world' | 'market'>, listing: Listing, day: string, actions: readonly CorporateAction[]) {
  const factor = exFactor(facts, listing, day);
  const acts = actions.map(actOf);
  return {
    time: day,
    timestamp: epochSeconds(parseLocal(day, listing.market.timeZone)),
    companyActFlag: acts.reduce((flags, { act }) => flags | BigInt(act), 0n),
    fwdFactorA: factor,
    fwdFactorB: 0,
    bwdFactorA: 1 / factor,
    bwdFactorB: 0,
    ...Object.assign({}, ...acts.map(({ terms }) => terms)),
  };
}

/** Factor on prices before an ex-day: the gain of the market's own adjustment on that day. */
function exFactor({ world, market }: Facts<'world' | 'market'>, { instrument }: Listing, day: string): number {
  const calendar = world.calendar(instrument);
  const [first] = calendar.sessions(day);
  const [before] = calendar.sessions(calendar.previousTradingDay(day));
  if (first === undefined || before === undefined) return 1;
  const at = (time: number) => Number(market.adjustmentFactor(instrument, 'forward', time));
  return at(before.start) / at(first.start);
}

function actOf(action: CorporateAction): { readonly act: CompanyAct; readonly terms: Fields<Rehab> } {
  if (action.kind === 'dividend') {
    const cash = decimalToNumber(action.cash);
    return action.special
      ? { act: CompanyAct.CompanyAct_SPDividend, terms: { spDividend: cash } }
      : { act: CompanyAct.CompanyAct_Dividend, terms: { dividend: cash } };
  }
  const [into, from] = action.ratio.map(Number) as [number, number];
  if (action.kind === 'rights') {
    return {
      act: CompanyAct.CompanyAct_Allot,
      terms: { allotBase: from, allotErt: into, allotPrice: decimalToNumber(action.price) },
    };
  }
  if (action.kind === 'bonus') return { act: CompanyAct.CompanyAct_Bonus, terms: { bonusBase: from, bonusErt: into - from } };
  return into > from
    ? { act: CompanyAct.CompanyAct_Split, terms: { splitBase: from, splitErt: into } }
    : { act: CompanyAct.CompanyAct_Join, terms: { joinBase: from, joinErt: into } };
}
