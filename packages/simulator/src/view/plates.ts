import { create } from '@bufbuild/protobuf';
import { PlateSetType, type Security, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type QuoteMarket, quoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { requireDay } from '@svc-gateway/contract/time';
import { missing, Refusal } from '../refusal.js';
import { isIssuedByCompany } from '../world/kinds.js';
import { type Plate, platesOf } from '../world/plates.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

/** Qot_Common.PlateSetType of each kind. */
export const plateTypes = {
  industry: PlateSetType.PlateSetType_Industry,
  region: PlateSetType.PlateSetType_Region,
  concept: PlateSetType.PlateSetType_Concept,
} as const satisfies Record<Plate['kind'], PlateSetType>;

export function plateSecurity({ symbol, market }: Plate): Security {
  return create(SecuritySchema, { market: quoteMarket(market).number, code: symbol.slice(market.length + 1) });
}

/** The plate that a request names by market and code, in either case; or why there is none. */
export function locatePlate(named: { readonly market: number; readonly code: string } | undefined): Plate | Refusal {
  if (named === undefined) return missing(['plate']);
  const market = quoteMarketNumbered(named.market);
  if (market === undefined) return new Refusal(`plate: invalid market ${named.market}`, 'broker.value');
  const symbol = `${market.name}.${named.code}`.toUpperCase();
  const plate = platesOf(market.name).find((one) => one.symbol === symbol);
  if (plate !== undefined) return plate;
  const [example] = platesOf(market.name);
  const hint = example === undefined ? `market ${market.name} has no plates` : `plates of the market look like ${example.symbol}`;
  return new Refusal(`unknown plate ${symbol.slice(0, 40).replace(/[^\x20-\x7e]/g, '?')}; ${hint}`, 'broker.unknown_code');
}

/** The plates that a company's share belongs to today, those of its own market. Nothing else belongs to any. */
export function platesOn({ companies, world }: Facts<'companies' | 'world'>, { instrument }: Listing): readonly Plate[] {
  if (!isIssuedByCompany(instrument)) return [];
  const plates = companies.company(instrument).plates(requireDay(world.today(instrument)));
  return plates.filter(({ market }) => market === instrument.market);
}

type Needed = Facts<'companies' | 'world' | 'listings'>;

/** The members of a plate today: what its index is made of. */
export function membersOf({ companies, world, listings }: Needed, plate: Plate): readonly Listing[] {
  const index = world.instrument(plate.symbol);
  if (index === undefined) return [];
  return companies
    .plate(plate)
    .members(requireDay(world.today(index)))
    .map((instrument) => listings.of(instrument));
}

/** The plates of a market that have members today: every industry has a plate, and not every market a company of it. */
export function platesWithMembers(facts: Needed, market: QuoteMarket): readonly Plate[] {
  return platesOf(market).filter((plate) => membersOf(facts, plate).length > 0);
}
