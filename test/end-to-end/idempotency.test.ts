import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { Answer } from '../support/http-client.js';

type Id = 'desk' | 'other' | 'small';
const flags = ['--enable-trading'];
let daemon: TestDaemon<Id>;
beforeEach(async () => {
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  daemon = await TestDaemon.start<Id>({
    keys: { desk: { scopes }, other: { scopes }, small: { scopes, limits: { maxOrdersPerMinute: '1' } } },
    flags,
  });
});
afterEach(() => daemon.stop());

const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const order = { ...account, side: BUY, code: '00700', qty: 100, price: 800, order_type: NORMAL };

function send(key: string, body: object = order, id: Id = 'desk', path = '/api/order'): Promise<Answer> {
  return daemon.as(id).post(path, body, { 'idempotency-key': key });
}

async function orderCount(): Promise<number> {
  return (await daemon.as('desk').s2c('/api/orders', account)).order_list.length;
}

describe('the same key and body', () => {
  it('get the same answer and make one order', async () => {
    const answers = [await send('a'), await send('a'), await send('a')];
    expect(answers[0]?.json.ret_type).toBe(0);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await orderCount()).toBe(1);
  });

  it('say which answers were given before', async () => {
    const replayed = async (...of: Parameters<typeof send>) => (await send(...of)).headers['idempotent-replayed'];
    expect([await replayed('told'), await replayed('told'), await replayed('other')]).toEqual([undefined, 'true', undefined]);
    expect(await replayed('told', { ...order, qty: 200 })).toBeUndefined();
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => replayed('told-at-once')));
    expect(atOnce.filter((header) => header === undefined)).toHaveLength(1);
  });

  it('are told apart in the audit trail', async () => {
    await send('audited');
    await send('audited');
    const lines = (await daemon.audit()).filter(({ outcome }) => outcome === 'trade');
    expect(lines.map(({ reason }) => reason)).toEqual(['', 'answered before; nothing was sent']);
    expect(lines[1]?.order_id).toBe(lines[0]?.order_id);
  });

  it('at once, make one order', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('at-once')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await orderCount()).toBe(1);
  });

  it('are recognised in another spelling of the same request', async () => {
    const first = await send('spelling');
    const { market, env, side, ...rest } = order;
    const again = await send('spelling', { ...rest, trd_market: market, trd_env: env, trd_side: side, price: 800.0 });
    expect(again.text).toBe(first.text);
    expect(await orderCount()).toBe(1);
  });

  it('after a restart still make one order', async () => {
    const first = await send('restart');
    await daemon.halt();
    await daemon.boot({ flags });
    expect((await send('restart')).text).toBe(first.text);
    expect(await orderCount()).toBe(1);
  });

  it('of another caller are another write', async () => {
    await send('shared');
    expect((await send('shared', order, 'other')).json.ret_type).toBe(0);
    expect(await orderCount()).toBe(2);
  });

  it('hold for cancels too', async () => {
    const { order_id_ex } = (await send('placed')).json.s2c;
    const cancel = { ...account, order_id_ex };
    const first = await send('cancelled', cancel, 'desk', '/api/cancel-order');
    expect(first.json.ret_type).toBe(0);
    expect((await send('cancelled', cancel, 'desk', '/api/cancel-order')).text).toBe(first.text);
    expect((await daemon.as('desk').post('/api/cancel-order', cancel)).json.ret_type).toBe(-1);
  });
});

describe('the same key for something else', () => {
  it('is a 409, and nothing is sent', async () => {
    await send('mine');
    for (const [body, path] of [
      [{ ...order, qty: 200 }, '/api/order'],
      [{ ...order, remark: 'x' }, '/api/order'],
      [account, '/api/cancel-all-order'],
    ] as const) {
      const answer = await send('mine', body, 'desk', path);
      expect([answer.status, answer.json.code]).toEqual([409, 'idempotency.mismatch']);
    }
    const racing = await Promise.all([send('race'), send('race', { ...order, qty: 200 })]);
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await orderCount()).toBe(2);
  });
});

describe('what is remembered', () => {
  it('is no refusal by the gateway: the key may be used again', async () => {
    await send('first', order, 'small');
    const refused = await send('later', order, 'small');
    expect(refused.json.code).toBe('limit.rate');
    expect((await send('later', { ...order, qty: 200 }, 'small')).status).toBe(429);
    expect((await send('typo', { ...order, qtty: 100 })).status).toBe(400);
    expect((await send('typo')).json.ret_type).toBe(0);
  });

  it('does not count a repetition towards the rate', async () => {
    for (let times = 0; times < 5; times++) expect((await send('one', order, 'small')).status).toBe(200);
  });

  it('is a refusal by the brokerage', async () => {
    const refused = await send('lot', { ...order, qty: 50 });
    expect([refused.status, refused.json.ret_type]).toEqual([200, -1]);
    expect((await send('lot', { ...order, qty: 50 })).text).toBe(refused.text);
    expect((await send('lot', { ...order, qty: 100 })).status).toBe(409);
  });
});

describe('a key that is none', () => {
  it.each([[' '], ['has space'], ['x'.repeat(256)], ['tab\there']])('%j is a 400', async (key) => {
    const answer = await send(key);
    expect([answer.status, answer.json.field]).toEqual([400, 'Idempotency-Key']);
    expect(await orderCount()).toBe(0);
  });
});
