import { create, fromJson, type JsonObject } from '@bufbuild/protobuf';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as InitWebSocket from '@svc-gateway/contract/generated/InitWebSocket_pb';
import * as KeepAlive from '@svc-gateway/contract/generated/KeepAlive_pb';
import * as RegQotPush from '@svc-gateway/contract/generated/Qot_RegQotPush_pb';
import type { ProtocolMessages } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { type BodyFormat, encodeBody } from '@svc-gateway/wire';
import { HK_MARGIN } from '../../support/accounts.js';
import { sampleRequest } from '../../support/sample-request.js';
import { type Sample, samples } from '../corpus.js';

const NO_ACCOUNT = '1';
const security = { market: 1, code: '00700' };

/** `[protoId, Request]` of every declared operation, and of what is a matter of the connection. */
const requests: readonly (readonly [protoId: number, messages: ProtocolMessages, c2s: object])[] = [
  ...operations.flatMap((operation) => {
    const { protoId, messages, effect } = operation;
    if (protoId === null) return [];
    const sample = JSON.stringify(sampleRequest(operation, operations));
    // Writes persist, and memory is measured: they go to an account that does not exist.
    const text = effect === 'write' || effect === 'order' ? sample.replaceAll(HK_MARGIN, NO_ACCOUNT) : sample;
    return [[protoId, messages, fromJson(messages.C2SSchema, JSON.parse(text) as JsonObject)] as const];
  }),
  [3002, RegQotPush, { securityList: [security], subTypeList: [1, 4], rehabTypeList: [], isRegOrUnReg: true }],
];

/** Every request that is served, in both formats, and ids that are not. */
export const liveSamples: readonly Sample[] = [
  ...samples,
  ...requests.flatMap(([protoId, messages, c2s]) =>
    (['protobuf', 'json'] as const).map((format) => ({ protoId, format, body: requestBody(messages, c2s, format) })),
  ),
  ...[0, 2, 999_999, 0xffff_ffff].map((protoId) => ({ protoId, format: 'protobuf' as const, body: Uint8Array.of(0x0a, 0) })),
];

function requestBody({ RequestSchema }: ProtocolMessages, c2s: object, format: BodyFormat): Uint8Array {
  return encodeBody(RequestSchema, create(RequestSchema, { c2s } as Record<string, unknown>), format);
}

export const INIT_CONNECT = 1001;
export const INIT_WEBSOCKET = 1;
export const KEEP_ALIVE = 1004;

/** Body of an InitConnect. */
export function initConnectBody(packetEncAlgo: number, format: BodyFormat): Uint8Array {
  return requestBody(
    InitConnect,
    { clientVer: 1011, clientID: 'fuzz', recvNotify: true, packetEncAlgo, pushProtoFmt: format === 'json' ? 1 : 0 },
    format,
  );
}

/** Body of an InitWebSocket that relies on the key of the upgrade. */
export const initWebSocketBody = requestBody(
  InitWebSocket,
  { websocketKey: '', clientID: 'fuzz', programmingLanguage: 'JavaScript' },
  'protobuf',
);

export const keepAliveBody = requestBody(KeepAlive, { time: 1_700_000_000n }, 'protobuf');
