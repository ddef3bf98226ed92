import { create } from '@bufbuild/protobuf';
import { type Security, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type QuoteMarketInfo, quoteMarket, quoteMarkets, secKeyOf, symbolOf } from '@svc-gateway/contract/markets';
import { epochSeconds, parseLocal } from '@svc-gateway/contract/time';
import { Refusal } from '../refusal.js';
import { LruCache } from '../rng/lru-cache.js';
import type { ListingState, World } from '../world/index.js';
import { type Instrument, isDerived } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import { describeUnknown } from '../world/unknown-symbol.js';

/** An instrument with what every answer repeats of it. Never changes, and its messages are shared: nothing may write to them. */
export interface Listing {
  readonly instrument: Instrument;
  readonly market: QuoteMarketInfo;
  readonly security: Security;
  /** "1_00700". */
  readonly secKey: string;
  /** Qot_Common.SecurityType. */
  readonly securityType: number;
  /** Seconds since the epoch of the listing day's midnight in the market's zone. */
  readonly listTimestamp: number | undefined;
}

const CACHED_CONTRACTS = 5_000;

/** Finds listings by what requests name them by. A listing is made when it is first asked for. */
export class Listings {
  readonly #world: World;
  readonly #byMarket = new Map<number, Map<string, Listing>>(quoteMarkets.map(({ number }) => [number, new Map()]));

  readonly #contracts = new LruCache<Instrument, Listing>(CACHED_CONTRACTS);

  constructor(world: World) {
    this.#world = world;
  }

  /** The listing of a protocol security; codes may be in either case. */
  find(security: { readonly market: number; readonly code: string }): Listing | undefined {
    const known = this.#byMarket.get(security.market)?.get(security.code);
    if (known !== undefined) return known;
    const symbol = symbolOf(security);
    return symbol === undefined ? undefined : this.named(symbol);
  }

  /** The listing of "HK.00700". */
  named(symbol: string): Listing | undefined {
    const instrument = this.#world.instrument(symbol);
    return instrument === undefined ? undefined : this.of(instrument);
  }

  /** Where a listing stands between its first day of trading and its last. */
  state({ instrument }: Listing): ListingState {
    return this.#world.state(instrument);
  }

  of(instrument: Instrument): Listing {
    const market = quoteMarket(instrument.market);
    // Options and warrants are too many to keep, and their codes are given out again.
    if (isDerived(instrument)) return this.#contracts.get(instrument, () => new KnownListing(instrument, market));
    const codes = this.#byMarket.get(market.number);
    let listing = codes?.get(instrument.code);
    if (listing === undefined) {
      listing = new KnownListing(instrument, market);
      codes?.set(instrument.code, listing);
    }
    return listing;
  }

  /** Reason why a security is not found. */
  unknown(security: { readonly market: number; readonly code: string }): Refusal {
    const { message, code } = describeUnknown(this.#world, security);
    return new Refusal(message, code);
  }
}

class KnownListing implements Listing {
  readonly security: Security;
  readonly secKey: string;
  #listed: number | undefined;

  constructor(
    readonly instrument: Instrument,
    readonly market: QuoteMarketInfo,
  ) {
    // Assigned one by one: `create` with an initialiser goes through reflection, and lists of a market make thousands.
    this.security = create(SecuritySchema);
    this.security.market = market.number;
    this.security.code = instrument.code;
    this.secKey = secKeyOf(this.security);
  }

  get securityType(): number {
    return kinds[this.instrument.kind].securityType;
  }

  /** Worked out when somebody asks. */
  get listTimestamp(): number | undefined {
    this.#listed ??= parseLocal(this.instrument.listDate, this.market.timeZone) ?? 0;
    return epochSeconds(this.#listed);
  }
}

/** Seconds since the epoch of a day's midnight in the listing's market. */
export function secondsOf({ market }: Listing, day: string): number {
  return (parseLocal(day, market.timeZone) ?? 0) / 1000;
}
