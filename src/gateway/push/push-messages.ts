import type { DescMessage, Message } from '@bufbuild/protobuf';
import * as Notify from '../../contract/generated/Notify_pb.js';
import * as QotUpdateBasicQot from '../../contract/generated/Qot_UpdateBasicQot_pb.js';
import * as QotUpdateBroker from '../../contract/generated/Qot_UpdateBroker_pb.js';
import * as QotUpdateKL from '../../contract/generated/Qot_UpdateKL_pb.js';
import * as QotUpdateOptionEvent from '../../contract/generated/Qot_UpdateOptionEvent_pb.js';
import * as QotUpdateOrderBook from '../../contract/generated/Qot_UpdateOrderBook_pb.js';
import * as QotUpdatePriceReminder from '../../contract/generated/Qot_UpdatePriceReminder_pb.js';
import * as QotUpdateRT from '../../contract/generated/Qot_UpdateRT_pb.js';
import * as QotUpdateTicker from '../../contract/generated/Qot_UpdateTicker_pb.js';
import * as TrdUpdateOrder from '../../contract/generated/Trd_UpdateOrder_pb.js';
import * as TrdUpdateOrderFill from '../../contract/generated/Trd_UpdateOrderFill_pb.js';

/** The messages of a push: its `Response` and the payload within. */
export interface PushMessages {
  readonly ResponseSchema: DescMessage;
  readonly S2CSchema: DescMessage;
}

/** The protocol ids that a server sends without being asked. */
export const pushMessages: ReadonlyMap<number, PushMessages> = new Map<number, PushMessages>([
  [1003, Notify],
  [2208, TrdUpdateOrder],
  [2218, TrdUpdateOrderFill],
  [3005, QotUpdateBasicQot],
  [3007, QotUpdateKL],
  [3009, QotUpdateRT],
  [3011, QotUpdateTicker],
  [3013, QotUpdateOrderBook],
  [3015, QotUpdateBroker],
  [3019, QotUpdatePriceReminder],
  [3310, QotUpdateOptionEvent],
]);

/** The messages of a push's protocol id. An id without messages is a defect of the backend. */
export function pushMessagesOf(protoId: number): PushMessages {
  const messages = pushMessages.get(protoId);
  if (messages === undefined) throw new Error(`no push has the protocol id ${protoId}`);
  return messages;
}

/** The payload of a push; undefined where the `Response` carries none. */
export function payloadOf(message: Message): Message | undefined {
  return (message as Message & { s2c?: Message }).s2c;
}
