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
import { type Instrument, instrumentOf, type PlateIndex } from './instrument.js';
import { platesOf } from './plates.js';
import { tickTables } from './tick-tables.js';

/** A table of securities with the terms that its rows share. */
interface SecurityTable extends Pick<Instrument, 'market' | 'exchange' | 'currency' | 'calendar' | 'tickTable'> {
  readonly kind: 'equity' | 'trust' | 'etf';
  readonly rows: readonly SecurityRow[];
}

const hk = { market: 'HK', exchange: Exchange.hkMainBoard, currency: 'HKD', calendar: 'HK' } as const;
const us = { market: 'US', currency: 'USD', calendar: 'US', tickTable: tickTables.us } as const;
const sh = { market: 'SH', exchange: Exchange.shanghai, currency: 'CNH', calendar: 'CN' } as const;
const sz = { market: 'SZ', exchange: Exchange.shenzhen, currency: 'CNH', calendar: 'CN' } as const;
const sg = { market: 'SG', exchange: Exchange.singapore, currency: 'SGD', calendar: 'SG', tickTable: tickTables.sg } as const;
const jp = { market: 'JP', exchange: Exchange.tokyo, currency: 'JPY', calendar: 'JP', tickTable: tickTables.jpTopix500 } as const;
const my = { market: 'MY', exchange: Exchange.bursaMalaysia, currency: 'MYR', calendar: 'MY', tickTable: tickTables.my } as const;

/** In the order of lists. */
const securityTables: readonly SecurityTable[] = [
  { ...hk, kind: 'equity', tickTable: tickTables.hkEquity, rows: hkEquities },
  { ...hk, kind: 'trust', tickTable: tickTables.hkEquity, rows: hkTrusts },
  { ...hk, kind: 'etf', tickTable: tickTables.hkEtf, rows: hkEtfs },
  { ...us, kind: 'equity', exchange: Exchange.nasdaq, rows: nasdaqEquities },
  { ...us, kind: 'equity', exchange: Exchange.nyse, rows: nyseEquities },
  { ...us, kind: 'equity', exchange: Exchange.pink, rows: otcEquities },
  { ...us, kind: 'etf', exchange: Exchange.amex, rows: arcaEtfs },
  { ...us, kind: 'etf', exchange: Exchange.nasdaq, rows: nasdaqEtfs },
  { ...sh, kind: 'equity', tickTable: tickTables.cnEquity, rows: shEquities },
  { ...sh, kind: 'equity', tickTable: tickTables.cnEquity, exchange: Exchange.star, rows: starEquities },
  { ...sh, kind: 'etf', tickTable: tickTables.cnEtf, rows: shEtfs },
  { ...sz, kind: 'equity', tickTable: tickTables.cnEquity, rows: szEquities },
  { ...sz, kind: 'etf', tickTable: tickTables.cnEtf, rows: szEtfs },
  { ...sg, kind: 'equity', rows: sgEquities },
  { ...sg, kind: 'trust', rows: sgTrusts },
  { ...sg, kind: 'etf', rows: sgEtfs },
  { ...jp, kind: 'equity', rows: jpEquities },
  { ...jp, kind: 'etf', rows: jpEtfs },
  { ...my, kind: 'equity', rows: myEquities },
  { ...my, kind: 'trust', rows: myTrusts },
];

type Listing = Pick<Instrument, 'market' | 'exchange' | 'currency' | 'calendar'>;

const listings: readonly (Listing & { readonly indices: readonly IndexRow[] })[] = [
  { ...hk, indices: hkIndices },
  { ...us, exchange: Exchange.cboe, indices: usIndices },
  { ...sh, indices: shIndices },
  { ...sz, indices: szIndices },
  { ...sg, indices: sgIndices },
  { ...jp, indices: jpIndices },
  { ...my, indices: myIndices },
];

const made = new Map<QuoteMarket, readonly Instrument[]>();

/**
 * The real instruments of a market but futures, in the order of lists: equities, trusts, ETFs, indices, plates. Made when they are first asked for;
 * the same in every world.
 */
export function catalogue(market: QuoteMarket): readonly Instrument[] {
  const known = made.get(market);
  if (known !== undefined) return known;
  const instruments = [
    ...securityTables.filter((table) => table.market === market).flatMap(securities),
    ...listings.filter((listing) => listing.market === market).flatMap((listing) => [...indices(listing), ...plates(listing)]),
    ...(market === 'FX' ? forex() : []),
  ];
  made.set(market, instruments);
  return instruments;
}

function securities({ rows, ...terms }: SecurityTable): Instrument[] {
  return rows.map(([code, name, lotSize, price, listDate, issued, traded, volatility, industry, lastTradingDay]) =>
    instrumentOf({
      ...terms,
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

function indices({ market, exchange, currency, calendar, indices: rows }: (typeof listings)[number]): Instrument[] {
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

function plates({ market, currency, calendar }: Listing): Instrument[] {
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
