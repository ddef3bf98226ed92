import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyRecord, orderOf, packagesFolder, temporaryFolder } from '../../../test/support/access.js';
import { openedStore } from '../../../test/support/store.js';
import { type Admission, OrderGates } from './index.js';
import { unlimited } from './limits.js';

const DAILY = 100;
const RATE = 4;
const perCaller = { maxDailyValue: BigInt(DAILY) * 1_000_000_000n, maxOrdersPerMinute: RATE };
const start = Date.UTC(2026, 7, 1, 23, 58);

type Currency = 'HKD' | 'USD';
const HKD_PER_USD = 8;
const rates = (from: string, to: string) => (from === 'USD' && to === 'HKD' ? BigInt(HKD_PER_USD) * 1_000_000_000n : undefined);

type Step =
  | { do: 'admit'; key: number; value: number; currency: Currency }
  | { do: 'refuse'; pick: number }
  | { do: 'wait'; ms: number }
  | { do: 'commit' }
  | { do: 'crash' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('admit' as const),
      key: fc.nat(1),
      value: fc.constantFrom(1, 2, 20, 40, 49, 60),
      currency: fc.constantFrom<Currency>('HKD', 'HKD', 'USD'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refuse' as const), pick: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 9_999, 30_000, 59_999, 60_000) }) },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ do: 'commit' }, { do: 'crash' }) },
);

/** A store whose writes reach the disk only at `commit`; a crash loses those that have not. */
class CrashableStore implements Store {
  #waiting: { change: Parameters<Store['write']>[0]; resolve: () => void }[] = [];
  readonly #disk = new MemoryStore();
  table<V>(name: string) {
    return this.#disk.table<V>(name);
  }
  archive<V>(name: string) {
    return this.#disk.archive<V>(name);
  }
  write(change: Parameters<Store['write']>[0]): Promise<void> {
    const puts: Parameters<Store['write']>[0][] = [];
    change({
      put: (table, key, value) => void puts.push((disk) => disk.put(table, key, value)),
      putLatest: (table, key, read) => void puts.push((disk) => disk.putLatest(table, key, read)),
      remove: (table, key) => void puts.push((disk) => disk.remove(table, key)),
    });
    return new Promise((resolve) => this.#waiting.push({ change: (disk) => puts.map((put) => put(disk)), resolve }));
  }
  async commit(): Promise<void> {
    for (const { change, resolve } of this.#waiting.splice(0)) {
      await this.#disk.write(change);
      resolve();
    }
  }
  crash(): void {
    this.#waiting = [];
  }
  async close(): Promise<void> {}
}

/** Sums of the day's orders as the cap sees them: one for each currency, or one in Hong Kong dollars plus 2 %. */
const sums: Record<'each currency' | 'HKD', (orders: readonly { value: number; currency: Currency }[]) => number[]> = {
  'each currency': (orders) => (['HKD', 'USD'] as const).map((own) => total(orders.filter(({ currency }) => currency === own))),
  HKD: (orders) => [
    total(orders.map(({ value, currency }) => ({ value: currency === 'HKD' ? value : (value * HKD_PER_USD * 102) / 100 }))),
  ],
};

function total(orders: readonly { value: number }[]): number {
  return orders.reduce((sum, { value }) => sum + value, 0);
}

describe.each(['each currency', 'HKD'] as const)('no interleaving passes a cap in %s', (cappedIn) => {
  const caps = { ...perCaller, limitsCurrency: cappedIn === 'HKD' ? cappedIn : null };

  it('of a key or of the start-up flags, with refusals and crashes in between', async () => {
    const reached = { daily: 0, rate: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const store = new CrashableStore();
        let now = start;
        const open = () => new OrderGates({ store, now, flagLimits: { ...unlimited, ...caps }, onStoreFailure: () => {} });
        let gates = open();
        /** Orders that left the daemon: admitted, on disk, not definitely refused. */
        const sent = new Set<{ key: number; value: number; currency: Currency; at: number; admission: Admission }>();
        for (const action of steps) {
          if (action.do === 'wait') now += action.ms;
          else if (action.do === 'commit') await store.commit();
          else if (action.do === 'crash') {
            store.crash();
            gates = open();
          } else if (action.do === 'refuse') {
            const order = [...sent][action.pick];
            if (order === undefined) continue;
            // The backend refuses; a crash may still lose the refund, which errs on the safe side.
            void order.admission.refund();
            order.value = 0;
          } else {
            const { key, value, currency } = action;
            const admitted = gates.admit(keyRecord(`k${key}`, caps), { ...orderOf(value, { currency }), rates }, now);
            if (!admitted.ok) continue;
            const order = { key, value, currency, at: now, admission: admitted.admission };
            void admitted.admission.durable.then(() => sent.add(order));
          }
          await Promise.resolve();
          for (const counted of [(_: number) => true, (key: number) => key === 0, (key: number) => key === 1]) {
            const orders = [...sent].filter((order) => counted(order.key));
            const today = orders.filter((order) => Math.floor(order.at / 86_400_000) === Math.floor(now / 86_400_000));
            const most = Math.max(...sums[cappedIn](today));
            expect(most).toBeLessThanOrEqual(DAILY);
            const recent = orders.filter((order) => order.at > now - 60_000).length;
            expect(recent).toBeLessThanOrEqual(RATE);
            if (most > DAILY - 1) reached.daily += 1;
            if (recent === RATE) reached.rate += 1;
          }
        }
      }),
      { numRuns: 1_500 },
    );
    // The caps themselves were met, or the test would show nothing.
    expect(Math.min(reached.daily, reached.rate)).toBeGreaterThan(0);
  });
});

