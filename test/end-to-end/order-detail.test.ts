import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { TestDaemon } from '../support/daemon.js';
import type { PushFrame } from '../support/push-client.js';

const BOOK = 2;
const ODD_BOOK = 22;
const LEVELS = 10;
const hsbc = { market: 1, code: '00005' };

type Id = 'desk' | 'plain' | 'tcp' | 'grpc' | 'trader';
const reader = { scopes: ['qot:read'], sdk: true } as const;
const trader = { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } as const;
const daemon = TestDaemon.forAll<Id>({
  keys: { desk: reader, plain: reader, tcp: reader, grpc: reader, trader },
  flags: ['--api-key-id', 'tcp', '--enable-trading'],
});

// biome-ignore lint/suspicious/noExplicitAny: the same message as three interfaces write it
type Level = any;

const levelsOf = (s2c: Level): Level[] => [
  ...(s2c.order_book_ask_list ?? s2c.orderBookAskList),
  ...(s2c.order_book_bid_list ?? s2c.orderBookBidList),
];
const ordersOf = (level: Level): Level[] => level.detail_list ?? level.detailList ?? [];

/** A book in which every level is made of its orders. */
function expectOrders(s2c: Level): void {
  const levels = levelsOf(s2c);
  expect(levels).toHaveLength(2 * LEVELS);
  for (const level of levels) {
    const orders = ordersOf(level);
    expect(orders).toHaveLength(level.oreder_count ?? level.orederCount);
    expect(orders.reduce((sum, { volume }) => sum + Number(volume), 0)).toBe(Number(level.volume));
  }
  const numbers = levels.flatMap(ordersOf).map((order) => String(order.order_id ?? order.orderID));
  expect(new Set(numbers).size).toBe(numbers.length);
}

function expectNone(s2c: Level): void {
  const levels = levelsOf(s2c);
  expect(levels.length).toBeGreaterThan(0);
  expect(levels.flatMap(ordersOf)).toEqual([]);
}

const isBook = ({ type, symbol, sub_type }: Level) => type === 'quote' && symbol === 'HK.00005' && sub_type === BOOK;
const read = (id: Id, symbol = 'HK.00005') => daemon.as(id).s2c('/api/orderbook', { symbol, depth: LEVELS });
const subscribe = (id: Id, more: object = {}, symbols = ['HK.00005']) =>
  daemon.as(id).s2c('/api/subscribe', { symbols, sub_types: [BOOK], ...more });
const end = (id: Id) => daemon.as(id).s2c('/api/unsubscribe', { unsub_all: true });

