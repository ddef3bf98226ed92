import type { Decimal } from '@svc-gateway/contract/decimal';
import type { PriceContext } from '@svc-gateway/contract/generated/svc/account_yield_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import { addDays } from '@svc-gateway/contract/time';
import type { Account } from '../../brokerage/account.js';
import { sharesDelivered } from '../../brokerage/clearing/expire-contracts.js';
import { ExchangeRates } from '../../brokerage/exchange-rates.js';
import { unitValue } from '../../brokerage/margin.js';
import { type FillRecord, isBuying } from '../../brokerage/order.js';
import type { ShareSplit } from '../../companies/corporate-actions.js';
import type { Cause, LedgerTransaction } from '../../ledger/index.js';
import { Turn } from '../../pace.js';
import type { Facts } from '../../view/facts.js';
import { priceAt } from '../../view/past-prices.js';
import { type Instrument, tradedOn } from '../../world/index.js';
import type { Option } from '../../world/instrument.js';

type Named = Facts<'clock' | 'world' | 'market' | 'brokerage'>;

/** Net assets of an account at a moment (epoch ms), in one currency. */
export interface AssetPoint {
  readonly time: number;
  readonly assets: Decimal;
}

/** Money that came into an account, or left it, from outside. `assets`: just before it. */
export interface ExternalFlow extends AssetPoint {
  readonly amount: Decimal;
}

interface AssetsHistory {
  /** One per requested moment, in the same order. */
  readonly points: readonly AssetPoint[];
  /** Flows up to the last point, in order of time. The first opened the account. */
  readonly flows: readonly ExternalFlow[];
}

/** Units held of one symbol. */
interface Holding {
  readonly instrument: Instrument;
  quantity: bigint;
  /** Futures only: value of the units when last traded or marked, negative for short ones. */
  carried: Decimal;
  /** Continuous contracts only: trading day up to whose close they have been rolled. */
  rolledOn: string;
}

/** Effect of a transaction on the units held, apart from fills. */
const effects: Readonly<Record<Cause, 'none' | 'split' | 'ends' | 'exercised' | 'undone'>> = {
  opening: 'none',
  fill: 'none',
  bust: 'undone',
  settlement: 'none',
  payment: 'none',
  dividend: 'none',
  rights: 'none',
  interest: 'none',
  interest_charge: 'none',
  mark_to_market: 'none',
  split: 'split',
  expiry: 'ends',
  exercise: 'exercised',
  assignment: 'exercised',
};

/**
 * Net assets of an account at past moments, recomputed from its fills and ledger entries at the prices of those moments: equal to
 * `Valuation.netAssets` back then.
 *
 * @param times epoch ms, ascending. Events at a moment itself count after it.
 */
export async function assetsHistory(
  facts: Named,
  account: Account,
  currency: Currency,
  times: readonly number[],
  context: PriceContext,
): Promise<AssetsHistory> {
  const replay = new Replay(facts, account, currency, context);
  const turn = new Turn();
  const points: AssetPoint[] = [];
  const flows: ExternalFlow[] = [];
  const until = times.at(-1) ?? 0;
  const catchUp = async (time: number): Promise<void> => {
    for (let next = times[points.length]; next !== undefined && next <= time; next = times[points.length]) {
      points.push({ time: next, assets: await replay.assets(next, turn) });
    }
  };
  for await (const event of eventsOf(facts, account, until)) {
    await catchUp(event.time);
    if ('entries' in event && event.cause === 'opening') {
      const before = await replay.assets(event.time, turn);
      replay.book(event);
      flows.push({ time: event.time, assets: before, amount: replay.moneyOf(event) });
    } else if ('entries' in event) replay.book(event);
    else replay.fill(event);
    const pause = turn.pause();
    if (pause !== undefined) await pause;
  }
  await catchUp(until);
  return { points, flows };
}

