import type { Clock } from '@svc-gateway/contract/clock';
import type { Store } from '@svc-gateway/storage';
import type { CorporateActions } from '../companies/corporate-actions.js';
import { restoreLostSums } from '../ledger/index.js';
import type { Market } from '../market/index.js';
import type { World } from '../world/index.js';
import { type AccountBook, accountById, accounts, currenciesOf } from './account.js';
import { ComboCheck } from './check-combo.js';
import { OrderCheck } from './check-order.js';
import { DayRolls } from './clearing/day-rolls.js';
import type { EndOrders } from './clearing/roll.js';
import { ExchangeRates } from './exchange-rates.js';
import { Holds } from './holds.js';
import { idOfText } from './ids.js';
import type { OrderedIncidents } from './incidents.js';
import type { BrokerageEvent } from './journal.js';
import { type LatencyRange, latencySource } from './latency.js';
import type { OrderRecord } from './order.js';
import { OrderDesk } from './order-desk.js';
import { Records } from './records.js';
import { Routing } from './routing.js';
import { lockedToday } from './same-day.js';
import { TradeLock } from './trade-lock.js';
import { Valuer } from './valuation.js';

export type { Account } from './account.js';
export { estimateFees } from './estimate-fees.js';
export type { BrokerageEvent } from './journal.js';
export { fillPush, orderPush } from './messages.js';
export type { FillRecord, OrderRecord } from './order.js';

export interface BrokerageOptions {
  readonly clock: Clock;
  readonly world: World;
  /** The tape of callers' trades is put back into it. */
  readonly market: Market;
  /** Keeps orders, fills, ledger and answered packet numbers. A second brokerage made on it continues where the first one ended. */
  readonly store: Store;
  /** Corporate actions of the issuers of held shares. */
  readonly corporateActions: CorporateActions;
  /** Seed of the latencies. */
  readonly seed: string | number;
  /** Unlocks the real accounts. */
  readonly tradePassword: string;
  /** The way to the exchange in ms. Default 5 to 50. */
  readonly latency?: LatencyRange;
  /** Orders that are over and stay in memory: what a program asks for again soon. The store keeps all of them. Default 5,000. */
  readonly endedOrdersKept?: number;
}

/** The simulated brokerage: accounts, orders and what they hold. */
export interface Brokerage extends AccountBook {
  order(id: bigint): OrderRecord | undefined;
  orderByIdEx(idEx: string): OrderRecord | undefined;
  /** Orders and fills, each told once it is on disk, in the order of cause and effect. Returns its own removal. */
  onEvent(listener: (event: BrokerageEvent) => void): () => void;
  /** Stops matching and timers, and waits until everything is on disk. The store stays open. */
  close(): Promise<void>;

  /** A dry-run brokerage: its desk decides like this one's and changes nothing. */
  trial(remark: (text: string) => void): Brokerage;

  /** For the handlers of this folder. */
  readonly desk: OrderDesk;
  readonly records: Records;
  readonly valuer: Valuer;
  readonly holds: Holds;
  readonly check: OrderCheck;
  readonly combos: ComboCheck;
  readonly corporateActions: CorporateActions;
  readonly lock: TradeLock;
  readonly exchange: OrderedIncidents;
}

const ENDED_ORDERS_KEPT = 5_000;
const LATENCY: LatencyRange = { min: 5, max: 50 };

/** Opens the brokerage on a store: working orders go on working, what ended meanwhile ends now, and days that passed are booked. */
export function createBrokerage(options: BrokerageOptions): Brokerage {
  const parts = partsOf(options);
  parts.rolls.catchUp();
  return composed(options, parts);
}

/** As {@link createBrokerage}, in slices of work: years may have passed. Balances whose sums were lost are counted again from their entries. */
export async function openBrokerage(options: BrokerageOptions): Promise<Brokerage> {
  const currencies = new Map(accounts.map((account) => [account.id, currenciesOf(account)]));
  await restoreLostSums(options.store, currencies);
  const parts = partsOf(options);
  await parts.rolls.catchUpInSlices();
  return composed(options, parts);
}

interface Parts extends Pick<Brokerage, 'records' | 'valuer' | 'holds' | 'check' | 'combos'> {
  readonly routing: Routing;
  readonly rolls: DayRolls;
}

function partsOf(options: BrokerageOptions): Parts {
  const { clock, world, market, store, seed, corporateActions, latency = LATENCY, endedOrdersKept = ENDED_ORDERS_KEPT } = options;
  const records = new Records(store, clock.now(), endedOrdersKept, (position) => lockedToday(world, position));
  for (const [symbol, ticks] of records.prints(clock.now())) {
    const instrument = world.instrument(symbol);
    if (instrument !== undefined) market.restorePrints(instrument, ticks);
  }
  const valuer = new Valuer(world, market, records.ledger, new ExchangeRates(world, (pair) => market.quote(pair).last));
  const holds = new Holds(records.ledger, valuer);
  const check = new OrderCheck(clock, world, market, holds);
  const combos = new ComboCheck(world, market, holds, check);
  const routing = new Routing(clock, world, market, records, check, combos, latencySource(latency, seed), () => rolls.catchUp());
  const endOrders: EndOrders = (change, symbol, why, of) => routing.endOrders(change, symbol, why, of);
  const endOrdersInSlices = (symbol: string, why: string) => void routing.endOrdersInSlices(symbol, why);
  const rolls = new DayRolls({ clock, world, market, records, corporateActions, endOrders, endOrdersInSlices });
  return { records, valuer, holds, check, combos, routing, rolls };
}

/** The parts once days have been booked: orders go on from here, and some may have ended with a day. */
function composed(
  { clock, tradePassword, corporateActions }: BrokerageOptions,
  { records, valuer, holds, check, combos, routing, rolls }: Parts,
): Brokerage {
  const lock = new TradeLock(clock, tradePassword);
  const desk = new OrderDesk(clock, records, check, combos, routing, lock);
  desk.resume();
  const order = (id: bigint): OrderRecord | undefined => records.order(id);

  const orderByIdEx = (idEx: string): OrderRecord | undefined => {
    const id = idOfText(idEx);
    const found = id === undefined ? undefined : order(id);
    return found?.idEx === idEx ? found : undefined;
  };

  const brokerage: Brokerage = {
    accounts,
    account(id) {
      // Whoever asks comes by here first: a clock that was set is seen before its timers are.
      rolls.catchUp();
      return accountById.get(id);
    },
    order,
    orderByIdEx,
    onEvent: (listener) => records.journal.onEvent(listener),
    async close() {
      routing.close();
      rolls.close();
      await records.journal.whenIdle();
    },
    trial: (remark) => ({ ...brokerage, desk: desk.trial(remark) }),
    desk,
    records,
    valuer,
    holds,
    check,
    combos,
    corporateActions,
    lock,
    exchange: {
      refuse: (times) => routing.incidents.order('refused', times),
      silence: (ms, times) => routing.incidents.order({ silentMs: ms }, times),
      loseSight: (ms) => routing.loseSight(ms),
      async cancelFills(idEx) {
        const refusal = await routing.bust(orderByIdEx(idEx)?.id ?? 0n);
        if (refusal !== undefined) throw new Error(refusal.message);
      },
      get waiting() {
        return routing.incidents.waiting;
      },
      clear: () => routing.incidents.clear(),
    },
  };
  return brokerage;
}
