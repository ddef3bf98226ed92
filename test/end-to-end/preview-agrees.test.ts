import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as Unlock } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Preview, previewSentence, previewText, type ResponseMessage } from '@svc-gateway/gateway';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { HK_MARGIN, REAL, REAL_FUTURES } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { foretold, previewed, refusalOf } from '../support/previews.js';
import { type Draw, randomWrites, type Write } from '../support/random-writes.js';
import { signal } from '../support/until.js';

/** A preview says what the write then meets: for orders of every kind, good and bad. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock'] as const;
const switches = new Set(['--enable-trading', '--enable-v18-position-writes']);
const futures = { market: 'FUTURES', acc_id: REAL_FUTURES, env: 'real' };
/** Writes in all, and of one gateway. */
const WRITES = Number(process.env.SVC_PREVIEWED_WRITES ?? 2_000);
const A_DESK = 1_000;

let desk: Desk;
afterEach(() => desk.close());

async function open(): Promise<void> {
  desk = await openDesk({
    keys: {
      desk: { scopes, limits: { maxOrderValue: '20000000' } },
      free: { scopes },
      few: { scopes, limits: { maxOpenOrders: '1' } },
      blind: { scopes: ['trade:simulate'] },
    },
    switches,
    // Every refusal is one of many here.
    bounds: { refusalsPerSecond: 1_000_000 },
  });
  const pwdMD5 = createHash('md5').update('123456').digest('hex');
  await desk.call(trade.unlockTrade, create(Unlock, { unlock: true, pwdMD5 }), { iface: 'grpc' });
}

/** An order that was placed, as changes name it. */
type Placed = Record<string, unknown>;

it(`agrees with what becomes of each of ${WRITES} random writes`, { timeout: 600_000 }, async () => {
  const outcomes = new Map<string, number>();
  /** Remarks of orders that were kept back. */
  const kept = new Set<string>();
  for (let run = 0; run * A_DESK < WRITES; run++) {
    if (run > 0) await desk.close();
    await open();
    // A position that no drawn order closes, to be turned and rolled.
    const contracts = { ...futures, symbol: 'HK.HSI2612', side: 'BUY', order_type: 'MARKET', qty: 1 };
    await desk.payload(trade.placeOrder, contracts, { as: 'free' });
    desk.clock.advance(400);
    const placed: Placed[] = [];
    let count = 0;
    for (const drawn of fc.sample(randomWrites, { numRuns: A_DESK, seed: 20_261_127 + run })) {
      count += 1;
      const write = await writeOf(drawn, placed, count % 10 === 0 ? `agrees ${count}` : `agrees-${count}`);
      if (write === undefined) continue;
      const { operation, body } = write;
      // No cap on values lets positions be turned: their orders' prices are not known.
      const approach = { as: operation.valuer === 'position' ? 'free' : 'desk', idempotencyKey: `write-${run}-${count}` };
      const outcome = await desk.preview(operation, body, approach);
      const before = foretold(outcome);
      const answer = await desk.call(operation, body, approach);
      const after = refusalOf(answer);
      expect({ operation: operation.name, body, refused: before }).toEqual({ operation: operation.name, body, refused: after });
      // Under the key that is now used, whatever the account and the limits have become, the answer is repeated.
      const again = answer instanceof Rejection ? undefined : await desk.preview(operation, body, approach);
      if (again !== undefined) expect([operation.name, body, foretold(again)]).toEqual([operation.name, body, after]);
      const met = `${operation.name} ${after?.[0] ?? 'accepted'}`;
      outcomes.set(met, (outcomes.get(met) ?? 0) + 1);
      const orders = after === undefined ? placedBy(write, answer as ResponseMessage) : [];
      placed.push(...orders);
      for (const order of orders) {
        const remark = await remarkOf(order);
        expect([operation.name, body, 'note' in outcome ? outcome.note : undefined]).toEqual([operation.name, body, remark]);
        if (remark !== null) kept.add(remark);
      }
      if (count % 7 === 0) desk.clock.advance(400);
    }
  }
  expect([...kept]).toContainEqual(expect.stringContaining('far beyond the market'));
  const seen = [...outcomes.keys()];
  const places = ['place_order', 'place_combo_order', 'place_bracket_order'];
  const changes = ['modify_order', 'cancel_order', 'reverse_position', 'roll_position'];
  for (const kind of [...places, ...changes]) expect(seen).toContain(`${kind} accepted`);
  const codes = [
    'lot_size',
    'tick',
    'buying_power',
    'position',
    'quantity',
    'market',
    'order_type',
    'short_sale',
    'trigger',
    'order_state',
  ];
  for (const code of codes)
    expect(
      seen.some((outcome) => outcome.endsWith(`broker.${code}`)),
      code,
    ).toBe(true);
});