/** Fills and transactions before a moment in the order in which they happened: a fill comes before its transaction. */
async function* eventsOf({ brokerage }: Named, account: Account, until: number): AsyncIterable<FillRecord | LedgerTransaction> {
  const { records } = brokerage;
  const fills = records.fillsBetween(account.id, 0, until)[Symbol.asyncIterator]();
  let fill = await fills.next();
  for await (const transaction of records.money.transactions(account.id, 0, until)) {
    while (!fill.done && isBefore(fill.value, transaction)) {
      yield fill.value;
      fill = await fills.next();
    }
    yield transaction;
  }
  while (!fill.done) {
    yield fill.value;
    fill = await fills.next();
  }
}

function isBefore(fill: FillRecord, { time, id }: LedgerTransaction): boolean {
  return fill.time < time || (fill.time === time && fill.id <= id);
}

/** The account as it was, event by event. */
class Replay {
  readonly #cash = new Map<Currency, Decimal>();
  readonly #holdings = new Map<string, Holding>();
  /** "symbol day" → splits that have been booked. */
  readonly #splits = new Map<string, number>();
  /** Options that have ended and whose shares come next. */
  #exercised: { readonly option: Option; readonly quantity: bigint } | undefined;

  constructor(
    private readonly facts: Named,
    private readonly account: Account,
    private readonly currency: Currency,
    private readonly context: PriceContext,
  ) {}

  fill({ symbol, side, quantity, price, time }: FillRecord): void {
    const holding = this.#holding(symbol, time);
    if (holding === undefined) return;
    this.#roll(holding, time);
    const signed = isBuying(side) ? quantity : -quantity;
    holding.quantity += signed;
    holding.carried += unitValue(holding.instrument, price) * signed;
  }

  book(transaction: LedgerTransaction): void {
    const { cause, symbol, time, entries } = transaction;
    const holding = symbol === '' ? undefined : this.#holding(symbol, time);
    if (holding !== undefined) this.#roll(holding, time);
    for (const { balance, kind, currency, amount } of entries) {
      if (balance !== 'settled' && balance !== 'unsettled' && balance !== 'dividends') continue;
      this.#cash.set(currency, (this.#cash.get(currency) ?? 0n) + amount);
      // A payment on futures becomes their carried value.
      if (holding !== undefined && (kind === 'trade' || kind === 'variation_margin')) holding.carried += amount;
    }
    if (holding === undefined) return;
    if (effects[cause] === 'split') this.#split(holding, transaction);
    if (effects[cause] === 'exercised') this.#exercise(holding, time);
    if (effects[cause] === 'undone') this.#undo(holding, transaction);
    if (effects[cause] === 'ends') {
      holding.quantity = 0n;
      holding.carried = 0n;
    }
  }

