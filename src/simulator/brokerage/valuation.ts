import type { Decimal } from '../../contract/decimal.js';
import type { Currency } from '../../contract/markets.js';
import type { Market } from '../market/market.js';
import type { Instrument, World } from '../world/index.js';
import { type Account, currenciesOf } from './account.js';
import type { ExchangeRates } from './exchange-rates.js';
import type { Ledger } from './ledger.js';
import { initialMargin, maintenanceMargin, marginCallMargin, unitValue } from './margin.js';
import type { PositionRecord } from './position.js';

/** What an account is worth now, every figure in one currency. */
export interface Valuation {
  readonly currency: Currency;
  readonly cash: Decimal;
  readonly frozenCash: Decimal;
  /** Market value of long, and of short positions (not above zero); securities only. */
  readonly longValue: Decimal;
  readonly shortValue: Decimal;
  readonly unrealised: Decimal;
  readonly realised: Decimal;
  /** Cash and securities, or cash and open profit of futures. */
  readonly netAssets: Decimal;
  readonly initialMargin: Decimal;
  readonly maintenanceMargin: Decimal;
  readonly marginCallMargin: Decimal;
  /** Margin that open orders hold. */
  readonly reservedMargin: Decimal;
}

/** One open position at the market's last price, in the instrument's currency. */
export interface PositionValue {
  readonly instrument: Instrument;
  readonly position: PositionRecord;
  readonly price: Decimal;
  /** quantity × price × multiplier; below zero for a short position. */
  readonly value: Decimal;
  readonly unrealised: Decimal;
}

/** Values accounts at the market's current prices. */
export class Valuer {
  constructor(
    private readonly world: World,
    private readonly market: Market,
    private readonly ledger: Ledger,
    readonly rates: ExchangeRates,
  ) {}

  value(position: PositionRecord): PositionValue {
    const instrument = this.world.instrument(position.symbol);
    if (instrument === undefined) throw new Error(`position in ${position.symbol}, which the world does not know`);
    const price = this.market.quote(instrument).last;
    const value = unitValue(instrument, price) * position.quantity;
    return { instrument, position, price, value, unrealised: position.quantity < 0n ? value + position.cost : value - position.cost };
  }

  valuation(account: Account, currency: Currency): Valuation {
    const sums = {
      longValue: 0n,
      shortValue: 0n,
      unrealised: 0n,
      realised: 0n,
      initialMargin: 0n,
      maintenanceMargin: 0n,
      marginCallMargin: 0n,
    };
    for (const position of this.ledger.positions(account)) {
      if (position.quantity === 0n && position.realised === 0n) continue;
      const { instrument, value, unrealised } = this.value(position);
      const add = (key: keyof typeof sums, amount: Decimal): void => {
        sums[key] += this.rates.convert(amount, instrument.currency, currency);
      };
      const direction = value < 0n ? 'short' : 'long';
      const size = value < 0n ? -value : value;
      add(direction === 'short' ? 'shortValue' : 'longValue', value);
      add('unrealised', unrealised);
      add('realised', position.realised);
      add('initialMargin', initialMargin(instrument, direction, size));
      add('maintenanceMargin', maintenanceMargin(instrument, direction, size));
      add('marginCallMargin', marginCallMargin(instrument, direction, size));
    }
    let cash = 0n;
    let frozenCash = 0n;
    let reservedMargin = 0n;
    for (const held of currenciesOf(account)) {
      cash += this.rates.convert(this.ledger.cash(account, held), held, currency);
      frozenCash += this.rates.convert(this.ledger.frozen(account, held), held, currency);
      reservedMargin += this.rates.convert(this.ledger.reservedMargin(account, held), held, currency);
    }
    const isFutures = account.trades === 'futures';
    const netAssets = isFutures ? cash + sums.unrealised : cash + sums.longValue + sums.shortValue;
    const shown = isFutures ? { ...sums, longValue: 0n, shortValue: 0n } : sums;
    return { currency, cash, frozenCash, ...shown, netAssets, reservedMargin };
  }

  /** What open orders and positions leave for new ones: cash of a cash account in one currency, else margin of all of it. */
  free(account: Account, currency: Currency): Decimal {
    if (account.type === 'cash') return this.ledger.cash(account, currency) - this.ledger.frozen(account, currency);
    const { netAssets, initialMargin: margin, reservedMargin } = this.valuation(account, currency);
    return netAssets - margin - reservedMargin;
  }
}
