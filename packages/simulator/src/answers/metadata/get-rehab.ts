import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { CompanyAct, type Rehab } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { metadata as declared } from '@svc-gateway/contract/operations';
import { epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import type { CorporateAction } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateTerms } from '../../view/locate.js';
import type { Fields } from '../../view/messages.js';
import type { AnswerTo } from '../table.js';

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
