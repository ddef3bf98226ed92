export interface Point {
  /** Unix seconds. */
  readonly time: number;
  readonly price: number;
}

/** Room above and below a line. */
const PADDING = 2;

/** Where a line goes in a box of this size, a little inside its edges: "0,10.5 3,9 …". Drawing only: pixels, not money. */
export function linePoints(prices: readonly number[], width: number, height: number, base?: number): string {
  if (prices.length < 2) return '';
  const { low, span } = rangeOf(prices, base);
  const step = width / (prices.length - 1);
  return prices.map((price, at) => `${round(at * step)},${round(heightOf(price, low, span, height))}`).join(' ');
}

/** The height at which a price is drawn. */
export function levelOf(price: number, prices: readonly number[], height: number): number {
  const { low, span } = rangeOf(prices, price);
  return round(heightOf(price, low, span, height));
}

function rangeOf(prices: readonly number[], base: number | undefined): { low: number; span: number } {
  const all = base === undefined ? prices : [...prices, base];
  const low = Math.min(...all);
  return { low, span: Math.max(...all) - low };
}

/** A price that never moved is drawn in the middle. */
function heightOf(price: number, low: number, span: number, height: number): number {
  const room = height - 2 * PADDING;
  return span === 0 ? height / 2 : PADDING + room - ((price - low) / span) * room;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
