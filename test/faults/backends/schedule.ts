import type { BackendStatus, LifecycleState } from '@svc-gateway/gateway';
import { transitions } from '@svc-gateway/protocol-client';
import { expect } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, NORMAL, SIMULATE, US, US_MARGIN } from '../../support/accounts.js';
import type { Answer, HttpClient } from '../../support/http-client.js';
import type { PushClient, PushFrame } from '../../support/push-client.js';
import { until } from '../../support/until.js';
import { pick, type Stage } from './stage.js';

const DESKS = [
  { market: HK, acc_id: HK_CASH, code: '00700' },
  { market: HK, acc_id: HK_MARGIN, code: '00700' },
  { market: US, acc_id: US_MARGIN, code: 'AAPL' },
] as const;
const SYMBOL = 'HK.00700';
/** The other leg of combo orders. */
const OTHER = '00005';
const ORDERS = 9;
const TOGETHER = 3;
const isGap = ({ type, body }: PushFrame) => type === 'notify' && body?.gap !== undefined;

/** Text in a gap notice about subscriptions that were refused on restoration. */
const ENDED = 'no longer available';

interface Drawn {
  readonly desk: (typeof DESKS)[number];
  readonly remarked: boolean;
  /** An order of two legs, in Hong Kong. */
  readonly combined: boolean;
  readonly cancels: boolean;
}

interface Placed {
  readonly what: string;
  /** Its own: no other order has it. */
  readonly quantity: number;
  readonly answers: readonly Answer[];
}

/** Schedules of faults over one stage, one after another, each drawn from its seed. */
export class Schedules {
  readonly #stage: Stage;
  readonly #push: PushClient;
  /** Every state that each connection came to, in order. */
  readonly #lived = new Map<string, LifecycleState[]>();
  #orders = 0;

  private constructor(stage: Stage, push: PushClient) {
    this.#stage = stage;
    this.#push = push;
    const { backend } = stage.daemon.daemon;
    this.#note(backend.status());
    backend.onLifecycle((status) => this.#note(status));
  }

  /** Subscribes to quotes and to every account first. */
  static async begin(stage: Stage): Promise<Schedules> {
    const push = await stage.daemon.push('desk', '?int64=string');
    await subscribe(stage);
    await push.frame(({ type }) => type === 'quote', 'a quote');
    return new Schedules(stage, push);
  }

  /** Trades while things go wrong, and then holds what was said against what is there. */
  async run(seed: number, random: () => number): Promise<void> {
    const before = this.#generations();
    const heard = this.#push.frames.length;
    const placed = await this.#trade(seed, random);
    await this.#stage.calm();
    for (const order of placed) this.#check(order);
    // A load that is refused is none.
    const invalid = placed.filter(({ answers }) => answers.some(({ status }) => status === 400));
    expect(invalid.map(({ what }) => what)).toEqual([]);
    // A program that is told that a subscription ended makes it anew, and what came meanwhile it did not ask for.
    const ended = this.#push.frames.slice(heard).some((frame) => isGap(frame) && frame.body.event.desc.includes(ENDED));
    if (ended) await subscribe(this.#stage);
    else await this.#hearOrders(placed, heard, seed);
    await this.#hearGaps(before, heard, seed);
    const { frames } = this.#push;
    await this.#push.frame(({ type, symbol }) => type === 'quote' && symbol === SYMBOL, `seed ${seed}: a quote afterwards`, frames.length);
    this.#checkTransitions(seed);
    await until(() => this.#stage.connected() === this.#stage.connections, `seed ${seed}: ${this.#stage.connections} connections`);
    await this.#tidy(seed);
  }

  async #trade(seed: number, random: () => number): Promise<Placed[]> {
    const placed: Placed[] = [];
    for (let at = 0; at < ORDERS; at += TOGETHER) {
      await this.#stage.disturb(random);
      const drawn = Array.from({ length: TOGETHER }, () => ({
        desk: pick(random, DESKS),
        remarked: random() < 0.3,
        combined: random() < 0.3,
        cancels: random() < 0.4,
      }));
      placed.push(...(await Promise.all(drawn.map((order) => this.#place(seed, order)))));
    }
    return placed;
  }

  async #place(seed: number, order: Drawn): Promise<Placed> {
    const http = this.#stage.daemon.as('desk');
    this.#orders += 1;
    const qty = this.#orders * 100;
    const remark = order.remarked ? `order ${qty}` : '';
    const account = { env: SIMULATE, market: order.desk.market, acc_id: order.desk.acc_id };
    const terms = { qty, price: 1, order_type: NORMAL, ...(remark === '' ? {} : { remark }) };
    const [path, body] =
      order.combined && order.desk.market === HK
        ? ['/api/combo-order', { c2s: { header: headerOf(order.desk), combo_legs: [order.desk.code, OTHER].map(leg), ...terms } }]
        : ['/api/order', { ...account, code: order.desk.code, side: BUY, ...terms }];
    const key = { 'idempotency-key': `order-${qty}` };
    const answers = [await http.post(path, body, key)];
    // A program that was told nothing asks again under its key: it may be told more, and nothing is sent twice.
    if ((answers[0]?.status ?? 0) >= 500) answers.push(await http.post(path, body, key));
    const id = answers.map(idOf).find((found) => found !== undefined);
    if (id !== undefined && order.cancels) await http.post('/api/cancel-order', { ...account, order_id_ex: id });
    const said = answers.map(({ status, text }) => `${status} ${text}`).join(', then ');
    return { what: `seed ${seed}, order of ${qty}: ${said}`, quantity: qty, answers };
  }

  /** No acknowledged order is lost, none is there twice, and none is there that was refused. */
  #check({ what, quantity, answers }: Placed): void {
    const there = this.#stage.orders().filter((order) => order.quantity === quantity);
    expect(there.length, what).toBeLessThanOrEqual(1);
    for (const answer of answers) {
      const id = idOf(answer);
      if (id !== undefined)
        expect(
          there.map(({ idEx }) => idEx),
          what,
        ).toEqual([id]);
    }
    // Where no answer leaves the outcome open, it is what it was said to be.
    if (!answers.some(isOpenOutcome) && answers.every((answer) => idOf(answer) === undefined)) expect(there, what).toEqual([]);
  }

  /** Every order's outcome was pushed, when it happened or when it was found. */
  async #hearOrders(placed: readonly Placed[], heard: number, seed: number): Promise<void> {
    const own = () => this.#stage.orders().filter((there) => placed.some(({ quantity }) => quantity === there.quantity));
    // One that came late may be the last that came.
    const pushed = (idEx: string) =>
      this.#push.frames.slice(heard).flatMap(({ body }) => (body?.order?.order_id_ex === idEx ? [body.order.order_status] : []));
    const missing = () => own().filter(({ idEx, status }) => !pushed(idEx).includes(status));
    const described = () => missing().map(({ idEx, status }) => `${idEx} in status ${status}, pushed as ${pushed(idEx).join()}`);
    await until(
      () => missing().length === 0,
      () => `seed ${seed}: pushes of ${described().join('; ')}`,
    );
    // A pushed state is neither recovered again nor forwarded twice; a late one may follow newer ones.
    const newest = new Map<string, string>();
    for (const { proto_id, body } of this.#push.frames.slice(heard)) {
      if (proto_id !== 2208 || body?.order === undefined) continue;
      const { order_id_ex, order_status, fill_qty, update_time } = body.order;
      const state = `in status ${order_status}, filled ${fill_qty}, at ${update_time}`;
      expect(newest.get(order_id_ex), `seed ${seed}: ${order_id_ex} ${state}, pushed twice`).not.toBe(state);
      newest.set(order_id_ex, state);
    }
  }

  /** A connection that was made anew had a gap, and it was told. */
  async #hearGaps(before: ReadonlyMap<string, number>, heard: number, seed: number): Promise<void> {
    for (const [name, generation] of this.#generations()) {
      // 1008 has no account that is subscribed to.
      if (generation === before.get(name) || name === '1008') continue;
      await this.#push.frame(isGap, `seed ${seed}: the gap of ${name}`, heard);
    }
  }

  #generations(): ReadonlyMap<string, number> {
    const { platform, brokers } = this.#stage.daemon.daemon.backend.status();
    return new Map(
      [['platform', platform] as const, ...brokers.map((broker) => [String(broker.brokerId), broker] as const)].map(
        ([name, { lifecycleGeneration }]) => [name, lifecycleGeneration],
      ),
    );
  }

  #note({ platform, brokers }: BackendStatus): void {
    for (const [name, { lifecycleState }] of [
      ['platform', platform] as const,
      ...brokers.map((one) => [String(one.brokerId), one] as const),
    ]) {
      const lived = this.#lived.get(name) ?? [];
      if (lived.at(-1) !== lifecycleState) lived.push(lifecycleState);
      this.#lived.set(name, lived);
    }
  }

