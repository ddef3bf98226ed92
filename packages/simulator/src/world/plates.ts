import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { type Industry, industries, industryNames } from './data/industries.js';

export { type Industry, industries, knownIndustry } from './data/industries.js';

/** A group of listings of one market. Who belongs to it on which day is a matter of the companies. */
export interface Plate {
  /** "HK.LIST1001": what its index is quoted as. */
  readonly symbol: string;
  readonly market: QuoteMarket;
  readonly kind: 'industry' | 'concept' | 'region';
  readonly name: string;
  /** First day of its index. */
  readonly since: string;
}

/** Indices of plates go no further back. */
const FIRST_DAY = '2005-01-04';

/** State-owned companies of the mainland, by their Hong Kong listings or, without one, their home listing. */
const stateOwned = [
  ...'00267 00386 00489 00688 00728 00762 00788 00836 00857 00883 00914 00939 00941 00998'.split(' ').map((code) => `HK.${code}`),
  ...'01088 01109 01288 01398 01658 02628 03328 03968 03988'.split(' ').map((code) => `HK.${code}`),
  ...'600000 600016 600019 600048 600900 601668 600050 600104 600018'.split(' ').map((code) => `SH.${code}`),
];

export interface Concept {
  readonly name: string;
  /** Industries whose companies may be members. */
  readonly industries: readonly Industry[];
  /** Nobody spoke of it before. */
  readonly since: string;
  /** Where its companies have their home; anywhere when absent. */
  readonly homes?: readonly QuoteMarket[];
  /**
   * Listings whose real companies are exactly the members, from the plate's first day on; when absent, members come and go
   * as invented ones do.
   */
  readonly listings?: readonly string[];
}

/** The concept of state-owned companies of the mainland whose worth is to be looked at again. */
export const STATE_OWNED = 'State-Owned Enterprise Value';

export const concepts: readonly Concept[] = [
  { name: 'Artificial Intelligence', industries: ['software', 'internet', 'semiconductors', 'electronics'], since: '2016-03-15' },
  { name: 'Cloud Computing', industries: ['software', 'internet', 'retail', 'telecom'], since: '2010-02-01' },
  { name: 'Electric Vehicles', industries: ['automobiles', 'electronics', 'materials', 'machinery'], since: '2012-06-22' },
  { name: 'Clean Energy', industries: ['utilities', 'machinery', 'energy', 'chemicals'], since: '2008-01-02' },
  { name: '5G', industries: ['telecom', 'electronics', 'semiconductors'], since: '2018-06-14' },
  { name: 'Robotics', industries: ['machinery', 'electronics', 'automobiles', 'health'], since: '2014-01-02' },
  { name: 'Digital Payments', industries: ['capitalMarkets', 'banks', 'internet', 'software'], since: '2013-06-13' },
  { name: 'E-commerce', industries: ['retail', 'internet', 'transport', 'household'], since: '1999-01-04' },
  { name: 'Online Games', industries: ['media', 'internet', 'software'], since: '2004-05-13' },
  { name: 'Innovative Drugs', industries: ['pharma', 'health'], since: '2015-08-18' },
  { name: 'Consumer Brands', industries: ['food', 'household', 'retail', 'leisure'], since: '2000-01-04' },
  { name: 'Infrastructure', industries: ['construction', 'transport', 'utilities', 'realEstate', 'conglomerates'], since: '2000-01-04' },
  { name: 'Gold', industries: ['materials'], since: '2000-01-04' },
  { name: 'Space', industries: ['aerospace', 'telecom'], since: '2019-07-22' },
  { name: 'Wealth Management', industries: ['banks', 'insurance', 'capitalMarkets'], since: '2005-01-03' },
  {
    name: STATE_OWNED,
    industries: [
      'banks',
      'insurance',
      'energy',
      'utilities',
      'construction',
      'transport',
      'telecom',
      'materials',
      'machinery',
      'realEstate',
    ],
    since: '2022-11-21',
    homes: ['HK', 'SH', 'SZ'],
    listings: stateOwned,
  },
];

const mainlandRegions = ['Beijing', 'Shanghai', 'Guangdong', 'Zhejiang', 'Jiangsu', 'Shandong', 'Sichuan', 'Fujian'];

/** Whether one of a real company's listings says that it is state-owned. */
export function isStateOwned(symbols: readonly string[]): boolean {
  return symbols.some((symbol) => stateOwned.includes(symbol));
}

/** Where issuers with their home in a market may have their seat. */
export const regions: Readonly<Record<QuoteMarket, readonly string[]>> = {
  US: ['California', 'New York', 'Texas', 'Washington', 'Illinois', 'Massachusetts', 'New Jersey', 'Georgia'],
  HK: ['Hong Kong', 'Guangdong', 'Beijing', 'Shanghai', 'Zhejiang'],
  SH: mainlandRegions,
  SZ: mainlandRegions,
  JP: ['Tokyo', 'Osaka', 'Aichi', 'Kyoto', 'Kanagawa'],
  SG: ['Singapore'],
  MY: ['Kuala Lumpur', 'Selangor', 'Penang'],
  FX: [],
};

/** The seats of all companies, each once. */
const seats = [...new Set(Object.values(regions).flat())];

const made = new Map<QuoteMarket, readonly Plate[]>();

/** The plates of a market: industries, then concepts, then the regions where companies listed there may sit. None of currencies. */
export function platesOf(market: QuoteMarket): readonly Plate[] {
  const known = made.get(market);
  if (known !== undefined) return known;
  const plates = market === 'FX' ? [] : makePlates(market);
  made.set(market, plates);
  return plates;
}

function makePlates(market: QuoteMarket): readonly Plate[] {
  return [
    ...industries.map((one, i) => ({
      symbol: `${market}.LIST${1001 + i}`,
      market,
      kind: 'industry' as const,
      name: industryNames[one],
      since: FIRST_DAY,
    })),
    ...concepts.flatMap(({ name, since, homes = [market] }, i) => {
      if (!homes.includes(market)) return [];
      return { symbol: `${market}.BK${1001 + i}`, market, kind: 'concept' as const, name, since: since > FIRST_DAY ? since : FIRST_DAY };
    }),
    ...seats.map((name, i) => ({ symbol: `${market}.LIST${2001 + i}`, market, kind: 'region' as const, name, since: FIRST_DAY })),
  ];
}

/** The plate of a market for an industry. */
export function industryPlate(market: QuoteMarket, industry: Industry): Plate | undefined {
  return platesOf(market)[industries.indexOf(industry)];
}

/** The plate of a market for a concept or a region. */
export function namedPlate(market: QuoteMarket, kind: 'concept' | 'region', name: string): Plate | undefined {
  return platesOf(market).find((plate) => plate.kind === kind && plate.name === name);
}