function placedBy({ operation, body }: Write, { s2c }: ResponseMessage & { s2c?: { orderIDEx?: string } }): Placed[] {
  const places = operation === trade.placeOrder || operation === trade.placeComboOrder || operation === trade.placeBracketOrder;
  if (!places || !s2c?.orderIDEx) return [];
  const { acc_id = HK_MARGIN, env = 'simulate', market = 'HK' } = body;
  return [{ acc_id, env, market, order_id_ex: s2c.orderIDEx }];
}

/** The remark of an order that waits to be confirmed; null for others. */
async function remarkOf({ order_id_ex, ...header }: Placed): Promise<string | null> {
  const { orderList } = await desk.payload(account.getOrders, header);
  const order = orderList.find(({ orderIDEx }) => orderIDEx === order_id_ex);
  return order?.orderStatus === OrderStatus.OrderStatus_Unsubmitted ? order.lastErrMsg : null;
}

/** A drawn write about the orders and positions that there are; undefined where there are none. */
async function writeOf(drawn: Draw, placed: readonly Placed[], key: string): Promise<Write | undefined> {
  if (!('kind' in drawn)) return drawn;
  const { which, operation } = drawn;
  if (drawn.kind === 'change') {
    const order = placed[placed.length - 1 - (which % 20)];
    if (order === undefined) return undefined;
    if (operation !== trade.reconfirmOrder) return { operation, body: { ...order, ...drawn.terms } };
    const { orderList } = await desk.payload(account.getOrders, { ...order, order_id_ex: undefined });
    const named = orderList.find(({ orderIDEx }) => orderIDEx === order.order_id_ex);
    const { acc_id, market } = order;
    return named && { operation, body: { acc_id, market, order_id: String(named.orderID), ...drawn.terms } };
  }
  const header =
    operation === trade.placeOrder ? { market: 'HK', acc_id: which % 2 ? HK_MARGIN : REAL, env: which % 2 ? 'simulate' : 'real' } : futures;
  const { positionList } = await desk.payload(account.getPositions, header);
  const held = positionList.filter(({ qty }) => qty !== 0);
  const position = held[which % Math.max(1, held.length)];
  if (position === undefined) return undefined;
  if (operation === trade.placeOrder) {
    const { code, qty } = position;
    const side = qty > 0 ? 'SELL' : 'BUY_BACK';
    return { operation, body: { ...header, symbol: `HK.${code}`, side, order_type: 'MARKET', qty: Math.abs(qty) + drawn.more } };
  }
  const own = operation === trade.rollPosition ? { target_code: drawn.target, target_sec_market: 1 } : { price_type: 1 };
  return { operation, body: { ...header, ...own, idempotency_key: key, position_id: String(position.positionID), extension_version: 1 } };
}

const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 390 };

it('says each reason, and what would be accepted', async () => {
  await open();
  const odd = await previewed(desk, 'place', trade.placeOrder, { ...order, qty: 60_050 });
  expect(odd).toMatchObject({ wouldPass: false, brokerageDecided: true });
  expect(odd.refusals.map(({ code }) => code)).toEqual(['limit.order_value', 'broker.lot_size']);
  expect(odd.refusals[1]?.message).toContain('nearest: 60000 and 60100');
  expect(previewSentence(odd)).toMatch(/It would be refused: .*By the brokerage it would be refused: qty 60050 /);
  const between = await previewed(desk, 'place', trade.placeOrder, { ...order, price: 390.001 });
  expect(between.refusal).toMatchObject({ code: 'broker.tick', message: expect.stringContaining('nearest: 390 and 390.2') });
});

