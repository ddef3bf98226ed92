import { DECIMAL_ONE, type Decimal, decimalFromNumber, divide, formatDecimal, parseDecimal, roundTo } from '@svc-gateway/contract/decimal';

/** Placeholder of a missing figure. */
export const NONE = '–';
const MINUS = '\u2212';

/** The decimal of a figure: a protocol double, or a decimal text. Undefined where it is none, or finer than a billionth. */
function decimalOf(value: number | string | undefined): Decimal | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'number' ? decimalFromNumber(value) : parseDecimal(value);
}

/** How many decimal places a figure needs. */
export function placesOf(value: number | string | undefined): number {
  const decimal = decimalOf(value);
  return decimal === undefined ? 0 : (formatDecimal(decimal).split('.')[1]?.length ?? 0);
}

/**
 * A figure with every digit that the daemon sent, at least `places` of them after the point, thousands apart, and a true minus sign:
 * "−1,234.50".
 */
export function figure(value: number | string | undefined, places = 0): string {
  const decimal = decimalOf(value);
  if (decimal === undefined) return value === undefined || value === '' ? NONE : String(value);
  return signedText(decimal, places, false);
}

/** A figure of money: at least two places. */
export function money(value: number | string | undefined): string {
  return figure(value, 2);
}

/** A profit or a change, with its sign also where it is above zero. */
export function gain(value: number | string | undefined, places = 2): string {
  const decimal = decimalOf(value);
  return decimal === undefined ? NONE : signedText(decimal, places, true);
}

/** Sign of a figure: 1, -1, or 0 where it is zero or missing. */
export function direction(value: number | string | undefined): -1 | 0 | 1 {
  const decimal = decimalOf(value);
  return decimal === undefined || decimal === 0n ? 0 : decimal > 0n ? 1 : -1;
}

export interface Change {
  readonly amount: string;
  readonly percent: string;
  readonly direction: -1 | 0 | 1;
}

/** How far a price is from the close before, in exact decimals; the percentage has two places. Undefined where either is missing. */
export function changeOf(price: number | undefined, close: number | undefined, places: number): Change | undefined {
  const [now, before] = [decimalOf(price), decimalOf(close)];
  if (now === undefined || before === undefined || before === 0n) return undefined;
  const amount = now - before;
  const percent = roundTo(divide(amount * 100n, before), DECIMAL_ONE / 100n);
  return {
    amount: signedText(amount, places, true),
    percent: `${signedText(percent, 2, true)}%`,
    direction: amount === 0n ? 0 : amount > 0n ? 1 : -1,
  };
}

const STEPS = [
  { size: 1_000_000_000n, letter: 'B' },
  { size: 1_000_000n, letter: 'M' },
  { size: 1_000n, letter: 'K' },
] as const;

/** A volume of a column's width: "24.08M", cut off rather than rounded up, "950" below ten thousand. `value` is a whole number's text. */
export function compact(value: string): string {
  if (!/^\d{1,30}$/.test(value)) return value === '' ? NONE : value;
  const count = BigInt(value);
  const step = count < 10_000n ? undefined : STEPS.find(({ size }) => count >= size);
  if (step === undefined) return grouped(value);
  const hundredths = String((count * 100n) / step.size).padStart(3, '0');
  return `${grouped(hundredths.slice(0, -2))}.${hundredths.slice(-2)}${step.letter}`;
}

/** How long ago, in a word: "now" within two seconds, "45 s", "3 min", "2 h", "4 d". */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 2) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** The words that several numbers of a row stand for, the empty ones left out. */
export function joined(parts: readonly (string | undefined)[], between = ' · '): string {
  return parts.filter((part) => part !== undefined && part !== '').join(between);
}

function signedText(value: Decimal, places: number, plus: boolean): string {
  const [whole = '0', fraction = ''] = formatDecimal(value < 0n ? -value : value).split('.');
  const sign = value < 0n ? MINUS : plus && value > 0n ? '+' : '';
  const padded = fraction.padEnd(places, '0');
  return `${sign}${grouped(whole)}${padded === '' ? '' : `.${padded}`}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ',');
}
