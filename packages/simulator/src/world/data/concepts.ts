import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Industry } from './industries.js';

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

/** Whether one of a real company's listings says that it is state-owned. */
export function isStateOwned(symbols: readonly string[]): boolean {
  return symbols.some((symbol) => stateOwned.includes(symbol));
}

/** One-sentence summary of a concept, by its name. */
export const conceptSummaries: Readonly<Record<string, string>> = {
  'Artificial Intelligence': 'Chips, servers, models and applications that learn from data.',
  'Cloud Computing': 'Computing, storage and software rented over networks from large data centres.',
  'Electric Vehicles': 'Electric cars, their batteries and motors, and the metals that these need.',
  'Clean Energy': 'Power from sun, wind and water, and the equipment and storage that it takes.',
  '5G': 'Networks, chips and devices of the fifth generation of mobile communication.',
  Robotics: 'Industrial, surgical and service robots, their drives, sensors and controls.',
  'Digital Payments': 'Payments by card, phone and online account, and those who process them.',
  'E-commerce': 'Goods ordered online: the platforms, the sellers and those who deliver.',
  'Online Games': 'Games played over networks: studios, publishers and platforms.',
  'Innovative Drugs': 'Newly discovered medicines, under patent or on the way there.',
  'Consumer Brands': 'Brands that consumers know and pay more for.',
  Infrastructure: 'Roads, railways, ports, networks and utilities, and those who build and run them.',
  Gold: 'Gold mines and refiners, whose profits go with the price of gold.',
  Space: 'Launches, satellites and the services that use them.',
  'Wealth Management': 'Funds, policies and advice for private savings.',
  'State-Owned Enterprise Value': 'Large companies of the mainland that the state controls and whose worth is being looked at again.',
};