  /** Units that an order had traded are given back; of futures, at what they were paid for. */
  #undo(holding: Holding, { symbol, orderId }: LedgerTransaction): void {
    for (const leg of this.facts.brokerage.order(orderId)?.legs ?? []) {
      if (leg.symbol !== symbol) continue;
      const value = unitValue(holding.instrument, leg.filledValue);
      holding.quantity -= isBuying(leg.side) ? leg.filledQuantity : -leg.filledQuantity;
      holding.carried -= isBuying(leg.side) ? value : -value;
    }
  }

  /** Options end with a transaction, and the next one of the same cause delivers their shares. */
  #exercise(holding: Holding, time: number): void {
    const { instrument, quantity } = holding;
    if (instrument.kind === 'option') {
      this.#exercised = { option: instrument, quantity };
      holding.quantity = 0n;
      return;
    }
    if (this.#exercised === undefined) return;
    const { option, quantity: contracts } = this.#exercised;
    this.#exercised = undefined;
    const day = this.facts.world.calendar(option).tradingDay(time - 1);
    const size = contracts < 0n ? -contracts : contracts;
    const [numerator, denominator] = sharesDelivered(option, size, day, this.facts.brokerage.corporateActions);
    const buys = (option.option.right === 'call') === contracts > 0n;
    holding.quantity += (buys ? numerator : -numerator) / denominator;
  }

  /** Money of a transaction, in the currency asked for, at the rates of its time. */
  moneyOf({ time, entries }: LedgerTransaction): Decimal {
    const rates = this.#ratesAt(time);
    return entries.reduce((sum, { amount, currency }) => sum + rates.convert(amount, currency, this.currency), 0n);
  }

  async assets(time: number, turn: Turn): Promise<Decimal> {
    const rates = this.#ratesAt(time);
    let sum = 0n;
    for (const [currency, amount] of this.#cash) sum += rates.convert(amount, currency, this.currency);
    for (const holding of this.#holdings.values()) {
      const { instrument, quantity } = holding;
      if (quantity === 0n) continue;
      this.#roll(holding, time);
      const value = unitValue(instrument, priceAt(this.facts, instrument, time, this.context)) * quantity;
      const counted = this.account.trades === 'futures' ? value - holding.carried : value;
      sum += rates.convert(counted, instrument.currency, this.currency);
      const pause = turn.pause();
      if (pause !== undefined) await pause;
    }
    return sum;
  }

  #ratesAt(time: number): ExchangeRates {
    const { world } = this.facts;
    return new ExchangeRates(world, (pair) => priceAt(this.facts, pair, time, this.context));
  }

  /** Undefined where the world has the symbol no more. */
  #holding(symbol: string, time: number): Holding | undefined {
    const known = this.#holdings.get(symbol);
    if (known !== undefined) return known;
    const instrument = this.facts.world.instrument(symbol);
    if (instrument === undefined) return undefined;
    const holding = { instrument, quantity: 0n, carried: 0n, rolledOn: this.#dayBefore(instrument, time) };
    this.#holdings.set(symbol, holding);
    return holding;
  }

  /** Takes a continuous contract over the closes at which it went over to its next one: what it stands at moves with the price. */
  #roll(holding: Holding, time: number): void {
    const { instrument, quantity } = holding;
    if (instrument.kind !== 'future') return;
    if (quantity === 0n) {
      holding.rolledOn = this.#dayBefore(instrument, time);
      return;
    }
    const calendar = this.facts.world.calendar(instrument);
    for (;;) {
      const day = calendar.nextTradingDay(holding.rolledOn);
      const close = calendar.sessions(day).at(-1)?.end ?? Number.POSITIVE_INFINITY;
      if (close >= time) return;
      holding.rolledOn = day;
      const [from, to] = [tradedOn(instrument, day), tradedOn(instrument, calendar.nextTradingDay(day))];
      if (from === to) continue;
      const value = (contract: Instrument) => unitValue(instrument, this.#close(contract, close));
      holding.carried += (value(to) - value(from)) * quantity;
    }
  }

  /** The last trading day that had closed at a moment. */
  #dayBefore(instrument: Instrument, time: number): string {
    const calendar = this.facts.world.calendar(instrument);
    return calendar.previousTradingDay(calendar.tradingDay(time));
  }

  #close(contract: Instrument, end: number): Decimal {
    const { market } = this.facts;
    const [bar] = market.bars(contract, { unit: 'day' }, { to: end, limit: 1 });
    return bar?.close ?? market.quote(contract).last;
  }

  /** The next of the day's splits, as the brokerage booked them one by one. */
  #split(holding: Holding, { symbol, entries }: LedgerTransaction): void {
    const day = entries[0]?.day ?? '';
    const calendar = this.facts.world.calendar(holding.instrument);
    const from = addDays(calendar.previousTradingDay(day), 1);
    const actions = this.facts.brokerage.corporateActions.corporateActions(symbol, from, day);
    const splits = actions.filter((action): action is ShareSplit => action.kind === 'split' || action.kind === 'bonus');
    const key = `${symbol} ${day}`;
    const index = this.#splits.get(key) ?? 0;
    this.#splits.set(key, index + 1);
    const ratio = splits[index]?.ratio;
    if (ratio !== undefined) holding.quantity = (holding.quantity * ratio[0]) / ratio[1];
  }
}