describe('who subscribes to the orders behind each level', () => {
  it('pushes and reads the orders of a book to the key that subscribed to them, and to no other', async () => {
    const [mine, theirs] = [await daemon.push('desk'), await daemon.push('plain')];
    await subscribe('plain');
    await subscribe('desk', { is_sub_order_book_detail: true });
    const detailed = (frame: PushFrame) => isBook(frame) && levelsOf(frame.body).flatMap(ordersOf).length > 0;
    expectOrders((await mine.frame(detailed, 'a book with its orders')).body);
    expectOrders(await read('desk'));
    expectNone(await read('plain'));
    // Pushed meanwhile, and after it.
    await theirs.frame(isBook, 'a later book', theirs.frames.length);
    for (const frame of theirs.frames.filter(isBook)) expectNone(frame.body);
    // Asked for anew without them, they end; the books go on.
    await subscribe('desk');
    expectNone(await read('desk'));
    await mine.settled();
    const from = mine.frames.length;
    expectNone((await mine.frame(isBook, 'a book without orders', from)).body);
    await end('desk');
    await end('plain');
  });

  it('pushes a book once where its key wants the orders and its connection does not', async () => {
    const push = await daemon.push('desk');
    await subscribe('desk', { is_sub_order_book_detail: true });
    await push.command('subscribe', { symbols: ['HK.00005'], sub_types: [BOOK] });
    const from = push.frames.length;
    for (let seen = from; push.frames.slice(from).filter(isBook).length < 5; seen = push.frames.length)
      await push.frame(isBook, 'a book', seen);
    for (const frame of push.frames.slice(from).filter(isBook)) expectOrders(frame.body);
    // The connection keeps a stream that its key gives up.
    await end('desk');
    await push.settled();
    const later = push.frames.length;
    expectNone((await push.frame(isBook, 'a book of its own', later)).body);
    await push.command('unsubscribe', { symbols: ['HK.00005'], sub_types: [BOOK] });
  });

  it('pushes the orders of a book over /ws commands, MCP, gRPC, core WebSocket and core TCP', async () => {
    const push = await daemon.push('desk');
    await push.command('subscribe', { symbols: ['HK.00005'], sub_types: [BOOK], is_sub_order_book_detail: true });
    const detailed = (frame: Level) => isBook(frame) && levelsOf(frame.body).flatMap(ordersOf).length > 0;
    expectOrders((await push.frame(detailed, 'a book with its orders')).body);

    const mcp = await daemon.mcp('desk');
    await mcp.call('svc_subscribe', { symbols: ['HK.00005'], sub_types: ['OrderBook'], is_sub_order_book_detail: true });
    const [pushed] = await mcp.pushed(detailed, 1);
    expectOrders((pushed as Level).body);

    const request = { securityList: [hsbc], subTypeList: [BOOK], isSubOrUnSub: true, isRegOrUnRegPush: true, isSubOrderBookDetail: true };
    const grpc = daemon.grpc();
    const stream = await grpc.open({ key: daemon.keys.grpc });
    await grpc.call({ key: daemon.keys.grpc, protoId: 3001, type: 'Qot_Sub', request });
    const heard = async () => (await grpc.decode('Qot_UpdateOrderBook', await stream.next(({ sub_type }) => sub_type === BOOK))).s2c;
    let s2c = await heard();
    // Over a server behind, the first of it may have come before.
    while (levelsOf(s2c).flatMap(ordersOf).length === 0) s2c = await heard();
    expectOrders(s2c);

    const websocket = () => CoreWsClient.open(daemon.daemon.websocketUrl!, daemon.keys.desk, daemon.ca);
    const [one, other] = [await websocket(), await websocket()];
    const tcp = await CoreTcpClient.open(daemon.daemon.apiAddress!);
    await other.ask('Qot_Sub', { ...request, isSubOrderBookDetail: false });
    for (const client of [one, tcp]) {
      await client.ask('Qot_Sub', request);
      const books = () =>
        client.pushes.of('Qot_UpdateOrderBook').filter(({ response }) => levelsOf(response.s2c).flatMap(ordersOf).length > 0);
      await client.pushes.when(() => books().length > 0);
      expectOrders(books()[0]?.response.s2c);
      expectOrders((await client.ask('Qot_GetOrderBook', { security: hsbc, num: LEVELS })).s2c);
    }
    await other.pushes.count('Qot_UpdateOrderBook', 2);
    for (const { response } of other.pushes.of('Qot_UpdateOrderBook')) expectNone(response.s2c);
    expectNone((await other.ask('Qot_GetOrderBook', { security: hsbc, num: LEVELS })).s2c);
    await Promise.all([one.close(), other.close()]);
    tcp.close();
    await end('grpc');
  });

  it('shows no orders of books of other markets, futures and odd lots', async () => {
    const push = await daemon.push('desk');
    const symbols = ['US.AAPL', 'HK.HSImain'];
    await subscribe('desk', { is_sub_order_book_detail: true }, symbols);
    await subscribe('desk', { is_sub_order_book_detail: true, sub_types: [BOOK, ODD_BOOK] }, ['HK.00700']);
    for (const symbol of symbols) {
      expectNone(await read('desk', symbol));
      expectNone((await push.frame((frame) => frame.symbol === symbol && frame.sub_type === BOOK, `a book of ${symbol}`)).body);
    }
    expectNone(
      await daemon.as('desk').s2c('/api/orderbook', { c2s: { security: { market: 1, code: '00700' }, num: 5, order_book_type: 1 } }),
    );
    await end('desk');
  });

  it("has a caller's own order among them, by another number", async () => {
    await subscribe('trader', { is_sub_order_book_detail: true });
    const before = (await read('trader')).order_book_bid_list;
    // Deep enough to stay there.
    const { price } = before.at(-1);
    const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00005', qty: 123_200, price, order_type: NORMAL };
    const { order_id, order_id_ex } = await daemon.as('trader').s2c('/api/order', order);
    const push = await daemon.push('trader');
    const own = (frame: PushFrame) =>
      isBook(frame) && frame.body.order_book_bid_list.some((level: Level) => ordersOf(level).some(({ volume }) => volume === 123_200));
    const { body } = await push.frame(own, 'a book with the order');
    const level = body.order_book_bid_list.find((one: Level) => one.price === price);
    const [mine] = ordersOf(level).filter(({ volume }) => volume === 123_200);
    expect(String(mine.order_id)).not.toBe(String(order_id));
    expect(JSON.stringify(body)).not.toContain(order_id_ex);
    await daemon.as('trader').s2c('/api/cancel-order', { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id_ex });
    await end('trader');
  });
});
