import type { Message } from '@bufbuild/protobuf';
import { klType, subType } from '../../contract/enums.js';
import { type Security, SubType } from '../../contract/generated/Qot_Common_pb.js';
import { symbolOf } from '../../contract/markets.js';
import { Rejection } from '../../contract/rejection.js';
import { shown } from '../../contract/shown.js';

/**
 * The public protocol's rule for live data: a connection reads what it is subscribed to. The other interfaces do without,
 * clients of the public protocol count on it.
 */

/** The fields that these requests have between them. */
interface Asked {
  readonly security?: Security;
  readonly securityList?: readonly Security[];
  readonly klType?: number;
}

/** Protocol id → the subscription type that a request needs; undefined for a K-line type that cannot be subscribed to. */
const neededTypes: ReadonlyMap<number, (asked: Asked) => number | undefined> = new Map([
  [3004, () => SubType.SubType_Basic],
  [3006, ({ klType }: Asked) => klineTypes.get(klType ?? 0)],
  [3008, () => SubType.SubType_RT],
  [3010, () => SubType.SubType_Ticker],
  [3012, () => SubType.SubType_OrderBook],
  [3014, () => SubType.SubType_Broker],
]);

const subTypes = new Map(subType.members.map((member) => [member.name.toLowerCase(), member.public]));

/** KLType → SubType: "day" → "KL_Day". */
const klineTypes: ReadonlyMap<number, number> = new Map(
  klType.members.flatMap((kline) => {
    const needed = subTypes.get(`kl_${kline.name}`);
    return needed === undefined ? [] : [[kline.public, needed] as const];
  }),
);

/** Refuses a read of live data that the connection is not subscribed to. `holds` says whether it is, by symbol and SubType. */
export function checkSubscribed(protoId: number, c2s: Message, holds: (symbol: string, subType: number) => boolean): Rejection | undefined {
  const needed = neededTypes.get(protoId);
  if (needed === undefined) return undefined;
  const asked = c2s as Message & Asked;
  const type = needed(asked);
  for (const security of asked.securityList ?? (asked.security === undefined ? [] : [asked.security])) {
    // What is no symbol, and a K-line type that does not exist, are for the operation itself to refuse.
    const symbol = symbolOf(security);
    if (symbol === undefined || type === undefined || holds(symbol, type)) continue;
    const name = subType.members.find((member) => member.public === type)?.name ?? String(type);
    const message = `${shown(symbol)} is not subscribed to on this connection: subscribe to type ${type} (${name}) with Qot_Sub first`;
    return new Rejection('request.not_subscribed', message);
  }
  return undefined;
}
