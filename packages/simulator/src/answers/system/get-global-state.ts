import { create } from '@bufbuild/protobuf';
import { ProgramStatusSchema, ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/GetGlobalState_pb';
import type { Answer } from '../../view/facts.js';
import { SERVER_BUILD, SERVER_VERSION, SIMULATED } from '../../view/server.js';
import { type CalendarName, shownState } from '../../world/index.js';

/** GetGlobalState. The mainland's two exchanges keep the same hours. */
export const getGlobalState: Answer<'clock' | 'world', C2S, S2C> = ({ clock, world }) => {
  const now = clock.now();
  const state = (name: CalendarName) => shownState(world.calendar(name), now);
  return create(S2CSchema, {
    marketHK: state('HK'),
    marketUS: state('US'),
    marketSH: state('CN'),
    marketSZ: state('CN'),
    marketHKFuture: state('HK_FUTURE'),
    marketUSFuture: state('US_FUTURE'),
    marketSGFuture: state('SG_FUTURE'),
    marketJPFuture: state('JP_FUTURE'),
    marketSG: state('SG'),
    marketMY: state('MY'),
    marketJP: state('JP'),
    qotLogined: true,
    trdLogined: true,
    serverVer: SERVER_VERSION,
    serverBuildNo: SERVER_BUILD,
    time: BigInt(Math.floor(now / 1000)),
    localTime: now / 1000,
    programStatus: create(ProgramStatusSchema, { type: ProgramStatusType.ProgramStatusType_Ready, strExtDesc: SIMULATED }),
    qotSvrIpAddr: 'simulated',
    trdSvrIpAddr: 'simulated',
  });
};
