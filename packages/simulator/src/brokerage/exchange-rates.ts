import { DECIMAL_ONE, type Decimal, divide, multiply } from '@svc-gateway/contract/decimal';
import type { Instrument, World } from '../world/index.js';
import { currencies } from './terms.js';

/** Conversion between currencies, at the prices of USDHKD, USDCNH and so on. */
export class ExchangeRates {
  constructor(
    private readonly world: World,
    /** Price of a currency pair: the market's current quote, or that of another moment. */
    private readonly price: (pair: Instrument) => Decimal,
  ) {}

  /** Converts between currencies that each have a pair with the dollar. */
  convert(amount: Decimal, from: string, to: string): Decimal {
    if (from === to || amount === 0n) return amount;
    return divide(multiply(amount, this.#perDollar(to)), this.#perDollar(from));
  }

  /** Units of `to` for one of `from`; undefined where the brokerage does not know one of them. */
  rate(from: string, to: string): Decimal | undefined {
    return currencies.isWord(from) && currencies.isWord(to) ? this.convert(DECIMAL_ONE, from, to) : undefined;
  }

  #perDollar(currency: string): Decimal {
    if (currency === 'USD') return DECIMAL_ONE;
    // Some pairs name the dollar last: AUDUSD.
    const last = this.world.instrument(`FX.${currency}USD`);
    if (last !== undefined) return divide(DECIMAL_ONE, this.price(last));
    const first = this.world.instrument(`FX.USD${currency}`);
    if (first === undefined) throw new Error(`the world quotes no dollar in ${currency}`);
    return this.price(first);
  }
}
