import { readFileSync } from 'node:fs';
import { replayClock } from '@svc-gateway/contract/clock';
import { expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';

// 18 digits: Number(HK_MARGIN) ends in 000, not in 002.
const ROUNDED = String(BigInt(Number(HK_MARGIN)));

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'metrics:read'] as const;
const limits = { allowedAccIds: HK_MARGIN };
const daemon = TestDaemon.forAll({
  simulationClock: replayClock(Date.now(), 20),
  keys: { desk: { scopes, limits } },
  flags: ['--enable-trading'],
});

const desk = () => daemon.as('desk');

it('an account id is more than a double holds', () => {
  expect(ROUNDED).not.toBe(HK_MARGIN);
});

it.each([
  ['a number', HK_MARGIN],
  ['a string', `"${HK_MARGIN}"`],
])('as %s in a body it is exact, and written back as a number or, if asked, as a string', async (_form, written) => {
  const body = `{"market":1,"env":1,"acc_id":${written}}`;
  for (const path of ['/api/funds', '/api/positions', '/api/orders']) {
    expect((await desk().post(path, body)).text).toContain(`"acc_id":${HK_MARGIN},`);
    expect((await desk().post(path, body, { 'x-svc-int64': 'string' })).text).toContain(`"acc_id":"${HK_MARGIN}",`);
  }
  const lowLevel = `{"c2s":{"header":{"trd_env":1,"acc_id":${written},"trd_market":1}}}`;
  expect((await desk().post('/api/funds', lowLevel)).text).toContain(`"acc_id":${HK_MARGIN},`);
});

it('a neighbour that rounds to the same double is another account', async () => {
  for (const written of [ROUNDED, `"${ROUNDED}"`]) {
    const answer = await desk().post('/api/funds', `{"market":1,"env":1,"acc_id":${written}}`);
    expect([answer.status, answer.json.code]).toEqual([403, 'auth.account']);
    expect(answer.text).toContain(ROUNDED);
  }
  expect((await desk().post('/api/funds', `{"market":1,"env":1,"acc_id":${HK_MARGIN}.0}`)).status).toBe(400);
  expect((await desk().post('/api/funds', `{"market":1,"env":1,"acc_id":2.81756478396547e17}`)).status).toBe(400);
});

it('a query takes an account id that a double cannot hold', async () => {
  expect((await desk().get(`/api/token-state?acc_id=${HK_MARGIN}`)).status).toBe(200);
  expect((await desk().get(`/api/token-state?acc_id=${ROUNDED}`)).json.code).toBe('auth.account');
});

it('lists and pushes carry every digit of ids of accounts, orders and fills', async () => {
  expect((await desk().get('/api/list-accounts')).text).toContain(`"acc_id":${HK_MARGIN},`);
  const [numbers, strings] = [await daemon.push('desk'), await daemon.push('desk', '?int64=string')];
  expect((await desk().post('/api/sub-acc-push', `{"acc_id_list":[${HK_MARGIN}]}`)).json.ret_type).toBe(0);
  const order = `{"symbol":"HK.00700","acc_id":${HK_MARGIN},"env":1,"side":1,"qty":100,"order_type":2}`;
  const placed = await desk().post('/api/order', order);
  const orderId = /"order_id":(\d+)/.exec(placed.text)?.[1] ?? '';
  expect(placed.text).toContain(`"acc_id":${HK_MARGIN},`);
  for (const [client, form] of [
    [numbers, (id: string) => id],
    [strings, (id: string) => `"${id}"`],
  ] as const) {
    const fill = await client.frame(({ proto_id }) => proto_id === 2218, 'the fill');
    const text = client.texts[client.frames.indexOf(fill)] ?? '';
    expect(text.split(`"acc_id":${form(HK_MARGIN)}`)).toHaveLength(3);
    expect(text).toContain(`"order_id":${form(orderId)},`);
  }
  const reads = await desk().post('/api/orders', `{"market":1,"env":1,"acc_id":${HK_MARGIN}}`);
  expect(reads.text).toContain(`"order_id":${orderId},`);
  const header = `{"trd_env":1,"acc_id":${HK_MARGIN},"trd_market":1}`;
  const cancel = await desk().post('/api/modify-order', `{"header":${header},"order_id":${orderId},"modify_order_op":2}`);
  expect(cancel.json.ret_msg).not.toContain('no order');
});

it('the audit trail has every digit of account ids, and metrics have none of them', async () => {
  await daemon.audit();
  const trail = readFileSync(daemon.auditPath, 'utf8');
  expect(trail).toContain(`"acc_id":${HK_MARGIN},`);
  expect((await desk().get('/metrics')).text).not.toContain(HK_MARGIN.slice(0, 12));
});
