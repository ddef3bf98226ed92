import type { Message } from '@bufbuild/protobuf';
import { klType, subType } from '@svc-gateway/contract/enums';
import { type Security, SubType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { symbolOf } from '@svc-gateway/contract/markets';

const subTypes = new Map(subType.members.map((member) => [member.name.toLowerCase(), member.public]));

/** KLType → SubType: "day" → "KL_Day". */
export const klineSubTypes: ReadonlyMap<number, number> = new Map(
  klType.members.flatMap(({ name, public: number }) => {
    const type = subTypes.get(`kl_${name}`);
    return type === undefined ? [] : [[number, type] as const];
  }),
);

/** Fields that reads of live data have between them. */
interface LiveRequest {
  readonly security?: Security;
  readonly securityList?: readonly Security[];
  readonly klType?: number;
}

/** Protocol ids of the reads that a server answers only from subscribed data, and the type of data that each needs. */
const neededTypes: ReadonlyMap<number, (asked: LiveRequest) => number | undefined> = new Map([
  [3004, () => SubType.SubType_Basic],
  [3006, (asked: LiveRequest) => klineSubTypes.get(asked.klType ?? 0)],
  [3008, () => SubType.SubType_RT],
  [3010, () => SubType.SubType_Ticker],
  [3012, () => SubType.SubType_OrderBook],
  [3014, () => SubType.SubType_Broker],
]);

/** Whether the protocol id is a read of live data. */
export function isLiveRead(protoId: number): boolean {
  return neededTypes.has(protoId);
}

/**
 * Subscriptions that a read needs, by symbol and SubType; none for other requests, for what is no symbol, and for K-lines that cannot
 * be subscribed to: the operation itself refuses those.
 */
export function neededSubscriptions(protoId: number, c2s: Message): readonly { readonly symbol: string; readonly subType: number }[] {
  const asked = c2s as Message & LiveRequest;
  const needed = neededTypes.get(protoId)?.(asked);
  if (needed === undefined) return [];
  const securities = asked.securityList ?? (asked.security === undefined ? [] : [asked.security]);
  return securities.flatMap((security) => symbolOf(security) ?? []).map((symbol) => ({ symbol, subType: needed }));
}

/** "Basic". */
export function subTypeName(type: number): string {
  return subType.members.find((member) => member.public === type)?.name ?? String(type);
}
