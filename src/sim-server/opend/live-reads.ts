import type { Message } from '@bufbuild/protobuf';
import { klType, subType } from '../../contract/enums.js';
import { type Security, SubType } from '../../contract/generated/Qot_Common_pb.js';
import { symbolOf } from '../../contract/markets.js';
import type { Ask } from '../rule.js';

/** The fields that reads of live data have between them. */
interface Asked {
  readonly security?: Security;
  readonly securityList?: readonly Security[];
  readonly klType?: number;
}

const subTypes = new Map(subType.members.map((member) => [member.name.toLowerCase(), member.public]));

/** By protocol id: the type of subscription that a read needs. */
const neededTypes: ReadonlyMap<number, (asked: Asked) => number | undefined> = new Map([
  [3004, () => SubType.SubType_Basic],
  [3006, (asked: Asked) => subTypes.get(`kl_${klType.members.find((one) => one.public === asked.klType)?.name}`)],
  [3008, () => SubType.SubType_RT],
  [3010, () => SubType.SubType_Ticker],
  [3012, () => SubType.SubType_OrderBook],
  [3014, () => SubType.SubType_Broker],
]);

/** What a read of live data needs: "HK.00700 1" each. Empty for any other request. */
export function neededUnits({ protoId, c2s }: Ask): readonly string[] {
  const asked = c2s as Message & Asked;
  const type = neededTypes.get(protoId)?.(asked);
  if (type === undefined) return [];
  const securities = asked.securityList ?? (asked.security === undefined ? [] : [asked.security]);
  return securities.flatMap((security) => symbolOf(security) ?? []).map((symbol) => `${symbol} ${type}`);
}

/** "Basic", of a unit. */
export function typeNameOf(unit: string): string {
  const type = Number(unit.split(' ')[1]);
  return subType.members.find((member) => member.public === type)?.name ?? String(type);
}
