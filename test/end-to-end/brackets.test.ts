import { replayClock } from '@svc-gateway/contract/clock';
import { account as reads, trade } from '@svc-gateway/contract/operations';
import { MemoryStore } from '@svc-gateway/storage';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, NORMAL, SELL, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { openDesk } from '../support/desk.js';
import { until } from '../support/until.js';

/** svc.get_brackets.Bracket: state, exit_kind. */
const OPEN = 2;
const CANCELLED = 4;
const TARGET = 1;
const STOP = 2;
/** Trd_Common.OrderStatus. */
const CANCELLED_ALL = 15;
const SELL_SHORT = 3;

const text = { 'x-svc-int64': 'string' };
const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const entry = { ...account, side: BUY, code: '00700', qty: 100, order_type: MARKET };

const daemon = TestDaemon.forAll({
  simulationClock: replayClock(Date.now(), 20),
  keys: {
    desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
    narrow: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { allowedSymbols: 'HK.00005' } },
    small: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxOrderValue: '1000' } },
  },
  flags: ['--enable-trading'],
});

const read = (path: string, body: object) => daemon.as('desk').s2c(path, body, text);
const bracket = async (id: string) => (await read('/api/brackets', { ...account, bracket_id: id })).bracket_list?.[0];
const orders = async (): Promise<{ order_id_ex: string; order_status: number; remark: string; order_type: number; qty: number }[]> =>
  (await read('/api/orders', account)).order_list ?? [];
const exitsOf = async (id: string) =>
  (await orders()).filter(({ remark }) => remark.startsWith(`svc-bracket ${id}/`) && !remark.endsWith('/0'));
const reaches = (id: string, state: number) => until(async () => (await bracket(id))?.state === state, `bracket ${id} in state ${state}`);
const hasExit = (id: string, kind: number) =>
  until(async () => {
    const { exit_kind, exit_order_id_ex } = (await bracket(id)) ?? {};
    return exit_kind === kind && exit_order_id_ex !== '';
  }, `an exit of bracket ${id}`);
async function lastPrice(): Promise<number> {
  const { basic_qot_list } = await read('/api/quote', { symbol: 'HK.00700' });
  return basic_qot_list[0].cur_price;
}
/** On every tick of the price grid above 500. */
const around = (price: number, factor: number) => Math.round(price * factor);

