import { DECIMAL_ONE, type Decimal, multiply } from '@svc-gateway/contract/decimal';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';

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
  const { margin } = kinds[instrument.kind];
  if (margin === 'contract') return { long: futureTerms, short: futureTerms };
  // Options: see option-margin.ts.
  return (margin === 'stock' ? stockRatios[instrument.market] : undefined) ?? {};
}

const longAndShort: MarginRatios = { long: longTerms, short: shortTerms };
const longOnly: MarginRatios = { long: longTerms };

/** By the market of a stock; elsewhere nothing is lent. */
const stockRatios: Readonly<Partial<Record<QuoteMarket, MarginRatios>>> = {
  HK: longAndShort,
  US: longAndShort,
  JP: longAndShort,
  SG: longOnly,
  MY: longOnly,
};

/** Whether a margin account may open a position in an instrument by selling it. */
export function canShort(instrument: Instrument): boolean {
  return kinds[instrument.kind].margin === 'option' || marginRatios(instrument).short !== undefined;
}

/** A level of margin: the part of a value in percent that it asks for, all of it where nothing is lent. */
const marginOf =
  (level: keyof MarginTerms) =>
  (instrument: Instrument, direction: 'long' | 'short', value: Decimal): Decimal =>
    (value * (marginRatios(instrument)[direction]?.[level] ?? 100n)) / 100n;

export const initialMargin = marginOf('initial');
export const maintenanceMargin = marginOf('maintenance');
export const marginCallMargin = marginOf('marginCall');

/** Value of one unit of an instrument at a price; the contract multiplier counts for futures. */
export function unitValue(instrument: Instrument, price: Decimal): Decimal {
  return multiply(price, instrument.multiplier);
}
