import { create } from '@bufbuild/protobuf';
import { replayClock } from '@svc-gateway/contract/clock';
import { type C2S, C2SSchema as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Iface } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, NORMAL, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { TestDaemon } from '../support/daemon.js';
import { type Desk, openDesk } from '../support/desk.js';
import { until } from '../support/until.js';

/** A caller that may not trade cannot take the protection of a position away. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const list = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
const taking = { ...list, symbol: 'HK.00700', side: 'BUY', qty: 100, order_type: 'MARKET' };
const CANCELLED = 15;

let desk: Desk;
let stop = 0;
afterEach(() => desk?.close());

async function open(): Promise<void> {
  desk = await openDesk({
    keys: {
      desk: { scopes },
      halted: { scopes },
      blind: { scopes: ['qot:read', 'trade:simulate'] },
      elsewhere: { scopes, limits: { allowedSymbols: 'HK.00005' } },
      ops: { scopes: ['admin'] },
    },
  });
  await desk.payload(admin.adminHalt, { key: 'halted' }, { as: 'ops', iface: 'grpc' });
  const { basicQotList } = await desk.payload(quote.getQuote, { symbols: ['HK.00700'] });
  stop = Math.round((basicQotList[0]?.curPrice ?? 0) * 0.8);
}

/** A bracket with its stop-loss in the market, beside an order that guards nothing. */
async function guarded() {
  await open();
  const { bracketId } = await desk.payload(trade.placeBracketOrder, { ...taking, stop_loss_price: stop });
  const { orderIDEx: other } = await desk.payload(trade.placeOrder, { ...taking, order_type: 'NORMAL', price: 1 });
  const bracket = async () => (await desk.payload(trade.getBrackets, { ...list, bracket_id: bracketId })).bracketList[0];
  const exit = await until(async () => {
    desk.clock.advance(500);
    return (await bracket())?.exitOrderIdEx || undefined;
  }, 'the exit');
  desk.clock.advance(500);
  const { orderList } = await desk.payload(account.getOrders, list);
  return { bracketId, exit, other, number: orderList.find(({ orderIDEx }) => orderIDEx === exit)?.orderID ?? 0n };
}

/** {@link guarded}, at a daemon with its listeners. */
async function guardedDaemon() {
  const flags = ['--api-key-id', 'desk', '--enable-trading'];
  const daemon = await TestDaemon.start({ simulationClock: replayClock(Date.now(), 20), keys: { desk: { scopes, sdk: true } }, flags });
  const ask = (path: string, body: object) => daemon.as('desk').s2c(path, body, { 'x-svc-int64': 'string' });
  const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
  const order = { ...account, symbol: 'HK.00700', side: BUY, qty: 100 };
  const { basic_qot_list } = await ask('/api/quote', { symbol: 'HK.00700' });
  const bracket = { ...order, order_type: MARKET, stop_loss_price: Math.round(basic_qot_list[0].cur_price * 0.8) };
  const { bracket_id } = await ask('/api/bracket-order', bracket);
  const { order_id_ex: other } = await ask('/api/order', { ...order, order_type: NORMAL, price: 1 });
  const exit = await until(async () => {
    const { bracket_list } = await ask('/api/brackets', { ...account, bracket_id });
    return (bracket_list?.[0]?.exit_order_id_ex as string | undefined) || undefined;
  }, 'the exit');
  const status = async (id: string): Promise<number> => {
    const { order_list } = await ask('/api/orders', { ...account, refresh_cache: true });
    return order_list.find(({ order_id_ex }: { order_id_ex: string }) => order_id_ex === id)?.order_status;
  };
  await until(async () => (await status(exit)) === 1, 'the exit at the brokerage');
  return { daemon, exit, other, status, [Symbol.asyncDispose]: () => daemon.stop() };
}

async function codeOf(operation: Operation, body: object, as: string, iface: Iface = 'mcp'): Promise<string | undefined> {
  const answer = await desk.call(operation, body, { as, iface });
  if (!(answer instanceof Rejection) && answer.retType !== 0) return answer.retMsg;
  return answer instanceof Rejection ? answer.code : undefined;
}
async function statusOf(id: string): Promise<number | undefined> {
  desk.clock.advance(500);
  const { orderList } = await desk.payload(account.getOrders, list);
  return orderList.find(({ orderIDEx }) => orderIDEx === id)?.orderStatus;
}

const refused: Readonly<Record<string, string>> = { halted: 'trading.halted', elsewhere: 'limit.symbol' };

