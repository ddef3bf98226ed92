import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { type Decimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { type C2S as ModifyC2S, C2SSchema as ModifySchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { type C2S as PlaceC2S, C2SSchema as PlaceSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { type Brokerage, createBrokerage } from '@svc-gateway/simulator/brokerage';
import type { Account } from '@svc-gateway/simulator/brokerage/account';
import { Refusal } from '@svc-gateway/simulator/refusal';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import { type CalendarMode, createWorld, type Instrument } from '@svc-gateway/simulator/world';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { modifyOrder, placeOrder } from '../../packages/simulator/src/answers/trade/orders.js';
import type { BrokerageEvent } from '../../packages/simulator/src/brokerage/journal.js';
import type { OrderRecord } from '../../packages/simulator/src/brokerage/order.js';
import { type TradeMarket, tradeEnvironments, tradeMarkets } from '../../packages/simulator/src/brokerage/terms.js';
import type { CorporateActions } from '../../packages/simulator/src/companies/corporate-actions.js';
import { ScriptedMarket } from './scripted-market.js';

/** Friday, 10:00 in Hong Kong. */
export const START = Date.UTC(2026, 10, 20, 2);
/** Longer than the longest way to the exchange. */
const ARRIVAL_MS = 60;

/** The accounts by what they are for. */
export const ids = {
  hkCash: 281756478396547001n,
  hkMargin: 281756478396547002n,
  us: 281756478396547003n,
  cn: 281756478396547004n,
  futures: 281756478396547008n,
  real: 281756479345015383n,
};

/** Issuers that do nothing. */
const noActions: CorporateActions = { corporateActions: () => [] };

export const dec = (text: string): Decimal => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`no decimal: ${text}`);
  return value;
};

type Fields<Message> = Partial<Omit<Message, '$typeName' | '$unknown' | 'header' | 'packetID'>>;
export type PlaceInit = Fields<PlaceC2S>;
type ModifyInit = Fields<ModifyC2S>;
type Packet = { connID: bigint; serialNo: number };
const none: Packet = { connID: 0n, serialNo: 0 };

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** For tests: a brokerage on a scripted market and a clock that stands still. */
export class Fixture {
  readonly simulation: Facts<'clock' | 'world' | 'market' | 'brokerage'>;
  readonly brokerage: Brokerage;
  readonly events: BrokerageEvent[] = [];

  private constructor(
    readonly clock: ManualClock,
    readonly market: ScriptedMarket,
    readonly store: Store,
    readonly mode: CalendarMode,
    readonly corporateActions: CorporateActions,
    endedOrdersKept: number,
  ) {
    const world = createWorld({ clock, calendarMode: mode, generatedInstruments: 0, seed: 1 });
    this.brokerage = createBrokerage({ clock, world, market, store, seed: 1, corporateActions, tradePassword: '123456', endedOrdersKept });
    this.brokerage.onEvent((event) => this.events.push(event));
    this.simulation = {
      clock,
      world,
      market,
      brokerage: this.brokerage,
    };
  }

  static open({
    start = START,
    store = new MemoryStore(),
    mode = 'open',
    endedOrdersKept = 5_000,
    corporateActions = noActions,
  }: {
    start?: number;
    store?: Store;
    mode?: CalendarMode;
    endedOrdersKept?: number;
    corporateActions?: CorporateActions;
  } = {}): Fixture {
    const clock = new ManualClock(start);
    return new Fixture(clock, new ScriptedMarket(clock), store, mode, corporateActions, endedOrdersKept);
  }

  /** Another process on the same store, `later` ms after; this one is left as it is, as a kill leaves it. */
  restarted(later = 1_000, store: Store = this.store): Fixture {
    return Fixture.open({ start: this.clock.now() + later, store, mode: this.mode, corporateActions: this.corporateActions });
  }

  instrument(symbol: string): Instrument {
    const instrument = this.simulation.world.instrument(symbol);
    if (instrument === undefined) throw new Error(`no ${symbol}`);
    return instrument;
  }

  account(id: bigint): Account {
    const account = this.brokerage.account(id);
    if (account === undefined) throw new Error(`no account ${id}`);
    return account;
  }

  /** Bids and asks of the flow as [price, volume] pairs. */
  book(symbol: string, bids: readonly (readonly [string, bigint])[], asks: readonly (readonly [string, bigint])[]): void {
    const levels = (side: readonly (readonly [string, bigint])[]) => side.map(([price, volume]) => [dec(price), volume] as const);
    this.market.setBook(this.instrument(symbol), levels(bids), levels(asks));
  }

  trade(symbol: string, price: string, volume: bigint, direction: 1 | -1 | 0): void {
    this.market.trade(this.instrument(symbol), dec(price), volume, direction);
  }

  /** Lets time pass, and everything written reach the disk. */
  async pass(ms = ARRIVAL_MS): Promise<void> {
    this.clock.advance(ms);
    await this.brokerage.records.journal.whenDurable(undefined);
  }

  /** Places an order as a caller would: the account's first market, a normal limit order unless said otherwise. */
  async tryPlace(accountId: bigint, order: PlaceInit, packet = none, market?: TradeMarket): Promise<bigint | Refusal> {
    const account = this.account(accountId);
    const answer = await placeOrder(
      this.simulation,
      create(PlaceSchema, { orderType: 1, trdSide: 1, ...order, packetID: packet, header: this.header(account, market) }),
    );
    return answer instanceof Refusal ? answer : answer.orderID;
  }

  async place(accountId: bigint, order: PlaceInit, packet = none, market?: TradeMarket): Promise<bigint> {
    const placed = await this.tryPlace(accountId, order, packet, market);
    if (placed instanceof Refusal) throw new Error(placed.message);
    return placed;
  }

  async refusal(accountId: bigint, order: PlaceInit): Promise<string> {
    const placed = await this.tryPlace(accountId, order);
    if (placed instanceof Refusal) return placed.message;
    throw new Error(`order ${placed} was accepted`);
  }

  /** The refusal's text, or undefined when the change was accepted. */
  async modify(accountId: bigint, change: ModifyInit, packet = none): Promise<string | undefined> {
    const answer = await modifyOrder(
      this.simulation,
      create(ModifySchema, { orderID: 0n, ...change, packetID: packet, header: this.header(this.account(accountId)) }),
    );
    return answer instanceof Refusal ? answer.message : undefined;
  }

  /** Lets the real account trade. */
  unlock(): void {
    const refused = this.brokerage.lock.unlock('e10adc3949ba59abbe56e057f20f883e');
    if (refused !== undefined) throw new Error(refused.message);
  }

  cancel(accountId: bigint, orderID: bigint): Promise<string | undefined> {
    return this.modify(accountId, { orderID, modifyOrderOp: 2 });
  }

  order(id: bigint): OrderRecord {
    const order = this.brokerage.order(id);
    if (order === undefined) throw new Error(`no order ${id}`);
    return order;
  }

  /** Statuses of an order as they were told, and a word for each fill between them. */
  told(id: bigint): string[] {
    const own = this.events.filter((event) => event.order.id === id);
    return own.map((event) => (event.kind === 'order' ? event.order.status : 'fill'));
  }

  /** Names the account's first market unless told another. */
  header(account: Account, market = account.markets[0]) {
    if (market === undefined) throw new Error(`account ${account.id} has no market`);
    return { trdEnv: tradeEnvironments.numberOf(account.environment), accID: account.id, trdMarket: tradeMarkets.numberOf(market) };
  }
}
