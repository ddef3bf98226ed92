import { atLeastZero, type Decimal } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';
import type { CashLedger } from '../ledger/index.js';
import { type Account, accounts } from './account.js';
import { frozenCash, legRemaining, type OrderRecord, reservedMargin } from './order.js';
import { isOpen } from './order-status.js';
import type { PositionRecord } from './position.js';
import type { Tables } from './tables.js';
import type { TradeSide } from './terms.js';

/**
 * Money and positions of the accounts, and the holds of open orders on both. Sums over open orders are kept up to date
 * order by order, so that no question walks through them.
 */
export class Ledger {
  readonly #positions = new Map<bigint, Map<string, PositionRecord>>();
  readonly #open = new Map<bigint, OpenSums>();

  constructor(
    tables: Pick<Tables, 'positions'>,
    readonly money: CashLedger,
    /** Units of a position that may not be sold today. */
    private readonly locked: (position: PositionRecord) => bigint,
  ) {
    for (const account of accounts) {
      this.#positions.set(account.id, new Map());
      this.#open.set(account.id, { orders: 0, frozen: new Map(), margin: new Map(), working: new Map() });
    }
    for (const [, position] of tables.positions.entries()) this.setPosition(position);
  }

  /** Cash for trading: settled money and the amounts of trades that are still to settle. */
  cash(account: Account, currency: Currency): Decimal {
    return this.money.balances(account.id, currency).cash;
  }

  position(accId: bigint, symbol: string): PositionRecord | undefined {
    return this.#positions.get(accId)?.get(symbol);
  }

  /** Flat ones of the past too. */
  positions(account: Account): Iterable<PositionRecord> {
    return this.#positions.get(account.id)?.values() ?? [];
  }

  setPosition(position: PositionRecord): void {
    this.#positions.get(position.accId)?.set(position.symbol, position);
  }

  /** Cash of a currency that open buy orders hold. */
  frozen(account: Account, currency: Currency): Decimal {
    return this.#open.get(account.id)?.frozen.get(currency) ?? 0n;
  }

  /** Margin in a currency that open orders hold. */
  reservedMargin(account: Account, currency: Currency): Decimal {
    return this.#open.get(account.id)?.margin.get(currency) ?? 0n;
  }

  /** Units that open orders of a side still have to trade. */
  working(accId: bigint, symbol: string, side: TradeSide): bigint {
    return this.#open.get(accId)?.working.get(`${symbol}/${side}`) ?? 0n;
  }

  /** How many orders of an account are open. */
  openOrders(account: Account): number {
    return this.#open.get(account.id)?.orders ?? 0;
  }

  /** Units of a long position that may be sold today and that no open order is selling. */
  sellable(accId: bigint, symbol: string): bigint {
    const position = this.position(accId, symbol);
    if (position === undefined) return 0n;
    return atLeastZero(position.quantity - this.locked(position) - this.working(accId, symbol, 'sell'));
  }

  /** Units of a long position that may not be sold today: bought today where the market holds such until the next day. */
  lockedToday(accId: bigint, symbol: string): bigint {
    const position = this.position(accId, symbol);
    return position === undefined || position.quantity <= 0n ? 0n : this.locked(position);
  }

  /** Units of a short position that no open order is buying back. */
  coverable(accId: bigint, symbol: string): bigint {
    const held = this.position(accId, symbol)?.quantity ?? 0n;
    return atLeastZero(-held - this.working(accId, symbol, 'buy') - this.working(accId, symbol, 'buy_back'));
  }

  /** Sellable quantity of a position list: below zero for the buy-back of a short position; all of a futures position. */
  canSell(account: Account, symbol: string): bigint {
    const held = this.position(account.id, symbol)?.quantity ?? 0n;
    if (account.trades === 'futures') return held;
    return held < 0n ? -this.coverable(account.id, symbol) : this.sellable(account.id, symbol);
  }

  /** Moves the sums from what an order held (undefined: it is new) to what it holds now (undefined: leave it out). */
  replaceOrder(before: OrderRecord | undefined, after: OrderRecord | undefined): void {
    if (before !== undefined && after !== undefined && holdsTheSame(before, after)) return;
    if (before !== undefined) this.#addOrder(before, -1);
    if (after !== undefined) this.#addOrder(after, 1);
  }

  #addOrder(order: OrderRecord, sign: 1 | -1): void {
    if (!isOpen(order.status)) return;
    const sums = this.#open.get(order.accId);
    if (sums === undefined) throw new Error(`no account ${order.accId}`);
    sums.orders += sign;
    for (const leg of order.legs) add(sums.working, `${leg.symbol}/${leg.side}`, signed(sign, legRemaining(order, leg)));
    add(sums.frozen, order.currency, signed(sign, frozenCash(order)));
    add(sums.margin, order.currency, signed(sign, reservedMargin(order)));
  }
}

/** Sums over the open orders of an account. */
interface OpenSums {
  orders: number;
  /** By currency. */
  readonly frozen: Map<string, Decimal>;
  readonly margin: Map<string, Decimal>;
  /** By "symbol/side". */
  readonly working: Map<string, bigint>;
}

/** An order that only moved on from one open state to another. */
function holdsTheSame(before: OrderRecord, after: OrderRecord): boolean {
  return (
    before.legs === after.legs &&
    before.quantity === after.quantity &&
    before.feeReserve === after.feeReserve &&
    isOpen(before.status) === isOpen(after.status)
  );
}

function signed(sign: 1 | -1, amount: bigint): bigint {
  return sign === 1 ? amount : -amount;
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  if (amount === 0n) return;
  const sum = (sums.get(key) ?? 0n) + amount;
  if (sum === 0n) sums.delete(key);
  else sums.set(key, sum);
}
