import { clone, create } from '@bufbuild/protobuf';
import { C2SSchema as BracketC2S } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { C2SSchema as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { C2SSchema as UnlockC2S } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import { BackendLost } from '@svc-gateway/gateway';
import { nextTurn } from '@svc-gateway/simulator/pace';
import { MemoryStore, StorageFailure } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { type Bracket, newBracket } from '../../packages/gateway/src/brackets/bracket.js';
import { HK_MARGIN } from '../support/accounts.js';
import { CrashingStore } from '../support/crashing-store.js';
import { type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { FullStore } from '../support/full-store.js';
import { until } from '../support/until.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:unlock'] as const;
const under = { idempotencyKey: 'once' };

let desk: Desk;
afterEach(() => desk.close());

/** The first answers of the brokerage to an order are lost on their way; what it asked is kept as it was. */
async function openLossy(options: Partial<DeskOptions> = {}, losses = 1): Promise<unknown[]> {
  const sent: unknown[] = [];
  desk = await openDesk({
    keys: { desk: { scopes, limits: { maxOrdersPerMinute: '1' } } },
    async answer(operation, request, pass) {
      const isOrder = operation === trade.placeOrder;
      if (isOrder) sent.push(clone(PlaceC2S, request as never));
      const answer = await pass();
      if (isOrder && sent.length <= losses) throw new BackendLost('the answer was lost');
      return answer;
    },
    ...options,
  });
  return sent;
}

async function pass(ms: number): Promise<void> {
  desk.clock.advance(ms);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

async function orders(market: string, accId: bigint | string): Promise<unknown[]> {
  return (await desk.payload(account.getOrders, `{"market":"${market}","acc_id":${accId},"env":"simulate"}`)).orderList;
}

describe.each([
  ['market and code', { market: 'HK', code: '00700', price: 600 }],
  ['its symbol', { symbol: 'HK.00700', price: 600 }],
  ['its code in the market, at the market', { market: 'HK', code: '00700', order_type: 'MARKET' }],
])('an order named by %s, whose outcome is unknown', (_, named) => {
  it('is the same order again, and counts as one', async () => {
    const sent = await openLossy();
    const order = { ...named, acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100 };
    expect(await desk.call(trade.placeOrder, order, under)).toMatchObject({ code: 'backend.disconnected' });
    expect(await desk.call(trade.placeOrder, order, under)).toMatchObject({ retType: 0 });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
    expect(await orders('HK', HK_MARGIN)).toHaveLength(1);
    expect(await desk.call(trade.placeOrder, { ...order, qty: 200 }, under)).toMatchObject({ code: 'idempotency.mismatch' });
  });
});

describe('an order that never came to the disk', () => {
  it('meets the gates when it is repeated', async () => {
    const store = new MemoryStore();
    desk = await openDesk({ keys: { desk: { scopes, limits: { maxOrdersPerMinute: '1' } } }, store });
    const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 600 };
    const { write } = store;
    store.write = async () => {
      throw new StorageFailure('no space left');
    };
    expect(await desk.call(trade.placeOrder, order, under)).toMatchObject({ code: 'storage.failed' });
    store.write = write;
    expect(await desk.call(trade.placeOrder, order, under)).toMatchObject({ code: 'limit.rate' });
    expect(desk.calls.filter(({ operation }) => operation === 'place_order')).toEqual([]);
    desk.clock.advance(60_000);
    expect(await desk.call(trade.placeOrder, order, under)).toMatchObject({ retType: 0 });
  });
});

describe('an order that is valued while the disk fills up', () => {
  it('is refused by the gateway and not by the brokerage: nothing was sent', async () => {
    const store = new FullStore();
    desk = await openDesk({
      keys: { desk: { scopes, limits: { maxDailyValue: '100000000' } } },
      store,
      sharesStore: true,
      async answer(operation, _, pass) {
        // The price of a market order.
        if (operation.effect === 'read') {
          store.full = true;
          await store.write(() => undefined).catch(() => undefined);
          await nextTurn();
        }
        return pass();
      },
    });
    const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, order_type: 'MARKET' };
    const refused = await desk.call(trade.placeOrder, order);
    expect(refused).toMatchObject({ code: 'storage.failed', message: expect.stringContaining('nothing was sent') });
  });
});

