import { isFieldSet } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type ComboLeg, ComboLegSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { ContractValuation, Quote } from '../../market/market.js';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locate } from '../../view/locate.js';
import { type Instrument, kinds } from '../../world/index.js';
import type { Option } from '../../world/instrument.js';

const LEGS_MAX = 10;
const RATIO_MAX = 10_000;

/** One leg of a combination: an option, or the underlying itself. */
export interface Leg {
  readonly listing: Listing;
  readonly option: Option | undefined;
  /** 1 bought, -1 sold. */
  readonly sign: 1 | -1;
  readonly ratio: number;
  /** Units of the underlying that a combination has of it; negative when sold. */
  readonly units: number;
  readonly quote: Quote;
  /** Options only. */
  readonly valuation: ContractValuation | undefined;
}

/** Legs on one underlying. */
export interface Combination {
  readonly legs: readonly Leg[];
  readonly options: readonly (Leg & { readonly option: Option; readonly valuation: ContractValuation })[];
  readonly underlying: Instrument;
  /** Units of the underlying in one contract: prices of the combination are per unit. */
  readonly multiplier: number;
}

const signs: Readonly<Partial<Record<TrdSide, 1 | -1>>> = {
  [TrdSide.TrdSide_Buy]: 1,
  [TrdSide.TrdSide_BuyBack]: 1,
  [TrdSide.TrdSide_Sell]: -1,
  [TrdSide.TrdSide_SellShort]: -1,
};

/** Parses a request's legs, or says why they are no combination of options. */
export function readLegs(facts: Facts<'listings' | 'market' | 'world'>, asked: readonly ComboLeg[]): Combination | Refusal {
  if (asked.length === 0) return missing(['multi_legs'], 'at least one leg');
  if (asked.length > LEGS_MAX)
    return new Refusal(`multi_legs: ${asked.length} legs are too many; at most ${LEGS_MAX} are accepted`, 'broker.value');
  const legs: Leg[] = [];
  for (const [index, leg] of asked.entries()) {
    const read = readLeg(facts, leg, `multi_legs[${index}]`);
    if (read instanceof Refusal) return read;
    legs.push(read);
  }
  const options = legs.filter((leg): leg is Combination['options'][number] => leg.option !== undefined);
  const [first] = options;
  if (first === undefined) return new Refusal('multi_legs: none of the legs is an option');
  const symbol = first.option.option.underlying;
  for (const [index, { option, listing }] of legs.entries()) {
    const on = option?.option.underlying ?? listing.instrument.symbol;
    if (on !== symbol)
      return new Refusal(`multi_legs[${index}]: ${listing.instrument.symbol} is not on ${symbol}, which the other legs are on`);
  }
  const underlying = facts.world.instrument(symbol);
  if (underlying === undefined) return new Refusal(`unknown symbol ${symbol}`, 'broker.unknown_code');
  return { legs, options, underlying, multiplier: decimalToNumber(first.option.multiplier) };
}

function readLeg(facts: Facts<'listings' | 'market'>, leg: ComboLeg, path: string): Leg | Refusal {
  const listing = locate(facts, leg.security);
  if (listing instanceof Refusal) return listing.at(path);
  const { instrument } = listing;
  const sign = isFieldSet(leg, ComboLegSchema.field.side) && leg.side !== 0 ? signs[leg.side as TrdSide] : 1;
  if (sign === undefined)
    return new Refusal(`${path}.side: found ${leg.side}, accepted: 1 (buy), 2 (sell), 3 (sell short), 4 (buy back)`, 'broker.value');
  const ratio = isFieldSet(leg, ComboLegSchema.field.qtyRatio) && leg.qtyRatio !== 0 ? leg.qtyRatio : 1;
  if (!(ratio > 0 && ratio <= RATIO_MAX))
    return new Refusal(`${path}.qty_ratio: ${ratio} is out of range, accepted: above 0, at most ${RATIO_MAX}`, 'broker.value');
  const option = instrument.kind === 'option' ? instrument : undefined;
  if (option === undefined && !kinds[instrument.kind].isShare)
    return new Refusal(`${path}: ${instrument.symbol} is neither an option nor a stock that options are on`);
  if (facts.listings.state(listing) === 'over') return new Refusal(`${path}: ${instrument.symbol} is not listed any more`);
  const size = option === undefined ? 1 : decimalToNumber(option.multiplier);
  return {
    listing,
    option,
    sign,
    ratio,
    units: sign * ratio * size,
    quote: facts.market.quote(instrument),
    valuation: option === undefined ? undefined : facts.market.valuation(option),
  };
}