it('says that an order which looks like a slip would wait for a confirmation', async () => {
  await open();
  const far = 'not sent: its price is far beyond the market; confirm it (reconfirm_op 2), change it or cancel it';
  const slip = await previewed(desk, 'place', trade.placeOrder, { ...order, price: 8_000 }, { as: 'free' });
  expect(slip).toMatchObject({ wouldPass: true, note: far });
  expect(previewSentence(slip)).toContain(`Note: ${far}.`);
  const large = await previewed(desk, 'place', trade.placeOrder, { ...order, qty: 300_100, price: 0.1 }, { as: 'free' });
  expect(large.note).toBe('not sent: more than 3000 board lots; confirm it (reconfirm_op 1), change it or cancel it');
  const { orderIDEx } = await desk.payload(trade.placeOrder, { ...order, price: 8_000 });
  expect((await previewed(desk, 'place', trade.placeOrder, order)).note).toBeNull();
  const named = { acc_id: HK_MARGIN, env: 'simulate', market: 'HK', order_id_ex: orderIDEx, modify_order_op: 'normal', qty: 100 };
  expect(await previewed(desk, 'modify', trade.modifyOrder, { ...named, price: 9_000 })).toMatchObject({ wouldPass: true, note: far });
  expect(await previewed(desk, 'modify', trade.modifyOrder, { ...named, price: 390 })).toMatchObject({ wouldPass: true, note: null });
});

it('is refused under an idempotency key that was used for another request, as the write is, and uses up none', async () => {
  await open();
  const keyed = { idempotencyKey: 'first' };
  expect(foretold(await desk.preview(trade.placeOrder, { ...order, price: 380 }, keyed))).toBeUndefined();
  const { orderIDEx } = await desk.payload(trade.placeOrder, order, keyed);
  const other = { ...order, price: 380 };
  const refused = foretold(await desk.preview(trade.placeOrder, other, keyed));
  expect(refused?.[0]).toBe('idempotency.mismatch');
  expect(refused).toEqual(refusalOf(await desk.call(trade.placeOrder, other, keyed)));
  expect(foretold(await desk.preview(trade.placeOrder, order, keyed))).toBeUndefined();
  expect((await desk.payload(trade.placeOrder, order, keyed)).orderIDEx).toBe(orderIDEx);
  const contracts = { ...futures, symbol: 'HK.HSI2612', side: 'BUY', order_type: 'MARKET', qty: 1 };
  await desk.payload(trade.placeOrder, contracts, { as: 'free' });
  desk.clock.advance(400);
  const { positionList } = await desk.payload(account.getPositions, futures);
  const reversal = { ...futures, position_id: String(positionList[0]?.positionID), extension_version: 1, idempotency_key: 'own' };
  await desk.payload(trade.reversePosition, { ...reversal, price_type: 1 }, { as: 'free' });
  const changed = { ...reversal, price_type: 2 };
  const foreseen = foretold(await desk.preview(trade.reversePosition, changed, { as: 'free' }));
  expect(foreseen?.[0]).toBe('idempotency.mismatch');
  expect(foreseen).toEqual(refusalOf(await desk.call(trade.reversePosition, changed, { as: 'free' })));
});

it('says under a used idempotency key that the answer of then is repeated, whatever has become of account and limits', async () => {
  await open();
  const sale = { ...order, side: 'SELL', price: 300 };
  const refused = refusalOf(await desk.call(trade.placeOrder, sale, { idempotencyKey: 'sale' }));
  expect(refused?.[0]).toBe('broker.position');
  await desk.payload(trade.placeOrder, { ...order, order_type: 'MARKET', price: undefined });
  desk.clock.advance(2_000);
  expect(foretold(await desk.preview(trade.placeOrder, sale))).toBeUndefined();
  const repeated = await previewed(desk, 'repetition', trade.placeOrder, sale, { idempotencyKey: 'sale' });
  expect(foretold(repeated)).toEqual(refused);
  expect(JSON.parse(previewText(repeated))).toMatchObject({
    ...{ preview: 'repetition', operation: 'place_order', would_pass: false, code: 'broker.position', reason: refused?.[1], gates: [] },
    note: 'answered before under this idempotency key: that answer is repeated, and nothing is sent',
  });
  expect(refusalOf(await desk.call(trade.placeOrder, sale, { idempotencyKey: 'sale' }))).toEqual(refused);

  const keyed = { as: 'few', idempotencyKey: 'few' };
  const { orderIDEx } = await desk.payload(trade.placeOrder, order, keyed);
  expect(foretold(await desk.preview(trade.placeOrder, order, { as: 'few' }))?.[0]).toBe('limit.open_orders');
  expect(foretold(await desk.preview(trade.placeOrder, order, keyed))).toBeUndefined();
  expect((await desk.payload(trade.placeOrder, order, keyed)).orderIDEx).toBe(orderIDEx);
});

