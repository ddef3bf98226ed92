import { hash } from 'node:crypto';
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf';
import { type PacketID, PacketIDSchema } from '../../contract/generated/Common_pb.js';
import type { C2S as ModifyC2S } from '../../contract/generated/Trd_ModifyOrder_pb.js';
import type { C2S as PlaceC2S } from '../../contract/generated/Trd_PlaceOrder_pb.js';
import type { PacketId } from '../brokerage/packets.js';
import type { PriceAdjustment } from '../brokerage/price.js';
import { type TrailType, trailTypes } from '../brokerage/terms.js';
import { Refusal } from '../handler.js';

/** The number under which a repetition is recognised; none when both parts are 0. */
export function packetOf(packet: PacketID | undefined): PacketId | undefined {
  if (packet === undefined || (packet.connID === 0n && packet.serialNo === 0)) return undefined;
  return { connId: packet.connID, serialNo: packet.serialNo };
}

const noPacket = create(PacketIDSchema, { connID: 0n, serialNo: 0 });

/** A digest of everything that a write asks for, its packet number aside. Messages of one type only are compared. */
export function fingerprintOf(schema: DescMessage, request: PlaceC2S | ModifyC2S): string {
  const asked = Object.assign(create(schema), request, { packetID: noPacket });
  return hash('sha256', toBinary(schema, asked), 'base64url');
}

/** Both parts are needed for an adjustment. */
export function adjustmentOf(request: { adjustPrice: boolean; adjustSideAndLimit: number }): PriceAdjustment | undefined {
  return request.adjustPrice && request.adjustSideAndLimit !== 0 ? { limit: request.adjustSideAndLimit } : undefined;
}

export function trailOf(request: { trailType: number; trailValue: number }): { type: TrailType; value: number } | undefined | Refusal {
  if (request.trailType === 0) return undefined;
  const type = trailTypes.wordOf(request.trailType);
  return type === undefined ? new Refusal(trailTypes.unknown(request.trailType)) : { type, value: request.trailValue };
}
