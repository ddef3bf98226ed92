import { type Decimal, multiply, parseDecimal } from '@svc-gateway/contract/decimal';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import type { Instrument } from '../world/instrument.js';
import { type KindRules, kinds } from '../world/kinds.js';

/** One kind of fee and its amount in the order's currency. */
export interface FeeItem {
  readonly title: string;
  readonly value: Decimal;
}

/** How one kind of fee is worked out from the whole of an order's fills. */
interface FeeRule {
  readonly title: string;
  /** Part of the turnover. */
  readonly rate?: Decimal;
  /** For each share or contract. */
  readonly perUnit?: Decimal;
  /** Once for the order. */
  readonly perOrder?: Decimal;
  readonly min?: Decimal;
  readonly max?: Decimal;
  /** Only on orders that buy, or that sell. */
  readonly side?: 'buy' | 'sell';
  /** Kinds that do not pay it: exchange-traded funds, units of trusts, warrants and callable contracts. */
  readonly exempt?: readonly KindRules['fees'][];
  /** Only options on indices pay it, or only those on securities. */
  readonly optionsOn?: 'index' | 'security';
  /** Rounded up to a whole multiple of this; otherwise to the nearest cent (yen for JPY), half up. */
  readonly upTo?: Decimal;
}

const d = (text: string): Decimal => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`no decimal: ${text}`);
  return value;
};

const CENT = d('0.01');
const UNIT = d('1');

/** Shanghai and Shenzhen through the Hong Kong connection. */
const mainlandSchedule: readonly FeeRule[] = [
  { title: 'Commission', rate: d('0.0003'), min: d('3') },
  { title: 'Platform Fee', perOrder: d('15') },
  { title: 'Handling Fee', rate: d('0.0000341') },
  { title: 'Securities Management Fee', rate: d('0.00002') },
  { title: 'Transfer Fee', rate: d('0.00001') },
  { title: 'Stamp Duty', rate: d('0.0005'), side: 'sell', exempt: ['fund'] },
];

/**
 * Public schedules of online brokers and of the exchanges (2025): commission and platform fee are the broker's, the
 * rest is passed on. Minimum and maximum hold for one order.
 */
const schedules: Readonly<Record<QuoteMarket, readonly FeeRule[]>> = {
  HK: [
    { title: 'Commission', rate: d('0.0003'), min: d('3') },
    { title: 'Platform Fee', perOrder: d('15') },
    // Transfers of REIT units have been free of it since 21 December 2024.
    { title: 'Stamp Duty', rate: d('0.001'), upTo: UNIT, exempt: ['fund', 'trust', 'warrant'] },
    { title: 'Trading Fee', rate: d('0.0000565'), min: CENT },
    { title: 'SFC Transaction Levy', rate: d('0.000027'), min: CENT },
    { title: 'AFRC Transaction Levy', rate: d('0.0000015') },
    { title: 'Settlement Fee', rate: d('0.000042') },
  ],
  US: [
    { title: 'Commission', perUnit: d('0.0049'), min: d('0.99') },
    { title: 'Platform Fee', perUnit: d('0.005'), min: d('1') },
    { title: 'SEC Fee', rate: d('0.0000278'), min: CENT, side: 'sell' },
    { title: 'FINRA TAF', perUnit: d('0.000166'), min: CENT, max: d('8.30'), side: 'sell' },
    { title: 'Settlement Fee', perUnit: d('0.003') },
  ],
  SH: mainlandSchedule,
  SZ: mainlandSchedule,
  SG: [
    { title: 'Commission', rate: d('0.0003'), min: d('0.99') },
    { title: 'Platform Fee', rate: d('0.0003'), min: d('1.5') },
    { title: 'Clearing Fee', rate: d('0.000325') },
    { title: 'Trading Access Fee', rate: d('0.000075') },
  ],
  JP: [{ title: 'Commission', rate: d('0.0008'), min: d('80') }],
  MY: [
    { title: 'Commission', rate: d('0.0003'), min: d('3') },
    { title: 'Platform Fee', perOrder: d('3') },
    { title: 'Clearing Fee', rate: d('0.0003'), max: d('1000') },
    { title: 'Stamp Duty', rate: d('0.001'), upTo: UNIT, max: d('1000'), exempt: ['fund'] },
  ],
  FX: [],
};