it('leaves open, under the idempotency key of a request that is under way, what becomes of that', async () => {
  await open();
  await desk.close();
  const { promise: held, resolve: answer } = signal();
  desk = await openDesk({
    keys: { desk: { scopes } },
    answer: (operation, _, pass) => (operation === trade.placeOrder ? held.then(pass) : pass()),
  });
  const keyed = { idempotencyKey: 'one' };
  const placed = desk.payload(trade.placeOrder, order, keyed);
  const preview = await previewed(desk, 'place', trade.placeOrder, order, keyed);
  expect(preview).toMatchObject({ wouldPass: null, refusal: null, brokerageDecided: false, gates: [] });
  expect(JSON.parse(previewText(preview)).reason).toContain('under way under this idempotency key');
  answer();
  await placed;
  expect(foretold(await desk.preview(trade.placeOrder, order, keyed))).toBeUndefined();
});

it('does not speak of the price of an order without one', async () => {
  await open();
  const stop = await previewed(desk, 'place', trade.placeOrder, {
    ...order,
    side: 'SELL',
    order_type: 'STOP',
    price: undefined,
    aux_price: 390.001,
  });
  expect(stop.capacity?.message ?? null).toBeNull();
  for (const text of [stop.refusal?.message ?? '', previewSentence(stop)])
    expect(text.replaceAll('auxPrice', 'aux')).not.toMatch(/\bprice \d/);
  const market = await previewed(desk, 'place', trade.placeOrder, { ...order, order_type: 'MARKET', price: undefined, qty: 150 });
  expect(market.refusal).toMatchObject({ code: 'broker.lot_size' });
  expect(market.capacity?.message ?? null).toBeNull();
});

it('tells a key that may not read the account nothing of what it holds', async () => {
  await open();
  await desk.call(trade.placeOrder, { ...order, order_type: 'MARKET', price: undefined, qty: 3_600 }, { as: 'free' });
  desk.clock.advance(2_000);
  // On both sides of what the account can pay for, holds, and may break a lot for.
  const alike = [
    [trade.placeOrder, [{ qty: 100 }, { qty: 10_000_000 }]],
    [
      trade.placeOrder,
      [
        { side: 'SELL', qty: 3_600 },
        { side: 'SELL', qty: 3_700 },
        { side: 'SELL', qty: 3_650 },
      ],
    ],
    [
      trade.placeBracketOrder,
      [
        { qty: 100, stop_loss_price: 300 },
        { qty: 10_000_000, stop_loss_price: 300 },
      ],
    ],
  ] as const;
  for (const [operation, sizes] of alike) {
    for (const size of sizes) {
      const preview = await previewed(desk, 'place', operation, { ...order, ...size }, { as: 'blind' });
      expect(preview).toMatchObject({ wouldPass: null, refusal: null, refusals: [], brokerageDecided: false, capacity: null });
      expect(JSON.parse(previewText(preview)).reason).toMatch(/is told to keys with acc:read/);
    }
    const decided = sizes.map(async (size) => (await previewed(desk, 'place', operation, { ...order, ...size })).wouldPass);
    expect(new Set(await Promise.all(decided))).toEqual(new Set([true, false]));
  }
  // The rest of the brokerage's word has nothing to do with the account.
  const between = await previewed(desk, 'place', trade.placeOrder, { ...order, price: 390.001 }, { as: 'blind' });
  expect(between).toMatchObject({ wouldPass: false, brokerageDecided: true, refusal: { code: 'broker.tick' } });
});

