import { HK, HK_MARGIN, SIMULATE } from '../../support/accounts.js';
import type { HttpClient } from '../../support/http-client.js';
import { until } from '../../support/until.js';
import { isOpen, type Order } from '../books.js';
import type { Attempt } from './storm.js';

/** svc.get_brackets.Bracket, as far as it is looked at. */
interface Row {
  readonly bracket_id: string;
  readonly state: number;
  readonly entry_order_id_ex?: string;
  readonly entry_filled_qty: number;
  readonly closed_qty: number;
  readonly note?: string;
}

const PLACING = 1;
const OPEN = 2;
const CLOSED = 3;
const CANCELLED = 4;
const isActive = ({ state }: Row) => state === PLACING || state === OPEN;
const account = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
const EXIT = /^svc-bracket ([^/]+)\/\d+$/;

/** The brackets that clients were told of, held against those that the daemon has after each of its lives. */
export class KeptBrackets {
  /** Violations found so far. */
  readonly faults: string[] = [];
  /** Bracket id → the text of its entry, of all that were ever seen. */
  readonly #entries = new Map<string, string>();
  /** Ids of those that were not over when they were seen last. */
  #active = new Set<string>();

  get count(): number {
    return this.#entries.size;
  }

  /** Looks at all of them after a start. `isDayLater`: the clock has gone on by a day meanwhile, after which those that are over are forgotten. */
  async look(client: HttpClient, attempts: readonly Attempt[], isDayLater: boolean): Promise<void> {
    for (const { outcome } of attempts) {
      if (outcome?.kind !== 'accepted' || outcome.bracketId === undefined) continue;
      this.#entries.set(outcome.bracketId, outcome.orderIdEx);
      this.#active.add(outcome.bracketId);
    }
    const rows = new Map((await list(client)).map((row) => [row.bracket_id, row]));
    const active = new Set<string>();
    for (const id of this.#active) {
      const row = rows.get(id);
      if (row === undefined && !isDayLater) this.faults.push(`${id} is lost`);
      if (row !== undefined && row.entry_order_id_ex !== this.#entries.get(id)) this.faults.push(`${id} has another entry`);
    }
    for (const row of rows.values()) {
      const { bracket_id: id, state, entry_order_id_ex: entry, note } = row;
      if (entry) this.#entries.set(id, entry);
      if (isActive(row)) active.add(id);
      else if (state !== CLOSED && state !== CANCELLED) this.faults.push(`${id} is in state ${state}: ${note}`);
    }
    this.#active = active;
  }

  /** Ends all of them. */
  async end(client: HttpClient): Promise<void> {
    let left: readonly Row[] = [];
    await until(
      async () => {
        left = (await list(client)).filter(isActive);
        for (const { bracket_id } of left) await client.post('/api/cancel-bracket', { ...account, bracket_id });
        return left.length === 0;
      },
      () => `the end of every bracket: ${JSON.stringify(left)}`,
    );
  }

  /** Violations by the exits among these orders: together they close no more than the entry has opened, one at a time. */
  misled(orders: readonly Order[]): string[] {
    const byId = new Map(orders.map((order) => [order.order_id_ex, order]));
    const exits = new Map<string, Order[]>();
    for (const order of orders) {
      const id = EXIT.exec(order.remark)?.[1];
      if (id !== undefined) exits.set(id, [...(exits.get(id) ?? []), order]);
    }
    return [...exits].flatMap(([id, own]) => {
      const opened = byId.get(this.#entries.get(id) ?? '')?.fill_qty;
      // Its entry was told of to nobody, and it was over and forgotten before it was looked at.
      if (opened === undefined) return [];
      const closed = own.reduce((sum, { fill_qty }) => sum + fill_qty, 0);
      const working = own.filter(isOpen).length;
      return closed > opened || working > 1 ? [`${id} has closed ${closed} of ${opened}, with ${working} exits in the market`] : [];
    });
  }
}

async function list(client: HttpClient): Promise<readonly Row[]> {
  return (await client.s2c('/api/brackets', account)).bracket_list ?? [];
}
