import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transitions } from '../../src/backends/framed/index.js';
import { replayClock } from '../../src/contract/clock.js';
import type { LifecycleState } from '../../src/gateway/index.js';
import type { Frame } from '../../src/wire/index.js';
import { BUY, HK, HK_CASH, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { type Chain, startChain } from '../support/chain.js';
import { untilConnected } from '../support/daemon.js';
import type { Fate } from '../support/faulty-wire.js';
import type { Answer } from '../support/http-client.js';
import type { PushClient } from '../support/push-client.js';

/**
 * Schedules of faults on the wire between the daemon and its upstream, under trading load: by `SVC_FAULT_SCHEDULES` so many, from
 * seed `SVC_FAULT_SEED` on. One that fails is named by its seed, and is the same again from it, as far as the network is.
 */
const schedules = Number(process.env.SVC_FAULT_SCHEDULES ?? 5);
const firstSeed = Number(process.env.SVC_FAULT_SEED ?? 1);
const ORDERS = 8;
const TOGETHER = 4;
/** The daemon's time runs faster than the upstream's, so that patience is short; a machine that is busy is one more fault. */
const SPEED = 8;
const ACCOUNTS = [HK_CASH, HK_MARGIN];

/** mulberry32: uniform in [0, 1). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let chain: Chain<'desk'>;
let push: PushClient;
/** Every state that a connection came to, in order. */
const lived: Record<string, LifecycleState[]> = { platform: [], broker: [] };
let quantity = 0;

beforeAll(async () => {
  chain = await startChain({
    clock: replayClock(Date.now(), SPEED),
    keys: { desk: { scopes: ['qot:read', 'qot:state', 'acc:read', 'trade:simulate'] } },
    flags: ['--enable-trading'],
  });
  const { backend } = chain.front.daemon;
  backend.onLifecycle(({ platform, brokers: [broker] }) => {
    lived.platform?.push(platform.lifecycleState);
    if (broker !== undefined) lived.broker?.push(broker.lifecycleState);
  });
  push = await chain.front.push('desk');
  const desk = chain.front.as('desk');
  await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1], is_reg_or_un_reg_push: true });
  await desk.s2c('/api/sub-acc-push', { acc_id_list: ACCOUNTS });
});
afterAll(() => chain.stop());
afterEach(() => {
  chain.wire.fate = () => 'pass';
  chain.wire.down = false;
});

/** A request that is never answered there is; a push that is lost on a connection that goes on there is not. */
const pushes = new Set([1003, 2208, 2218, 3005]);

/** What happens to a frame: to nine in ten nothing. */
function fateOf(random: () => number, { protoId }: Frame): Fate {
  const drawn = random();
  if (drawn > 0.1) return 'pass';
  const fates: readonly Fate[] = [
    pushes.has(protoId) ? 'cut' : 'drop',
    'cut',
    'half',
    'last',
    'spoil',
    'twice',
    { delayMs: Math.floor(random() * 200) },
  ];
  return fates[Math.floor(random() * fates.length)] ?? 'pass';
}

interface Placed {
  readonly qty: number;
  readonly answer: Answer;
}

async function load(random: () => number): Promise<Placed[]> {
  const desk = chain.front.as('desk');
  const placed: Placed[] = [];
  const one = async () => {
    quantity += 100;
    const qty = quantity;
    const acc_id = ACCOUNTS[Math.floor(random() * ACCOUNTS.length)];
    const order = { market: HK, acc_id, env: SIMULATE, side: BUY, code: '00700', qty, price: 1, order_type: NORMAL };
    const answer = await desk.post('/api/order', order, { 'idempotency-key': `order-${qty}` });
    placed.push({ qty, answer });
    // A program that was told nothing asks again under its key: it may be told more, and nothing is sent twice.
    if (answer.status >= 500) await desk.post('/api/order', order, { 'idempotency-key': `order-${qty}` }).catch(() => undefined);
  };
  for (let at = 0; at < ORDERS; at += TOGETHER) {
    if (random() < 0.4) chain.wire.cut();
    if (random() < 0.2) chain.wire.down = true;
    await Promise.all(Array.from({ length: TOGETHER }, one));
    chain.wire.down = false;
  }
  return placed;
}

/** What the upstream itself has, by quantity. */
async function atUpstream(): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>();
  for (const acc_id of ACCOUNTS) {
    const { order_list = [] } = await chain.upstream.as('bridge').s2c('/api/orders', { acc_id, env: SIMULATE, market: HK });
    for (const { qty, order_id_ex } of order_list) found.set(qty, [...(found.get(qty) ?? []), order_id_ex]);
  }
  return found;
}

describe('the bridge under faults', () => {
  it.each(Array.from({ length: schedules }, (_, index) => firstSeed + index))(
    'loses and doubles no order, and tells of every gap: seed %i',
    async (seed) => {
      const random = randomOf(seed);
      const { platform } = chain.front.daemon.backend.status();
      const heard = push.frames.length;
      chain.wire.fate = (frame) => fateOf(random, frame);
      const placed = await load(random);
      chain.wire.fate = () => 'pass';
      await untilConnected(chain.front.daemon);

      const there = await atUpstream();
      for (const { qty, answer } of placed) {
        const ids = there.get(qty) ?? [];
        const what = `seed ${seed}, order of ${qty}: ${answer.status} ${answer.text}, upstream has ${ids.length}`;
        expect(ids.length, what).toBeLessThanOrEqual(1);
        if (answer.status === 200 && answer.json.ret_type === 0) {
          expect(ids, what).toEqual([answer.json.s2c.order_id_ex]);
          // It was pushed, when it happened or when it was found.
          await push.frame(({ body }) => body?.order?.order_id_ex === ids[0], what, heard);
        } else if (answer.status !== 500 && answer.status !== 504) {
          expect(ids, what).toEqual([]);
        }
      }
      const { lifecycleGeneration } = chain.front.daemon.backend.status().platform;
      if (lifecycleGeneration > platform.lifecycleGeneration) {
        await push.frame(({ body }) => body?.gap !== undefined, `seed ${seed}: the gap`, heard);
      }
      expect(chain.wire.open, `seed ${seed}: connections`).toBe(1);
    },
  );

  it('went through its states as it may', () => {
    for (const states of Object.values(lived)) {
      for (const [index, state] of states.entries()) {
        const before = states[index - 1];
        if (before !== undefined && before !== state) expect(transitions[before], `${before} to ${state}`).toContain(state);
      }
    }
  });
});
