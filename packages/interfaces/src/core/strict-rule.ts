import type { Message } from '@bufbuild/protobuf';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import { neededSubscriptions, subTypeName } from '@svc-gateway/wire';

/**
 * Refuses a read of live data that the connection is not subscribed to. `holds` says whether it is, by symbol and SubType. The other
 * interfaces do without this rule of the public protocol; its clients count on it.
 */
export function checkSubscribed(protoId: number, c2s: Message, holds: (symbol: string, subType: number) => boolean): Rejection | undefined {
  const missing = neededSubscriptions(protoId, c2s).find(({ symbol, subType }) => !holds(symbol, subType));
  if (missing === undefined) return undefined;
  const { symbol, subType: type } = missing;
  const message = `${shown(symbol)} is not subscribed to on this connection: subscribe to type ${type} (${subTypeName(type)}) with Qot_Sub first`;
  return new Rejection('request.not_subscribed', message);
}