describe.each(['halted', 'elsewhere'])('the exit of a bracket is not ended by a key that is %s', (as) => {
  it('by its text, its number, a change or the bracket', async () => {
    const { bracketId, exit, other, number } = await guarded();
    const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };
    const wishes: readonly [Operation, object, Iface?][] = [
      [trade.cancelOrder, { ...list, order_id_ex: exit }],
      [trade.cancelOrder, { ...list, order_id: String(number) }],
      ...['cancel', 'disable', 'delete'].map((op): [Operation, object] => [trade.modifyOrder, { ...list, order_id_ex: exit, op }]),
      [trade.cancelOrder, create(ModifyC2S, { header, orderID: 0n, orderIDEx: exit, modifyOrderOp: 2 }), 'grpc'],
      [trade.cancelBracket, { ...list, bracket_id: bracketId }],
    ];
    for (const [operation, body, iface = 'mcp'] of wishes) {
      const denied = await desk.call(operation, body, { as, iface });
      expect(denied).toMatchObject({ code: refused[as] });
      // Nobody hears of a symbol that is not theirs to see.
      if (as === 'elsewhere') expect(String((denied as Rejection).message)).not.toContain('00700');
    }
    expect(await statusOf(exit)).not.toBe(CANCELLED);
    // Orders that guard nothing can be ended by everybody.
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex: other }, as)).toBeUndefined();
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex: exit }, 'desk')).toBeUndefined();
    expect(await statusOf(exit)).toBe(CANCELLED);
  });

  it('by a cancel of everything, whatever that asks for', async () => {
    const { exit, other } = await guarded();
    expect(await desk.preview(trade.cancelAllOrder, list, { as })).toMatchObject({ kind: 'cancel', count: as === 'elsewhere' ? null : 1 });
    expect(await desk.call(trade.cancelAllOrder, list, { as })).toMatchObject({
      retType: 0,
      retMsg: as === 'elsewhere' ? '' : '1 order that guards a position stays',
    });
    expect([await statusOf(exit), await statusOf(other)]).toEqual([1, CANCELLED]);
    const everything = { ...list, including_exits: true };
    const preview = await desk.preview(trade.cancelAllOrder, everything, { as });
    const answer = await desk.call(trade.cancelAllOrder, everything, { as });
    // A key that may not see the order is told neither its symbol nor that there is one.
    const hidden = 'some orders were not cancelled, for reasons that describe orders which this key may not see';
    if (as === 'elsewhere') expect(answer).toMatchObject({ retType: -1, retMsg: hidden });
    else {
      const halted = { code: 'trading.halted', message: expect.stringContaining('1 order that guards a position stays') };
      expect([answer, preview]).toMatchObject([halted, { refusal: halted }]);
    }
    expect(await statusOf(exit)).toBe(1);
  });
});

describe('cancel-all', () => {
  it.each<[string, Iface]>([
    ['a tool', 'mcp'],
    ['the public protocol', 'core-tcp'],
  ])('over %s leaves exits of brackets', async (_, iface) => {
    const { exit, other } = await guarded();
    const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };
    const everything = create(ModifyC2S, {
      header,
      orderID: 0n,
      modifyOrderOp: 2,
      forAll: true,
      trdMarket: 1,
      adjustPrice: iface === 'core-tcp',
    });
    const answer = await desk.call(trade.cancelAllOrder, iface === 'mcp' ? list : everything, { iface });
    expect(answer).toMatchObject({ retType: 0, retMsg: '1 order that guards a position stays' });
    expect([await statusOf(exit), await statusOf(other)]).toEqual([1, CANCELLED]);
  });

  // Over the wires: the field is the caller's own.
  it.each([
    ['gRPC', false, false],
    ['gRPC', true, true],
    ['core TCP', false, false],
    ['core TCP', true, false],
    ['core WebSocket', true, false],
  ])('over %s with adjustPrice %s ends them: %s', async (wire, adjustPrice, ends) => {
    await using served = await guardedDaemon();
    const { daemon, exit, other, status } = served;
    const header = { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 };
    const packetID = { connID: 0, serialNo: 1 };
    const request = { packetID, header, orderID: 0, modifyOrderOp: 2, forAll: true, trdMarket: 1, adjustPrice };
    if (wire === 'gRPC') {
      const type = 'Trd_ModifyOrder';
      expect(await daemon.grpc().call({ key: daemon.keys.desk, protoId: 2205, type, request })).toMatchObject({
        code: 'OK',
        answer: { ret_type: 0 },
      });
    } else {
      const client =
        wire === 'core TCP'
          ? await CoreTcpClient.open(daemon.daemon.apiAddress!)
          : await CoreWsClient.open(daemon.daemon.websocketUrl!, daemon.keys.desk, daemon.ca);
      expect(await client.ask('Trd_ModifyOrder', request)).toMatchObject({ retType: 0 });
      client.close();
    }
    await until(async () => (await status(other)) === CANCELLED, 'the cancel of the other order');
    if (ends) await until(async () => (await status(exit)) === CANCELLED, 'the cancel of the exit');
    else expect(await status(exit)).toBe(1);
  });

  it('ends them where it is asked to', async () => {
    const { exit, other } = await guarded();
    expect(await codeOf(trade.cancelAllOrder, { ...list, including_exits: true }, 'desk')).toBeUndefined();
    expect([await statusOf(exit), await statusOf(other)]).toEqual([CANCELLED, CANCELLED]);
    expect(
      desk.calls.filter(({ operation }) => operation === 'cancel_all_order').map(({ request }) => (request as Partial<C2S>).adjustPrice),
    ).toEqual([false]);
  });
});

