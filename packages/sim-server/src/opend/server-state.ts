import { ProgramStatusType } from '@svc-gateway/contract/generated/Common_pb';

/** State of an upstream in GetGlobalState. */
export interface ServerState {
  quotesLoggedIn: boolean;
  tradingLoggedIn: boolean;
  programStatus: ProgramStatusType;
  /** Milliseconds after a subscription until its data are there. */
  firstDataMs: number;
  /** InitConnect is refused while a code is awaited. */
  awaitsCode: boolean;
}

export function loggedIn(): ServerState {
  return {
    quotesLoggedIn: true,
    tradingLoggedIn: true,
    programStatus: ProgramStatusType.ProgramStatusType_Ready,
    firstDataMs: 0,
    awaitsCode: false,
  };
}
