import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import type { PushClient, PushFrame } from '../../support/push-client.js';
import { SimOpend } from '../../support/sim-serve.js';

const QUOTE = 1;
/** Qot_Common.QotRight. */
const LEVEL_2 = 3;
const SF = 4;

let upstream: SimOpend;
let daemon: TestDaemon<'desk'>;
let push: PushClient;

beforeEach(async () => {
  upstream = await SimOpend.start();
  daemon = await TestDaemon.start({
    keys: { desk: { scopes: ['qot:read', 'qot:state', 'acc:read', 'trade:simulate', 'admin'] } },
    flags: ['--backend', `opend://${upstream.address}`, '--enable-trading'],
  });
  await untilConnected(daemon.daemon);
  push = await daemon.push('desk');
});
afterEach(async () => {
  await daemon.stop();
  await upstream.stop();
  expect(upstream.defects).toEqual([]);
});

const isQuote = ({ type, symbol, sub_type }: PushFrame) => type === 'quote' && symbol === 'HK.00700' && sub_type === QUOTE;
const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };

describe('in front of an upstream that is as strict as they are', () => {
  it('reads what wants a subscription, subscribes, and trades', async () => {
    const desk = daemon.as('desk');
    const { basic_qot_list } = await desk.s2c('/api/quote', { symbol: 'HK.00005' });
    expect(basic_qot_list).toHaveLength(1);
    await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE], is_reg_or_un_reg_push: true });
    await push.frame(isQuote, 'a push');
    await desk.s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const placed = await desk.s2c('/api/order', order);
    await push.frame(({ body }) => body?.order?.order_id_ex === placed.order_id_ex, 'the order');
    // Missing answers fail at once with the daemon's own text; quote rights come from its own record of the user.
    expect(await desk.get('/api/quote-capability')).toMatchObject({ status: 501, json: { code: 'backend.unsupported' } });
    const { right_list } = (await desk.get('/api/quote-rights')).json.s2c;
    expect(right_list).toEqual(expect.arrayContaining([11, 21, 22, 31, 41, 61].map((market) => ({ market, right: LEVEL_2 }))));
    expect(right_list).toContainEqual({ market: 1, right: SF });
    expect(right_list).toContainEqual({ market: 81, right: 0 });
  });

  it('is told of a kick-out, and of everything that it missed', async () => {
    const desk = daemon.as('desk');
    await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE], is_reg_or_un_reg_push: true });
    await push.frame(isQuote, 'a push');
    upstream.server.kickOut();
    await push.frame(({ body }) => body?.event?.event_type === 7, 'the kick-out');
    await push.frame(({ body }) => body?.connect_status?.qot_logined === false, 'the loss');
    expect(await desk.get('/readyz')).toMatchObject({ status: 503 });
    upstream.server.logInAgain();
    const gap = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    await push.frame(isQuote, 'a push after the gap', push.frames.indexOf(gap));
    await untilConnected(daemon.daemon);
    expect(await desk.get('/readyz')).toMatchObject({ status: 200 });
  });
});
