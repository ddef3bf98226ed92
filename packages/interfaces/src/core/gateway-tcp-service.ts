import { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller, Credential, Peer } from '@svc-gateway/gateway';
import { BytesFrame, type Permits } from '@svc-gateway/gateway/push';
import { encodeFrame, keptDigest, plainText } from '@svc-gateway/wire';
import type { CoreRequest } from './core-request.js';
import { tcpPushFormatOf } from './push-formats.js';
import type { CoreServices } from './services.js';
import { CoreSession } from './session.js';
import type { TcpService } from './tcp-service.js';
import { TcpSink } from './tcp-sink.js';

const everything: Permits = () => true;
const NOTIFY = 1003;
/** A client that wants no notices of the program still gets its price reminders. */
const noNotices: Permits = ({ protoId }) => protoId !== NOTIFY;

/**
 * The gateway behind a core TCP listener.
 * @param credential whose connections these are, since the protocol carries none: the key that the operator named, or nobody's in legacy mode.
 */
export function gatewayTcpService(services: CoreServices, credential: Credential): TcpService {
  const { gateway } = services;
  const callerAt = (peer: Peer, endpoint: string): Caller => ({
    iface: 'core-tcp',
    endpoint,
    requestId: services.nextRequestId(),
    peer,
    keyText: undefined,
  });
  return {
    async greet(peer) {
      const caller = callerAt(peer, 'init_connect');
      const opened = gateway.admissions.openSession(caller, credential);
      if (opened instanceof Rejection) return opened;
      const { identity, permits } = opened;
      return {
        ...(await gateway.serverFacts(caller, identity)),
        open: ({ connectionId, recvNotify, pushFormat, socket, cipher, end, onFree }) =>
          new CoreSession(services, {
            iface: 'core-tcp',
            peer,
            key: identity.key,
            owner: identity.owner,
            connectionId,
            permits,
            wants: recvNotify ? everything : noNotices,
            format: tcpPushFormatOf(pushFormat),
            sink: new TcpSink(socket, cipher, end),
            answerFrame,
            onFree,
          }),
      };
    },
    refused: (peer, rejection) => gateway.admissions.recordRefusal(callerAt(peer, 'connect'), rejection),
  };
}

/** Answers in protobuf are kept as long as nothing about them changes (common/protocol-response.ts). */
function answerFrame({ protoId, format, tag }: CoreRequest, body: Uint8Array): BytesFrame {
  const digest = format === 'protobuf' ? keptDigest(body) : undefined;
  return new BytesFrame({ kind: 'kept' }, encodeFrame({ protoId, format, serial: Number(tag), body }, plainText, digest), undefined, false);
}
