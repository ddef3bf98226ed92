import type { Decimal } from '@svc-gateway/contract/decimal';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { type Account, tradeMarketOf } from '../../brokerage/account.js';
import { tradeMarkets } from '../../brokerage/terms.js';
import type { Entry, LedgerTransaction } from '../../ledger/index.js';
import type { Facts } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import type { Calendar, CalendarName } from '../../world/index.js';

/** The days of an entry, "2026-11-24", in the zone of the market that it clears in. */
interface ClearingDays {
  /** The trading day that it belongs to. */
  readonly clearingDate: string;
  /** Day from which the money is available. */
  readonly settlementDate: string;
}

/** A trade, or its end by the exchange, clears on its trading day and settles later; everything else does both on one day. */
export function clearingDays({ world }: Facts<'world'>, { cause, time }: LedgerTransaction, { venue, day, balance }: Entry): ClearingDays {
  const tradingDay = (at: number) => calendarOf(world, venue).tradingDay(at);
  if (cause === 'fill' || cause === 'bust') return { clearingDate: tradingDay(time), settlementDate: day };
  // Entries made at a day's close, which may be the day's end, belong to that day.
  return { clearingDate: balance === 'unsettled' ? tradingDay(time - 1) : day, settlementDate: day };
}

function calendarOf(world: Facts<'world'>['world'], venue: string): Calendar {
  return world.calendar(venue as CalendarName);
}

/** The security of a transaction as messages name it; nothing where it is about none. */
export function securityFields({ world }: Facts<'world'>, account: Account, symbol: string) {
  const instrument = symbol === '' ? undefined : world.instrument(symbol);
  if (instrument === undefined) return {};
  const tradeMarket = tradeMarketOf(instrument, account.environment);
  return {
    ...known({ trdMarket: tradeMarket === undefined ? undefined : tradeMarkets.numberOf(tradeMarket) }),
    secMarket: quoteMarket(instrument.market).secMarket,
    code: instrument.code,
    name: instrument.name,
  };
}

/** 1 in, 2 out: Trd_FlowSummary.TrdCashFlowDirection. */
export function directionOf(amount: Decimal): number {
  return amount < 0n ? 2 : 1;
}
