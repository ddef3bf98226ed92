import { atLeastZero, type Decimal, lesser } from '@svc-gateway/contract/decimal';
import { moneyText } from '@svc-gateway/contract/money';
import { Refusal } from '../refusal.js';
import type { Instrument } from '../world/index.js';
import type { Account } from './account.js';
import { type FeeItem, feesOf, totalFees, totalFeesOf } from './fees.js';
import type { Ledger } from './ledger.js';
import { canShort, initialMargin, unitValue } from './margin.js';
import { frozenCash, type Hold, isBuying, isCombo, legRemaining, type OrderLeg, type OrderRecord, reservedMargin } from './order.js';
import type { TradeSide } from './terms.js';
import type { Valuer } from './valuation.js';

/** A leg of an order that is being changed, as both stand. */
export interface OpenLeg {
  readonly order: OrderRecord;
  readonly leg: OrderLeg;
}

/** The part of an order, or of one of its legs, that decides what it holds. `open`: as it stands, when it is being changed. */
export interface HoldQuestion {
  readonly account: Account;
  readonly instrument: Instrument;
  readonly side: TradeSide;
  /** Units still to be filled. */
  readonly quantity: bigint;
  /** The price at which they ask most of the account: the dearest that an order may trade at, as far as can be told. */
  readonly worstPrice: Decimal;
  readonly open?: OpenLeg | undefined;
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
    return this.#refused([question], [hold]) ?? hold;
  }

  /** Reduced hold after a price improvement; never higher than before. */
  lowered(question: HoldQuestion, held: Hold): Hold {
    const { cashPerUnit, marginPerUnit, feeReserve } = this.#holdOf(question);
    return {
      cashPerUnit: lesser(cashPerUnit, held.cashPerUnit),
      marginPerUnit: lesser(marginPerUnit, held.marginPerUnit),
      feeReserve: lesser(feeReserve, held.feeReserve),
    };
  }

  /**
   * The holds of an order's legs, or why the account cannot give them. Of securities that trade together, only what the whole costs is paid: the first leg that buys freezes
   * it. `net`: money that a unit of the order costs at most, below zero what it brings.
   */
  takeAll(questions: readonly HoldQuestion[], units: bigint, net: Decimal): readonly Hold[] | Refusal {
    const holds = this.ofAll(questions, units, net);
    return this.#refused(questions, holds) ?? holds;
  }

  /** As {@link takeAll}, whether or not the account can give them. */
  ofAll(questions: readonly HoldQuestion[], units: bigint, net: Decimal): readonly Hold[] {
    const payer = questions.findIndex(({ account, side }) => account.trades !== 'futures' && isBuying(side));
    return questions.map((question, i): Hold => {
      const hold = this.#holdOf(question);
      const { worstPrice, quantity, account } = question;
      if (account.trades === 'futures') return { ...hold, worstPrice };
      // Rounded up: the ratio need not divide the price.
      const cashPerUnit = i === payer && net > 0n ? (net * units + quantity - 1n) / quantity : 0n;
      return { ...hold, cashPerUnit, worstPrice };
    });
  }

  /** Reason why an account cannot give what an order's legs hold; undefined when it can. */
  #refused(questions: readonly HoldQuestion[], holds: readonly Hold[]): Refusal | undefined {
    const [question] = questions;
    if (question === undefined) throw new Error('an order has legs');
    const { account, instrument, open } = question;
    const { currency } = instrument;
    const margined = account.type === 'margin';
    const { needed, margin } = neededFor(questions, holds);
    // Closing a position asks for no margin: a caller can always get out.
    if (margined ? margin === 0n : needed === 0n) return undefined;
    const given = open === undefined ? 0n : margined ? reservedMargin(open.order) : frozenCash(open.order);
    const free = this.valuer.free(account, currency) + given;
    if (needed <= free) return undefined;
    const what = margined ? 'margin' : 'cash';
    return new Refusal(
      `insufficient buying power in account ${account.id}: the order needs ${moneyText(needed, currency, 'up')} ${currency} of ${what}, ${moneyText(free, currency, 'down')} ${currency} is free`,
      'broker.buying_power',
    );
  }

  /** Reason why an order may not close the position that it names; undefined where it may, or names none. How much of it is {@link checkPosition}'s. */
  checkNamedPosition(account: Account, { symbol }: Instrument, side: TradeSide, positionId: bigint | undefined): Refusal | undefined {
    if (positionId === undefined || positionId === 0n) return undefined;
    const { id, quantity = 0n } = this.ledger.position(account.id, symbol) ?? {};
    const own = quantity === 0n ? `no position in ${symbol}` : `position ${id} in ${symbol}`;
    if (quantity === 0n || id !== positionId)
      return new Refusal(`positionID ${positionId}: account ${account.id} has ${own}`, 'broker.position');
    if (isBuying(side) === quantity < 0n) return undefined;
    const [held, closes] = quantity > 0n ? ['long', 'sells'] : ['short', 'buys'];
    return new Refusal(`positionID ${positionId}: the position is ${held}, only an order that ${closes} closes it`, 'broker.position');
  }

  /** Reason why an order of this side and size does not fit the account's position; undefined when it does. */
  checkPosition(question: HoldQuestion): Refusal | undefined {
    const { account, instrument, side, quantity, open } = question;
    if (account.trades === 'futures') {
      return side === 'buy' || side === 'sell'
        ? undefined
        : new Refusal('trdSide of an order for futures is 1 (buy) or 2 (sell)', 'broker.short_sale');
    }
    const { symbol } = instrument;
    const own = ownUnits(open);
    const held = this.ledger.position(account.id, symbol)?.quantity ?? 0n;
    const coverable = this.ledger.coverable(account.id, symbol) + own;
    const sellable = this.ledger.sellable(account.id, symbol) + own;
    switch (side) {
      case 'sell':
        return quantity <= sellable ? undefined : this.#tooFew(question, sellable);
      case 'sell_short':
        if (account.type !== 'margin')
          return new Refusal(`account ${account.id} is a cash account: selling short needs a margin account`, 'broker.short_sale');
        if (!canShort(instrument)) return new Refusal(`${symbol} cannot be sold short`, 'broker.short_sale');
        return held > 0n ? new Refusal(`sell the long position of ${held} ${symbol} before selling short`, 'broker.short_sale') : undefined;
      case 'buy_back':
        return quantity <= coverable
          ? undefined
          : new Refusal(`${coverable} of ${symbol} can be bought back, the order is for ${quantity}`, 'broker.position');
      case 'buy':
        return held >= 0n || quantity <= coverable
          ? undefined
          : new Refusal(
              `the account is short ${-held} ${symbol}: ${coverable} can be bought back before more is bought`,
              'broker.position',
            );
    }
  }

  #tooFew({ account, instrument, quantity }: HoldQuestion, sellable: bigint): Refusal {
    const { symbol } = instrument;
    const locked = this.ledger.lockedToday(account.id, symbol);
    const why =
      locked > 0n
        ? `; ${locked} were bought today and can be sold from the next trading day on`
        : account.type === 'margin' && canShort(instrument)
          ? '; to open a short position, send trdSide 3 (sell_short)'
          : '';
    return new Refusal(
      `insufficient position: ${sellable} of ${symbol} can be sold, the order is for ${quantity}${why}`,
      'broker.position',
    );
  }

  /** Whether the quantity closes the whole of what is free of a position, which an odd lot may. */
  closesAll({ account, instrument, side, quantity, open }: HoldQuestion): boolean {
    const own = ownUnits(open);
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
    if (side === 'sell_short') return { cashPerUnit: 0n, marginPerUnit: this.valuer.shortMargin(instrument, value), feeReserve: 0n };
    const held = this.ledger.position(account.id, instrument.symbol)?.quantity ?? 0n;
    const covers = held < 0n || open?.leg.side === 'buy_back';
    const marginPerUnit = account.type === 'cash' || covers ? 0n : initialMargin(instrument, 'long', value);
    return { cashPerUnit: value, marginPerUnit, feeReserve: this.#fees(question) };
  }

  /** Contracts of an order that do not close what the account holds on the other side. */
  #openingContracts({ account, instrument, side, quantity, open }: HoldQuestion): bigint {
    const held = this.ledger.position(account.id, instrument.symbol)?.quantity ?? 0n;
    const opposite = isBuying(side) ? -held : held;
    const closing = opposite - this.ledger.working(account.id, instrument.symbol, side) + ownUnits(open);
    if (closing <= 0n) return quantity;
    return closing >= quantity ? 0n : quantity - closing;
  }

  /** Fees that filling all of the order at its worst price would still cost. */
  #fees({ instrument, side, quantity, worstPrice, open }: HoldQuestion): Decimal {
    return feeReserve(instrument, isBuying(side), worstPrice, quantity, open && paidFor(instrument, open));
  }
}

