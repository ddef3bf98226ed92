import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import { type GtwEventType, NotifyType, ResponseSchema, type S2CSchema } from '@svc-gateway/contract/generated/Notify_pb';
import type { NotifyPush } from '@svc-gateway/gateway/backend';

const NOTIFY = 1003;

/** Notice of an upstream's event: kicked out, login failed. */
export function eventNotice(eventType: GtwEventType, desc: string): NotifyPush {
  return notice({ type: NotifyType.NotifyType_GtwEvent, event: { eventType, desc } });
}

export function programStatusNotice(type: ProgramStatusType, strExtDesc = ''): NotifyPush {
  return notice({ type: NotifyType.NotifyType_ProgramStatus, programStatus: { programStatus: { type, strExtDesc } } });
}

export function connectionNotice(qotLogined: boolean, trdLogined: boolean): NotifyPush {
  return notice({ type: NotifyType.NotifyType_ConnStatus, connectStatus: { qotLogined, trdLogined } });
}

function notice(s2c: MessageInitShape<typeof S2CSchema>): NotifyPush {
  return { type: 'notify', protoId: NOTIFY, message: create(ResponseSchema, { retType: 0, s2c }) };
}
