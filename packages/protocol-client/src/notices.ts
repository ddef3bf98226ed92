import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { ProgramStatusSchema } from '@svc-gateway/contract/generated/Common_pb';
import { NotifyType, ResponseSchema, type S2CSchema } from '@svc-gateway/contract/generated/Notify_pb';
import type { NotifyPush } from '@svc-gateway/gateway/backend';

/** Protocol id of notices. */
export const NOTIFY = 1003;

/** A notice to every listener. */
export function noticeOf(s2c: MessageInitShape<typeof S2CSchema>): NotifyPush {
  return { type: 'notify', protoId: NOTIFY, message: create(ResponseSchema, { retType: 0, s2c }) };
}

/** The notice of how the program behind the gateway stands. */
export function programNotice(programStatus: MessageInitShape<typeof ProgramStatusSchema>): NotifyPush {
  return noticeOf({ type: NotifyType.NotifyType_ProgramStatus, programStatus: { programStatus } });
}
