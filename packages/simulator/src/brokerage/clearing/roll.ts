import type { Decimal } from '@svc-gateway/contract/decimal';
import type { LedgerTransaction } from '../../ledger/index.js';
import type { Market } from '../../market/simulated-market.js';
import type { Calendar } from '../../world/calendar.js';
import type { Instrument, World } from '../../world/index.js';
import { type Account, accounts } from '../account.js';
import type { PositionRecord } from '../position.js';
import type { Change, Records } from '../records.js';
import type { DayMoment } from './moments.js';

/** A position that is not flat. */
export interface Holding {
  readonly account: Account;
  readonly instrument: Instrument;
  readonly position: PositionRecord;
}

/** Ends every open order in a security, or those that one account has, as part of a change. */
export type EndOrders = (change: Change, symbol: string, why: string, of?: Account) => void;

/** One moment of one calendar being booked, as one change. */
export class Roll {
  constructor(
    private readonly world: World,
    private readonly market: Market,
    readonly records: Records,
    readonly change: Change,
    readonly calendar: Calendar,
    readonly moment: DayMoment,
  ) {}

  get day(): string {
    return this.moment.day;
  }

  /** Instrument that trades by the calendar; undefined for all others, delisted ones included. */
  instrument(symbol: string): Instrument | undefined {
    const instrument = this.world.instrument(symbol);
    return instrument?.calendar === this.calendar.name ? instrument : undefined;
  }

  /** Holdings of instruments that trade by the calendar. */
  *holdings(): Iterable<Holding> {
    for (const account of accounts) {
      for (const position of [...this.records.ledger.positions(account)]) {
        if (position.quantity === 0n) continue;
        const instrument = this.instrument(position.symbol);
        if (instrument !== undefined) yield { account, instrument, position };
      }
    }
  }

  /** Symbols that trade by the calendar and have open orders. */
  orderedSymbols(): ReadonlySet<string> {
    const symbols = new Set<string>();
    for (const account of accounts) {
      for (const { legs } of this.records.openOrders(account)) for (const { symbol } of legs) symbols.add(symbol);
    }
    return new Set([...symbols].filter((symbol) => this.instrument(symbol) !== undefined));
  }

  /** The closing price of a trading day that is over: the settlement price of futures. */
  closingPrice(instrument: Instrument, day: string): Decimal {
    const end = this.calendar.sessions(day).at(-1)?.end ?? this.moment.time;
    const [bar] = this.market.bars(instrument, { unit: 'day' }, { to: end, limit: 1 });
    return bar?.close ?? this.market.quote(instrument).last;
  }

  /** The price at which a contract that has expired is settled. */
  settlementPrice(contract: Instrument): Decimal {
    return this.market.settlementPrice(contract);
  }

  /** Whether a contract is traded no more after this day: it has expired, or was called. */
  isOver(instrument: Instrument): boolean {
    if (instrument.kind === 'warrant' && this.market.isCalled(instrument)) return true;
    return instrument.lastTradingDay !== undefined && instrument.lastTradingDay <= this.day;
  }

  /** The closing price of the trading day before. */
  closeBefore(instrument: Instrument): Decimal {
    return this.closingPrice(instrument, this.calendar.previousTradingDay(this.day));
  }

  /** Books a transaction of this moment; nothing where it has no entries. */
  book(account: { readonly id: bigint }, transaction: Pick<LedgerTransaction, 'cause' | 'symbol' | 'remark' | 'entries'>): void {
    if (transaction.entries.length === 0) return;
    const { time } = this.moment;
    this.records.book(this.change, { ...transaction, id: this.records.nextId(time), accId: account.id, time, orderId: 0n });
  }
}
