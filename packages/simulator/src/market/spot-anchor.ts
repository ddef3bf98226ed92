import { dayOfNumber, requireDay } from '@svc-gateway/contract/time';
import type { Anchor } from '../rng/price-chain.js';
import { exponential } from '../rng/random.js';
import { continuousContracts, spotInstrument, tradedOn } from '../world/futures.js';
import type { Instrument } from '../world/instrument.js';

const DAYS_PER_YEAR = 365;

/**
 * The known price that an instrument's own path goes through. Where the history of a continuous contract is loaded and none of what it is on, the spot price goes on from
 * there: the contract's close, with the cost of carry taken off.
 */
export function anchorOf(instrument: Instrument, loaded: (symbol: string) => Anchor | undefined): Anchor | undefined {
  const own = loaded(instrument.symbol);
  const isSpot = instrument.kind === 'index' ? own === undefined : instrument.kind === 'future' && instrument.future.month === undefined;
  if (!isSpot) return own;
  const main = continuousContracts().find((one) => loaded(one.symbol) !== undefined && spotInstrument(one.future.product) === instrument);
  const close = main === undefined ? undefined : loaded(main.symbol);
  if (main === undefined || close === undefined) return own;
  const { lastTradingDay } = tradedOn(main, dayOfNumber(close.number));
  const years = lastTradingDay === undefined ? 0 : (requireDay(lastTradingDay) - close.number) / DAYS_PER_YEAR;
  const carried = exponential((main.future.product.carry / 100) * years);
  return { number: close.number, price: Math.round(close.price / carried) };
}