it('holds what a brokerage says of the account against an order, where it cannot decide beforehand', async () => {
  await open();
  await desk.close();
  desk = await openDesk({ keys: { desk: { scopes } }, backend: { check: undefined as never } });
  const dear = await previewed(desk, 'place', trade.placeOrder, { ...order, qty: 10_000_000 });
  expect(dear).toMatchObject({ wouldPass: false, brokerageDecided: false, refusal: { code: 'broker.buying_power' } });
  const fine = await previewed(desk, 'place', trade.placeOrder, order);
  expect(fine).toMatchObject({ wouldPass: null, refusal: null, brokerageDecided: false });
  expect(JSON.parse(previewText(fine))).toMatchObject({
    would_pass: null,
    reason: expect.stringContaining('decides only on the order itself'),
  });
});

it('names the reason as the write does, where only the capacity of the account can be asked', async () => {
  await open();
  await desk.close();
  desk = await openDesk({ keys: { desk: { scopes } }, backend: { check: undefined as never } });
  for (const [body, code] of [
    [{ ...order, price: 350.01 }, 'broker.tick'],
    [{ ...order, symbol: 'HK.99999' }, 'broker.unknown_code'],
    [{ ...order, symbol: 'US.AAPL', market: 'US', qty: 1 }, 'broker.market'],
    [{ ...order, acc_id: '1' }, 'broker.account'],
    [{ ...order, env: 'real' }, 'broker.account'],
  ] as const) {
    const preview = await desk.preview(trade.placeOrder, body);
    expect([code, foretoldUndecided(preview)]).toEqual([code, refusalOf(await desk.call(trade.placeOrder, body))]);
    expect(foretoldUndecided(preview)?.[0]).toBe(code);
  }
});

it('says of an order that has ended that it cannot be changed, where the brokerage cannot be asked', async () => {
  await open();
  await desk.close();
  desk = await openDesk({ keys: { desk: { scopes } }, backend: { check: undefined as never } });
  const { acc_id, env } = order;
  const account = { acc_id, env, market: 'HK' };
  const { orderIDEx: order_id_ex } = await desk.payload(trade.placeOrder, order);
  await desk.payload(trade.cancelOrder, { ...account, order_id_ex });
  desk.clock.advance(5_000);
  const request = { ...account, order_id_ex, op: 1, qty: 200, price: 340 };
  const preview = await previewed(desk, 'modify', trade.modifyOrder, request);
  expect(preview).toMatchObject({ wouldPass: false, brokerageDecided: false, refusal: { code: 'broker.order_state' } });
  expect(refusalOf(await desk.call(trade.modifyOrder, request))?.[0]).toBe('broker.order_state');
});

it('claims no want of money where a brokerage lets an account buy nothing and gives no reason', async () => {
  await open();
  await desk.close();
  const nothing = { maxCashBuy: 0, maxPositionSell: 0, maxCashAndMarginBuy: 0, maxSellShort: 0, maxBuyBack: 0 };
  desk = await openDesk({
    keys: { desk: { scopes } },
    backend: (simulated) => ({
      check: undefined as never,
      call: (operation, request, context) =>
        operation === account.getMaxTrdQtys
          ? (create(operation.messages.ResponseSchema, {
              retType: 0,
              s2c: { header: { accID: 1n, trdEnv: 0, trdMarket: 1 }, maxTrdQtys: nothing },
            } as never) as ResponseMessage)
          : simulated.call(operation, request, context),
    }),
  });
  for (const [side, code] of [
    ['BUY', 'backend.refused'],
    ['SELL_SHORT', 'backend.refused'],
    ['SELL', 'broker.position'],
  ]) {
    const preview = await previewed(desk, 'place', trade.placeOrder, { ...order, side });
    expect(preview.refusal).toMatchObject({ code, message: expect.stringContaining('can trade at most 0 of it on this side') });
  }
});

function foretoldUndecided(outcome: Preview | ResponseMessage | Rejection): readonly [string, string] | undefined {
  if (outcome instanceof Rejection || 'retType' in outcome) return refusalOf(outcome);
  return outcome.refusal === null ? undefined : [outcome.refusal.code, outcome.refusal.message];
}
