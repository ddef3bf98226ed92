import { DECIMAL_ONE, type Decimal, multiply } from '@svc-gateway/contract/decimal';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Instrument } from '../world/instrument.js';
import { type KindRules, kinds } from '../world/kinds.js';

/** Margin of a margin account, each as a part of market value in percent. */
interface MarginTerms {
  readonly initial: bigint;
  readonly marginCall: bigint;
  readonly maintenance: bigint;
  readonly alert: bigint;
}

export interface MarginRatios {
  /** Absent where long positions cannot be financed. */
  readonly long?: MarginTerms;
  /** Absent where stock cannot be borrowed. */
  readonly short?: MarginTerms;
}

const longTerms: MarginTerms = { initial: 50n, alert: 45n, marginCall: 42n, maintenance: 40n };
const shortTerms: MarginTerms = { initial: 60n, alert: 55n, marginCall: 52n, maintenance: 50n };
const futureTerms: MarginTerms = { initial: 10n, alert: 9n, marginCall: 8n, maintenance: 8n };

/** Initial margin of stocks that are lent, in percent of their value. */
export const stockInitialPercent = { long: longTerms.initial, short: shortTerms.initial };

/** Yearly fee on borrowed stock, in percent of its value. */
export const shortFeePercent: Decimal = 3n * DECIMAL_ONE;

/** The margin terms under which a margin account holds an instrument. */
export function marginRatios(instrument: Instrument): MarginRatios {
  return byMargin[kinds[instrument.kind].margin](instrument.market);
}

const contractRatios: MarginRatios = { long: futureTerms, short: futureTerms };
const noRatios: MarginRatios = {};
const longOnly: MarginRatios = { long: longTerms };
const longAndShort: MarginRatios = { long: longTerms, short: shortTerms };

/** By the market of a stock. */
const stockRatios: Readonly<Record<QuoteMarket, MarginRatios>> = {
  HK: longAndShort,
  US: longAndShort,
  JP: longAndShort,
  SG: longOnly,
  MY: longOnly,
  SH: noRatios,
  SZ: noRatios,
  FX: noRatios,
};

const byMargin: Readonly<Record<KindRules['margin'], (market: QuoteMarket) => MarginRatios>> = {
  stock: (market) => stockRatios[market],
  contract: () => contractRatios,
  // See option-margin.ts.
  option: () => noRatios,
  none: () => noRatios,
};

/** Whether a margin account may open a position in an instrument by selling it. */
export function canShort(instrument: Instrument): boolean {
  return kinds[instrument.kind].margin === 'option' || marginRatios(instrument).short !== undefined;
}

/** Initial margin of one unit worth `unitValue`; all of it where nothing is lent. */
export function initialMargin(instrument: Instrument, direction: 'long' | 'short', unitValue: Decimal): Decimal {
  return percent(unitValue, marginRatios(instrument)[direction]?.initial ?? 100n);
}

export function maintenanceMargin(instrument: Instrument, direction: 'long' | 'short', unitValue: Decimal): Decimal {
  return percent(unitValue, marginRatios(instrument)[direction]?.maintenance ?? 100n);
}

export function marginCallMargin(instrument: Instrument, direction: 'long' | 'short', unitValue: Decimal): Decimal {
  return percent(unitValue, marginRatios(instrument)[direction]?.marginCall ?? 100n);
}

/** Value of one unit of an instrument at a price; the contract multiplier counts for futures. */
export function unitValue(instrument: Instrument, price: Decimal): Decimal {
  return multiply(price, instrument.multiplier);
}

function percent(value: Decimal, parts: bigint): Decimal {
  return (value * parts) / 100n;
}
