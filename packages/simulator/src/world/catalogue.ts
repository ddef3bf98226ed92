import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { shEquities, shEtfs, shIndices, starEquities, szEquities, szEtfs, szIndices } from './data/cn.js';
import { forexPairs } from './data/forex.js';
import { hkEquities, hkEtfs, hkIndices, hkTrusts } from './data/hk.js';
import { jpEquities, jpEtfs, jpIndices } from './data/jp.js';
import { myEquities, myIndices, myTrusts } from './data/my.js';
import type { IndexRow, SecurityRow } from './data/rows.js';
import { sgEquities, sgEtfs, sgIndices, sgTrusts } from './data/sg.js';
import { arcaEtfs, nasdaqEquities, nasdaqEtfs, nyseEquities, otcEquities, usIndices } from './data/us.js';
import { exact } from './exact.js';
import { Exchange } from './exchange.js';
import { type Instrument, instrumentOf, type PlateIndex, type TickTable } from './instrument.js';
import { platesOf } from './plates.js';
import { tickTables } from './tick-tables.js';

/** Columns shared by the rows of a table of indices, and by those of one of securities. */
type IndexListing = Pick<Instrument, 'market' | 'exchange' | 'currency' | 'calendar'>;
type Listing = IndexListing & { readonly kind: 'equity' | 'trust' | 'etf'; readonly tickTable: TickTable };

const hk = { market: 'HK', exchange: Exchange.hkMainBoard, currency: 'HKD', calendar: 'HK' } as const;
const us = { market: 'US', currency: 'USD', calendar: 'US', tickTable: tickTables.us } as const;
const sh = { market: 'SH', exchange: Exchange.shanghai, currency: 'CNH', calendar: 'CN' } as const;
const sz = { market: 'SZ', exchange: Exchange.shenzhen, currency: 'CNH', calendar: 'CN' } as const;
const sg = { market: 'SG', exchange: Exchange.singapore, currency: 'SGD', calendar: 'SG', tickTable: tickTables.sg } as const;
const jp = { market: 'JP', exchange: Exchange.tokyo, currency: 'JPY', calendar: 'JP', tickTable: tickTables.jpTopix500 } as const;
const my = { market: 'MY', exchange: Exchange.bursaMalaysia, currency: 'MYR', calendar: 'MY', tickTable: tickTables.my } as const;

/** The real instruments of each market but futures, in the order of lists: equities, trusts, ETFs, indices, plates. */
const byMarket: Readonly<Record<QuoteMarket, () => readonly Instrument[]>> = {
  HK: () => [
    ...securities({ ...hk, kind: 'equity', tickTable: tickTables.hkEquity }, hkEquities),
    ...securities({ ...hk, kind: 'trust', tickTable: tickTables.hkEquity }, hkTrusts),
    ...securities({ ...hk, kind: 'etf', tickTable: tickTables.hkEtf }, hkEtfs),
    ...indices(hk, hkIndices),
    ...plates(hk),
  ],
  US: () => [
    ...securities({ ...us, kind: 'equity', exchange: Exchange.nasdaq }, nasdaqEquities),
    ...securities({ ...us, kind: 'equity', exchange: Exchange.nyse }, nyseEquities),
    ...securities({ ...us, kind: 'equity', exchange: Exchange.pink }, otcEquities),
    ...securities({ ...us, kind: 'etf', exchange: Exchange.amex }, arcaEtfs),
    ...securities({ ...us, kind: 'etf', exchange: Exchange.nasdaq }, nasdaqEtfs),
    ...indices({ ...us, exchange: Exchange.cboe }, usIndices),
    ...plates({ ...us, exchange: Exchange.unknown }),
  ],
  SH: () => [
    ...securities({ ...sh, kind: 'equity', tickTable: tickTables.cnEquity }, shEquities),
    ...securities({ ...sh, kind: 'equity', tickTable: tickTables.cnEquity, exchange: Exchange.star }, starEquities),
    ...securities({ ...sh, kind: 'etf', tickTable: tickTables.cnEtf }, shEtfs),
    ...indices(sh, shIndices),
    ...plates(sh),
  ],
  SZ: () => [
    ...securities({ ...sz, kind: 'equity', tickTable: tickTables.cnEquity }, szEquities),
    ...securities({ ...sz, kind: 'etf', tickTable: tickTables.cnEtf }, szEtfs),
    ...indices(sz, szIndices),
    ...plates(sz),
  ],
  SG: () => [
    ...securities({ ...sg, kind: 'equity' }, sgEquities),
    ...securities({ ...sg, kind: 'trust' }, sgTrusts),
    ...securities({ ...sg, kind: 'etf' }, sgEtfs),
    ...indices(sg, sgIndices),
    ...plates(sg),
  ],
  JP: () => [
    ...securities({ ...jp, kind: 'equity' }, jpEquities),
    ...securities({ ...jp, kind: 'etf' }, jpEtfs),
    ...indices(jp, jpIndices),
    ...plates(jp),
  ],
  MY: () => [
    ...securities({ ...my, kind: 'equity' }, myEquities),
    ...securities({ ...my, kind: 'trust' }, myTrusts),
    ...indices(my, myIndices),
    ...plates(my),
  ],
  FX: forex,
};

