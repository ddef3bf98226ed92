import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_GetOrderFee_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { totalFees } from '../../brokerage/fees.js';
import { addressed } from '../../brokerage/header.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';

/** Longest list of orders whose fees one request may ask for, as the public protocol has it. */
const ORDERS_MAX = 400;

/** Trd_GetOrderFee: what orders have been charged so far, item by item. */
export const getOrderFee: Answer<'brokerage', C2S, S2C> = ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  if (request.orderIdExList.length > ORDERS_MAX) {
    return new Refusal(`orderIdExList names ${request.orderIdExList.length} orders; at most ${ORDERS_MAX} are accepted`, 'broker.value');
  }
  const orderFeeList: { orderIDEx: string; feeAmount: number; feeList: { title: string; value: number }[] }[] = [];
  for (const orderIDEx of request.orderIdExList) {
    const order = brokerage.orderByIdEx(orderIDEx);
    if (order?.accId !== to.account.id)
      return new Refusal(`account ${to.account.id} has no order ${quoted(orderIDEx)}`, 'broker.unknown_order');
    orderFeeList.push({
      orderIDEx,
      feeAmount: decimalToNumber(totalFees(order.fees)),
      feeList: order.fees.map(({ title, value }) => ({ title, value: decimalToNumber(value) })),
    });
  }
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header: to.header, orderFeeList }));
};
