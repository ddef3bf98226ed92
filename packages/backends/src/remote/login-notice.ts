import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import type { LifecycleSnapshot, LifecycleState, NotifyPush } from '@svc-gateway/gateway';
import { programNotice } from '@svc-gateway/protocol-client';

const statuses: Readonly<Partial<Record<LifecycleState, ProgramStatusType>>> = {
  ready: ProgramStatusType.ProgramStatusType_Ready,
  failed: ProgramStatusType.ProgramStatusType_LoginFailed,
  stopped: ProgramStatusType.ProgramStatusType_ForceLogout,
};

/** How the login stands, in the protocol's words: what a client is told first. */
export function loginNotice({ lifecycleState, lastLifecycleEvent: strExtDesc = '' }: LifecycleSnapshot, awaitsCode: boolean): NotifyPush {
  const status = statuses[lifecycleState] ?? ProgramStatusType.ProgramStatusType_Loging;
  return programNotice({ type: awaitsCode ? ProgramStatusType.ProgramStatusType_NeedPhoneVerifyCode : status, strExtDesc });
}
