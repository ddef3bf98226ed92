import type { DescMessage, Message } from '@bufbuild/protobuf';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as QotUpdateBroker from '@svc-gateway/contract/generated/Qot_UpdateBroker_pb';
import * as QotUpdateKL from '@svc-gateway/contract/generated/Qot_UpdateKL_pb';
import * as QotUpdateOptionEvent from '@svc-gateway/contract/generated/Qot_UpdateOptionEvent_pb';
import * as QotUpdateOrderBook from '@svc-gateway/contract/generated/Qot_UpdateOrderBook_pb';
import * as QotUpdatePriceReminder from '@svc-gateway/contract/generated/Qot_UpdatePriceReminder_pb';
import * as QotUpdateRT from '@svc-gateway/contract/generated/Qot_UpdateRT_pb';
import * as QotUpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';

/** The messages of a push: its `Response` and the payload within. */
export interface PushMessages {
  readonly ResponseSchema: DescMessage;
  readonly S2CSchema: DescMessage;
}

/** Protocol ids of notices and of order pushes. */
export const NOTIFY = 1003;
export const ORDER_PUSH = 2208;

/** The protocol ids that a server sends without being asked. */
export const pushMessages: ReadonlyMap<number, PushMessages> = new Map<number, PushMessages>([
  [NOTIFY, Notify],
  [ORDER_PUSH, TrdUpdateOrder],
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
