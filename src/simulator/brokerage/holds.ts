import { type Decimal, formatDecimal } from '../../contract/decimal.js';
import { Refusal } from '../refusal.js';
import type { Instrument } from '../world/index.js';
import type { Account } from './account.js';
import { totalFees, totalFeesOf } from './fees.js';
import type { Ledger } from './ledger.js';
import { initialMargin, marginRatios, unitValue } from './margin.js';
import { frozenCash, type Hold, isBuying, mainLeg, type OrderRecord, reservedMargin } from './order.js';
import type { TradeSide } from './terms.js';
import type { Valuer } from './valuation.js';

/** The part of an order that decides what it holds. `open`: the order as it stands, when it is being changed. */
export interface HoldQuestion {
  readonly account: Account;
  readonly instrument: Instrument;
  readonly side: TradeSide;
  /** Units still to be filled. */
  readonly quantity: bigint;
  /** The price at which they ask most of the account: the dearest that an order may trade at, as far as can be told. */
  readonly worstPrice: Decimal;
  readonly open?: OrderRecord | undefined;
}

const nothing: Hold = { cashPerUnit: 0n, marginPerUnit: 0n, feeReserve: 0n };

/** Decides what orders hold, and whether the account can give it. */
export class Holds {
  constructor(
    private readonly ledger: Ledger,
    private readonly valuer: Valuer,
  ) {}

  /** The hold of an order, or why the account cannot give it. */
  take(question: HoldQuestion): Hold | Refusal {
    const hold = this.#holdOf(question);
    const { account, instrument, quantity, open } = question;
    const { currency } = instrument;
    const margined = account.type === 'margin';
    const needed = (margined ? hold.marginPerUnit : hold.cashPerUnit) * quantity + hold.feeReserve;
    // Closing a position asks for no margin: a caller can always get out.
    if (margined ? hold.marginPerUnit === 0n : needed === 0n) return hold;
    const given = open === undefined ? 0n : margined ? reservedMargin(open) : frozenCash(open);
    const free = this.valuer.free(account, currency) + given;
    if (needed <= free) return hold;
    const what = margined ? 'margin' : 'cash';
    return new Refusal(
      `insufficient buying power in account ${account.id}: the order needs ${formatDecimal(needed)} ${currency} of ${what}, ${formatDecimal(free)} ${currency} is free`,
    );
  }

  /** Why an order of this side and size does not fit the account's position; undefined when it does. */
  checkPosition(question: HoldQuestion): Refusal | undefined {
    const { account, instrument, side, quantity, open } = question;
    if (account.trades === 'futures') {
      return side === 'buy' || side === 'sell' ? undefined : new Refusal('orders for futures are buy (1) or sell (2)');
    }
    const { symbol } = instrument;
    const own = open === undefined ? 0n : open.quantity - open.filledQuantity;
    const held = this.ledger.position(account.id, symbol)?.quantity ?? 0n;
    const coverable = this.ledger.coverable(account.id, symbol) + own;
    const sellable = this.ledger.sellable(account.id, symbol) + own;
    switch (side) {
      case 'sell':
        return quantity <= sellable ? undefined : this.#tooFew(question, sellable);
      case 'sell_short':
        if (account.type !== 'margin') return new Refusal(`account ${account.id} is a cash account: selling short needs a margin account`);
        if (marginRatios(instrument).short === undefined) return new Refusal(`${symbol} cannot be sold short`);
        return held > 0n ? new Refusal(`sell the long position of ${held} ${symbol} before selling short`) : undefined;
      case 'buy_back':
        return quantity <= coverable
          ? undefined
          : new Refusal(`${coverable} of ${symbol} can be bought back, the order is for ${quantity}`);
      case 'buy':
        return held >= 0n || quantity <= coverable
          ? undefined
          : new Refusal(`the account is short ${-held} ${symbol}: ${coverable} can be bought back before more is bought`);
    }
  }

  #tooFew({ account, instrument, quantity }: HoldQuestion, sellable: bigint): Refusal {
    const { symbol } = instrument;
    const locked = this.ledger.lockedToday(account.id, symbol);
    const why =
      locked > 0n
        ? `; ${locked} were bought today and can be sold from the next trading day on`
        : account.type === 'margin' && marginRatios(instrument).short !== undefined
          ? '; to open a short position, send trdSide 3 (sell_short)'
          : '';
    return new Refusal(`insufficient position: ${sellable} of ${symbol} can be sold, the order is for ${quantity}${why}`);
  }

  /** Whether the quantity closes the whole of what is free of a position, which an odd lot may. */
  closesAll({ account, instrument, side, quantity, open }: HoldQuestion): boolean {
    const own = open === undefined ? 0n : open.quantity - open.filledQuantity;
    if (side === 'sell') return quantity === this.ledger.sellable(account.id, instrument.symbol) + own;
    return side !== 'sell_short' && quantity === this.ledger.coverable(account.id, instrument.symbol) + own;
  }

  #holdOf(question: HoldQuestion): Hold {
    const { account, instrument, side, quantity, worstPrice, open } = question;
    const value = unitValue(instrument, worstPrice);
    if (account.trades === 'futures') {
      const opening = this.#openingContracts(question);
      const margin = (initialMargin(instrument, 'long', value) * opening) / quantity;
      return { cashPerUnit: margin, marginPerUnit: margin, feeReserve: margin === 0n ? 0n : this.#fees(question) };
    }
    if (side === 'sell') return nothing;
    if (side === 'sell_short') return { cashPerUnit: 0n, marginPerUnit: initialMargin(instrument, 'short', value), feeReserve: 0n };
    const held = this.ledger.position(account.id, instrument.symbol)?.quantity ?? 0n;
    const covers = held < 0n || (open !== undefined && mainLeg(open).side === 'buy_back');
    const marginPerUnit = account.type === 'cash' || covers ? 0n : initialMargin(instrument, 'long', value);
    return { cashPerUnit: value, marginPerUnit, feeReserve: this.#fees(question) };
  }

  /** Contracts of an order that do not close what the account holds on the other side. */
  #openingContracts({ account, instrument, side, quantity, open }: HoldQuestion): bigint {
    const held = this.ledger.position(account.id, instrument.symbol)?.quantity ?? 0n;
    const opposite = isBuying(side) ? -held : held;
    const closing =
      opposite - this.ledger.working(account.id, instrument.symbol, side) + (open === undefined ? 0n : open.quantity - open.filledQuantity);
    if (closing <= 0n) return quantity;
    return closing >= quantity ? 0n : quantity - closing;
  }

  /** Fees that filling all of the order at its worst price would still cost. */
  #fees({ instrument, side, quantity, worstPrice, open }: HoldQuestion): Decimal {
    return feeReserve(instrument, isBuying(side), worstPrice, quantity, open);
  }
}

/** Fees that filling `quantity` more units at `worstPrice` would add to those that the order has paid. */
export function feeReserve(
  instrument: Instrument,
  buying: boolean,
  worstPrice: Decimal,
  quantity: bigint,
  open: Pick<OrderRecord, 'filledValue' | 'filledQuantity' | 'fees'> | undefined,
): Decimal {
  if (quantity === 0n) return 0n;
  const filled = open === undefined ? 0n : unitValue(instrument, open.filledValue);
  const turnover = filled + unitValue(instrument, worstPrice) * quantity;
  const total = totalFeesOf(instrument, buying, turnover, (open?.filledQuantity ?? 0n) + quantity);
  const rest = open === undefined ? total : total - totalFees(open.fees);
  return rest > 0n ? rest : 0n;
}
