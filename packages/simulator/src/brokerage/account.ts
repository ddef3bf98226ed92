import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import type { Currency, QuoteMarket } from '@svc-gateway/contract/markets';
import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import type { TradeEnvironment, TradeMarket } from './terms.js';

/** One account. Static: what it holds is in the ledger. */
export interface Account {
  /** 18 digits: beyond what a double holds exactly, as real ones are. */
  readonly id: bigint;
  readonly environment: TradeEnvironment;
  readonly trades: 'securities' | 'futures';
  readonly type: 'cash' | 'margin';
  /** Markets that it may trade. */
  readonly markets: readonly TradeMarket[];
  /** Default currency for the sum of its assets. */
  readonly base: Currency;
  readonly openingCash: Readonly<Partial<Record<Currency, Decimal>>>;
  /** 16 digits, of no other account. */
  readonly cardNumber: string;
  /** The card of several real accounts of one person. */
  readonly universalCardNumber?: string;
  /** Trd_Common.SecurityFirm where it is not the first one: whom an unlock names. */
  readonly firm?: number;
  /** Requirement of a real account beside the trade password: a two-factor token, or a permission that it lacks. */
  readonly lacks?: 'token' | 'permission';
}

/** The firm of accounts that name none, and of unlocks that name none. */
export const FIRST_FIRM = 1;

/** The accounts of a brokerage. */
export interface AccountBook {
  readonly accounts: readonly Account[];
  account(id: bigint): Account | undefined;
}

const money = (amount: number): Decimal => BigInt(amount) * DECIMAL_ONE;

function simulated(id: bigint, account: Omit<Account, 'id' | 'environment' | 'trades'> & { trades?: Account['trades'] }): Account {
  return { trades: 'securities', ...account, id, environment: 'simulate' };
}

/** The accounts of the simulated brokerage: the same in every run. */
export const accounts: readonly Account[] = [
  simulated(281756478396547001n, {
    cardNumber: '1009100480020113',
    type: 'cash',
    markets: ['HK'],
    base: 'HKD',
    openingCash: { HKD: money(10_000_000) },
  }),
  simulated(281756478396547002n, {
    cardNumber: '1009100480020126',
    type: 'margin',
    markets: ['HK'],
    base: 'HKD',
    openingCash: { HKD: money(10_000_000) },
  }),
  simulated(281756478396547003n, {
    cardNumber: '1009100480020134',
    type: 'margin',
    markets: ['US'],
    base: 'USD',
    openingCash: { USD: money(2_000_000) },
  }),
  simulated(281756478396547004n, {
    cardNumber: '1009100480020147',
    type: 'cash',
    markets: ['CN'],
    base: 'CNH',
    openingCash: { CNH: money(10_000_000) },
  }),
  simulated(281756478396547005n, {
    cardNumber: '1009100480020159',
    type: 'cash',
    markets: ['SG'],
    base: 'SGD',
    openingCash: { SGD: money(2_000_000) },
  }),
  simulated(281756478396547006n, {
    cardNumber: '1009100480020162',
    type: 'cash',
    markets: ['JP'],
    base: 'JPY',
    openingCash: { JPY: money(200_000_000) },
  }),
  simulated(281756478396547007n, {
    cardNumber: '1009100480020175',
    type: 'cash',
    markets: ['MY'],
    base: 'MYR',
    openingCash: { MYR: money(5_000_000) },
  }),
  simulated(281756478396547008n, {
    cardNumber: '1009100480020188',
    trades: 'futures',
    type: 'margin',
    markets: ['FUTURES_SIMULATE_HK', 'FUTURES_SIMULATE_US', 'FUTURES_SIMULATE_SG', 'FUTURES_SIMULATE_JP'],
    base: 'HKD',
    openingCash: { HKD: money(10_000_000), USD: money(1_000_000), SGD: money(500_000), JPY: money(100_000_000), CNH: money(1_000_000) },
  }),
  {
    id: 281756479345015383n,
    environment: 'real',
    trades: 'securities',
    type: 'margin',
    markets: ['HK', 'US', 'HKCC', 'SG', 'JP', 'MY'],
    base: 'HKD',
    openingCash: {
      HKD: money(20_000_000),
      USD: money(2_000_000),
      CNH: money(5_000_000),
      SGD: money(1_000_000),
      JPY: money(100_000_000),
      MYR: money(2_000_000),
    },
    cardNumber: '1001100580031477',
    universalCardNumber: '1001100320031599',
  },
  {
    id: 281756479345015391n,
    environment: 'real',
    trades: 'futures',
    type: 'margin',
    markets: ['FUTURES'],
    base: 'HKD',
    openingCash: { HKD: money(5_000_000), USD: money(500_000), SGD: money(200_000), JPY: money(50_000_000), CNH: money(500_000) },
    cardNumber: '1001200580031485',
    universalCardNumber: '1001100320031599',
  },
  {
    id: 281756479345015405n,
    environment: 'real',
    trades: 'securities',
    type: 'margin',
    markets: ['US'],
    base: 'USD',
    openingCash: { USD: money(100_000) },
    cardNumber: '1007100580031502',
    firm: 2,
    lacks: 'token',
  },
  {
    id: 281756479345015413n,
    environment: 'real',
    trades: 'securities',
    type: 'cash',
    markets: ['SG'],
    base: 'SGD',
    openingCash: { SGD: money(50_000) },
    cardNumber: '1008100580031518',
    firm: 3,
    lacks: 'permission',
  },
];

