import type { Clock } from '@svc-gateway/contract/clock';
import type { Match, Matching } from '../exchange/index.js';
import { Refusal } from '../refusal.js';
import type { Instrument, World } from '../world/index.js';
import { type BustLeg, bust } from './bust.js';
import { type Clearing, clearingOf } from './clearing/settlement.js';
import { execute } from './execution.js';
import { accountOf, type FillRecord, type OrderRecord } from './order.js';
import type { Change, Records } from './records.js';
import { known } from './resolve.js';

/** Books what the exchange tells of orders: their trades, and trades that it takes back. */
export class Booking {
  constructor(
    private readonly clock: Clock,
    private readonly world: World,
    private readonly records: Records,
  ) {}

  /** Books matches in the order in which they happened. */
  settle(change: Change, { symbol }: Instrument, { matches, prints }: Matching): void {
    for (const tick of prints) change.prints.push({ symbol, tick });
    for (const match of matches) this.#book(change, match);
  }

  #book(change: Change, match: Match): void {
    const order = this.records.order(match.orderId);
    if (order === undefined) throw new Error(`no order ${match.orderId}`);
    const leg = match.leg ?? 0;
    const instruments = order.legs.map(({ symbol }) => known(this.world, symbol));
    const instrument = instruments[leg];
    if (instrument === undefined) throw new Error(`order ${order.id} has no leg ${leg}`);
    execute(this.records, change, {
      account: accountOf(order),
      instrument,
      order,
      leg,
      price: match.price,
      quantity: match.volume,
      multipliers: instruments.map(({ multiplier }) => multiplier),
      time: this.clock.now(),
      ...this.#clearing(instrument),
    });
  }

  /** Takes the trades of a filled order back, as an exchange does that finds them clearly erroneous. `commit` puts the change on disk. */
  async bust(id: bigint, commit: (act: (change: Change) => void) => void): Promise<Refusal | undefined> {
    await this.records.journal.whenDurable(undefined);
    const order = this.records.order(id);
    if (order?.status !== 'filled_all')
      return new Refusal(`order ${id} is not filled: there is nothing to take back`, 'broker.order_state');
    const legs = await this.#bustLegs(order);
    // Ordered twice, it is done once.
    if (this.records.order(id)?.status !== 'filled_all') return undefined;
    commit((change) => bust(this.records, change, accountOf(order), order, legs, this.clock.now()));
    return undefined;
  }

  async #bustLegs(order: OrderRecord): Promise<readonly BustLeg[]> {
    const fills: FillRecord[] = [];
    for await (const fill of this.records.fillsBetween(order.accId, order.createdAt, order.updatedAt + 1)) {
      if (fill.orderId === order.id) fills.push(fill);
    }
    return order.legs.map((leg) => {
      const instrument = known(this.world, leg.symbol);
      const own = fills.filter(({ symbol, side }) => symbol === leg.symbol && side === leg.side);
      return { instrument, leg, fills: own, ...this.#clearing(instrument) };
    });
  }

  /** The trading day of now, and how its trades clear. */
  #clearing(instrument: Instrument): { readonly day: string; readonly clearing: Clearing } {
    const calendar = this.world.calendar(instrument);
    const day = calendar.tradingDay(this.clock.now());
    const rolledDay = this.records.rolled(calendar.name)?.slice(0, day.length) ?? '';
    return { day, clearing: clearingOf(instrument, calendar, day, rolledDay) };
  }
}
