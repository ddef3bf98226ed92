import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';
import { type Chain, startChain } from '../../support/chain.js';
import { untilConnected } from '../../support/daemon.js';
import type { Fate } from '../../support/faulty-wire.js';

const PLACE = 2202;
const MODIFY = 2205;

let chain: Chain<'desk'>;
beforeAll(async () => {
  chain = await startChain({
    keys: { desk: { scopes: ['acc:read', 'qot:read', 'trade:simulate'] } },
    flags: ['--enable-trading'],
  });
});
afterAll(() => chain.stop());
afterEach(async () => {
  chain.wire.fate = () => 'pass';
  await untilConnected(chain.front.daemon);
});

let quantity = 0;
/** An order that no other test's can be taken for. */
function order(more: object = {}) {
  quantity += 100;
  return { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: quantity, price: 1, order_type: NORMAL, ...more };
}

/** The upstream's own list of these orders. */
async function atUpstream({ qty }: { qty: number }): Promise<{ order_id_ex: string; remark?: string }[]> {
  const { order_list = [] } = await chain.upstream.as('bridge').s2c('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
  return order_list.filter((listed: { qty: number }) => listed.qty === qty);
}

/** One fate for the next frame of this kind, and none for those after it. */
function once(protoId: number, direction: 'request' | 'answer', fate: Fate): void {
  let left = 1;
  chain.wire.fate = (frame, way) => (frame.protoId === protoId && way === direction && left-- > 0 ? fate : 'pass');
}

describe('an order whose answer is lost', () => {
  it.each([
    ['the connection is cut before it', 'cut', ''],
    ['half of it comes', 'half', ''],
    ['its digest is wrong', 'spoil', ''],
    ['the connection is cut before it, of a caller with a remark', 'cut', 'mine'],
  ] as const)('is found when %s, and is never sent again', async (_what, fate, remark) => {
    once(PLACE, 'answer', fate);
    const asked = order(remark === '' ? {} : { remark });
    const desk = chain.front.as('desk');
    const answer = await desk.post('/api/order', asked, { 'idempotency-key': `found-${fate}-${remark}` });
    expect(answer).toMatchObject({ status: 200, json: { ret_type: 0 } });
    const there = await atUpstream(asked);
    expect(there.map(({ order_id_ex }) => order_id_ex)).toEqual([answer.json.s2c.order_id_ex]);
    // The bridge's own mark is nobody's remark.
    const { order_list } = await desk.s2c('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
    const listed = order_list.find(({ order_id_ex }: { order_id_ex: string }) => order_id_ex === answer.json.s2c.order_id_ex);
    expect(listed.remark).toBe(remark);
    // Repeated under its key it is that order.
    const again = await desk.post('/api/order', asked, { 'idempotency-key': `found-${fate}-${remark}` });
    expect(again.json.s2c.order_id_ex).toBe(answer.json.s2c.order_id_ex);
    expect(await atUpstream(asked)).toHaveLength(1);
  });

  it('has an unknown outcome when it is nowhere, and is not sent again either', async () => {
    once(PLACE, 'request', 'cut');
    const asked = order();
    const desk = chain.front.as('desk');
    const answer = await desk.post('/api/order', asked, { 'idempotency-key': 'nowhere' });
    expect(answer).toMatchObject({
      status: 500,
      json: { code: 'backend.disconnected', error: expect.stringContaining('may have taken effect') },
    });
    expect(await desk.post('/api/order', asked, { 'idempotency-key': 'nowhere' })).toMatchObject({
      status: 409,
      json: { code: 'idempotency.unknown_outcome' },
    });
    expect(await atUpstream(asked)).toEqual([]);
  });

  it('is not mistaken for another that looks like it', async () => {
    const asked = order({ remark: 'twin' });
    const desk = chain.front.as('desk');
    const first = await desk.s2c('/api/order', asked);
    once(PLACE, 'request', 'cut');
    expect(await desk.post('/api/order', asked)).toMatchObject({ status: 500 });
    expect((await atUpstream(asked)).map(({ order_id_ex }) => order_id_ex)).toEqual([first.order_id_ex]);
  });
});

describe('a cancel whose answer is lost', () => {
  it('has an unknown outcome, and took effect once', async () => {
    const asked = order();
    const desk = chain.front.as('desk');
    const { order_id_ex } = await desk.s2c('/api/order', asked);
    once(MODIFY, 'answer', 'cut');
    const cancel = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id_ex };
    expect(await desk.post('/api/cancel-order', cancel)).toMatchObject({ status: 500, json: { code: 'backend.disconnected' } });
  });
});
