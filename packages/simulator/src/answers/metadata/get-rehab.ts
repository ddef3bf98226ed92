import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { CompanyAct, type Rehab, RehabSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_RequestRehab_pb';
import { epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import type { CorporateAction } from '../../companies/index.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateTerms } from '../../view/locate.js';
import { known } from '../../view/optional-fields.js';

/**
 * Qot_RequestRehab: what went ex up to today, with the factors by which bars are adjusted. They multiply only: factor A is the reference
 * price of the ex-day over the close before it, or the other way round, and factor B is 0.
 */
export const getRehab: Answer<'world' | 'companies' | 'market' | 'listings', C2S, S2C> = (facts, { security }) => {
  const listing = locateTerms(facts, security);
  return listing instanceof Refusal ? listing : answer(facts, listing);
};

function answer(facts: Facts<'world' | 'companies' | 'market'>, listing: Listing): S2C {
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
  return create(S2CSchema, { rehabList });
}

function rehab(facts: Facts<'world' | 'market'>, listing: Listing, day: string, actions: readonly CorporateAction[]): Rehab {
  const factor = exFactor(facts, listing, day);
  const message = create(
    RehabSchema,
    known({
      time: day,
      timestamp: epochSeconds(parseLocal(day, listing.market.timeZone)),
      companyActFlag: 0n,
      fwdFactorA: factor,
      fwdFactorB: 0,
      bwdFactorA: 1 / factor,
      bwdFactorB: 0,
    }),
  );
  for (const action of actions) add(message, action);
  return message;
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

function add(message: Rehab, action: CorporateAction): void {
  const flag = (act: CompanyAct) => {
    message.companyActFlag |= BigInt(act);
  };
  switch (action.kind) {
    case 'dividend': {
      const cash = decimalToNumber(action.cash);
      if (action.special) {
        flag(CompanyAct.CompanyAct_SPDividend);
        message.spDividend = cash;
      } else {
        flag(CompanyAct.CompanyAct_Dividend);
        message.dividend = cash;
      }
      break;
    }
    case 'rights': {
      const [offered, held] = action.ratio;
      flag(CompanyAct.CompanyAct_Allot);
      message.allotBase = Number(held);
      message.allotErt = Number(offered);
      message.allotPrice = decimalToNumber(action.price);
      break;
    }
    case 'bonus': {
      const [becomes, from] = action.ratio;
      flag(CompanyAct.CompanyAct_Bonus);
      message.bonusBase = Number(from);
      message.bonusErt = Number(becomes - from);
      break;
    }
    case 'split': {
      const [becomes, from] = action.ratio;
      if (becomes > from) {
        flag(CompanyAct.CompanyAct_Split);
        message.splitBase = Number(from);
        message.splitErt = Number(becomes);
      } else {
        flag(CompanyAct.CompanyAct_Join);
        message.joinBase = Number(from);
        message.joinErt = Number(becomes);
      }
    }
  }
}