/** Joint hold of an order's legs: margin in a margin account, else cash. `margin` is for one unit of each, without fees. */
export function neededFor(
  questions: readonly HoldQuestion[],
  holds: readonly Hold[],
): { readonly needed: Decimal; readonly margin: Decimal } {
  let [needed, margin] = [0n, 0n];
  for (const [i, { cashPerUnit, marginPerUnit, feeReserve: fees }] of holds.entries()) {
    const question = questions[i];
    if (question === undefined) throw new Error('each hold is of a leg');
    margin += marginPerUnit;
    needed += (question.account.type === 'margin' ? marginPerUnit : cashPerUnit) * question.quantity + fees;
  }
  return { needed, margin };
}

/** Units that a leg which is being changed still has to trade. */
function ownUnits(open: OpenLeg | undefined): bigint {
  return open === undefined ? 0n : legRemaining(open.order, open.leg);
}

/** Filled part of a leg, and its fees. */
function paidFor(instrument: Instrument, { order, leg }: OpenLeg): Pick<OrderRecord, 'filledValue' | 'filledQuantity' | 'fees'> {
  return isCombo(order) ? { ...leg, fees: legFees(instrument, leg) } : order;
}

/** Fees of what is filled of a leg: each is charged as an order of its own. */
export function legFees(instrument: Instrument, { side, filledQuantity, filledValue }: OrderLeg): readonly FeeItem[] {
  return feesOf(instrument, isBuying(side), unitValue(instrument, filledValue), filledQuantity);
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
  return atLeastZero(open === undefined ? total : total - totalFees(open.fees));
}