  #checkTransitions(seed: number): void {
    for (const [name, states] of this.#lived) {
      for (const [index, state] of states.entries()) {
        const previous = states[index - 1];
        if (previous !== undefined) expect(transitions[previous], `seed ${seed}, ${name}: ${previous} to ${state}`).toContain(state);
      }
      states.splice(0, states.length - 1);
    }
  }

  /** Nothing is left for the next. */
  async #tidy(seed: number): Promise<void> {
    const desk = this.#stage.daemon.as('desk');
    for (const { market, acc_id } of DESKS) {
      const account = { market, acc_id, env: SIMULATE };
      await until(() => isDone(desk, '/api/cancel-all-order', account), `seed ${seed}: the end of the orders of ${acc_id}`);
    }
    await until(() => this.#stage.orders().every(({ open }) => !open), `seed ${seed}: every order cancelled`);
  }
}

const headerOf = ({ market, acc_id }: (typeof DESKS)[number]) => ({ trd_env: SIMULATE, acc_id, trd_market: market });
const leg = (code: string) => ({ security: { market: HK, code }, side: BUY, qty_ratio: 1 });

async function subscribe({ daemon }: Stage): Promise<void> {
  const desk = daemon.as('desk');
  const quotes = { symbols: [SYMBOL], sub_types: [1], is_reg_or_un_reg_push: true };
  await until(() => isDone(desk, '/api/subscribe', quotes), 'the subscription of quotes');
  const accounts = { acc_id_list: DESKS.map(({ acc_id }) => acc_id) };
  await until(() => isDone(desk, '/api/sub-acc-push', accounts), 'the subscription of accounts');
}

/** A machine that is busy may not answer in time. */
async function isDone(desk: HttpClient, path: string, body: object): Promise<boolean> {
  return (await desk.post(path, body)).json.ret_type === 0;
}

/** The order id of an answer that acknowledges one. */
function idOf({ status, json }: Answer): string | undefined {
  return status === 200 && json.ret_type === 0 ? json.s2c.order_id_ex : undefined;
}

/** Nobody knows what became of it. */
function isOpenOutcome({ status }: Answer): boolean {
  return status === 500 || status === 504 || status === 409;
}
