import { create } from '@bufbuild/protobuf';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import * as HistoryKL from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import * as Sub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as OrderList from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import * as ModifyOrder from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import * as PlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import { type BodyFormat, encodeBody } from '@svc-gateway/wire';

/** A valid request, as mutations start from it. */
export interface Sample {
  readonly protoId: number;
  readonly format: BodyFormat;
  readonly body: Uint8Array;
}

const header = { trdEnv: 0, accID: 123456789012345678n, trdMarket: 1 };
const packetID = { connID: 2n ** 63n, serialNo: 7 };

const requests: readonly [protoId: number, messages: ProtocolMessages, c2s: object][] = [
  [
    1001,
    InitConnect,
    { clientVer: 1010, clientID: 'fuzz', recvNotify: true, packetEncAlgo: -1, pushProtoFmt: 0, programmingLanguage: 'Python' },
  ],
  [1002, GetGlobalState, { userID: 0n }],
  [1004, KeepAlive, { time: 1_700_000_000n }],
  [2201, OrderList, { header, filterConditions: { codeList: ['00700'], idList: [1n, 2n ** 64n - 1n] }, filterStatusList: [5, 10] }],
  [2202, PlaceOrder, { packetID, header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 320.4, remark: 'ünïcode' }],
  [2205, ModifyOrder, { packetID, header, orderID: 0n, orderIDEx: 'FH1', modifyOrderOp: 2, forAll: true }],
  [
    3001,
    Sub,
    {
      securityList: ['00700', '00005', '09988'].map((code) => ({ market: 1, code })),
      subTypeList: [1, 2, 4, 5, 6, 11],
      isSubOrUnSub: true,
      isRegOrUnRegPush: true,
    },
  ],
  [
    3103,
    HistoryKL,
    {
      rehabType: 1,
      klType: 2,
      security: { market: 11, code: 'AAPL' },
      beginTime: '2024-01-01',
      endTime: '2024-12-31',
      nextReqKey: Uint8Array.of(0, 1, 2, 255),
    },
  ],
];

/** The messages of each protocol id of the samples. */
export const messagesOf: ReadonlyMap<number, ProtocolMessages> = new Map(requests.map(([protoId, messages]) => [protoId, messages]));

/** Every request in both formats. */
export const samples: readonly Sample[] = requests.flatMap(([protoId, { RequestSchema }, c2s]) =>
  (['protobuf', 'json'] as const).map((format) => ({
    protoId,
    format,
    body: encodeBody(RequestSchema, create(RequestSchema, { c2s } as Record<string, unknown>), format),
  })),
);
