import { keyOf, mix, normal, uniform } from '../rng/random.js';
import type { Industry } from '../world/plates.js';
import { aspect, type CompanyProfile } from './profile.js';

/** A part of a quarter's revenue. */
export interface Segment {
  readonly name: string;
  /** Whole units of the currency of the accounts. */
  readonly revenue: bigint;
}

/** The same revenue divided in two ways; the parts of each add up to it exactly. */
export interface Segments {
  readonly business: readonly Segment[];
  readonly region: readonly Segment[];
}

const business: Readonly<Record<Industry, readonly string[]>> = {
  banks: ['Retail Banking', 'Corporate Banking', 'Wealth Management', 'Markets'],
  insurance: ['Life', 'Property & Casualty', 'Health', 'Asset Management'],
  capitalMarkets: ['Brokerage', 'Asset Management', 'Investment Banking', 'Data & Services'],
  realEstate: ['Development', 'Rental', 'Property Management'],
  utilities: ['Generation', 'Networks', 'Supply'],
  energy: ['Exploration & Production', 'Refining', 'Marketing', 'Gas & Power'],
  materials: ['Mining', 'Smelting', 'Processing'],
  chemicals: ['Basic Chemicals', 'Advanced Materials', 'Speciality Products'],
  construction: ['Building', 'Civil Engineering', 'Materials'],
  machinery: ['Equipment', 'Systems', 'Service & Parts'],
  aerospace: ['Commercial', 'Defence', 'Services'],
  transport: ['Passengers', 'Freight', 'Logistics Services'],
  automobiles: ['Vehicles', 'Parts & Service', 'Financial Services'],
  electronics: ['Devices', 'Components', 'Services'],
  semiconductors: ['Data Centre', 'Mobile', 'Industrial', 'Automotive'],
  software: ['Subscriptions', 'Licences', 'Professional Services'],
  internet: ['Advertising', 'Value-added Services', 'Cloud', 'Other Services'],
  telecom: ['Mobile', 'Fixed Line & Broadband', 'Enterprise'],
  media: ['Subscriptions', 'Advertising', 'Content'],
  retail: ['Stores', 'Online', 'Services'],
  food: ['Core Brands', 'Premium Brands', 'Other Products'],
  household: ['Core Products', 'Premium Products', 'Online'],
  leisure: ['Bookings & Admissions', 'Food & Beverages', 'Other Services'],
  pharma: ['Oncology', 'Cardiovascular & Metabolic', 'Vaccines', 'Other Medicines'],
  health: ['Devices', 'Consumables', 'Services'],
  conglomerates: ['Industrials', 'Infrastructure', 'Investments', 'Services'],
};

const regions = ['Home Market', 'Asia Pacific', 'Americas', 'Europe', 'Rest of the World'];

/** How much a part's weight moves from quarter to quarter. */
const DRIFT = 0.06;

/** How a quarter's revenue is made up. The parts keep their order and drift slowly. */
export function segments(profile: CompanyProfile, industry: Industry, quarter: number, revenue: bigint): Segments {
  const key = aspect(profile, 'segments');
  const abroad = 0.1 + 0.5 * uniform(key, 0);
  return {
    business: divided(mix(key, keyOf('business')), business[industry], quarter, revenue, () => 1),
    region: divided(mix(key, keyOf('region')), regions, quarter, revenue, (part) =>
      part === 0 ? 2 * (1 - abroad) : (2 * abroad) / (regions.length - 1),
    ),
  };
}

function divided(
  key: number,
  names: readonly string[],
  quarter: number,
  revenue: bigint,
  size: (part: number) => number,
): readonly Segment[] {
  const weights = names.map((_, part) => {
    const stream = mix(key, part);
    const weight = size(part) * (0.4 + uniform(stream, 0)) * (1 + DRIFT * normal(mix(stream, 1), quarter));
    return BigInt(Math.round(weight * 1e6));
  });
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  let left = revenue;
  return names.map((name, part) => {
    // The last takes what rounding leaves.
    const share = part === names.length - 1 ? left : (revenue * (weights[part] ?? 0n)) / whole;
    left -= share;
    return { name, revenue: share };
  });
}