describe('a bracket', () => {
  it('guards what its entry fills with a stop-loss at the brokerage, and ends when it is cancelled', async () => {
    const last = await lastPrice();
    const prices = { take_profit_price: around(last, 1.2), stop_loss_price: around(last, 0.8) };
    const { bracket_id: id, order_id_ex } = await read('/api/bracket-order', { ...entry, ...prices });
    await hasExit(id, STOP);
    expect(await bracket(id)).toMatchObject({
      state: OPEN,
      entry_order_id_ex: order_id_ex,
      entry_filled_qty: 100,
      closed_qty: 0,
      exit_qty: 100,
      ...prices,
    });
    expect(await exitsOf(id)).toMatchObject([{ order_type: 10, qty: 100 }]);
    await read('/api/cancel-bracket', { ...account, bracket_id: id });
    await reaches(id, CANCELLED);
    expect(await exitsOf(id)).toMatchObject([{ order_status: CANCELLED_ALL }]);
    const again = await daemon.as('desk').post('/api/cancel-bracket', { ...account, bracket_id: id });
    expect(again.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('no open bracket') });
  });

  it('rests at the target where there is no stop-loss', async () => {
    const last = await lastPrice();
    const { bracket_id: id } = await read('/api/bracket-order', { ...entry, take_profit_price: around(last, 1.2) });
    await hasExit(id, TARGET);
    expect(await exitsOf(id)).toMatchObject([{ order_type: NORMAL }]);
    const [own, other] = [await daemon.push('desk'), await daemon.push('small')];
    // Whoever cancels the exit ends the bracket, and the key that placed it is told.
    const [exit] = await exitsOf(id);
    await daemon.as('small').s2c('/api/cancel-order', { ...account, order_id_ex: exit!.order_id_ex });
    const told = `bracket ${id} in account ${HK_MARGIN} ends: its exit was cancelled by somebody else`;
    await own.frame((frame) => frame.type === 'notify' && JSON.stringify(frame).includes(told), 'the end of the bracket');
    await other.settled();
    expect(other.texts.filter((one) => one.includes(id))).toEqual([]);
    await reaches(id, CANCELLED);
    expect(await bracket(id)).toMatchObject({ note: expect.stringContaining('cancelled by somebody else') });
  });

  it('refuses a market entry whose take-profit the last price has passed', async () => {
    const body = { ...entry, take_profit_price: around(await lastPrice(), 0.9) };
    const { status, json } = await daemon.as('desk').post('/api/bracket-order', body);
    expect([status, json.field]).toEqual([400, 'take_profit_price']);
    expect(json.error).toMatch(
      /^take_profit_price: \d+(\.\d+)? is not above the last price \d+(\.\d+)?: it would close the position at once$/,
    );
  });

  it('refuses an entry whose stop-loss is on the wrong side of the last price', async () => {
    const last = await lastPrice();
    for (const [side, factor, word] of [
      [BUY, 1.1, 'below'],
      [SELL_SHORT, 0.9, 'above'],
    ] as const) {
      const body = { ...entry, side, stop_loss_price: around(last, factor) };
      const { status, json } = await daemon.as('desk').post('/api/bracket-order', body, text);
      expect([status, json.error]).toEqual([400, expect.stringMatching(`^stop_loss_price: .* is not ${word} the last price`)]);
    }
  });

  it('ends with an entry that fills nothing', async () => {
    const last = await lastPrice();
    const limit = { order_type: NORMAL, price: around(last, 0.8) };
    const { bracket_id: id, order_id_ex } = await read('/api/bracket-order', { ...entry, ...limit, stop_loss_price: around(last, 0.7) });
    expect(await bracket(id)).toMatchObject({ state: OPEN, entry_filled_qty: 0 });
    await read('/api/cancel-order', { ...account, order_id_ex });
    await reaches(id, CANCELLED);
    expect(await exitsOf(id)).toEqual([]);
  });

  it('places a bracket once under an idempotency key', async () => {
    const last = await lastPrice();
    const once = { ...text, 'idempotency-key': 'bracket-1' };
    const body = { ...entry, order_type: NORMAL, price: around(last, 0.8), stop_loss_price: around(last, 0.7) };
    const first = await daemon.as('desk').s2c('/api/bracket-order', body, once);
    expect(await daemon.as('desk').s2c('/api/bracket-order', body, once)).toEqual(first);
    await read('/api/cancel-order', { ...account, order_id_ex: first.order_id_ex });
    await reaches(first.bracket_id, CANCELLED);
  });

  it.each([
    [{}, 'take_profit_price'],
    [{ take_profit_price: 500, stop_loss_price: 600 }, 'take_profit_price: 500 is not above the stop_loss_price 600'],
    [{ order_type: NORMAL, price: 550, take_profit_price: 500 }, 'take_profit_price: 500 is not above the price 550'],
    [{ order_type: NORMAL, price: 550, stop_loss_price: 560 }, 'stop_loss_price: 560 is not below the price 550'],
    [{ take_profit_price: 1e300 }, 'take_profit_price: 1e+300 is out of range, accepted: above 0, at most 10000000'],
    [{ stop_loss_price: 500.1234567891 }, 'stop_loss_price: expected a number of at most nine decimal places'],
    [{ stop_loss_limit_price: 500, take_profit_price: 900 }, 'stop_loss_limit_price: it goes with a stop_loss_price'],
    [{ stop_loss_price: 500, stop_loss_limit_price: 501 }, 'stop_loss_limit_price: 501 is above the stop_loss_price 500'],
    [{ side: SELL, take_profit_price: 500 }, 'side: a bracket is for an order that opens a position'],
    [{ order_type: 10, stop_loss_price: 500 }, 'order_type: expected one of 1 (NORMAL), 2 (MARKET), found the number 10'],
    [{ time_in_force: 3, stop_loss_price: 500 }, 'time_in_force: expected one of 0 (DAY), 1 (GTC), 2 (IOC), found the number 3'],
    [{ side: 4, stop_loss_price: 500 }, 'side: expected one of 1 (BUY), 2 (SELL), 3 (SELL_SHORT), found the number 4'],
  ])('%j is refused', async (changes, message) => {
    const answer = await daemon.as('desk').post('/api/bracket-order', { ...entry, ...changes });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toContain(message);
  });
});

