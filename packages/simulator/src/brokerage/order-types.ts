import type { Remainder } from '../exchange/index.js';
import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import type { OrderType } from './terms.js';

/** Rules of one order type. */
export interface OrderTypeRules {
  /** The caller names a limit. */
  readonly limited: boolean;
  /** Handling of volume that finds no counterpart on arrival. */
  readonly remainder: Remainder;
  /** Waits for the next opening of its market and is matched there. */
  readonly auction?: true;
  /** Waits for the last price: against its side's interest (`stop`), in its favour (`touched`), or at a distance that follows it (`trailing`). */
  readonly trigger?: 'stop' | 'touched' | 'trailing';
  /** Goes to the exchange in slices over its span: evenly in time (TWAP), or as the day's volume usually comes (VWAP). */
  readonly worked?: 'time' | 'volume';
}

const rules: Readonly<Record<OrderType, OrderTypeRules>> = {
  normal: { limited: true, remainder: 'rest' },
  market: { limited: false, remainder: 'cancel' },
  absolute_limit: { limited: true, remainder: 'exact_price' },
  auction: { limited: false, remainder: 'cancel', auction: true },
  // The rest of an auction is carried on as a limit order.
  auction_limit: { limited: true, remainder: 'rest', auction: true },
  special_limit: { limited: true, remainder: 'cancel' },
  special_limit_all: { limited: true, remainder: 'all_or_none' },
  stop: { limited: false, remainder: 'cancel', trigger: 'stop' },
  stop_limit: { limited: true, remainder: 'rest', trigger: 'stop' },
  market_if_touched: { limited: false, remainder: 'cancel', trigger: 'touched' },
  limit_if_touched: { limited: true, remainder: 'rest', trigger: 'touched' },
  trailing_stop: { limited: false, remainder: 'cancel', trigger: 'trailing' },
  // Its limit comes from the trigger price and the spread.
  trailing_stop_limit: { limited: false, remainder: 'rest', trigger: 'trailing' },
  twap_market: { limited: false, remainder: 'cancel', worked: 'time' },
  twap_limit: { limited: true, remainder: 'cancel', worked: 'time' },
  vwap_market: { limited: false, remainder: 'cancel', worked: 'volume' },
  vwap_limit: { limited: true, remainder: 'cancel', worked: 'volume' },
};

export function rulesOf(type: OrderType): OrderTypeRules {
  return rules[type];
}

const triggered: readonly OrderType[] = [
  'stop',
  'stop_limit',
  'market_if_touched',
  'limit_if_touched',
  'trailing_stop',
  'trailing_stop_limit',
];
const hongKong: readonly OrderType[] = [
  'normal',
  'market',
  'absolute_limit',
  'auction',
  'auction_limit',
  'special_limit',
  'special_limit_all',
  ...triggered,
  'twap_limit',
  'vwap_limit',
];
const everywhere: readonly OrderType[] = ['normal', 'market', ...triggered];
const unitedStates: readonly OrderType[] = [...everywhere, 'twap_market', 'twap_limit', 'vwap_market', 'vwap_limit'];
const mainland: readonly OrderType[] = ['normal'];

/** The order types that an instrument's market takes. */
export function orderTypesOf(instrument: Instrument): readonly OrderType[] {
  if (kinds[instrument.kind].tradedBy === 'futures')
    return instrument.market === 'HK' ? ['normal', 'market', 'auction', 'auction_limit', ...triggered] : everywhere;
  // Options are traded continuously, without auctions.
  if (instrument.kind === 'option') return everywhere;
  if (instrument.market === 'HK') return hongKong;
  if (instrument.market === 'US') return unitedStates;
  return instrument.market === 'SH' || instrument.market === 'SZ' ? mainland : everywhere;
}