const securityMarkets: Readonly<Record<QuoteMarket, TradeMarket | undefined>> = {
  HK: 'HK',
  US: 'US',
  SH: 'CN',
  SZ: 'CN',
  SG: 'SG',
  JP: 'JP',
  MY: 'MY',
  FX: undefined,
};

const simulatedFutureMarkets: Readonly<Partial<Record<QuoteMarket, TradeMarket>>> = {
  HK: 'FUTURES_SIMULATE_HK',
  US: 'FUTURES_SIMULATE_US',
  SG: 'FUTURES_SIMULATE_SG',
  JP: 'FUTURES_SIMULATE_JP',
};

/** The market under which accounts of an environment trade an instrument; undefined if they cannot. */
export function tradeMarketOf(instrument: Instrument, environment: TradeEnvironment): TradeMarket | undefined {
  switch (kinds[instrument.kind].tradedBy) {
    case 'futures':
      return environment === 'real' ? 'FUTURES' : simulatedFutureMarkets[instrument.market];
    case 'securities': {
      const market = securityMarkets[instrument.market];
      return market === 'CN' && environment === 'real' ? 'HKCC' : market;
    }
    case undefined:
      return undefined;
  }
}

/** Reason why an instrument cannot be traded. */
export function untraded({ symbol, kind }: Instrument): string {
  const { noun, quoted } = kinds[kind];
  return `${symbol} is ${noun}: ${quoted ? 'it has quotes only' : 'the simulation knows its terms, but does not quote or trade it'}`;
}

export const accountById: ReadonlyMap<bigint, Account> = new Map(accounts.map((account) => [account.id, account]));

const quoteMarkets: Readonly<Record<TradeMarket, readonly QuoteMarket[]>> = {
  HK: ['HK'],
  US: ['US'],
  CN: ['SH', 'SZ'],
  HKCC: ['SH', 'SZ'],
  SG: ['SG'],
  JP: ['JP'],
  MY: ['MY'],
  FUTURES: ['HK', 'US', 'SG', 'JP'],
  FUTURES_SIMULATE_HK: ['HK'],
  FUTURES_SIMULATE_US: ['US'],
  FUTURES_SIMULATE_SG: ['SG'],
  FUTURES_SIMULATE_JP: ['JP'],
};

/** Quote markets whose codes a trading market's orders may name, in the order in which a bare code is looked up. */
export function quoteMarketsOf(market: TradeMarket): readonly QuoteMarket[] {
  return quoteMarkets[market];
}

/** Futures of any exchange. */
export function isFuturesMarket(market: TradeMarket): boolean {
  return market === 'FUTURES' || market.startsWith('FUTURES_SIMULATE');
}

/** The markets of an account as callers of every interface may name them: those of simulated futures by the market of all futures. */
export function namedMarkets(account: Account): readonly TradeMarket[] {
  return account.trades === 'futures' ? ['FUTURES'] : account.markets;
}

/** Currencies that an account can hold. */
export function currenciesOf(account: Account): readonly Currency[] {
  return Object.keys(account.openingCash) as Currency[];
}
