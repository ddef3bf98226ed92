import type { Currency, QuoteMarket } from '@svc-gateway/contract/markets';
import type { CalendarName } from '../calendar.js';
import { Exchange } from '../exchange.js';
import type { LastTradeRule } from '../last-trade.js';

/** A futures product: its continuous contract ("HSImain") and its dated ones ("HSI2612") share these terms. */
export interface FutureProduct {
  readonly root: string;
  readonly name: string;
  readonly market: QuoteMarket;
  /** Qot_Common.ExchType. */
  readonly exchange: number;
  readonly currency: Currency;
  readonly calendar: CalendarName;
  /** Money per point. */
  readonly multiplier: number;
  readonly tick: number;
  readonly price: number;
  readonly listed: string;
  /** Contracts a day of the front month. */
  readonly traded: number;
  /** Annualised, in percent. */
  readonly volatility: number;
  /** Symbol of the index that it is on, where the world has it. */
  readonly underlying?: string;
  /** Root of another product on the same thing, where the world has no index of it: both go by the other's spot price. */
  readonly spotOf?: string;
  /** Yearly cost of carry in percent: interest and storage less dividends, coupons or convenience. */
  readonly carry: number;
  readonly settlement: SettlementRule;
  readonly months: 'monthly' | 'quarterly' | readonly number[];
  readonly lastTrade: LastTradeRule;
}

/**
 * The price at which a contract is settled when it has expired:
 * - `average`: of the index every five minutes of its last day and at the close, rounded down to the tick (HKFE)
 * - `opening`: of the index on the last day (CME)
 * - `next-opening`: of the index on the trading day after it (OSE)
 * - `close`: its own of the last day
 */
export type SettlementRule = 'average' | 'opening' | 'next-opening' | 'close';

/** The terms that the products of one exchange share. */
type Common = Pick<FutureProduct, 'exchange' | 'currency' | 'months' | 'lastTrade' | 'settlement'> & {
  readonly market: 'HK' | 'US' | 'SG' | 'JP';
};

/** Columns as in {@link FutureProduct}; `own` is where a product differs from the exchange's others. */
type Row = readonly [
  root: string,
  name: string,
  multiplier: number,
  tick: number,
  price: number,
  listed: string,
  traded: number,
  volatility: number,
  carry: number,
  own?: Partial<Common> & Pick<FutureProduct, 'underlying' | 'spotOf'>,
];

function products(common: Common, rows: readonly Row[]): FutureProduct[] {
  const calendar = `${common.market}_FUTURE` as const;
  return rows.map(([root, name, multiplier, tick, price, listed, traded, volatility, carry, own]) => {
    return { ...common, calendar, root, name, multiplier, tick, price, listed, traded, volatility, carry, ...own };
  });
}

const hkfe: Common = {
  market: 'HK',
  exchange: Exchange.hkex,
  currency: 'HKD',
  months: 'monthly',
  lastTrade: 'last-but-one',
  settlement: 'average',
};
const cme: Common = {
  market: 'US',
  exchange: Exchange.cme,
  currency: 'USD',
  months: 'quarterly',
  lastTrade: 'third-friday',
  settlement: 'opening',
};
const cbot: Common = { ...cme, exchange: Exchange.cbot };
const treasuries = { lastTrade: 'treasury', settlement: 'close' } as const;
const comex: Common = { ...cme, exchange: Exchange.comex, lastTrade: 'third-last', settlement: 'close' };
const nymex: Common = { ...cme, exchange: Exchange.nymex, months: 'monthly', settlement: 'close' };
const sgx: Common = {
  market: 'SG',
  exchange: Exchange.singapore,
  currency: 'USD',
  months: 'monthly',
  lastTrade: 'last-but-one',
  settlement: 'close',
};
const ose: Common = {
  market: 'JP',
  exchange: Exchange.osaka,
  currency: 'JPY',
  months: 'quarterly',
  lastTrade: 'before-second-friday',
  settlement: 'next-opening',
};

