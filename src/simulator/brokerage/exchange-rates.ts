import { DECIMAL_ONE, type Decimal, divide, multiply } from '../../contract/decimal.js';
import type { Currency } from '../../contract/markets.js';
import type { Instrument, World } from '../world/index.js';
import { currencies } from './terms.js';

/** Conversion between currencies, at the prices of USDHKD, USDCNH and so on. */
export class ExchangeRates {
  constructor(
    private readonly world: World,
    /** Of a currency pair: the market's current quote, or that of another moment. */
    private readonly price: (pair: Instrument) => Decimal,
  ) {}

  convert(amount: Decimal, from: Currency, to: Currency): Decimal {
    if (from === to || amount === 0n) return amount;
    return divide(multiply(amount, this.#perDollar(to)), this.#perDollar(from));
  }

  /** Units of `to` for one of `from`; undefined where the brokerage does not know one of them. */
  rate(from: string, to: string): Decimal | undefined {
    return currencies.isWord(from) && currencies.isWord(to) ? this.convert(DECIMAL_ONE, from, to) : undefined;
  }

  #perDollar(currency: Currency): Decimal {
    if (currency === 'USD') return DECIMAL_ONE;
    // The one whose pair names the dollar last.
    if (currency === 'AUD') return divide(DECIMAL_ONE, this.#quote('AUDUSD'));
    return this.#quote(`USD${currency}`);
  }

  #quote(code: string): Decimal {
    const pair = this.world.instrument(`FX.${code}`);
    if (pair === undefined) throw new Error(`the world quotes no ${code}`);
    return this.price(pair);
  }
}
