import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import * as QotRegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as TrdGetAccList from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import * as TrdGetOrderFillList from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import * as TrdGetOrderList from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import type { Frame } from '@svc-gateway/wire';
import type { Peer } from './scripted-server.js';

/** Program status: ready. */
const READY = 10;

export interface UpstreamState {
  /** Accounts for simulated trading in Hong Kong. */
  readonly accIds?: readonly bigint[];
  readonly qotLogined?: boolean;
  readonly trdLogined?: boolean;
  readonly programStatus?: number;
  /** QotMarketState of every market. */
  readonly marketState?: number;
}

/** An answer of an upstream that says yes to everything. */
export interface UsualAnswer {
  readonly messages: Pick<ProtocolMessages, 'ResponseSchema'>;
  readonly s2c: object;
}

/** Answer to a request of this protocol id of an upstream that is logged in and has no orders; undefined for ids that it does not know. */
export function usualAnswer(protoId: number, state: UpstreamState = {}): UsualAnswer | undefined {
  const { accIds = [], qotLogined = true, trdLogined = true, programStatus = READY, marketState = 0 } = state;
  const header = { trdEnv: 0, accID: accIds[0] ?? 0n, trdMarket: 1 };
  switch (protoId) {
    case 1001: {
      const s2c = { serverVer: 1011, loginUserID: 7n, connID: 1n, connAESKey: 'ABCDEFGHIJKLMNOP', keepAliveInterval: 10 };
      return { messages: InitConnect, s2c };
    }
    case 1002: {
      const markets = Object.fromEntries(['HK', 'US', 'SH', 'SZ', 'HKFuture'].map((name) => [`market${name}`, marketState]));
      const s2c = {
        ...markets,
        qotLogined,
        trdLogined,
        programStatus: { type: programStatus },
        serverVer: 1011,
        serverBuildNo: 1,
        time: 1n,
      };
      return { messages: GetGlobalState, s2c };
    }
    case 1004:
      return { messages: KeepAlive, s2c: { time: 1n } };
    case 2001:
      return {
        messages: TrdGetAccList,
        s2c: { accList: accIds.map((accID) => ({ accID, trdEnv: 0, trdMarketAuthList: [1], accType: 1 })) },
      };
    case 2008:
      return { messages: TrdSubAccPush, s2c: {} };
    case 2201:
      return { messages: TrdGetOrderList, s2c: { header, orderList: [] } };
    case 2211:
      return { messages: TrdGetOrderFillList, s2c: { header, orderFillList: [] } };
    case 3001:
      return { messages: QotSub, s2c: {} };
    case 3002:
      return { messages: QotRegQotPush, s2c: {} };
    case 3003:
      return { messages: QotGetSubInfo, s2c: { totalUsedQuota: 0, remainQuota: 1000 } };
    default:
      return undefined;
  }
}

/** Answers requests as an upstream that is logged in, but for those that the test answers itself; what nobody knows is refused. */
export function answersUsually(
  state: UpstreamState | (() => UpstreamState) = {},
  own: Readonly<Record<number, (frame: Frame, peer: Peer) => void>> = {},
): (frame: Frame, peer: Peer) => void {
  return (frame, peer) => {
    const answer = own[frame.protoId];
    if (answer !== undefined) return answer(frame, peer);
    const usual = usualAnswer(frame.protoId, typeof state === 'function' ? state() : state);
    if (usual === undefined) peer.answer(frame, KeepAlive, { retType: -1, retMsg: 'not scripted' });
    else peer.answer(frame, usual.messages, { retType: 0, s2c: usual.s2c });
  };
}
