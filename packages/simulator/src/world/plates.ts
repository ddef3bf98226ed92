import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { concepts } from './data/concepts.js';
import { describedIndustry, type Industry, industries } from './data/industries.js';

export { type Concept, concepts, isStateOwned, STATE_OWNED } from './data/concepts.js';
export { type Industry, industries } from './data/industries.js';

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

const mainlandRegions = ['Beijing', 'Shanghai', 'Guangdong', 'Zhejiang', 'Jiangsu', 'Shandong', 'Sichuan', 'Fujian'];

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
      name: describedIndustry(one).name,
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
