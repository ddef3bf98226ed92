import { MemoryStore, StorageFailure, type Store } from '@svc-gateway/storage';
import { afterEach, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { ScriptedBackend, type ServedGateway, serveGateway, succeed } from '../support/gateway.js';
import { until } from '../support/until.js';

const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 10 };

/** A store whose writes are on disk when the test says so. */
class HeldStore implements Store {
  readonly #inner = new MemoryStore();
  readonly #waiting: ((failure?: Error) => void)[] = [];
  holding = false;

  table<V>(name: string) {
    return this.#inner.table<V>(name);
  }
  archive<V>(name: string) {
    return this.#inner.archive<V>(name);
  }
  async write(change: Parameters<Store['write']>[0]): Promise<void> {
    if (this.holding)
      await new Promise<void>((resolve, reject) => this.#waiting.push((failure) => (failure ? reject(failure) : resolve())));
    await this.#inner.write(change);
  }
  async close(): Promise<void> {}

  get waiting(): number {
    return this.#waiting.length;
  }
  release(failure?: Error): void {
    this.holding = false;
    for (const settle of this.#waiting.splice(0)) settle(failure);
  }
}

let gateway: ServedGateway;
afterEach(() => gateway.stop());

async function served(store: HeldStore, journal?: Store): Promise<ScriptedBackend> {
  const backend = new ScriptedBackend(succeed, journal);
  gateway = await serveGateway({
    backend,
    store,
    keys: { desk: { scopes: ['acc:read', 'trade:simulate'], limits: { maxDailyValue: '1500' } } },
  });
  store.holding = true;
  return backend;
}

const placed = (backend: ScriptedBackend) => backend.calls.filter(({ operation }) => operation === 'place_order').length;

it.each([{}, { 'idempotency-key': 'one' }])(
  'an order to a backend elsewhere leaves when its reservation is on disk, with %j',
  async (headers) => {
    const store = new HeldStore();
    // A journal that is not the gateway's own store promises nothing.
    const backend = await served(store, new MemoryStore());
    const answer = gateway.as('desk').post('/api/order', order, headers);
    await until(() => store.waiting > 0, 'the reservation');
    expect(placed(backend)).toBe(0);
    store.release();
    expect((await answer).status).toBe(200);
    expect(placed(backend)).toBe(1);
  },
);

it('an order to a backend that journals in the same store leaves at once, and is acknowledged when the reservation is on disk', async () => {
  const store = new HeldStore();
  const backend = await served(store, store);
  let acknowledged = false;
  const answer = gateway.as('desk').post('/api/order', order, { 'idempotency-key': 'one' });
  answer.then(() => {
    acknowledged = true;
  });
  await until(() => placed(backend) === 1, 'the order');
  expect((await gateway.as('desk').get('/livez')).status).toBe(200);
  expect([acknowledged, store.waiting > 0]).toEqual([false, true]);
  store.release();
  expect((await answer).status).toBe(200);
});

it('an order whose reservation did not reach the disk is not acknowledged', async () => {
  for (const shared of [false, true]) {
    const store = new HeldStore();
    const backend = await served(store, shared ? store : undefined);
    const answer = gateway.as('desk').post('/api/order', order);
    await until(() => store.waiting > 0, 'the reservation');
    store.release(new StorageFailure('cannot write to the database: no space'));
    expect((await answer).json).toMatchObject({ code: 'storage.failed' });
    expect(placed(backend)).toBe(shared ? 1 : 0);
    if (!shared) await gateway.stop();
  }
});
