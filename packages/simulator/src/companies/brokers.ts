import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { keyOf, mix, uniform } from '../rng/random.js';
import { firstOf } from './growth.js';
import { personName } from './people.js';
import { aspect, type CompanyProfile } from './profile.js';

/** A broker's analyst of a company. */
export interface Coverage {
  readonly broker: string;
  readonly analyst: string;
  /** Stream of what this broker thinks of the company. */
  readonly key: number;
  /** No opinion is older; days since 1970-01-01. */
  readonly from: number;
}

/** Made-up brokers. */
const brokers = [
  'Ashford & Cole',
  'Bellweather Securities',
  'Cardinal Markets',
  'Dragon Gate Securities',
  'Eastcheap Partners',
  'Falconbridge',
  'Grand Canal Research',
  'Hollybrook',
  'Ironbridge Capital',
  'Jade River Securities',
  'Kingsley Rowe',
  'Lombard Hill',
  'Marunouchi Research',
  'Newhaven Equity',
  'Orchid Securities',
  'Pinnacle Street',
];

/** Years after the listing within which analysts begin coverage, most of them early. */
const BEGIN_YEARS = 10;
const QUIET_DAYS = 25;
const COVERAGE = { least: 0.25, more: 0.65 };
/** Nobody's opinions are kept from before. */
const FIRST_OPINION = firstOf(1995, 1);

/** Brokers that ever cover a company. */
export function coverageOf(profile: CompanyProfile, market: QuoteMarket, listed: number): readonly Coverage[] {
  const key = aspect(profile, 'coverage');
  const part = COVERAGE.least + COVERAGE.more * uniform(key, 0);
  return brokers.flatMap((broker, number) => {
    const stream = mix(key, keyOf(broker));
    // One covers every company, so that none is without.
    const covers = number === Math.floor(uniform(key, 1) * brokers.length) || uniform(stream, 0) < part;
    if (!covers) return [];
    const begins = Math.floor(BEGIN_YEARS * 365 * uniform(stream, 1) ** 2);
    const from = Math.max(listed, FIRST_OPINION) + QUIET_DAYS + begins;
    return [{ broker, analyst: personName(mix(stream, 1), market), key: stream, from }];
  });
}
