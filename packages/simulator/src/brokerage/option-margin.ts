import { atLeastZero, type Decimal, lesser, multiply } from '@svc-gateway/contract/decimal';
import type { Instrument, Option } from '../world/instrument.js';

/**
 * Margin of sold options beside the premium, which counts as owed: the strategy-based minimums of FINRA Rule 4210(f)(2)
 * and Cboe Rule 10.3. Percent of the underlying's value; an index moves less than a stock.
 */
const NAKED_PERCENT = { stock: 20n, index: 15n } as const;
const LEAST_PERCENT = 10n;

/** Options of one series that an account holds; sold below zero. */
export interface OptionHolding {
  readonly option: Option;
  readonly quantity: bigint;
}

/** Prices and shares that margin depends on, of what options are on. */
export interface Underlying {
  readonly instrument: Instrument;
  /** Last price. */
  readonly price: Decimal;
  /** Units held; below zero for a short position. */
  readonly held: bigint;
}

/**
 * Margin of one naked contract: 20 % (15 %) of the underlying less the out-of-the-money amount, at least 10 % of it (of
 * the strike, for puts).
 */
export function nakedMargin({ option: { right, strike }, multiplier }: Option, { instrument, price }: Underlying): Decimal {
  const percent = instrument.kind === 'index' ? NAKED_PERCENT.index : NAKED_PERCENT.stock;
  const away = right === 'call' ? strike - price : price - strike;
  const usual = (price * percent) / 100n - atLeastZero(away);
  const least = ((right === 'call' ? price : strike) * LEAST_PERCENT) / 100n;
  return multiply(usual > least ? usual : least, multiplier);
}

/**
 * Margin of all options of an account on one underlying. Shares cover sold calls, short shares sold puts; then bought
 * options of the same right cover that do not expire earlier, whose strike bounds the loss; the rest is naked. Bought
 * options are paid in full and need no margin.
 */
export function optionMargin(holdings: readonly OptionHolding[], underlying: Underlying): Decimal {
  return marginOf('call', holdings, underlying) + marginOf('put', holdings, underlying);
}

function marginOf(right: 'call' | 'put', holdings: readonly OptionHolding[], underlying: Underlying): Decimal {
  const ofRight = holdings.filter(({ option }) => option.option.right === right);
  const bought = ofRight.filter(({ quantity }) => quantity > 0n).map(({ option, quantity }) => ({ option, left: quantity }));
  // The options with the highest margin are covered first.
  const sold = ofRight
    .filter(({ quantity }) => quantity < 0n)
    .map(({ option, quantity }) => ({ option, left: -quantity, naked: nakedMargin(option, underlying) }))
    .sort((a, b) => (a.naked < b.naked ? 1 : -1));
  let shares = right === 'call' ? underlying.held : -underlying.held;
  let margin = 0n;
  for (const { option, left, naked } of sold) {
    let uncovered = left;
    const perContract = option.multiplier / 1_000_000_000n;
    if (underlying.instrument.kind !== 'index' && shares > 0n && perContract > 0n) {
      const covered = lesser(shares / perContract, uncovered);
      shares -= covered * perContract;
      uncovered -= covered;
    }
    // The pairs that can lose least come first.
    const pairs = bought
      .filter((each) => each.left > 0n && each.option.option.expiry >= option.option.expiry && each.option.multiplier === option.multiplier)
      .map((each) => ({ each, loss: lossBetween(option, each.option) }))
      .sort((a, b) => (a.loss > b.loss ? 1 : -1));
    for (const { each, loss } of pairs) {
      if (uncovered === 0n || loss >= naked) break;
      const covered = lesser(each.left, uncovered);
      each.left -= covered;
      uncovered -= covered;
      margin += loss * covered;
    }
    margin += naked * uncovered;
  }
  return margin;
}

/** The most that a contract sold against a bought one can lose. */
function lossBetween(sold: Option, bought: Option): Decimal {
  const apart = bought.option.strike - sold.option.strike;
  const loss = sold.option.right === 'call' ? apart : -apart;
  return loss > 0n ? multiply(loss, sold.multiplier) : 0n;
}
