import { create } from '@bufbuild/protobuf';
import * as ModifyOrder from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import * as ReconfirmOrder from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import * as UnlockTrade from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import type { Account } from '../../brokerage/account.js';
import { addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import type { PacketAnswer } from '../../brokerage/packet.js';
import type { Write } from '../../brokerage/place-request.js';
import { type ModifyOperation, modifyOperations, reconfirmReasons, tradeMarkets } from '../../brokerage/terms.js';
import { missing, Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { given, messageOf } from '../../view/messages.js';
import { adjustmentOf, orderNamed, trailOf, writeOf } from '../../view/order-fields.js';

/** Trd_ModifyOrder: new quantity and prices, cancel, disable, enable, delete; or the cancellation of every open order. */
export const modifyOrder: Answer<'brokerage', ModifyOrder.C2S, ModifyOrder.S2C> = async ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const operation = modifyOperations.wordOf(request.modifyOrderOp);
  if (operation === undefined) return new Refusal(modifyOperations.unknown(request.modifyOrderOp), 'broker.enumeration');
  const answerOf = ({ orderId, orderIdEx }: PacketAnswer) =>
    messageOf(ModifyOrder.S2CSchema, { header: to.header, orderID: orderId, ...(orderIdEx === '' ? {} : { orderIDEx: orderIdEx }) });
  const write = writeOf(ModifyOrder.C2SSchema, request);
  const done = request.forAll
    ? await cancelAll(brokerage, to.account, operation, request, write)
    : await modifyOne(brokerage, to.account, operation, request, write);
  return done instanceof Refusal ? done : answerOf(done);
};

async function cancelAll(
  brokerage: Brokerage,
  account: Account,
  operation: ModifyOperation,
  request: ModifyOrder.C2S,
  write: Write,
): Promise<PacketAnswer | Refusal> {
  if (operation !== 'cancel') return new Refusal('forAll is for modifyOrderOp 2 (cancel) only', 'broker.enumeration');
  const market = request.trdMarket === 0 ? undefined : tradeMarkets.wordOf(request.trdMarket);
  if (request.trdMarket !== 0 && market === undefined) return new Refusal(tradeMarkets.unknown(request.trdMarket), 'broker.enumeration');
  return brokerage.desk.cancelAll(account, market, write);
}

async function modifyOne(
  brokerage: Brokerage,
  account: Account,
  operation: ModifyOperation,
  request: ModifyOrder.C2S,
  write: Write,
): Promise<PacketAnswer | Refusal> {
  const { orderID, orderIDEx } = request;
  if (orderIDEx === '' && orderID === 0n) return missing(['orderID'], 'one of orderID, orderIDEx is required');
  const order = orderNamed(brokerage, account, { orderID, orderIDEx });
  if (order instanceof Refusal) return order;
  const { desk } = brokerage;
  switch (operation) {
    case 'cancel':
      return desk.cancel(account, order, write);
    case 'disable':
      return desk.disable(account, order, write);
    case 'enable':
      return desk.enable(account, order, write);
    case 'delete':
      return desk.delete(account, order, write);
    case 'normal': {
      const trail = trailOf(request);
      if (trail instanceof Refusal) return trail;
      return desk.replace(
        account,
        order,
        {
          quantity: given(request, 'qty'),
          price: given(request, 'price'),
          adjustment: adjustmentOf(request),
          auxPrice: given(request, 'auxPrice'),
          trail,
          spread: given(request, 'trailSpread'),
        },
        write,
      );
    }
  }
}

/** Trd_ReconfirmOrder: sends an order that was kept back because it looked like a slip. */
export const reconfirmOrder: Answer<'brokerage', ReconfirmOrder.C2S, ReconfirmOrder.S2C> = async ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const reason = reconfirmReasons.wordOf(request.reconfirmReason);
  if (reason === undefined) return new Refusal(reconfirmReasons.unknown(request.reconfirmReason), 'broker.enumeration');
  const order = orderNamed(brokerage, to.account, { orderID: request.orderID });
  if (order instanceof Refusal) return order;
  const done = await brokerage.desk.reconfirm(to.account, order, reason, writeOf(ReconfirmOrder.C2SSchema, request));
  return done instanceof Refusal ? done : messageOf(ReconfirmOrder.S2CSchema, { header: to.header, orderID: done.orderId });
};

/** Trd_UnlockTrade: opens the real accounts of a firm for orders, or closes them again (which needs no password). */
export const unlockTrade: Answer<'brokerage', UnlockTrade.C2S, UnlockTrade.S2C> = ({ brokerage }, { unlock, pwdMD5, securityFirm }) => {
  if (unlock) return brokerage.lock.unlock(pwdMD5, securityFirm) ?? create(UnlockTrade.S2CSchema);
  brokerage.lock.lock();
  return create(UnlockTrade.S2CSchema);
};
