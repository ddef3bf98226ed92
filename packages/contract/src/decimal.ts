/**
 * Exact decimals: a bigint that counts billionths (10^-9), the finest unit of the public protocol (futures prices).
 *
 * Money, prices and quantities are compared and summed in this form only. A protocol `double` is turned into the
 * decimal that its shortest round-trip text spells, which is what its sender wrote.
 */
export type Decimal = bigint;

/** Units of a {@link Decimal} in one. */
export const DECIMAL_ONE: Decimal = 1_000_000_000n;

const DECIMAL_PLACES = 9;
const NUMBER_TEXT = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/** The decimal that `text` spells ("12.5", "-3", "1e-3"), or undefined when it is no number or needs more than nine places. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = NUMBER_TEXT.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText] = match;
  if (whole === '' && fraction === '') return undefined;
  const exponent = exponentText === undefined ? 0 : Number(exponentText);
  let digits = whole + fraction;
  let places = fraction.length - exponent;
  while (places > DECIMAL_PLACES && digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    places -= 1;
  }
  if (digits === '') return 0n;
  if (places > DECIMAL_PLACES) return undefined;
  const units = BigInt(digits) * 10n ** BigInt(DECIMAL_PLACES - places);
  return sign === '-' ? -units : units;
}

/**
 * Below this, doubles are closer together than decimals of nine places, and their product with a billion is off by less than a
 * half: the whole number next to it is the one decimal that they can spell, if there is one.
 */
const ROUNDED_MAX = 2 ** 21;

/** The exact decimal of a protocol `double`, or undefined when it is not finite or needs more than nine places. */
export function decimalFromNumber(value: number): Decimal | undefined {
  if (Math.abs(value) <= ROUNDED_MAX) {
    const units = Math.round(value * 1_000_000_000);
    return units / 1_000_000_000 === value ? BigInt(units) : undefined;
  }
  return Number.isFinite(value) ? parseDecimal(String(value)) : undefined;
}

/**
 * The `double` nearest to `value` rounded to `places` (0 to 9) decimal places, half to even. The digits that are rounded are those of
 * its shortest text, as its sender wrote them. Not finite: as it is.
 */
export function roundNumber(value: number, places: number): number {
  const step = 10n ** BigInt(DECIMAL_PLACES - places);
  const decimal = decimalFromNumber(value);
  if (decimal !== undefined) return decimal % step === 0n ? value : decimalToNumber(roundTo(decimal, step));
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER_TEXT.exec(String(value)) ?? [];
  const surplus = fraction.length - Number(exponent) - places;
  // Whole numbers beyond the range of a decimal, and what is not finite.
  if (whole === '' || surplus <= 0) return value;
  return Number(`${sign}${divideHalfEven(BigInt(whole + fraction), 10n ** BigInt(surplus))}e-${places}`);
}

/** The nearest `double`: for the wire, never for arithmetic. */
export function decimalToNumber(value: Decimal): number {
  // Below 2^53 units the division rounds once and is correct; beyond, the text is parsed, which rounds once too.
  const units = Number(value);
  return Number.isSafeInteger(units) ? units / 1_000_000_000 : Number(formatDecimal(value));
}

/** From here on doubles are written without an exponent. */
const UNITS_PLAIN_MIN = 1_000;

/** Plain text without an exponent or trailing zeros: "320.5", "-0.001", "0". */
export function formatDecimal(value: Decimal): string {
  const units = Number(value);
  const size = Math.abs(units);
  // The shortest text of the double that spells it: see ROUNDED_MAX.
  if (size <= ROUNDED_MAX * 1_000_000_000 && size >= UNITS_PLAIN_MIN) return String(units / 1_000_000_000);
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(DECIMAL_PLACES + 1, '0');
  const whole = digits.slice(0, -DECIMAL_PLACES);
  const fraction = digits.slice(-DECIMAL_PLACES).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** a × b, rounded half to even in the last unit. */
export function multiply(a: Decimal, b: Decimal): Decimal {
  return divideHalfEven(a * b, DECIMAL_ONE);
}

/** a × b, rounded away from zero in the last unit: for a value that is held against a cap. */
export function multiplyUp(a: Decimal, b: Decimal): Decimal {
  return divideAwayFromZero(a * b, DECIMAL_ONE);
}

/** a ÷ b, rounded half to even in the last unit. Throws RangeError when b is zero. */
export function divide(a: Decimal, b: Decimal): Decimal {
  return divideHalfEven(a * DECIMAL_ONE, b);
}

/** a ÷ b, rounded away from zero in the last unit, as {@link multiplyUp}. Throws RangeError when b is zero. */
export function divideUp(a: Decimal, b: Decimal): Decimal {
  return divideAwayFromZero(a * DECIMAL_ONE, b);
}

/** Rounds to a whole multiple of `step` (positive), half to even. */
export function roundTo(value: Decimal, step: Decimal): Decimal {
  return divideHalfEven(value, step) * step;
}

function divideAwayFromZero(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  if (numerator % denominator === 0n) return quotient;
  return numerator < 0n === denominator < 0n ? quotient + 1n : quotient - 1n;
}

function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const remainder = numerator % denominator;
  if (remainder === 0n) return quotient;
  const twice = abs(remainder) * 2n;
  const size = abs(denominator);
  const up = twice > size || (twice === size && quotient % 2n !== 0n);
  if (!up) return quotient;
  return numerator < 0n === denominator < 0n ? quotient + 1n : quotient - 1n;
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

/** The smaller of two decimals, or of two whole numbers. */
export function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The larger of two decimals, or of two whole numbers. */
export function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** A decimal or a whole number, or 0 where it is below. */
export function atLeastZero(value: bigint): bigint {
  return value > 0n ? value : 0n;
}
