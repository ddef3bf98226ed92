import { create } from '@bufbuild/protobuf';
import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import { NotifyType, ResponseSchema } from '@svc-gateway/contract/generated/Notify_pb';
import type { LifecycleSnapshot, NotifyPush } from '@svc-gateway/gateway';

const NOTIFY = 1003;

/** How the login stands, in the protocol's words: what a client is told first. */
export function programNotice({ lifecycleState, lastLifecycleEvent }: LifecycleSnapshot, awaitsCode: boolean): NotifyPush {
  const type = awaitsCode ? ProgramStatusType.ProgramStatusType_NeedPhoneVerifyCode : statusOf(lifecycleState);
  const programStatus = { type, strExtDesc: lastLifecycleEvent ?? '' };
  const s2c = { type: NotifyType.NotifyType_ProgramStatus, programStatus: { programStatus } };
  return { type: 'notify', protoId: NOTIFY, message: create(ResponseSchema, { retType: 0, s2c }) };
}

function statusOf(state: LifecycleSnapshot['lifecycleState']): ProgramStatusType {
  switch (state) {
    case 'ready':
      return ProgramStatusType.ProgramStatusType_Ready;
    case 'failed':
      return ProgramStatusType.ProgramStatusType_LoginFailed;
    case 'stopped':
      return ProgramStatusType.ProgramStatusType_ForceLogout;
    default:
      return ProgramStatusType.ProgramStatusType_Loging;
  }
}
