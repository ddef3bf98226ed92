import { create } from '@bufbuild/protobuf';
import { Access, AuditLog, type Limits, limitsFromFlags, OrderGates } from '@svc-gateway/access';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as Brackets from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import { type Order, OrderFillSchema, OrderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as Fills from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import * as Orders from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import * as UpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import * as UpdateFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import { MemoryStore } from '@svc-gateway/storage';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { filterAnswer } from './answer-filter.js';
import type { NotifyPush, ResponseMessage } from './backend.js';
import type { Bracket } from './brackets/bracket.js';
import { alert } from './brackets/deps.js';
import type { PushHub } from './push/index.js';
import { permitsOf } from './push-permits.js';

const clock = new ManualClock(0);
const audit = AuditLog.open({ clock, log: () => undefined, report: () => undefined });
if (!audit.ok) throw new Error(audit.error);

function accessWith(limits: Limits): Access {
  const gates = new OrderGates({ store: new MemoryStore(), flagLimits: limits, now: 0, onStoreFailure: () => undefined });
  return new Access({ keyring: undefined, gates, audit: audit.ok ? audit.value : undefined! });
}

const security = fc.constantFrom(
  { market: 1, code: '00700' },
  { market: 1, code: '00005' },
  { market: 11, code: 'AAPL' },
  { market: 21, code: '600519' },
);
/** Trd_Common.TrdSecMarket of Qot_Common.QotMarket. */
const secMarkets: Readonly<Record<number, number>> = { 1: 1, 11: 2, 21: 31 };
const trdMarket = fc.constantFrom(0, 1, 2, 3, 4, 5);
const order = fc
  .record({ own: trdMarket, first: security, others: fc.array(security, { maxLength: 2 }) })
  .map(({ own, first, others }) => ({
    orderID: 1n,
    trdMarket: own,
    secMarket: secMarkets[first.market]!,
    code: first.code,
    comboLegs: others.length === 0 ? [] : [first, ...others].map((leg) => ({ security: leg })),
  }));
const limits = fc
  .record({
    allowedMarkets: fc.option(fc.subarray(['HK', 'US', 'CN', 'SH', 'HKCC', 'FUTURES'], { minLength: 1 }), { nil: undefined }),
    allowedSymbols: fc.option(fc.subarray(['HK.00700', 'HK.00005', 'US.AAPL', 'SH.600519']), { nil: undefined }),
  })
  .map(({ allowedMarkets, allowedSymbols }) => {
    const read = limitsFromFlags({ allowedMarkets: allowedMarkets?.join(), allowedSymbols: allowedSymbols?.join() });
    if (!read.ok) throw new Error(read.error);
    return read.value.limits;
  });

it('pushes show a key the orders and fills that lists show it, and no others', async () => {
  await fc.assert(
    fc.asyncProperty(order, limits, trdMarket, async (fields, limited, headerMarket) => {
      const header = { trdEnv: 0, accID: 1n, trdMarket: headerMarket };
      const permits = permitsOf(accessWith(limited), undefined);
      const list = create(Orders.ResponseSchema, { retType: 0, s2c: { header, orderList: [create(OrderSchema, fields)] } });
      const shown = await filterAnswer(
        account.getOrders,
        create(Orders.C2SSchema, { header }),
        [limited],
        list as unknown as ResponseMessage,
      );
      const message = create(UpdateOrder.ResponseSchema, { retType: 0, s2c: { header, order: create(OrderSchema, fields) } });
      const pushed = permits({ type: 'trade', protoId: 2208, accId: 1n, trdMarket: headerMarket, message });
      expect(pushed).toBe((shown as unknown as { s2c: { orderList: Order[] } }).s2c.orderList.length === 1);

      const fill = create(OrderFillSchema, { trdMarket: fields.trdMarket, secMarket: fields.secMarket, code: fields.code });
      const fills = create(Fills.ResponseSchema, { retType: 0, s2c: { header, orderFillList: [fill] } });
      const shownFills = await filterAnswer(
        account.getDeals,
        create(Fills.C2SSchema, { header }),
        [limited],
        fills as unknown as ResponseMessage,
      );
      const told = create(UpdateFill.ResponseSchema, { retType: 0, s2c: { header, orderFill: fill } });
      const pushedFill = permits({ type: 'trade', protoId: 2218, accId: 1n, trdMarket: headerMarket, message: told });
      expect(pushedFill).toBe((shownFills as unknown as { s2c: { orderFillList: unknown[] } }).s2c.orderFillList.length === 1);
    }),
  );
});

it('notices about brackets reach a key that get_brackets shows them, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(order, limits, async ({ trdMarket: own, secMarket, code }, limited) => {
      const header = { trdEnv: 0, accID: 1n, trdMarket: own };
      const bracket = { trdMarket: own, secMarket, code };
      const list = create(Brackets.ResponseSchema, {
        retType: 0,
        s2c: { header, bracketList: [create(Brackets.BracketSchema, bracket)] },
      });
      const shown = await filterAnswer(
        trade.getBrackets,
        create(Brackets.C2SSchema, { header }),
        [limited],
        list as unknown as ResponseMessage,
      );
      const notices: NotifyPush[] = [];
      const hub = { notify: (event: NotifyPush) => notices.push(event) } as unknown as PushHub;
      alert(hub, { ...bracket, id: 'b1', accId: 1n, keyId: null } as Bracket, 'ends');
      const pushed = notices.map(permitsOf(accessWith(limited), undefined));
      expect(pushed).toEqual([(shown as unknown as { s2c: { bracketList: unknown[] } }).s2c.bracketList.length === 1]);
    }),
  );
});