export const futureProducts: readonly FutureProduct[] = [
  ...products(hkfe, [
    ['HSI', 'HSI Futures', 50, 1, 26410, '1986-05-06', 110_000, 20, -0.2, { underlying: 'HK.800000' }],
    ['MHI', 'Mini-HSI Futures', 10, 1, 26410, '2000-10-09', 90_000, 20, -0.2, { underlying: 'HK.800000' }],
    ['HHI', 'HSCEI Futures', 50, 1, 9342, '2003-12-08', 130_000, 22, -0.4, { underlying: 'HK.800100' }],
    ['MCH', 'Mini-HSCEI Futures', 10, 1, 9342, '2008-03-31', 25_000, 22, -0.4, { underlying: 'HK.800100' }],
    ['HTI', 'HSTECH Futures', 50, 1, 5846, '2020-11-23', 120_000, 31, 2.2, { underlying: 'HK.800700' }],
  ]),
  ...products(cme, [
    ['ES', 'E-mini S&P 500 Futures', 50, 0.25, 6752.25, '1997-09-09', 1_500_000, 18, 2.8, { underlying: 'US..SPX' }],
    ['MES', 'Micro E-mini S&P 500 Futures', 5, 0.25, 6752.25, '2019-05-06', 1_100_000, 18, 2.8, { underlying: 'US..SPX' }],
    ['NQ', 'E-mini NASDAQ-100 Futures', 20, 0.25, 25085.5, '1999-06-21', 650_000, 23, 3.3],
    ['MNQ', 'Micro E-mini NASDAQ-100 Futures', 2, 0.25, 25085.5, '2019-05-06', 1_600_000, 23, 3.3, { spotOf: 'NQ' }],
    ['RTY', 'E-mini Russell 2000 Futures', 50, 0.1, 2391.2, '2017-07-10', 200_000, 25, 2.7],
  ]),
  ...products(cbot, [
    ['YM', 'E-mini Dow Futures', 5, 1, 47230, '2002-04-05', 120_000, 17, 2.4, { underlying: 'US..DJI' }],
    ['ZN', '10-Year T-Note Futures', 1000, 0.015625, 112.78125, '1982-05-03', 1_900_000, 6, -0.3, treasuries],
    ['ZB', '30-Year T-Bond Futures', 1000, 0.03125, 116.90625, '1977-08-22', 420_000, 11, -0.8, treasuries],
  ]),
  ...products(nymex, [
    ['CL', 'Crude Oil Futures', 1000, 0.01, 59.98, '1983-03-30', 320_000, 34, -2, { lastTrade: 'crude-oil' }],
    ['NG', 'Henry Hub Natural Gas Futures', 10_000, 0.001, 4.566, '1990-04-03', 240_000, 60, 5, { lastTrade: 'natural-gas' }],
  ]),
  ...products(comex, [
    ['GC', 'Gold Futures', 100, 0.1, 4087.4, '1974-12-31', 220_000, 19, 4.2, { months: [2, 4, 6, 8, 10, 12] }],
    ['SI', 'Silver Futures', 5000, 0.005, 50.685, '1933-07-05', 90_000, 36, 4, { months: [3, 5, 7, 9, 12] }],
    ['HG', 'Copper Futures', 25_000, 0.0005, 5.0615, '1988-07-29', 70_000, 26, 2, { months: [3, 5, 7, 9, 12] }],
  ]),
  ...products(sgx, [
    ['CN', 'FTSE China A50 Index Futures', 1, 1, 15186, '2006-09-05', 420_000, 19, -0.8],
    ['TWN', 'FTSE Taiwan Index Futures', 40, 0.25, 2211.5, '2020-07-20', 110_000, 25, 1],
    ['SGP', 'MSCI Singapore Index Futures', 100, 0.05, 452.35, '1998-09-07', 45_000, 15, -2.5, { currency: 'SGD' }],
  ]),
  ...products(ose, [
    ['NK225', 'Nikkei 225 Futures', 1000, 10, 50380, '1988-09-03', 60_000, 26, -1, { underlying: 'JP..N225' }],
    ['NK225M', 'Nikkei 225 mini', 100, 5, 50380, '2006-07-18', 650_000, 26, -1, { underlying: 'JP..N225', months: 'monthly' }],
    ['TOPIX', 'TOPIX Futures', 10_000, 0.5, 3362.5, '1988-09-03', 90_000, 22, -1.6, { underlying: 'JP..TOPIX' }],
  ]),
];