describe('limits', () => {
  it('holds the entry of a bracket and its preview to the limits', async () => {
    const body = { ...entry, stop_loss_price: 10 };
    expect((await daemon.as('small').post('/api/bracket-order', body)).json.code).toBe('limit.order_value');
    expect((await daemon.as('narrow').post('/api/bracket-order', body)).json.code).toBe('limit.symbol');
    expect((await daemon.as('narrow').s2c('/api/brackets', account)).bracket_list ?? []).toEqual([]);
  });
});

describe('after a restart', () => {
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  const of = { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' };
  const order = { ...of, side: 'BUY', symbol: 'HK.00700', qty: 100, order_type: 'MARKET', stop_loss_price: 300 };

  it('a bracket goes on, and finds the exit whose answer it did not live to see', async () => {
    const store = new MemoryStore();
    const open = () => openDesk({ keys: { desk: { scopes } }, store, sharesStore: true });
    const first = await open();
    const { bracketId } = await first.payload(trade.placeBracketOrder, order);
    const bracketOf = async (desk: typeof first) =>
      (await desk.payload(trade.getBrackets, { ...of, bracket_id: bracketId })).bracketList[0];
    const exitOf = (desk: typeof first) =>
      until(async () => {
        desk.clock.advance(1_000);
        return (await bracketOf(desk))?.exitOrderIdEx || undefined;
      }, 'its exit');
    const exit = await exitOf(first);
    await first.close();

    // It was sent, and the process ended before its answer came.
    const rows = store.table<{ exit: object }>('brackets');
    const row = rows.get(bracketId);
    await store.write((change) => change.put(rows, bracketId, { ...row, exit: { ...row?.exit, idEx: '' } }));
    const second = await open();
    expect(await exitOf(second)).toBe(exit);
    const { orderList } = await second.payload(reads.getOrders, of);
    expect(orderList.filter(({ remark }) => remark.startsWith(`svc-bracket ${bracketId}/1`))).toHaveLength(1);
    await second.payload(trade.cancelBracket, { ...of, bracket_id: bracketId });
    await until(async () => {
      second.clock.advance(1_000);
      return (await bracketOf(second))?.state === CANCELLED;
    }, 'its end');
    await second.close();
  });

  it('a bracket learns that its exit is over though the clock was set back by days before it', async () => {
    const store = new MemoryStore();
    const open = () => openDesk({ keys: { desk: { scopes } }, store, sharesStore: true });
    const first = await open();
    const start = first.clock.now();
    first.clock.advance(3 * 86_400_000);
    const { bracketId } = await first.payload(trade.placeBracketOrder, order);
    const bracketOf = async (desk: typeof first) =>
      (await desk.payload(trade.getBrackets, { ...of, bracket_id: bracketId })).bracketList[0];
    const exit = await until(async () => {
      first.clock.advance(1_000);
      return (await bracketOf(first))?.exitOrderIdEx || undefined;
    }, 'its exit');
    const rows = store.table<{ createdAt: number; updatedAt: number }>('brackets');
    const row = rows.get(bracketId);
    await first.payload(trade.cancelOrder, { ...of, order_id_ex: exit });
    const isCancelled = (desk: typeof first) =>
      until(async () => {
        desk.clock.advance(1_000);
        return (await bracketOf(desk))?.state === CANCELLED;
      }, 'its end');
    await isCancelled(first);
    await first.close();

    // The process ended before it heard of that, after the clock had been set back.
    await store.write((change) => change.put(rows, bracketId, { ...row, createdAt: start, updatedAt: start }));
    const second = await open();
    expect(second.clock.now()).toBe(start);
    await isCancelled(second);
    expect((await bracketOf(second))?.note).toMatch(/was cancelled/);
    await second.close();
  });
});
