import type { Decimal } from '@svc-gateway/contract/decimal';
import type { PriceContext } from '@svc-gateway/contract/generated/svc/account_yield_pb';
import type { Instrument, TradingSession } from '../world/index.js';
import type { Facts } from './facts.js';

const MINUTE_MS = 60_000;
/** Trading days that are looked back over for a session that counts. */
const DAYS_BACK = 10;
/** Qot_Common.QotMarketState of sessions outside regular hours. */
const PRE_MARKET = 8;
const AFTER_HOURS = 10;

/** The last price before a moment (epoch ms, a whole minute unless it is now) in sessions that count: regular ones, and those that are asked for. */
export function priceAt(facts: Facts<'clock' | 'world' | 'market'>, instrument: Instrument, time: number, context: PriceContext): Decimal {
  const { clock, world, market } = facts;
  const calendar = world.calendar(instrument);
  let day = calendar.tradingDay(time);
  for (let back = 0; back < DAYS_BACK; back += 1) {
    const sessions = calendar.sessions(day);
    for (const session of sessions.filter((one) => one.start < time && counts(one, context)).toReversed()) {
      const isOver = session.kind === 'regular' && !sessions.some(({ kind, end }) => kind === 'regular' && end > time);
      if (session.kind === 'regular' && time >= clock.now()) return market.quote(instrument).last;
      const price = isOver ? closeOf(facts, instrument, session) : lastIn(facts, instrument, session, time);
      if (price !== undefined) return price;
    }
    day = calendar.previousTradingDay(day);
  }
  return market.quote(instrument).last;
}

function counts({ kind, state }: TradingSession, { usePreMarket, useAfterHours, useOvernight }: PriceContext): boolean {
  if (kind === 'regular') return true;
  return state === PRE_MARKET ? usePreMarket : state === AFTER_HOURS ? useAfterHours : useOvernight;
}

/** Bars of days are of regular trading, and cost a fraction of those of minutes. */
function closeOf({ market }: Facts<'market'>, instrument: Instrument, { end }: TradingSession): Decimal | undefined {
  return market.bars(instrument, { unit: 'day' }, { to: end, limit: 1 })[0]?.close;
}

function lastIn({ market }: Facts<'market'>, instrument: Instrument, { start, end }: TradingSession, time: number): Decimal | undefined {
  const to = Math.min(end, Math.ceil(time / MINUTE_MS) * MINUTE_MS);
  const [bar] = market.bars(instrument, { unit: 'minute', count: 1 }, { to, limit: 1 });
  return bar !== undefined && bar.start >= start ? bar.close : undefined;
}
