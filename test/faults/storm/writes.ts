import { BUY, HK, HK_CASH, HK_MARGIN, MARKET, NORMAL, SELL } from '../../support/accounts.js';

/** The simulated account for Shanghai and Shenzhen. */
export const CN_CASH = '281756478396547004';
const CN = 3;

/** An order as no interface spells it. Numbers are REST's, and the public protocol's where they agree. */
export interface OrderTerms {
  readonly account: string;
  readonly trdMarket: number;
  /** Quote market's name: the prefix of the symbol. */
  readonly market: 'HK' | 'SH' | 'SZ';
  /** Trd_Common.TrdSecMarket. */
  readonly secMarket: number;
  readonly code: string;
  readonly side: number;
  readonly type: number;
  readonly qty: number;
  /** Absent for market orders. */
  readonly price?: number;
  /** Combo orders only: the code of each leg, bought one for one. `code` is the first. */
  readonly legs?: readonly string[];
  /** Bracket orders only. */
  readonly bracket?: { readonly takeProfit: number; readonly stopLoss: number };
}

interface Common {
  /** Unique in a storm: remark and idempotency key. */
  readonly name: string;
  /** Sent with an idempotency key. Core TCP always has one: the packet id. */
  readonly keyed: boolean;
  /** Index of the interface's spelling. */
  readonly spelling: number;
}

export interface Placing extends Common {
  readonly kind: 'place';
  readonly terms: OrderTerms;
}

/** An order that a client has been told is accepted. */
export interface KnownOrder {
  readonly orderId: string;
  readonly orderIdEx: string;
  readonly terms: OrderTerms;
}

export interface Changing extends Common {
  readonly kind: 'modify' | 'cancel';
  readonly order: KnownOrder;
  /** Modify only. */
  readonly qty: number;
}

export type Write = Placing | Changing;

/** Far below the market: such an order rests until it is cancelled. */
export const RESTING_PRICE = 20;
export const RESTING_QTY = 400;
export const MODIFIED_QTY = 800;

const hsbc = { account: HK_CASH, trdMarket: HK, market: 'HK', secMarket: 1, code: '00005', qty: RESTING_QTY } as const;
const resting: OrderTerms = { ...hsbc, side: BUY, type: NORMAL, price: RESTING_PRICE };
const pair: OrderTerms = { ...resting, legs: ['00005', '00700'] };
const buying: OrderTerms = { ...hsbc, side: BUY, type: MARKET };
const selling: OrderTerms = { ...hsbc, side: SELL, type: MARKET };
/** Brackets whose entry fills at the market, fills by its limit, and rests: the price is far above 20 and far below 190. */
const entry: OrderTerms = { ...hsbc, account: HK_MARGIN, side: BUY, type: MARKET };
const brackets: readonly OrderTerms[] = [
  { ...entry, bracket: { takeProfit: 200, stopLoss: 25 } },
  { ...entry, type: NORMAL, price: 190, bracket: { takeProfit: 200, stopLoss: 25 } },
  { ...entry, type: NORMAL, price: RESTING_PRICE, bracket: { takeProfit: 200, stopLoss: 10 } },
];
const chinese = { account: CN_CASH, trdMarket: CN, side: BUY, type: NORMAL, qty: 100 } as const;
const shenzhen: OrderTerms = { ...chinese, market: 'SZ', secMarket: 32, code: '000001', price: 5 };
const shanghai: OrderTerms = { ...chinese, market: 'SH', secMarket: 31, code: '600519', price: 500 };

/**
 * Kinds of writes that a client may place: anything, anything but brackets, or resting orders, whose value is exact, for keys
 * whose caps are counted.
 */
export type Choice = 'anything' | 'no brackets' | 'resting';

/** One client's writes, drawn from a seed: placements of every kind in every spelling, and changes of its known resting orders. */
export class WriteSource {
  readonly #known: KnownOrder[] = [];
  #count = 0;

  constructor(
    private readonly prefix: string,
    private readonly random: () => number,
    private readonly choice: Choice,
  ) {}

  next(): Write {
    this.#count += 1;
    const common = { name: `${this.prefix}-${this.#count}`, keyed: this.random() < 0.7, spelling: Math.floor(this.random() * 1000) };
    const pick = this.random();
    if (this.#known.length > 0 && pick < 0.35) {
      const [order] = this.#known.splice(Math.floor(this.random() * this.#known.length), 1) as [KnownOrder];
      return { ...common, kind: pick < 0.2 ? 'cancel' : 'modify', order, qty: MODIFIED_QTY };
    }
    return { ...common, kind: 'place', terms: this.#terms() };
  }

  /** An order that rests may be changed later. */
  accepted({ terms }: Placing, orderId: string, orderIdEx: string): void {
    if (terms === resting || terms === pair) this.#known.push({ orderId, orderIdEx, terms });
  }

  #terms(): OrderTerms {
    if (this.choice === 'resting') return resting;
    if (this.choice === 'anything' && this.random() < 0.25) return brackets[Math.floor(this.random() * brackets.length)] as OrderTerms;
    const pick = this.random();
    if (pick < 0.25) return buying;
    if (pick < 0.4) return selling;
    if (pick < 0.55) return shenzhen;
    if (pick < 0.65) return shanghai;
    return pick < 0.78 ? pair : resting;
  }
}