const made = new Map<QuoteMarket, readonly Instrument[]>();

/** The real instruments of a market but futures. Made when they are first asked for; the same in every world. */
export function catalogue(market: QuoteMarket): readonly Instrument[] {
  let instruments = made.get(market);
  if (instruments === undefined) {
    instruments = byMarket[market]();
    made.set(market, instruments);
  }
  return instruments;
}

function securities(listing: Listing, rows: readonly SecurityRow[]): Instrument[] {
  return rows.map(([code, name, lotSize, price, listDate, issued, traded, volatility, industry, lastTradingDay]) =>
    instrumentOf({
      ...listing,
      code,
      name,
      lotSize,
      listDate,
      ...(lastTradingDay === undefined ? {} : { lastTradingDay }),
      referencePrice: exact(price),
      sharesIssued: BigInt(Math.round(issued * 1e6)),
      dailyVolume: Math.round(traded * 1e6),
      volatility: volatility / 100,
      ...(industry === undefined ? {} : { industry }),
    }),
  );
}

/** Typical turnover of an index's constituents, in shares a day: what its volume fields show. */
const INDEX_DAILY_VOLUME = 3_000_000_000;

function indices({ market, exchange, currency, calendar }: IndexListing, rows: readonly IndexRow[]): Instrument[] {
  return rows.map(([code, name, level, listDate, volatility]) =>
    instrumentOf({
      kind: 'index',
      market,
      exchange,
      currency,
      calendar,
      code,
      name,
      tickTable: tickTables.index,
      listDate,
      referencePrice: exact(level),
      dailyVolume: INDEX_DAILY_VOLUME,
      volatility: volatility / 100,
    }),
  );
}

/** Points of a plate's index on the world's reference day. */
const PLATE_LEVEL = 1000;
const PLATE_VOLATILITY = 0.12;
/** So many units that the index is worked out every three seconds or so: what its members trade is what it shows. */
const PLATE_DAILY_VOLUME = 80_000;

function plates({ market, currency, calendar }: IndexListing): Instrument[] {
  return platesOf(market).map((plate) =>
    instrumentOf<PlateIndex>({
      kind: 'plate',
      market,
      // No exchange lists it.
      exchange: Exchange.unknown,
      currency,
      calendar,
      code: plate.symbol.slice(market.length + 1),
      name: plate.name,
      tickTable: tickTables.index,
      listDate: plate.since,
      referencePrice: exact(PLATE_LEVEL),
      dailyVolume: PLATE_DAILY_VOLUME,
      volatility: PLATE_VOLATILITY,
      plate,
    }),
  );
}

function forex(): Instrument[] {
  return forexPairs.map(({ rate, volatility, ...pair }) =>
    instrumentOf({
      ...pair,
      kind: 'forex',
      market: 'FX',
      exchange: Exchange.unknown,
      calendar: 'FX',
      tickTable: pair.code.endsWith('JPY') ? tickTables.fxJpy : tickTables.fx,
      listDate: '2000-01-01',
      referencePrice: exact(rate),
      dailyVolume: 1_000_000_000,
      volatility: volatility / 100,
    }),
  );
}
