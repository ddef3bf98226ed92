import type { Message } from '@bufbuild/protobuf';
import { ModifyOrderOp } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { invalidField, type Rejection } from '@svc-gateway/contract/rejection';
import type { Iface } from '../identity.js';
import { type NamedMarket, tradingMarketOf } from '../named-markets.js';
import { modifyOpName } from '../trade-names.js';

/** The protocol's word for every market in `C2S.trdMarket`. */
const EVERY_TRD_MARKET = 0;

/** Interfaces that take the protocol's own messages. */
export const protocolInterfaces: ReadonlySet<Iface> = new Set(['grpc', 'core-ws', 'core-tcp']);

/** Interfaces of programs that are written for the public protocol. */
const coreInterfaces: ReadonlySet<Iface> = new Set(['core-ws', 'core-tcp']);

/** Whether a request takes orders out of the market, one or all. */
export function isCancel(request: Message): boolean {
  return (request as Partial<ModifyC2S>).modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Cancel;
}

const relieving: readonly number[] = [
  ModifyOrderOp.ModifyOrderOp_Cancel,
  ModifyOrderOp.ModifyOrderOp_Disable,
  ModifyOrderOp.ModifyOrderOp_Delete,
];

/** Every change but those that take an order out of the market. */
export function addsRisk({ modifyOrderOp }: Partial<Pick<ModifyC2S, 'modifyOrderOp'>>): boolean {
  return modifyOrderOp === undefined || !relieving.includes(modifyOrderOp);
}

/** Whether a request takes one order or more out of the market. */
export function isRiskReducing(operation: Operation, request: Message): boolean {
  return operation.valuer === 'modify' && !addsRisk(request as Partial<ModifyC2S>);
}

/** Reason why a request for all orders of an account is none: it may cancel them, and nothing else. */
export function refuseForAll(operation: Operation, request: Message): Rejection | undefined {
  if (operation !== trade.modifyOrder) return undefined;
  const { forAll, modifyOrderOp } = request as ModifyC2S;
  if (!forAll || isCancel(request)) return undefined;
  const found = modifyOpName(modifyOrderOp);
  const why = `accepted with modify_order_op 2 (cancel) only, found ${modifyOrderOp}${found === undefined ? '' : ` (${found})`}; name the orders one by one`;
  return invalidField('for_all', why);
}

/** Whether a request takes all orders of an account out of the market. */
export function isCancelAll(operation: Operation, request: Message): boolean {
  return isRiskReducing(operation, request) && (request as Partial<ModifyC2S>).forAll === true;
}

/** Whether a cancel of all orders takes exits of brackets with it. The public message has no field for it: inside the gateway, one without another use carries it. */
export function includesExits({ adjustPrice }: Pick<ModifyC2S, 'adjustPrice'>): boolean {
  return adjustPrice;
}

/**
 * Cancel-all is for one market, the header's. The protocol has a field of its own for it, which JSON has no name for: without
 * this, what the allowlists check and what the backend cancels would not be the same. Callers of the protocol itself say in
 * that field what they mean, every market included. Over the core interfaces exits of brackets stay: programs for the public
 * protocol know nothing of {@link includesExits}, and may set its field. gRPC is the gateway's own, and its callers may ask for them.
 */
export function confineCancelAll(operation: Operation, request: Message, iface: Iface): void {
  if (!isCancelAll(operation, request)) return;
  const cancel = request as ModifyC2S;
  if (operation !== trade.cancelAllOrder || coreInterfaces.has(iface)) cancel.adjustPrice = false;
  if (operation === trade.cancelAllOrder && !protocolInterfaces.has(iface)) cancel.trdMarket = cancel.header?.trdMarket ?? EVERY_TRD_MARKET;
}

/** The trading markets of a request for all orders, each of which has to be allowed as a whole; undefined for other requests. */
export function marketsOfCancelAll(operation: Operation, request: Message): readonly NamedMarket[] | undefined {
  if (operation.messages !== trade.modifyOrder.messages) return undefined;
  const { forAll, header, trdMarket } = request as ModifyC2S;
  return forAll ? [tradingMarketOf(header?.trdMarket ?? EVERY_TRD_MARKET), tradingMarketOf(trdMarket)] : undefined;
}
