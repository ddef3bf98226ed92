import type { LimitFlags } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, trade } from '@svc-gateway/contract/operations';
import { type Backend, BackendUnsent } from '@svc-gateway/gateway';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, NORMAL, SELL, SIMULATE } from '../support/accounts.js';
import { stoppedAfterEach, TestDaemon } from '../support/daemon.js';
import { type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { FullStore } from '../support/full-store.js';
import { refuse } from '../support/gateway.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { runQuietly } from '../support/terminal.js';
import { turnOf } from '../support/turn-of.js';
import { signal, until } from '../support/until.js';
import { WaitingStore } from '../support/waiting-store.js';

/** Operations that a halt refuses or lets pass, and its notices. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const SETTLED_MS = 500;
const list = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
const resting = { ...list, symbol: 'HK.00700', side: 'BUY', qty: 100, price: 1 };
const taking = { ...list, symbol: 'HK.00700', side: 'BUY', order_type: 'MARKET', qty: 100 };

describe('a halt', () => {
  let desk: Desk;
  afterEach(() => desk.close());

  async function open(others: Partial<DeskOptions> = {}, limits: LimitFlags = {}): Promise<void> {
    const keys = { desk: { scopes, limits }, other: { scopes }, ops: { scopes: ['admin'] as const } };
    desk = await openDesk({ keys, ...others });
  }

  const code = (body: object, as = 'desk', operation: Operation = trade.placeOrder) => desk.code(operation, body, { as });
  const place = async (body: object, as = 'desk') => (await desk.payload(trade.placeOrder, body, { as })).orderIDEx;
  const halt = (body: object = {}) => desk.payload(admin.adminHalt, body, { as: 'ops', iface: 'grpc' });
  const resume = (body: object = {}) => desk.payload(admin.adminResume, body, { as: 'ops', iface: 'grpc' });

  it('refuses new, larger and re-enabled orders; cancels and reductions pass', async () => {
    await open();
    const [id, disabled] = [await place({ ...resting, qty: 200 }), await place(resting)];
    desk.clock.advance(SETTLED_MS);
    await desk.call(trade.modifyOrder, { ...list, order_id_ex: disabled, op: 'disable' });
    desk.clock.advance(SETTLED_MS);
    expect((await halt({ reason: 'a bot ran away' })).halt).toMatchObject({ by: 'key "ops"', reason: 'a bot ran away', keyId: '' });
    const change = { ...list, order_id_ex: id, op: 'normal' };
    expect(await code(resting)).toBe('trading.halted');
    expect(await code({ ...change, qty: 300, price: 1 }, 'desk', trade.modifyOrder)).toBe('trading.halted');
    expect(await code({ ...change, qty: 200, price: 2 }, 'desk', trade.modifyOrder)).toBe('trading.halted');
    expect(await code({ ...list, order_id_ex: disabled, op: 'enable' }, 'desk', trade.modifyOrder)).toBe('trading.halted');
    expect(await code({ ...change, qty: 100, price: 1 }, 'desk', trade.modifyOrder)).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await desk.call(trade.cancelOrder, { ...list, order_id_ex: id })).toMatchObject({ retType: 0 });
    expect(await desk.call(trade.cancelAllOrder, list)).toMatchObject({ retType: 0 });
    const refused = desk.audit.find(({ code }) => code === 'trading.halted');
    expect(refused?.reason).toMatch(/^halt: trading is halted since 2026-11-20T\S+ by key "ops": a bot ran away; cancels and orders/);
    expect(await resume()).toMatchObject({ resumed: true, haltList: [] });
    expect(await code(resting)).toBeUndefined();
    expect(await resume()).toMatchObject({ resumed: false });
  });

  it('lets a position be closed, up to its size', async () => {
    await open();
    await place({ ...taking, qty: 200 });
    desk.clock.advance(SETTLED_MS);
    await halt();
    const sale = { ...taking, side: 'SELL' };
    expect(await code({ ...sale, qty: 300 })).toBe('trading.halted');
    expect(await code({ ...sale, side: 'SELL_SHORT' })).toBe('trading.halted');
    expect(await Promise.all([code(sale), code(sale), code(sale)])).toEqual([undefined, undefined, 'trading.halted']);
    desk.clock.advance(SETTLED_MS);
    expect(await code(sale)).toBe('trading.halted');
  });

  it('keeps an order that opens a position from being moved to where it trades, and not one that closes one', async () => {
    await open();
    await place({ ...taking, qty: 100 });
    desk.clock.advance(SETTLED_MS);
    const far = { ...list, symbol: 'HK.00700', qty: 100, price: 2_000 };
    const [short, sale] = [
      await place({ ...far, symbol: 'HK.00005', side: 'SELL_SHORT', qty: 400 }),
      await place({ ...far, side: 'SELL' }),
    ];
    const stop = await place({ ...taking, order_type: 'STOP', aux_price: 2_000 });
    desk.clock.advance(SETTLED_MS);
    await halt();
    const change = { ...list, op: 'normal', qty: 100 };
    const moved = [
      { ...change, order_id_ex: short, qty: 400, price: 10 },
      { ...change, order_id_ex: stop, aux_price: 10 },
      { ...change, order_id_ex: sale, qty: 200, price: 10 },
    ];
    for (const body of moved) expect(await code(body, 'desk', trade.modifyOrder)).toBe('trading.halted');
    expect(await code({ ...change, order_id_ex: short, qty: 400, price: 2_001 }, 'desk', trade.modifyOrder)).toBe('trading.halted');
    expect(await code({ ...change, order_id_ex: sale, price: 10 }, 'desk', trade.modifyOrder)).toBeUndefined();
  });

  it('keeps an order that looks like a slip from being sent by a change to what is none', async () => {
    await open();
    await place({ ...taking, qty: 100 });
    const [dear, large] = [await place({ ...resting, price: 9_000 }), await place({ ...resting, qty: 300_100 })];
    desk.clock.advance(SETTLED_MS);
    const sale = await place({ ...resting, side: 'SELL' });
    await halt();
    const change = { ...list, op: 'normal', qty: 100 };
    expect(await code({ ...change, order_id_ex: dear, price: 1_000 }, 'desk', trade.modifyOrder)).toBe('trading.halted');
    expect(await code({ ...change, order_id_ex: large, qty: 300_000, price: 1 }, 'desk', trade.modifyOrder)).toBe('trading.halted');
    expect(await code({ ...change, order_id_ex: sale, price: 300 }, 'desk', trade.modifyOrder)).toBeUndefined();
    expect(await desk.call(trade.cancelOrder, { ...list, order_id_ex: dear })).toMatchObject({ retType: 0 });
  });

  it('of a key is its own, and outlasts that of everybody', async () => {
    await open();
    expect(await desk.call(admin.adminHalt, { key: 'nobody' }, { as: 'ops' })).toMatchObject({ code: 'request.invalid' });
    await halt({ key: 'desk' });
    await halt();
    expect([await code(resting), await code(resting, 'other')]).toEqual(['trading.halted', 'trading.halted']);
    expect((await resume()).haltList).toMatchObject([{ keyId: 'desk' }]);
    expect([await code(resting), await code(resting, 'other')]).toEqual(['trading.halted', undefined]);
    expect(await resume({ key: 'desk' })).toMatchObject({ resumed: true, haltList: [] });
    expect(await code(resting)).toBeUndefined();
  });

  it('cancels every open order of every account, or of those that the key may use', async () => {
    await open({}, { allowedAccIds: HK_CASH });
    const cash = { ...resting, acc_id: HK_CASH };
    await place(cash);
    await place(resting, 'other');
    await place(resting, 'other');
    desk.clock.advance(SETTLED_MS);
    expect((await halt({ key: 'desk', cancel_all: true })).accountList).toMatchObject([
      { accId: BigInt(HK_CASH), env: 'simulate', orderCount: 1, acceptedCount: 1, failure: '' },
    ]);
    desk.clock.advance(SETTLED_MS);
    expect((await halt({ cancel_all: true })).accountList).toMatchObject([{ accId: BigInt(HK_MARGIN), orderCount: 2, acceptedCount: 2 }]);
    desk.clock.advance(SETTLED_MS);
    expect((await halt({ cancel_all: true })).accountList).toEqual([]);
    const { orderList } = await desk.payload(account.getOrders, list, { as: 'other' });
    expect(orderList.map(({ orderStatus }) => orderStatus)).toEqual([15, 15]);
    expect(desk.audit.map(({ reason }) => reason)).toContain('cancels accepted for 2 of 2 open orders');
  });

  it('cancels one by one where the brokerage cannot cancel all, and says what it refused', async () => {
    let refusing = 1;
    await open({
      answer(operation, _, pass) {
        const isRefused = operation === trade.cancelAllOrder || (operation === trade.cancelOrder && refusing-- > 0);
        return isRefused ? refuse(operation, 'not here') : pass();
      },
    });
    await place(resting);
    await place(resting);
    desk.clock.advance(SETTLED_MS);
    const [cancels] = (await halt({ cancel_all: true })).accountList;
    expect(cancels).toMatchObject({ orderCount: 2, acceptedCount: 1, failure: expect.stringMatching(/^order \S+: not here$/) });
  });

  it('leaves the exits of brackets working, which guard what is filled, and counts them', async () => {
    await open();
    const exits = { take_profit_price: 700, stop_loss_price: 300 };
    const { bracketId } = await desk.payload(trade.placeBracketOrder, { ...taking, ...exits });
    const bracket = async () => (await desk.payload(trade.getBrackets, { ...list, bracket_id: bracketId })).bracketList[0];
    await until(async () => {
      desk.clock.advance(SETTLED_MS);
      return (await bracket())?.exitOrderIdEx !== '';
    }, 'the exit');
    const entry = await desk.payload(trade.placeBracketOrder, { ...resting, take_profit_price: 700, stop_loss_price: 0.5 });
    desk.clock.advance(SETTLED_MS);
    expect((await halt({ cancel_all: true })).accountList).toMatchObject([{ orderCount: 1, acceptedCount: 1, keptCount: 1 }]);
    expect(desk.audit.map(({ reason }) => reason)).toContain('cancels accepted for 1 of 1 open orders, 1 exit of brackets stays');
    desk.clock.advance(SETTLED_MS);
    const { orderList } = await desk.payload(account.getOrders, list);
    const statusOf = (id: string | undefined) => orderList.find(({ orderIDEx }) => orderIDEx === id)?.orderStatus;
    const guarding = await bracket();
    expect([statusOf(entry.orderIDEx), statusOf(guarding?.exitOrderIdEx), guarding?.state]).toEqual([15, 1, 2]);
    // It guards the position until there is trading again.
    expect(await desk.call(trade.cancelBracket, { ...list, bracket_id: bracketId })).toMatchObject({ code: 'trading.halted' });
    await resume();
    await desk.payload(trade.cancelBracket, { ...list, bracket_id: bracketId });
    await until(async () => {
      desk.clock.advance(SETTLED_MS);
      return (await bracket())?.state === 4;
    }, 'the end of the bracket');
  });

  it('is in force though the brokerage is away', async () => {
    const away: Partial<Backend> = {
      call: () => {
        throw new BackendUnsent('away');
      },
    };
    await open({ backend: away });
    expect(await halt({ cancel_all: true })).toMatchObject({ accountList: [], failure: expect.stringContaining('away') });
    expect(desk.gateway.halts()).toHaveLength(1);
  });

  it('looks at accounts side by side: one whose list does not come holds up no other', async () => {
    let isHalting = false;
    const asked = new Set<bigint>();
    const { promise: second, resolve: cameSecond } = signal();
    await open({
      async answer(operation, request, pass) {
        if (operation === account.getOrders && isHalting) {
          asked.add((request as unknown as { header: { accID: bigint } }).header.accID);
          if (asked.size > 1) cameSecond();
          await second;
        }
        return pass();
      },
    });
    await place({ ...resting, price: 300 });
    isHalting = true;
    expect((await halt({ cancel_all: true })).accountList).toMatchObject([{ accId: BigInt(HK_MARGIN), orderCount: 1, acceptedCount: 1 }]);
  });

  it('goes on with the other orders where cancels are not answered', async () => {
    const unanswered = 8;
    let cancels = 0;
    const { promise: late, resolve: answerAll } = signal();
    await open({
      async answer(operation, _, pass) {
        if (operation === trade.cancelAllOrder) throw new BackendUnsent('not at once');
        if (operation === trade.cancelOrder && ++cancels <= unanswered) await late;
        return pass();
      },
    });
    for (let order = 0; order < unanswered + 4; order++) await place(resting);
    desk.clock.advance(SETTLED_MS);
    const halted = halt({ cancel_all: true });
    await until(() => cancels === unanswered, 'the first cancels');
    desk.clock.advance(1_000);
    await until(() => cancels === unanswered + 4, 'the other cancels');
    answerAll();
    let isAnswered = false;
    const answered = halted.finally(() => {
      isAnswered = true;
    });
    await until(() => {
      desk.clock.advance(SETTLED_MS);
      return isAnswered;
    }, 'the answer');
    expect((await answered).accountList).toMatchObject([{ acceptedCount: unanswered + 4 }]);
  });

  it('and its cancels do not wait for a disk that takes no more', async () => {
    const store = new FullStore();
    await open({ store });
    await place(resting);
    desk.clock.advance(SETTLED_MS);
    store.full = true;
    expect(await desk.call(admin.adminHalt, { cancel_all: true }, { as: 'ops' })).toMatchObject({ retType: 0 });
    expect(desk.audit.map(({ reason }) => reason)).toContain('cancels accepted for 1 of 1 open orders');
    desk.clock.advance(SETTLED_MS);
    const { orderList } = await desk.payload(account.getOrders, list);
    expect(orderList.map(({ orderStatus }) => orderStatus)).toEqual([15]);
    await until(() => store.failure !== undefined, 'the disk to refuse a write');
    expect(await code(resting)).toBe('storage.failed');
    store.full = false;
    await store.write(() => undefined);
    expect(await code(resting)).toBe('trading.halted');
  });

  it('stops an order that waits for the disk', async () => {
    const store = new WaitingStore();
    await open({ store }, { maxDailyValue: '100000' });
    store.hold();
    const order = desk.call(trade.placeOrder, resting);
    const release = await store.waiting();
    await halt();
    release();
    expect(await order).toMatchObject({ code: 'trading.halted' });
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('place_order');
  });

  it('stops an order that waits for its turn behind the gateway', async () => {
    const sending = turnOf(trade.placeOrder);
    await open({ answer: sending.answer });
    const order = desk.call(trade.placeOrder, resting);
    await sending.waiting;
    await halt();
    sending.go();
    expect(await order).toMatchObject({ code: 'trading.halted' });
    expect((await desk.payload(account.getOrders, list)).orderList).toEqual([]);
  });

  it('ordered during the end of another stays in force', async () => {
    const store = new WaitingStore();
    await open({ store });
    await halt();
    store.hold();
    const resumed = resume();
    const release = await store.waiting();
    await halt({ reason: 'again' });
    release();
    expect(await resumed).toMatchObject({ resumed: true, haltList: [{ reason: 'again' }] });
    expect(await code(resting)).toBe('trading.halted');
  });

  it('holds for the retry of an interrupted write', async () => {
    const store: Store = new MemoryStore();
    let cut = true;
    await open({
      store,
      answer(operation, _, pass) {
        if (cut && operation === trade.placeOrder) throw new Error('the process ends here');
        return pass();
      },
    });
    const again = () => desk.call(trade.placeOrder, resting, { idempotencyKey: 'once' });
    expect(await again()).toMatchObject({ code: 'internal' });
    cut = false;
    await halt();
    expect(await again()).toMatchObject({ code: 'trading.halted' });
    expect(desk.calls.filter(({ operation }) => operation === 'place_order')).toHaveLength(1);
    await resume();
    expect(await again()).toMatchObject({ retType: 0 });
  });
});

describe('a daemon that is halted', () => {
  const keys = {
    desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
    other: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
    ops: { scopes: ['admin'] },
  } as const;
  const order = { acc_id: HK_MARGIN, env: SIMULATE, market: HK, side: BUY, order_type: NORMAL, code: '00700', qty: 100, price: 1 };
  const flags = ['--enable-trading'];
  const kept = stoppedAfterEach();

  it('is ready, says so in its status and probes, and tells who is connected', async () => {
    const daemon = kept(await TestDaemon.start({ keys, flags }));
    const [mine, others] = [await daemon.push('desk'), await daemon.push('other')];
    await Promise.all([mine.settled(), others.settled()]);
    await daemon.as('ops').s2c('/api/admin/halt', { key_id: 'desk', reason: 'review' });
    await daemon.as('ops').s2c('/api/admin/halt', {});
    await Promise.all([mine.settled(), others.settled()]);
    const told = (client: typeof mine) =>
      client.frames
        .map(({ body }) => (body as { event?: { desc?: string } })?.event?.desc ?? '')
        .filter((desc) => desc.startsWith('trading is halted'));
    expect(told(mine)).toEqual([expect.stringContaining('for key "desk"'), expect.stringMatching(/^trading is halted since/)]);
    expect(told(others)).toEqual([expect.stringMatching(/^trading is halted since/)]);
    const ready = await daemon.as().get('/readyz');
    expect([ready.status, ready.json.trading_halted]).toEqual([200, 'all']);
    const { halt_list } = (await daemon.as('ops').get('/api/admin/status')).json.s2c;
    expect(halt_list).toMatchObject([
      { key_id: 'desk', by: 'key "ops"', reason: 'review' },
      { by: 'key "ops"', reason: '' },
    ]);
    const refused = await daemon.as('desk').post('/api/order', order);
    expect([refused.status, refused.json.code]).toEqual([403, 'trading.halted']);
    expect((await daemon.as('desk').post('/api/admin/halt', {})).status).toBe(403);
    expect((await daemon.as().post('/api/admin/resume', {})).status).toBe(401);
    await daemon.as('ops').s2c('/api/admin/resume', {});
    expect((await daemon.as().get('/readyz')).json.trading_halted).toBe('keys');
    await daemon.as('ops').s2c('/api/admin/resume', { key: 'desk' });
    expect((await daemon.as().get('/readyz')).json.trading_halted).toBeUndefined();
    await daemon.as('desk').s2c('/api/order', order);
  });

  it('is halted and resumed by svcctl, and halted still after kill -9', async () => {
    const daemon = kept(await SpawnedDaemon.start({ keys, flags }));
    const said: string[] = [];
    const svcctl = (...args: string[]) => runQuietly(args, { env: daemon.variables, explain: (text) => said.push(text) });
    await daemon.as('desk').s2c('/api/order', order);
    expect(await svcctl('halt', '--cancel-all', '--reason', 'night')).toBe(0);
    expect(said.join('')).toMatch(
      /^trading is halted for every caller since \S+; cancels accepted for 1 of 1 open orders \(281756478396547002: 1 of 1\)$/m,
    );
    await daemon.end('SIGKILL');
    await daemon.boot(flags);
    const refused = await daemon.as('desk').post('/api/order', order);
    expect(refused.json.error).toMatch(/^trading is halted since \S+ by svcctl: night; /);
    expect(await svcctl('halt', '--key', 'nobody')).not.toBe(0);
    expect(await svcctl('halt', '--key', 'desk')).toBe(0);
    expect(await svcctl('resume')).toBe(0);
    expect(said.at(-1)).toBe('trading is resumed for every caller; still halted: key "desk"\n');
    expect((await daemon.as('desk').post('/api/order', order)).json.code).toBe('trading.halted');
    await daemon.as('other').s2c('/api/order', { ...order, side: BUY });
    expect(await svcctl('resume', '--key', 'desk')).toBe(0);
    await daemon.end('SIGKILL');
    await daemon.boot(flags);
    await daemon.as('desk').s2c('/api/order', order);
    expect((await daemon.as('desk').post('/api/order', { ...order, side: SELL })).json.code).not.toBe('trading.halted');
    const reasons = daemon
      .auditLines()
      .filter(({ endpoint }) => endpoint === 'halt')
      .map(({ reason }) => String(reason));
    expect(reasons[0]).toMatch(/^trading is halted since \S+ by svcctl: night/);
    expect(reasons).toContain('trading is resumed by svcctl');
  });
});
