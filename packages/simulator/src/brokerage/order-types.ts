import type { Remainder } from '../exchange/index.js';
import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import { type OrderType, orderTypes } from './terms.js';

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
  /** Venues that take it; all but the mainland where none is named. */
  readonly venues?: readonly Venue[];
}

/** Markets by the order types that they take; futures and options of other markets take what is taken everywhere. */
type Venue = 'HK' | 'HK futures' | 'US' | 'mainland' | 'elsewhere';

/** In the order in which refusals name them. */
const rules: Readonly<Record<OrderType, OrderTypeRules>> = {
  normal: { limited: true, remainder: 'rest', venues: ['HK', 'HK futures', 'US', 'mainland', 'elsewhere'] },
  market: { limited: false, remainder: 'cancel' },
  absolute_limit: { limited: true, remainder: 'exact_price', venues: ['HK'] },
  auction: { limited: false, remainder: 'cancel', auction: true, venues: ['HK', 'HK futures'] },
  // The rest of an auction is carried on as a limit order.
  auction_limit: { limited: true, remainder: 'rest', auction: true, venues: ['HK', 'HK futures'] },
  special_limit: { limited: true, remainder: 'cancel', venues: ['HK'] },
  special_limit_all: { limited: true, remainder: 'all_or_none', venues: ['HK'] },
  stop: { limited: false, remainder: 'cancel', trigger: 'stop' },
  stop_limit: { limited: true, remainder: 'rest', trigger: 'stop' },
  market_if_touched: { limited: false, remainder: 'cancel', trigger: 'touched' },
  limit_if_touched: { limited: true, remainder: 'rest', trigger: 'touched' },
  trailing_stop: { limited: false, remainder: 'cancel', trigger: 'trailing' },
  // Its limit comes from the trigger price and the spread.
  trailing_stop_limit: { limited: false, remainder: 'rest', trigger: 'trailing' },
  twap_market: { limited: false, remainder: 'cancel', worked: 'time', venues: ['US'] },
  twap_limit: { limited: true, remainder: 'cancel', worked: 'time', venues: ['HK', 'US'] },
  vwap_market: { limited: false, remainder: 'cancel', worked: 'volume', venues: ['US'] },
  vwap_limit: { limited: true, remainder: 'cancel', worked: 'volume', venues: ['HK', 'US'] },
};

/** The type as refusals name it: "1 (normal)". */
export function nameOf(type: OrderType): string {
  return `${orderTypes.numberOf(type)} (${type})`;
}

export function rulesOf(type: OrderType): OrderTypeRules {
  return rules[type];
}

/** The order types that an instrument's market takes. */
export function orderTypesOf(instrument: Instrument): readonly OrderType[] {
  const venue = venueOf(instrument);
  const isTaken = ({ venues }: OrderTypeRules) => (venues === undefined ? venue !== 'mainland' : venues.includes(venue));
  return (Object.keys(rules) as OrderType[]).filter((type) => isTaken(rules[type]));
}

function venueOf({ kind, market }: Instrument): Venue {
  if (kinds[kind].tradedBy === 'futures') return market === 'HK' ? 'HK futures' : 'elsewhere';
  // Options are traded continuously, without auctions.
  if (kind === 'option') return 'elsewhere';
  if (market === 'HK' || market === 'US') return market;
  return market === 'SH' || market === 'SZ' ? 'mainland' : 'elsewhere';
}
