import type { Message } from '@bufbuild/protobuf';
import { ModifyOrderOp, type TrdHeader } from '../contract/generated/Trd_Common_pb.js';
import type { C2S as ModifyC2S } from '../contract/generated/Trd_ModifyOrder_pb.js';
import type { Operation } from '../contract/operation.js';
import { trade } from '../contract/operations/index.js';
import type { Iface } from './identity.js';
import { addsRisk } from './valuation.js';

/** The protocol's word for every market in `C2S.trdMarket`. */
export const EVERY_TRD_MARKET = 0;

/** Interfaces whose callers fill the protocol's messages themselves. */
export const protocolInterfaces: ReadonlySet<Iface> = new Set(['grpc', 'core-ws', 'core-tcp']);

/**
 * Cancel-all is for one market, the header's. The protocol has a field of its own for it, which JSON has no name for: without
 * this, what the allowlists check and what the backend cancels would not be the same. Callers of the protocol itself say in
 * that field what they mean, every market included.
 */
export function confineCancelAll(operation: Operation, request: Message, iface: Iface): void {
  if (operation !== trade.cancelAllOrder || protocolInterfaces.has(iface)) return;
  const cancel = request as ModifyC2S;
  cancel.trdMarket = cancel.header?.trdMarket ?? EVERY_TRD_MARKET;
}

/**
 * The trading markets in which a request takes risk away; {@link EVERY_TRD_MARKET} stands for all. Empty for other requests, whose
 * markets the gates look at.
 */
export function relievedMarkets(operation: Operation, request: Message): readonly number[] {
  const modify = operation.messages === trade.modifyOrder.messages ? (request as ModifyC2S) : undefined;
  const relieves = modify === undefined ? operation.effect === 'write' && operation.scope.kind === 'byEnv' : !addsRisk(modify);
  if (!relieves) return [];
  const { header } = request as Message & { header?: TrdHeader };
  const all = modify?.forAll && modify.modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Cancel;
  return [header?.trdMarket ?? EVERY_TRD_MARKET, ...(all ? [modify.trdMarket] : [])];
}
