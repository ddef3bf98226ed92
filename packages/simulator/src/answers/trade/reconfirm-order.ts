import { create } from '@bufbuild/protobuf';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_ReconfirmOrder_pb';
import { addressed } from '../../brokerage/header.js';
import type { PacketAnswer } from '../../brokerage/packet.js';
import { reconfirmReasons } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { writeOf } from '../../view/order-fields.js';

/** Trd_ReconfirmOrder: sends an order that was kept back because it looked like a slip. */
export const reconfirmOrder: Answer<'brokerage', C2S, S2C> = async ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const reason = reconfirmReasons.wordOf(request.reconfirmReason);
  if (reason === undefined) return new Refusal(reconfirmReasons.unknown(request.reconfirmReason), 'broker.enumeration');
  const order = brokerage.order(request.orderID);
  if (order?.accId !== to.account.id)
    return new Refusal(`account ${to.account.id} has no order ${request.orderID}`, 'broker.unknown_order');
  const answerOf = ({ orderId }: PacketAnswer) => create(S2CSchema, { header: to.header, orderID: orderId });
  const write = writeOf(C2SSchema, request);
  const done = await brokerage.desk.reconfirm(to.account, order, reason, write);
  return done instanceof Refusal ? done : answerOf(done);
};
