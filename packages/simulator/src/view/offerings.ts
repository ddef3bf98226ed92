import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { addDays } from '@svc-gateway/contract/time';
import { type Offering, offeringOf } from '../companies/index.js';
import type { Facts } from './facts.js';

/** No prospectus comes earlier before the first day of trading, holidays included. */
const LEAD_DAYS = 60;

/** The markets whose offerings are listed together: the mainland's are. */
export function offeringMarkets(market: QuoteMarket): readonly QuoteMarket[] {
  return market === 'SH' || market === 'SZ' ? ['SH', 'SZ'] : [market];
}

/** The offerings of a market that are known today and of which something happens on the days [from, to], by first day of trading and symbol. */
export function offerings(
  { world, companies }: Facts<'world' | 'companies'>,
  market: QuoteMarket,
  from: string,
  to: string,
): readonly Offering[] {
  return offeringMarkets(market)
    .flatMap((one) => [...world.instruments({ market: one, kind: 'equity' }), ...world.debuts(one)])
    .filter(({ listDate }) => listDate >= from && listDate <= addDays(to, LEAD_DAYS))
    .map((equity) => ({ equity, today: world.today(equity) }))
    .filter(({ equity, today }) => equity.listDate <= addDays(today, LEAD_DAYS))
    .map(({ equity, today }) => ({ offering: offeringOf(equity, companies.issuePrice(equity)), today }))
    .filter(({ offering, today }) => offering.announced <= today)
    .map(({ offering }) => offering)
    .sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function order({ equity }: Offering): string {
  return `${equity.listDate} ${equity.symbol}`;
}