describe('kill -9', () => {
  it('between any two orders loses none that had left', async () => {
    const folder = temporaryFolder();
    const script = join(folder, 'trader.mjs');
    const cap = 400;
    writeFileSync(
      script,
      `import { OrderGates } from ${JSON.stringify(`file://${packagesFolder}/access/dist/index.js`)};
       import { unlimited } from ${JSON.stringify(`file://${packagesFolder}/access/dist/limits.js`)};
       import { openLevelStore } from ${JSON.stringify(`file://${packagesFolder}/storage/dist/index.js`)};
       const gates = new OrderGates({ store: await openLevelStore(${JSON.stringify(join(folder, 'db'))}), now: ${start}, onStoreFailure() {} });
       const key = { id: 'k', limits: { ...unlimited, maxDailyValue: ${cap}n } };
       const trade = async () => {
         for (;;) {
           const worth = { currency: 'HKD', value: 1n, increase: 1n };
           const facts = { accId: 1n, legs: [{ markets: [], symbol: '', side: 'BUY', worth }], rates() {} };
           const admitted = gates.admit(key, facts, ${start});
           if (!admitted.ok) return;
           await admitted.admission.durable;
           process.stdout.write('x');
         }
       };
       await Promise.all([trade(), trade(), trade()]);
       process.stdout.write('.');
       setInterval(() => {}, 1000);`,
    );
    let left = 0;
    for (let run = 0, done = false; !done; run++) {
      expect(run).toBeLessThan(20);
      const child: ChildProcess = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      let thisRun = 0;
      child.stdout?.on('data', (bytes: Buffer) => {
        thisRun += bytes.toString().split('x').length - 1;
        done ||= bytes.includes('.');
        if (done || thisRun >= 60 + run * 7) child.kill('SIGKILL');
      });
      await once(child, 'close');
      left += thisRun;
      const store = await openedStore(join(folder, 'db'));
      const total = Number(store.table<bigint>('day_totals').get('2026-08-01:k\tHKD') ?? 0n);
      await store.close();
      // Orders on disk that were never sent count as well; sent orders that do not count would be a fault.
      expect(total).toBeGreaterThanOrEqual(left);
      expect(total).toBeLessThanOrEqual(cap);
    }
    expect(left).toBeGreaterThan(cap / 2);
  });
});
