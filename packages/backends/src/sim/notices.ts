import { create } from '@bufbuild/protobuf';
import { ProgramStatusSchema, ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import {
  GtwEventSchema,
  GtwEventType,
  ProgramStatusSchema as NotifiedProgramStatusSchema,
  NotifyType,
  ResponseSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/Notify_pb';
import type { NotifyPush } from '@svc-gateway/gateway/backend';
import { SIMULATED } from '@svc-gateway/simulator/view/server';

const NOTIFY = 1003;

/** Notices once the backend is ready: that everything is simulated, and that it serves. */
export function readyNotices(): readonly NotifyPush[] {
  return [
    notice({
      type: NotifyType.NotifyType_GtwEvent,
      event: create(GtwEventSchema, { eventType: GtwEventType.GtwEventType_None, desc: SIMULATED }),
    }),
    notice({
      type: NotifyType.NotifyType_ProgramStatus,
      programStatus: create(NotifiedProgramStatusSchema, {
        programStatus: create(ProgramStatusSchema, { type: ProgramStatusType.ProgramStatusType_Ready, strExtDesc: SIMULATED }),
      }),
    }),
  ];
}

function notice(fields: Pick<S2C, 'type'> & Partial<S2C>): NotifyPush {
  const s2c = Object.assign(create(S2CSchema), fields);
  return { type: 'notify', protoId: NOTIFY, message: create(ResponseSchema, { retType: 0, s2c }) };
}
