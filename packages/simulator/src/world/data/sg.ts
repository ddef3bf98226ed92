import type { IndexRow, SecurityRow } from './rows.js';

/** Singapore Exchange, SGD. */
export const sgEquities: readonly SecurityRow[] = [
  ['D05', 'DBS Group Holdings', 100, 54.5, '1998-11-02', 2838, 4.2, 20, 'banks'],
  ['O39', 'OCBC Bank', 100, 18.3, '1970-01-01', 4497, 5.4, 18, 'banks'],
  ['U11', 'UOB', 100, 34.2, '1970-07-20', 1660, 2.9, 18, 'banks'],
  ['Z74', 'Singtel', 100, 4.72, '1993-11-01', 16510, 30, 22, 'telecom'],
  ['C6L', 'Singapore Airlines', 100, 6.48, '1985-12-18', 3150, 4.6, 18, 'transport'],
  ['S63', 'ST Engineering', 100, 8.24, '1997-12-08', 3118, 6.5, 24, 'aerospace'],
  ['BN4', 'Keppel', 100, 10.12, '1980-10-24', 1806, 3.8, 23, 'conglomerates'],
  ['S68', 'Singapore Exchange', 100, 16.85, '2000-11-23', 1071, 2.1, 19, 'capitalMarkets'],
  ['U96', 'Sembcorp Industries', 100, 6.19, '1998-10-05', 1782, 4, 25, 'utilities'],
  ['F34', 'Wilmar International', 100, 3.08, '2006-08-14', 6243, 6.1, 19, 'food'],
  ['G13', 'Genting Singapore', 100, 0.73, '2005-12-12', 12080, 26, 24, 'leisure'],
  ['Y92', 'Thai Beverage', 100, 0.475, '2006-05-30', 25130, 26, 22, 'food'],
  ['9CI', 'CapitaLand Investment', 100, 2.69, '2021-09-20', 5000, 10, 24, 'realEstate'],
  ['C09', 'City Developments', 100, 7.35, '1963-11-20', 893, 2, 25, 'realEstate'],
  ['U14', 'UOL Group', 100, 8.4, '1964-06-08', 845, 1.3, 23, 'realEstate'],
  ['V03', 'Venture Corporation', 100, 14.6, '1992-12-04', 288, 0.7, 22, 'electronics'],
  ['BS6', 'Yangzijiang Shipbuilding', 100, 3.42, '2007-04-18', 3939, 20, 33, 'machinery'],
  ['S58', 'SATS', 100, 3.4, '2000-05-12', 1490, 5, 28, 'transport'],
  ['C52', 'ComfortDelGro', 100, 1.45, '2003-04-01', 2166, 7, 17, 'transport'],
  ['J36', 'Jardine Matheson', 100, 65.2, '1990-12-31', 292, 0.3, 24, 'conglomerates'],
  ['H78', 'Hongkong Land', 100, 6.3, '1990-12-31', 2190, 2.1, 29, 'realEstate'],
  ['E5H', 'Golden Agri-Resources', 100, 0.285, '1999-07-09', 12680, 12, 26, 'food'],
  ['S51', 'Seatrium', 100, 2.15, '1987-10-15', 3390, 14, 35, 'machinery'],
];

/** Real estate investment trusts of the Singapore Exchange. */
export const sgTrusts: readonly SecurityRow[] = [
  ['C38U', 'CapitaLand Integrated Commercial Trust', 100, 2.36, '2002-07-17', 7310, 18, 17, 'realEstate'],
  ['A17U', 'CapitaLand Ascendas REIT', 100, 2.8, '2002-11-19', 4600, 12, 18, 'realEstate'],
  ['M44U', 'Mapletree Logistics Trust', 100, 1.3, '2005-07-28', 5090, 19, 22, 'realEstate'],
  ['ME8U', 'Mapletree Industrial Trust', 100, 2.09, '2010-10-21', 2850, 6, 19, 'realEstate'],
  ['N2IU', 'Mapletree Pan Asia Commercial Trust', 100, 1.44, '2011-04-27', 5270, 11, 21, 'realEstate'],
  ['BUOU', 'Frasers Logistics & Commercial Trust', 100, 0.98, '2016-06-20', 3760, 10, 22, 'realEstate'],
  ['AJBU', 'Keppel DC REIT', 100, 2.32, '2014-12-12', 2260, 7, 20, 'realEstate'],
];

/** ETFs of the Singapore Exchange. */
export const sgEtfs: readonly SecurityRow[] = [
  ['ES3', 'SPDR Straits Times Index ETF', 1, 4.62, '2002-04-17', 560, 1.2, 14],
  ['G3B', 'Amova Singapore STI ETF', 1, 4.68, '2009-02-24', 270, 0.6, 14],
];

export const sgIndices: readonly IndexRow[] = [['.STI', 'Straits Times Index', 4546.54, '1966-12-30', 14]];
