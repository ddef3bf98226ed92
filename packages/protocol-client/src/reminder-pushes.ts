import type { DescMessage } from '@bufbuild/protobuf';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as UpdateOptionEvent from '@svc-gateway/contract/generated/Qot_UpdateOptionEvent_pb';
import * as UpdatePriceReminder from '@svc-gateway/contract/generated/Qot_UpdatePriceReminder_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import type { NotifyPush } from '@svc-gateway/gateway/backend';
import { readPush } from './connection/bodies.js';
import type { PushFrame } from './connection/upstream.js';

/** Security of a reminder by the names that the messages have for it; an option event without an option names the underlying. */
interface About {
  readonly security?: Security;
  readonly option?: Security;
  readonly owner?: Security;
}

/** Price reminders and option alerts of the login user that came true. */
const messages: ReadonlyMap<number, DescMessage> = new Map<number, DescMessage>([
  [3019, UpdatePriceReminder.ResponseSchema],
  [3310, UpdateOptionEvent.ResponseSchema],
]);

/** The push of a reminder, for those who may see its security; undefined for any other frame, and for one that names none. */
export function reminderPushOf(frame: PushFrame): NotifyPush | undefined {
  const desc = messages.get(frame.protoId);
  const message = desc === undefined ? undefined : readPush<About>(desc, frame);
  const security = message?.s2c.security ?? message?.s2c.option ?? message?.s2c.owner;
  const symbol = security === undefined ? undefined : symbolOf(security);
  if (message === undefined || symbol === undefined) return undefined;
  return { type: 'notify', protoId: frame.protoId, message, about: { symbols: [symbol], accIds: [] } };
}
