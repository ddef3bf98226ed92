import { ManualClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { Expiries } from './expiries.js';
import type { OrderRecord } from './order.js';
import type { OrderStatus } from './terms.js';

const START = Date.UTC(2026, 10, 20);

function startExpiries() {
  const clock = new ManualClock(START);
  const live = new Map<bigint, OrderRecord>();
  const ended: string[] = [];
  const expiries = new Expiries(
    clock,
    () => live.values(),
    (ids) => {
      for (const id of ids) {
        live.delete(id);
        ended.push(`${id} after ${clock.now() - START}`);
      }
    },
  );
  const add = (id: bigint, after: number, status: OrderStatus = 'submitted') => {
    const order = { id, status, expiresAt: START + after } as OrderRecord;
    live.set(id, order);
    expiries.note(order);
  };
  return { add, pass: (ms: number) => clock.advance(ms), live, ended, expiries };
}

describe('the end of orders', () => {
  it('comes for each at its own time, whatever the order in which they came', () => {
    const { add, pass, ended } = startExpiries();
    add(1n, 3000);
    add(2n, 1000);
    add(3n, 2000);
    add(4n, 1000);
    pass(999);
    expect(ended).toEqual([]);
    pass(1);
    pass(1000);
    add(5n, 2500);
    pass(5000);
    expect(ended).toEqual(['2 after 1000', '4 after 1000', '3 after 2000', '5 after 2500', '1 after 3000']);
  });

  it('comes for many at one moment', () => {
    const { add, pass, ended, live } = startExpiries();
    for (let id = 1n; id <= 120n; id++) add(id, 1000);
    pass(1000);
    expect(ended).toHaveLength(120);
    expect(live.size).toBe(0);
  });

  it('leaves out orders that are over, taken back or about to be cancelled', () => {
    const { add, pass, ended, live } = startExpiries();
    add(1n, 1000, 'disabled');
    add(2n, 1000, 'cancelling_all');
    add(3n, 1000);
    live.delete(3n);
    pass(1000);
    expect(ended).toEqual([]);
  });

  it('comes for none once it is closed', () => {
    const { add, pass, ended, expiries } = startExpiries();
    add(1n, 1000);
    expiries.close();
    add(2n, 500);
    pass(2000);
    expect(ended).toEqual([]);
  });
});