const futureSchedules: Readonly<Partial<Record<QuoteMarket, readonly FeeRule[]>>> = {
  HK: [
    { title: 'Commission', perUnit: d('2.5') },
    { title: 'Platform Fee', perUnit: d('2.5') },
    { title: 'Exchange Fee', perUnit: d('10') },
    { title: 'SFC Levy', perUnit: d('0.54') },
  ],
  US: [
    { title: 'Commission', perUnit: d('0.85') },
    { title: 'Platform Fee', perUnit: d('0.99') },
    { title: 'Exchange Fee', perUnit: d('1.38') },
    { title: 'NFA Fee', perUnit: d('0.02') },
  ],
  SG: [
    { title: 'Commission', perUnit: d('1.49') },
    { title: 'Exchange Fee', perUnit: d('1.3') },
  ],
  JP: [
    { title: 'Commission', perUnit: d('150') },
    { title: 'Exchange Fee', perUnit: d('110') },
  ],
};

/** Per contract; the commission of Hong Kong's options is a part of the premium. */
const optionSchedules: Readonly<Partial<Record<QuoteMarket, readonly FeeRule[]>>> = {
  HK: [
    { title: 'Commission', rate: d('0.002'), min: d('3') },
    { title: 'Platform Fee', perOrder: d('15') },
    { title: 'Trading Tariff', perUnit: d('3'), optionsOn: 'security' },
    { title: 'Exchange Fee', perUnit: d('10'), optionsOn: 'index' },
    { title: 'SFC Levy', perUnit: d('0.54'), optionsOn: 'index' },
  ],
  US: [
    { title: 'Commission', perUnit: d('0.65'), min: d('1.99') },
    { title: 'Platform Fee', perUnit: d('0.3') },
    { title: 'Options Regulatory Fee', perUnit: d('0.02295') },
    { title: 'OCC Clearing Fee', perUnit: d('0.025'), max: d('55') },
    { title: 'SEC Fee', rate: d('0.0000278'), min: CENT, side: 'sell' },
    { title: 'FINRA TAF', perUnit: d('0.00279'), min: CENT, side: 'sell' },
  ],
};

/**
 * The fees of an order that has traded `quantity` units for `turnover` so far. Fees are worked out over the whole order, so
 * that a fill's own fee is the difference between after it and before it. Never falls as an order trades more.
 */
export function feesOf(instrument: Instrument, buying: boolean, turnover: Decimal, quantity: bigint): readonly FeeItem[] {
  if (quantity === 0n) return [];
  const step = instrument.currency === 'JPY' ? UNIT : CENT;
  return rulesFor(instrument, buying).map((rule) => ({ title: rule.title, value: amount(rule, turnover, quantity, step) }));
}

/** The sum of {@link feesOf}. */
export function totalFeesOf(instrument: Instrument, buying: boolean, turnover: Decimal, quantity: bigint): Decimal {
  return totalFees(feesOf(instrument, buying, turnover, quantity));
}

function rulesFor(instrument: Instrument, buying: boolean): readonly FeeRule[] {
  const { kind, market } = instrument;
  const feeClass = kinds[kind].fees;
  const on = kind === 'option' && instrument.option.class.family.endsWith('Index') ? 'index' : 'security';
  return scheduleOf(feeClass, market).filter(
    (rule) =>
      (rule.side === undefined || (rule.side === 'buy') === buying) &&
      rule.exempt?.includes(feeClass) !== true &&
      (rule.optionsOn === undefined || rule.optionsOn === on),
  );
}

export function totalFees(items: readonly FeeItem[]): Decimal {
  return items.reduce((sum, item) => sum + item.value, 0n);
}

function scheduleOf(feeClass: KindRules['fees'], market: QuoteMarket): readonly FeeRule[] {
  if (feeClass === 'none') return [];
  const byMarket = feeClass === 'option' ? optionSchedules : feeClass === 'contract' ? futureSchedules : schedules;
  return byMarket[market] ?? [];
}

function amount(rule: FeeRule, turnover: Decimal, quantity: bigint, step: Decimal): Decimal {
  let value = rule.perOrder ?? 0n;
  if (rule.rate !== undefined) value += multiply(turnover, rule.rate);
  if (rule.perUnit !== undefined) value += rule.perUnit * quantity;
  if (rule.upTo !== undefined) value = ((value + rule.upTo - 1n) / rule.upTo) * rule.upTo;
  else value = ((value + step / 2n) / step) * step;
  if (rule.min !== undefined && value < rule.min) value = rule.min;
  if (rule.max !== undefined && value > rule.max) value = rule.max;
  return value;
}
