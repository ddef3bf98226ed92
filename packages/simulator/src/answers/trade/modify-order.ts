import { create } from '@bufbuild/protobuf';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { quoted } from '@svc-gateway/contract/shown';
import type { Account } from '../../brokerage/account.js';
import { addressed } from '../../brokerage/header.js';
import type { Brokerage } from '../../brokerage/index.js';
import type { OrderRecord } from '../../brokerage/order.js';
import type { PacketAnswer } from '../../brokerage/packet.js';
import type { Write } from '../../brokerage/place-request.js';
import { type ModifyOperation, modifyOperations, tradeMarkets } from '../../brokerage/terms.js';
import { missing, Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { adjustmentOf, trailOf, writeOf } from '../../view/order-fields.js';

/** Trd_ModifyOrder: new quantity and prices, cancel, disable, enable, delete; or the cancellation of every open order. */
export const modifyOrder: Answer<'brokerage', C2S, S2C> = async ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const operation = modifyOperations.wordOf(request.modifyOrderOp);
  if (operation === undefined) return new Refusal(modifyOperations.unknown(request.modifyOrderOp), 'broker.enumeration');
  const answerOf = ({ orderId, orderIdEx }: PacketAnswer) =>
    create(S2CSchema, { header: to.header, orderID: orderId, ...(orderIdEx === '' ? {} : { orderIDEx: orderIdEx }) });
  const write = writeOf(C2SSchema, request);
  const done = request.forAll
    ? await cancelAll(brokerage, to.account, operation, request, write)
    : await modifyOne(brokerage, to.account, operation, request, write);
  return done instanceof Refusal ? done : answerOf(done);
};

async function cancelAll(
  brokerage: Brokerage,
  account: Account,
  operation: ModifyOperation,
  request: C2S,
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
  request: C2S,
  write: Write,
): Promise<PacketAnswer | Refusal> {
  const order = orderNamed(brokerage, account, request);
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
          quantity: given(C2SSchema, request, 'qty'),
          price: given(C2SSchema, request, 'price'),
          adjustment: adjustmentOf(request),
          auxPrice: given(C2SSchema, request, 'auxPrice'),
          trail,
          spread: given(C2SSchema, request, 'trailSpread'),
        },
        write,
      );
    }
  }
}

/** The order that a request names: by `orderIDEx` where it is given, otherwise by `orderID`. */
function orderNamed(brokerage: Brokerage, account: Account, { orderID, orderIDEx }: C2S): OrderRecord | Refusal {
  if (orderIDEx === '' && orderID === 0n) return missing(['orderID'], 'one of orderID, orderIDEx is required');
  const order = orderIDEx === '' ? brokerage.order(orderID) : brokerage.orderByIdEx(orderIDEx);
  if (order?.accId === account.id) return order;
  return new Refusal(`account ${account.id} has no order ${orderIDEx === '' ? orderID : quoted(orderIDEx)}`, 'broker.unknown_order');
}
