import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ProgramStatusType } from '../../contract/generated/Common_pb.js';
import { type GtwEventType, NotifyType, ResponseSchema, type S2CSchema } from '../../contract/generated/Notify_pb.js';
import type { NotifyPush } from '../../gateway/backend.js';

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