describe('a request for all orders by another operation', () => {
  const everyone = { ...list, order_id: 0, for_all: true };

  it.each(['normal', 'disable', 'enable', 'delete'])('is refused for every key, and changes nothing: %s', async (op) => {
    const { exit, other } = await guarded();
    for (const as of ['desk', 'halted', 'elsewhere']) {
      const asked = [trade.modifyOrder, { ...everyone, op, qty: 100, price: 1 }, { as }] as const;
      const refusal = { code: 'request.invalid', details: { field: 'for_all' }, message: expect.stringContaining(`(cancel) only, found`) };
      expect(await desk.call(...asked)).toMatchObject(refusal);
      expect(await desk.preview(...asked)).toMatchObject(refusal);
    }
    expect([await statusOf(exit), await statusOf(other)]).toEqual([1, 5]);
  });
});

describe('a stop order of its own', () => {
  const sale = () => ({ ...taking, side: 'SELL', order_type: 'STOP', aux_price: stop });

  it('that would close a position is not ended by a key for other symbols nor a halted one', async () => {
    await open();
    await desk.payload(trade.placeOrder, { ...taking, qty: 200 });
    desk.clock.advance(500);
    const { orderIDEx } = await desk.payload(trade.placeOrder, { ...sale(), qty: 200 });
    desk.clock.advance(500);
    const cancel = { ...list, order_id_ex: orderIDEx };
    for (const as of ['elsewhere', 'halted']) {
      expect(await codeOf(trade.cancelOrder, cancel, as)).toBe(refused[as]);
      expect(await desk.preview(trade.cancelAllOrder, list, { as })).toMatchObject({
        kind: 'cancel',
        count: as === 'elsewhere' ? null : 0,
      });
      expect(await desk.call(trade.cancelAllOrder, list, { as })).toMatchObject({
        retType: 0,
        retMsg: as === 'elsewhere' ? '' : '1 order that guards a position stays',
      });
      expect(await statusOf(orderIDEx)).toBe(1);
    }
    for (const change of [
      { qty: 100, aux_price: stop },
      { qty: 200, aux_price: stop - 10 },
      { qty: 200, aux_price: stop },
    ])
      expect(await codeOf(trade.modifyOrder, { ...cancel, op: 'normal', ...change }, 'halted')).toBe('trading.halted');
    expect(await codeOf(trade.cancelOrder, cancel, 'desk')).toBeUndefined();
  });

  it('and the exit of a bracket are not ended by a halted key without acc:read, which is not told why', async () => {
    const { bracketId, exit } = await guarded();
    await desk.payload(trade.placeOrder, taking);
    desk.clock.advance(500);
    const { orderIDEx } = await desk.payload(trade.placeOrder, sale());
    desk.clock.advance(500);
    await desk.payload(admin.adminHalt, { key: 'blind' }, { as: 'ops', iface: 'grpc' });
    const as = { as: 'blind' };
    const answers = [
      await desk.call(trade.cancelOrder, { ...list, order_id_ex: orderIDEx }, as),
      await desk.call(trade.cancelOrder, { ...list, order_id_ex: exit }, as),
      await desk.call(trade.cancelBracket, { ...list, bracket_id: bracketId }, as),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ code: 'trading.halted', message: expect.stringContaining('acc:read') });
      expect((answer as Rejection).message).not.toContain('guards');
    }
    const preview = await desk.preview(trade.cancelOrder, { ...list, order_id_ex: orderIDEx }, as);
    expect(JSON.stringify(preview, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('guards');
  });

  it('that would open one is ended by a halted key', async () => {
    await open();
    const { orderIDEx } = await desk.payload(trade.placeOrder, { ...taking, order_type: 'STOP', aux_price: Math.round(stop * 1.5) });
    desk.clock.advance(500);
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex: orderIDEx }, 'halted')).toBeUndefined();
    expect(await statusOf(orderIDEx)).toBe(CANCELLED);
  });
});