describe('an order under a key that the brokerage records beside it', () => {
  const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 600 };
  const open = async (store: CrashingStore) => {
    desk = await openDesk({ keys: { desk: { scopes, limits: { maxOrdersPerMinute: '100' } } }, store, sharesStore: true });
  };
  const rows = async () => {
    const found: { response?: Uint8Array }[] = [];
    for await (const [, row] of desk.store.archive<{ response?: Uint8Array }>('idempotency_rows').entries()) found.push(row);
    return found;
  };

  it('is on disk under its key before the order is, wherever a crash cuts, and is one order when it is repeated', async () => {
    const seen = new Set<string>();
    for (let cut = 0, writes = 0; cut <= writes; cut++) {
      const store = new CrashingStore();
      await open(store);
      store.hold();
      const unheard = desk.call(trade.placeOrder, order, under);
      await nextTurn();
      writes = store.waiting;
      await store.flush(cut);
      await open(store.crashed());
      const known = await rows();
      const placed = (await orders('HK', HK_MARGIN)).length;
      const answered = known.filter(({ response }) => response !== undefined).length;
      seen.add(`${known.length} known, ${placed} placed, ${answered} answered`);
      expect(await desk.call(trade.placeOrder, order, under)).toMatchObject({ retType: 0 });
      expect(await orders('HK', HK_MARGIN)).toHaveLength(1);
      expect(desk.audit.filter(({ reason }) => reason === 'answered before; nothing was sent')).toHaveLength(answered);
      void unheard;
      await desk.close();
    }
    expect([...seen]).toEqual(['0 known, 0 placed, 0 answered', '1 known, 0 placed, 0 answered', '1 known, 1 placed, 0 answered']);
    await open(new CrashingStore());
  });

  it('is one bracket when its entry comes with exits, wherever a crash cuts', async () => {
    const bracket = { ...order, order_type: 'MARKET', price: undefined, stop_loss_price: 1 };
    const cuts: number[] = [];
    for (const waitsForEntry of [false, true]) {
      for (let cut = 0, writes = 0; cut <= writes; cut++) {
        const store = new CrashingStore();
        await open(store);
        store.hold();
        const unheard = desk.call(trade.placeBracketOrder, bracket, under);
        // The reservation, the key, the bracket and the entry.
        await until(() => store.waiting >= 4, 'the writes');
        writes = store.waiting;
        await store.flush(cut);
        await open(store.crashed());
        for (let s = 0; s < (waitsForEntry ? 10 : 0); s++) await pass(1_000);
        const again = await desk.call(trade.placeBracketOrder, bracket, under);
        expect(again).toMatchObject({ retType: 0, s2c: { bracketId: expect.any(String) } });
        for (let s = 0; s < 10; s++) await pass(1_000);
        const { bracketList } = await desk.payload(trade.getBrackets, { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' });
        expect([cut, bracketList.map(({ state, entryFilledQty }) => [state, entryFilledQty])]).toEqual([cut, [[2, 100]]]);
        const working = (await orders('HK', HK_MARGIN)) as { remark: string }[];
        expect([cut, working.map(({ remark }) => remark.slice(-2)).sort()]).toEqual([cut, ['/0', '/1']]);
        void unheard;
        cuts.push(cut);
        await desk.close();
      }
    }
    expect(cuts).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    await open(new CrashingStore());
  });

  it('is repeated with its first answer', async () => {
    await open(new CrashingStore());
    const first = await desk.call(trade.placeOrder, order, under);
    expect(await desk.call(trade.placeOrder, order, under)).toEqual(first);
    expect(await rows()).toMatchObject([{ response: expect.any(Uint8Array) }]);
  });
});

describe('a bracket that a crash found before its entry had left for a brokerage elsewhere', () => {
  it('is unclear when no list has shown the entry for a minute', async () => {
    const store = new MemoryStore();
    const header = { accID: BigInt(HK_MARGIN), trdEnv: 0, trdMarket: 1 };
    const request = create(BracketC2S, {
      header,
      code: '00700',
      secMarket: 1,
      trdSide: 1,
      orderType: 1,
      qty: 100,
      price: 600,
      stopLossPrice: 1,
    });
    const now = Date.UTC(2026, 10, 20, 2);
    const bracket = newBracket('b', 'desk', request, 'entry', now);
    await store.write((change) => change.put(store.table<Bracket>('brackets'), 'b', bracket));
    desk = await openDesk({ keys: { desk: { scopes } }, store, start: now, backend: { listsCurrent: undefined as never } });
    for (let s = 0; s < 30; s++) await pass(5_000);
    const { bracketList } = await desk.payload(trade.getBrackets, { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' });
    expect(bracketList).toMatchObject([{ state: 5, note: expect.stringContaining('what became of its entry is not known') }]);
  });
});

describe('a sale under a key that the brokerage refuses', () => {
  const shares = { acc_id: HK_MARGIN, env: 'simulate', symbol: 'HK.00700' };
  // Worth some 40,000.
  const sale = { ...shares, side: 'SELL', qty: 100, price: 300 };
  const keys = { desk: { scopes }, capped: { scopes, limits: { maxDailyValue: '50000' } } };
  const open = async (store: CrashingStore) => {
    desk = await openDesk({ keys, store, sharesStore: true });
  };

  it('is not repeated past a cap that has been given back, wherever a crash cuts', async () => {
    for (let cut = 0, isWhole = false; !isWhole; cut++) {
      const store = new CrashingStore();
      await open(store);
      store.hold();
      void desk.call(trade.placeOrder, sale, { as: 'capped', ...under });
      let flushed = 0;
      for (let quiet = 0; quiet < 10; quiet++) {
        await nextTurn();
        if (flushed === cut || store.waiting === 0) continue;
        await store.flush(1);
        flushed += 1;
        quiet = 0;
      }
      isWhole = flushed < cut;
      await open(store.crashed());
      await desk.payload(trade.placeOrder, { ...shares, side: 'BUY', qty: 300, order_type: 'MARKET' });
      for (let step = 0; step < 2; step++) {
        desk.clock.advance(1000);
        await nextTurn();
      }
      await desk.call(trade.placeOrder, sale, { as: 'capped', ...under });
      await desk.call(trade.placeOrder, sale, { as: 'capped', idempotencyKey: 'another' });
      const sold = (await orders('HK', HK_MARGIN)).filter((order) => (order as { trdSide: number }).trdSide === 2);
      expect(sold.length, `sales after a crash behind ${cut} writes`).toBeLessThanOrEqual(1);
      if (isWhole) expect(sold).toHaveLength(1);
      await desk.close();
    }
    await open(new CrashingStore());
  });
});

describe('what is kept of an unlock under a key', () => {
  const unlock = (pwdMD5: string) => create(UnlockC2S, { unlock: true, pwdMD5 });

  it('says nothing of the password, and neither does a repetition', async () => {
    desk = await openDesk({ keys: { desk: { scopes } } });
    const rest = { iface: 'rest' } as const;
    const [wrong, other] = ['0'.repeat(32), '1'.repeat(32)];
    const refused = await desk.call(trade.unlockTrade, unlock(wrong), { ...rest, idempotencyKey: 'first' });
    expect(refused).toMatchObject({ retType: -1 });
    expect(await desk.call(trade.unlockTrade, unlock(other), { ...rest, idempotencyKey: 'first' })).toEqual(refused);
    await desk.call(trade.unlockTrade, unlock(other), { ...rest, idempotencyKey: 'second' });
    const rows: Record<string, unknown>[] = [];
    for await (const [, row] of desk.store.archive<Record<string, unknown>>('idempotency_rows').entries()) rows.push(row);
    expect(rows).toHaveLength(2);
    expect(rows[0]?.digest).toBe(rows[1]?.digest);
    for (const row of rows)
      expect(Object.keys(row).sort()).toEqual(['at', 'digest', 'holder', 'operation', 'packet', 'refused', 'response']);
  });
});
