import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import { GtwEventType, NotifyType } from '@svc-gateway/contract/generated/Notify_pb';
import type { NotifyPush } from '@svc-gateway/gateway/backend';
import { noticeOf, programNotice } from '@svc-gateway/protocol-client/notices';
import { SIMULATED } from '@svc-gateway/simulator/view/server';

/** Notices once the backend is ready: that everything is simulated, and that it serves. */
export function readyNotices(): readonly NotifyPush[] {
  return [
    noticeOf({ type: NotifyType.NotifyType_GtwEvent, event: { eventType: GtwEventType.GtwEventType_None, desc: SIMULATED } }),
    programNotice({ type: ProgramStatusType.ProgramStatusType_Ready, strExtDesc: SIMULATED }),
  ];
}
