import { create } from '@bufbuild/protobuf';
import type { C2S as PlaceRequest } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, trade } from '@svc-gateway/contract/operations';
import { BackendLost, type ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { CANCELLED, LaggingDesk, list, outside, resting, SETTLED_MS } from '../support/lagging-desk.js';
import { signal, until } from '../support/until.js';

/** A halt that cancels all orders, over an upstream whose lists are seconds behind. */

const desk = new LaggingDesk();
const { open, inTime, place, halt, statuses } = desk;
afterEach(() => desk.close());

const answer = ({ messages }: Operation, retType: number) =>
  create(messages.ResponseSchema, { retType } as Record<string, unknown>) as ResponseMessage;
const cancels: readonly Operation[] = [trade.cancelOrder, trade.cancelAllOrder];

describe('halt --cancel-all over lists that are behind', () => {
  it('cancels what this daemon has placed, and what a later look shows', async () => {
    await open();
    desk.answer((operation, _, pass) => (operation === trade.cancelAllOrder ? answer(operation, -1) : pass()));
    for (let n = 0; n < 3; n++) await place(resting);
    await desk.placeOutside({});
    const { accountList, failure } = await halt({ cancel_all: true });
    expect(accountList).toMatchObject([{ orderCount: 4, acceptedCount: 4, failure: '', unconfirmedCount: 0 }]);
    expect(failure).toBe('');
    expect(await statuses()).toEqual([CANCELLED, CANCELLED, CANCELLED, CANCELLED]);
    expect(desk.audit.map(({ reason }) => reason)).toContain('cancels accepted for 4 of 4 open orders');
  });

  it('cancels what this daemon has placed where the brokerage does not list its orders, and says that', async () => {
    await open();
    for (let n = 0; n < 2; n++) await place(resting);
    desk.answer((operation, _, pass) =>
      operation === account.getOrders || operation === trade.cancelAllOrder ? answer(operation, -1) : pass(),
    );
    const { accountList } = await halt({ cancel_all: true });
    expect(accountList.find(({ accId }) => accId === BigInt(HK_MARGIN))).toMatchObject({
      ...{ orderCount: 2, acceptedCount: 2, unconfirmedCount: 2, failure: 'the brokerage does not list its orders' },
    });
    expect(await statuses()).toEqual([CANCELLED, CANCELLED]);
  });

  it.each([
    ['refuses to list', () => answer(account.listAccounts, -1)],
    ['does not answer for', () => new Promise<never>((_, reject) => desk.clock.after(9_000, () => reject(new BackendLost('no answer'))))],
  ])('cancels what this daemon has placed where the brokerage %s its accounts', async (_, accounts) => {
    await open();
    for (let n = 0; n < 2; n++) await place(resting);
    desk.answer((operation, _, pass) => (operation === account.listAccounts ? accounts() : pass()));
    const { accountList, failure } = await halt({ cancel_all: true });
    expect(accountList).toMatchObject([{ accId: BigInt(HK_MARGIN), orderCount: 2, acceptedCount: 2 }]);
    expect(failure).not.toBe('');
    expect(await statuses()).toEqual([CANCELLED, CANCELLED]);
  });

  it('cancels what this daemon has placed while the brokerage does not answer for its list', async () => {
    let [isMute, isAsked] = [false, false];
    const { promise: isAnswering, resolve: answerLists } = signal();
    await open(
      {},
      {
        async call(operation, request, own) {
          if (operation === account.getOrders && isMute) {
            isAsked ||= (request as PlaceRequest).header?.accID === BigInt(HK_MARGIN);
            await isAnswering;
          }
          return desk.ask(operation, request, own);
        },
      },
    );
    for (let n = 0; n < 2; n++) await place(resting);
    isMute = true;
    const halting = desk.payload(admin.adminHalt, { cancel_all: true }, { as: 'ops', iface: 'grpc' });
    await until(() => isAsked, 'the question for the list');
    // Less than the halt waits for its answers.
    desk.clock.advance(1_500);
    await until(async () => {
      desk.clock.advance(1);
      return (await statuses()).join() === [CANCELLED, CANCELLED].join();
    }, 'the cancels');
    answerLists();
    expect((await inTime(halting)).accountList).toMatchObject([{ orderCount: 2, acceptedCount: 2, unconfirmedCount: 0 }]);
  });

  const leg = (code: string) => ({ security: { market: 'HK', code }, side: 'BUY', qty_ratio: 1 });
  const header = { trd_env: 'simulate', acc_id: HK_MARGIN, trd_market: 'HK' };
  const pair = { header, combo_legs: [leg('00700'), leg('00005')], qty: 400, price: 1, order_type: 'NORMAL' };
  const sent: readonly [Operation, object][] = [
    [trade.placeOrder, resting],
    [trade.placeComboOrder, pair],
  ];

  it.each(sent.flatMap(([operation, body]) => ['answer', 'push'].map((how) => [operation.name, how, operation, body] as const)))(
    'names a %s that is under way, and cancels it when its %s comes',
    async (_, how, operation, body) => {
      const { promise: isReleased, resolve: release } = signal();
      await open();
      desk.answer(async (asked, _, pass) => {
        if (asked !== operation) return pass();
        await isReleased;
        // It has left already: a halt does not keep it back any more.
        const placed = await pass(outside);
        if (how === 'push') throw new BackendLost('the connection was lost');
        return placed;
      });
      await desk.payload(account.subAccPush, { acc_id_list: [HK_MARGIN] });
      const placing = desk.call(operation, body).catch(() => undefined);
      await until(() => desk.calls.some((call) => call.operation === operation.name) || undefined, 'the order to be sent');
      expect((await halt({ cancel_all: true })).accountList).toMatchObject([
        { unconfirmedCount: 1, failure: 'sent and not answered yet, and cancelled once they are: 1' },
      ]);
      release();
      await placing;
      await until(async () => {
        desk.clock.advance(SETTLED_MS);
        return (await statuses()).includes(CANCELLED) || undefined;
      }, 'the cancel');
      expect(await statuses()).toEqual([CANCELLED]);
    },
  );

  /** More board lots than are taken without a confirmation. */
  const KEPT_BACK = 400_000;
  const changes: readonly [string, Operation, object, object][] = [
    ['an enable', trade.modifyOrder, resting, { op: 'enable' }],
    ['a larger quantity', trade.modifyOrder, resting, { op: 'normal', qty: 200, price: 1 }],
    ['a confirmation', trade.reconfirmOrder, { ...resting, qty: KEPT_BACK }, { reconfirm_op: 'QTY_TOO_LARGE' }],
  ];

  it.each(changes.flatMap(([name, ...change]) => ['answer', 'push'].map((how) => [name, how, ...change] as const)))(
    'names %s that is under way, and cancels its order when its %s comes',
    async (name, how, operation, order, change) => {
      let [isSent, isOut] = [false, false];
      const { promise: isReleased, resolve: release } = signal();
      await open({}, {}, {}, { refreshes: true });
      const { orderID, orderIDEx } = await desk.payload(trade.placeOrder, order);
      const named =
        operation === trade.reconfirmOrder ? { acc_id: HK_MARGIN, order_id: String(orderID) } : { ...list, order_id_ex: orderIDEx };
      if (name === 'an enable') await inTime(desk.payload(operation, { ...named, op: 'disable' }));
      desk.answer(async (asked, _, pass) => {
        // The cancels of the halt come too early for this order.
        if (isSent && cancels.includes(asked) && !isOut) return answer(asked, 0);
        if (asked !== operation || isSent) return pass();
        isSent = true;
        await isReleased;
        isOut = true;
        const changed = await pass(outside);
        if (how === 'push') throw new BackendLost('the connection was lost');
        return changed;
      });
      await desk.payload(account.subAccPush, { acc_id_list: [HK_MARGIN] });
      const changing = desk.call(operation, { ...named, ...change }).catch(() => undefined);
      await until(() => isSent || undefined, 'the change to be sent');
      expect((await halt({ cancel_all: true })).accountList).toMatchObject([
        { failure: expect.stringContaining('sent and not answered yet, and cancelled once they are: 1') },
      ]);
      release();
      await changing;
      await until(async () => {
        desk.clock.advance(SETTLED_MS);
        return (await statuses()).includes(CANCELLED) || undefined;
      }, 'the cancel');
    },
  );

  it('says which orders it could not confirm to be over', async () => {
    await open();
    const id = await place(resting);
    desk.answer((operation, _, pass) => (cancels.includes(operation) ? answer(operation, 0) : pass()));
    expect((await halt({ cancel_all: true })).accountList).toMatchObject([
      { orderCount: 1, acceptedCount: 1, unconfirmedCount: 1, failure: `not confirmed to be over: order ${id}` },
    ]);
    expect(desk.audit.map(({ reason }) => reason)).toContain('cancels accepted for 1 of 1 open orders, 1 not confirmed to be over');
  });
});
