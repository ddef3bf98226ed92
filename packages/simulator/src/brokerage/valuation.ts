import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Currency } from '@svc-gateway/contract/markets';
import type { Market } from '../market/simulated-market.js';
import type { Instrument, World } from '../world/index.js';
import { type Account, currenciesOf } from './account.js';
import type { ExchangeRates } from './exchange-rates.js';
import type { Ledger } from './ledger.js';
import { initialMargin, maintenanceMargin, marginCallMargin, unitValue } from './margin.js';
import { nakedMargin, type OptionHolding, optionMargin, type Underlying } from './option-margin.js';
import type { PositionRecord } from './position.js';
import { known } from './resolve.js';

/** Value of an account now, every figure in one currency. */
export interface Valuation {
  readonly currency: Currency;
  /** Settled, and what trades will bring or take on their settlement days. */
  readonly cash: Decimal;
  readonly frozenCash: Decimal;
  /** Money that could be withdrawn without a later settlement failing, before holds of orders. Below zero where money is owed. */
  readonly withdrawable: Decimal;
  /** Settled money below zero, as it bears interest: not below zero here. */
  readonly debt: Decimal;
  /** Entitled to and not paid yet. */
  readonly dividends: Decimal;
  /** Market value of long, and of short positions (not above zero); securities only. */
  readonly longValue: Decimal;
  readonly shortValue: Decimal;
  /** Gain of open positions over their cost. */
  readonly unrealised: Decimal;
  /** Realised profit of everything ever closed, before fees. */
  readonly realised: Decimal;
  /** Cash, dividends to come and securities, or cash and what futures have gained since they were last marked. */
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
    const instrument = known(this.world, position.symbol);
    const price = this.market.quote(instrument).last;
    const value = unitValue(instrument, price) * position.quantity;
    return { instrument, position, price, value, unrealised: gainOver(position.cost, position.quantity, value) };
  }

  /** Initial margin of one unit worth `value` that is opened by selling; of an option, as if nothing covered it. */
  shortMargin(instrument: Instrument, value: Decimal): Decimal {
    return instrument.kind === 'option'
      ? nakedMargin(instrument, this.#underlying(instrument.option.underlying, 0n))
      : initialMargin(instrument, 'short', value);
  }

  /** Margin of sold options together with their cover, by underlying. */
  #soldOptionsMargin(account: Account, currency: Currency): Decimal {
    let byUnderlying: Map<string, OptionHolding[]> | undefined;
    let anySold = false;
    for (const position of this.ledger.positions(account)) {
      if (position.quantity === 0n) continue;
      const option = this.world.instrument(position.symbol);
      if (option?.kind !== 'option') continue;
      anySold ||= position.quantity < 0n;
      const { underlying } = option.option;
      byUnderlying ??= new Map();
      const holdings = byUnderlying.get(underlying) ?? [];
      holdings.push({ option, quantity: position.quantity });
      byUnderlying.set(underlying, holdings);
    }
    if (!anySold || byUnderlying === undefined) return 0n;
    let sum = 0n;
    for (const [symbol, holdings] of byUnderlying) {
      const underlying = this.#underlying(symbol, this.ledger.position(account.id, symbol)?.quantity ?? 0n);
      sum += this.rates.convert(optionMargin(holdings, underlying), holdings[0]?.option.currency ?? currency, currency);
    }
    return sum;
  }

  #underlying(symbol: string, held: bigint): Underlying {
    const instrument = known(this.world, symbol);
    return { instrument, price: this.market.quote(instrument).last, held };
  }

  valuation(account: Account, currency: Currency): Valuation {
    const sums = {
      longValue: 0n,
      shortValue: 0n,
      unrealised: 0n,
      unmarked: 0n,
      initialMargin: 0n,
      maintenanceMargin: 0n,
      marginCallMargin: 0n,
    };
    for (const position of this.ledger.positions(account)) {
      if (position.quantity === 0n) continue;
      const { instrument, value, unrealised } = this.value(position);
      const add = (key: keyof typeof sums, amount: Decimal): void => {
        sums[key] += this.rates.convert(amount, instrument.currency, currency);
      };
      const direction = value < 0n ? 'short' : 'long';
      const size = value < 0n ? -value : value;
      add(direction === 'short' ? 'shortValue' : 'longValue', value);
      add('unrealised', unrealised);
      add('unmarked', gainOver(position.carried ?? position.cost, position.quantity, value));
      if (isSoldOption(instrument, position)) continue;
      add('initialMargin', initialMargin(instrument, direction, size));
      add('maintenanceMargin', maintenanceMargin(instrument, direction, size));
      add('marginCallMargin', marginCallMargin(instrument, direction, size));
    }
    const options = this.#soldOptionsMargin(account, currency);
    sums.initialMargin += options;
    sums.maintenanceMargin += options;
    sums.marginCallMargin += options;
    const money = { cash: 0n, frozenCash: 0n, reservedMargin: 0n, withdrawable: 0n, debt: 0n, dividends: 0n, realised: 0n };
    for (const held of currenciesOf(account)) {
      const add = (key: keyof typeof money, amount: Decimal): void => {
        money[key] += this.rates.convert(amount, held, currency);
      };
      const { cash, withdrawable, settled, dividends, realised } = this.ledger.money.balances(account.id, held);
      add('cash', cash);
      add('withdrawable', withdrawable);
      add('debt', settled < 0n ? -settled : 0n);
      add('dividends', dividends);
      add('realised', realised);
      add('frozenCash', this.ledger.frozen(account, held));
      add('reservedMargin', this.ledger.reservedMargin(account, held));
    }
    const { unmarked, ...shown } = sums;
    if (account.trades === 'futures') {
      return { currency, ...money, ...shown, longValue: 0n, shortValue: 0n, netAssets: money.cash + unmarked };
    }
    return { currency, ...money, ...shown, netAssets: money.cash + money.dividends + sums.longValue + sums.shortValue };
  }

  /** Buying power left by open orders and positions: cash of a cash account in one currency, else margin of all of it. */
  free(account: Account, currency: Currency): Decimal {
    if (account.type === 'cash') return this.ledger.cash(account, currency) - this.ledger.frozen(account, currency);
    return freeMargin(this.valuation(account, currency));
  }
}

/** Its margin depends on what else the account holds. */
function isSoldOption({ kind }: Instrument, { quantity }: PositionRecord): boolean {
  return kind === 'option' && quantity < 0n;
}

/** Unused margin. Dividends count once they are paid; those owed by a short position at once. */
export function freeMargin({ netAssets, dividends, initialMargin: margin, reservedMargin }: Valuation): Decimal {
  const toCome = dividends > 0n ? dividends : 0n;
  return netAssets - toCome - margin - reservedMargin;
}

/** Gain of a position (`value` below zero for a short one) over its previous value. */
function gainOver(before: Decimal, quantity: bigint, value: Decimal): Decimal {
  return quantity < 0n ? value + before : value - before;
}
