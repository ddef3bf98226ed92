import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import { OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../../support/accounts.js';
import { until } from '../../support/until.js';
import { Books, held, type Order, proceeds } from '../books.js';
import type { KeyId } from './clients.js';
import { type Attempt, CAPPED_VALUE, Storm } from './storm.js';
import { CN_CASH, MODIFIED_QTY, type Placing, RESTING_QTY } from './writes.js';

/** `npm run storm -- --kills N --seed S` sets these. */
const KILLS = Number(process.env.SVC_STORM_KILLS ?? 10);
const SEED = Number(process.env.SVC_STORM_SEED ?? 1);
/** Kills on one state folder; then the books are audited and a new one is begun. */
const KILLS_EACH = 25;
const DAY_S = 86_400;
const storms = Array.from({ length: Math.ceil(KILLS / KILLS_EACH) }, (_, index) => ({
  seed: SEED * 1000 + index,
  kills: Math.min(KILLS_EACH, KILLS - index * KILLS_EACH),
}));

describe.each(storms)('a storm of $kills kills, seed $seed', (options) => {
  const storm = new Storm(options);
  let books: Books<KeyId>;
  let chinese: Books<KeyId>;
  let margined: Books<KeyId>;
  let openingCash: Decimal;
  let orders: readonly Order[];
  let byRemark: Map<string, Order[]>;

  beforeAll(
    async () => {
      await storm.begin();
      books = new Books(storm.daemon, 'bot');
      chinese = new Books(storm.daemon, 'bot', { account: CN_CASH, market: 3 });
      margined = new Books(storm.daemon, 'bot', { account: HK_MARGIN });
      openingCash = await books.cash();
      await storm.run();
      orders = await until(async () => {
        const all = [...(await books.allOrders()), ...(await chinese.allOrders()), ...(await margined.allOrders())];
        return !all.some(({ order_status: status }) => passing.has(status)) && all;
      }, 'orders to come to rest');
      byRemark = new Map();
      for (const order of orders) byRemark.set(order.remark, [...(byRemark.get(order.remark) ?? []), order]);
      console.log(summary(storm, orders.length));
    },
    120_000 + options.kills * 30_000,
  );
  afterAll(() => storm.end());

  const accepted = (kind: Attempt['write']['kind']) =>
    storm.attempts.filter(({ write, outcome }) => write.kind === kind && outcome?.kind === 'accepted');

  it('was hit in the middle of writes over every interface', () => {
    for (const kind of ['place', 'cancel', 'modify'] as const) expect(accepted(kind).length, kind).toBeGreaterThan(0);
    const placed = accepted('place');
    expect(new Set(placed.map(({ iface }) => iface)).size).toBe(4);
    expect(placed.some(({ write }) => (write as Placing).terms.legs !== undefined)).toBe(true);
    expect(placed.some(({ write }) => (write as Placing).terms.bracket !== undefined)).toBe(true);
    expect(storm.attempts.some(({ outcome }) => outcome === undefined)).toBe(true);
  });

  it('understood every spelling', () => {
    const reasons = storm.attempts.flatMap(({ write, iface, outcome }) =>
      outcome?.kind === 'refused' && !expected.test(`${outcome.code} ${outcome.text}`)
        ? [`${iface} ${write.name}: ${outcome.code} ${outcome.text}`]
        : [],
    );
    expect(reasons).toEqual([]);
  });

  it('lost nothing acknowledged, and made nothing twice', () => {
    for (const { write, outcome } of accepted('place')) {
      const made = byRemark.get(write.name) ?? [];
      const { secMarket, code } = (write as Placing).terms;
      expect(made, write.name).toMatchObject([{ order_id_ex: (outcome as { orderIdEx: string }).orderIdEx, sec_market: secMarket, code }]);
    }
    for (const [remark, made] of byRemark) expect(made.length, remark).toBe(1);
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(orders.length);
  });

  it('answered repetitions as the first time', () => {
    expect(storm.contradictions).toEqual([]);
  });

  it('did nothing that it refused', () => {
    for (const { write, outcome } of storm.attempts) {
      if (write.kind === 'place' && outcome?.kind === 'refused') {
        const made = byRemark.get(write.name) ?? [];
        expect(
          made.filter(({ order_status: status }) => status !== OrderStatus.OrderStatus_SubmitFailed),
          write.name,
        ).toEqual([]);
      }
    }
  });

  it('knows the fate of every write that has an idempotency key', () => {
    for (const { write, iface, outcome } of storm.attempts) {
      if (write.keyed || iface === 'core-tcp')
        expect(['accepted', 'refused'], `${write.name}: ${JSON.stringify(outcome)}`).toContain(outcome?.kind);
    }
  });

  it('undid no acknowledged cancel or modify', () => {
    const byId = new Map(orders.map((order) => [order.order_id_ex, order]));
    for (const { write, whileFull } of accepted('cancel')) {
      // A full disk lets cancels out, and has them once it has room.
      if (write.kind === 'place' || whileFull) continue;
      expect(byId.get(write.order.orderIdEx)?.order_status, write.name).toBe(OrderStatus.OrderStatus_Cancelled_All);
    }
    for (const { write } of accepted('modify')) {
      if (write.kind === 'place') continue;
      expect(byId.get(write.order.orderIdEx)?.qty, write.name).toBe(MODIFIED_QTY);
    }
  });

  it('audited every acknowledged write', () => {
    const traded = new Set<string>();
    for (const line of storm.daemon.auditTexts()) {
      const { outcome, endpoint, order_id: id } = JSON.parse(line);
      if (outcome === 'trade') traded.add(`${id} ${/modify|cancel|2205/i.test(endpoint) ? 'change' : 'place'}`);
    }
    const missing = storm.attempts.flatMap(({ write, iface, outcome, whileFull }) => {
      // Writes in flight when the disk became full have only their first line: the admission.
      if (outcome?.kind !== 'accepted' || whileFull) return [];
      const kind = write.kind === 'place' ? 'place' : 'change';
      return [outcome.orderId, outcome.orderIdEx].some((id) => traded.has(`${id} ${kind}`)) ? [] : [`${iface} ${write.name} ${kind}`];
    });
    expect(missing).toEqual([]);
  });

  it('passed no cap on any day', () => {
    const capped = new Set(storm.attempts.filter(({ key }) => key === 'capped').map(({ write }) => write.name));
    const byDay = new Map<number, number>();
    for (const order of orders) {
      if (!capped.has(order.remark)) continue;
      const day = Math.floor(order.create_timestamp / DAY_S);
      // A changed order passed the cap at its first size, and again by its growth.
      byDay.set(day, (byDay.get(day) ?? 0) + Math.max(order.qty, RESTING_QTY) * order.price);
    }
    for (const [day, value] of byDay) expect(value, `day ${day}`).toBeLessThanOrEqual(CAPPED_VALUE);
  });

  it('let no second daemon at the state folder', () => {
    // null: it was ended by us, having found the folder free between a kill and the next start.
    for (const status of storm.rivals) expect([2, null]).toContain(status);
  });

  it('kept every bracket, and closed no more than its entry had opened', async () => {
    expect(storm.brackets.faults).toEqual([]);
    expect(storm.brackets.misled(orders)).toEqual([]);
    await storm.brackets.end(storm.daemon.as('bot'));
    await margined.settle();
    const [settled, fills] = [await margined.allOrders(), await margined.allFills()];
    expect(storm.brackets.misled(settled)).toEqual([]);
    expect(await margined.positions()).toEqual(held(fills));
  });

  it('has books that agree: cash and positions are the sum of fills and fees', async () => {
    await books.settle();
    const [settled, fills] = [await books.allOrders(), await books.allFills()];
    expect(await books.positions()).toEqual(held(fills));
    expect(formatDecimal(await books.cash())).toBe(formatDecimal(openingCash + proceeds(fills) - (await books.fees(settled))));
  });
});

const passing: ReadonlySet<number> = new Set([
  OrderStatus.OrderStatus_Submitting,
  OrderStatus.OrderStatus_Cancelling_Part,
  OrderStatus.OrderStatus_Cancelling_All,
]);

/** Refusals that the load earns: caps, want of shares or money, and orders that ended with their day when the clock went on. */
const expected = /^(limit|audit)\.|audit log|not enough|insufficient|exceeds|available|is cancelled and cannot be/i;

function summary({ attempts, rivals, faults, brackets }: Storm, orders: number): string {
  const count = (kind: string | undefined) => attempts.filter(({ outcome }) => outcome?.kind === kind).length;
  const injected = faults.missing === undefined ? 'clock steps and full disks' : faults.missing;
  return `${attempts.length} writes: ${count('accepted')} accepted, ${count('refused')} refused, ${count('failed')} failed, ${count(undefined)} unknown; ${orders} orders; ${brackets.count} brackets; ${rivals.length} rivals; ${injected}`;
}
