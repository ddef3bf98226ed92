import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ManualClock } from '@svc-gateway/contract/clock';
import type * as QotGetSubInfo from '@svc-gateway/contract/generated/Qot_GetSubInfo_pb';
import type * as QotSub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Caller } from '@svc-gateway/gateway';
import { answerSubInfo, answerSubscribe, type PushConnection, PushHub } from '@svc-gateway/gateway/push';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { writeError } from '../../packages/interfaces/src/common/error-body.js';
import { PageOrigins } from '../../packages/interfaces/src/common/page-origins.js';
import type { UpgradeRefusal } from '../../packages/interfaces/src/common/upgrade.js';
import type { Command } from '../../packages/interfaces/src/ws/commands.js';
import { type Authentication, WsEndpoint, type WsEndpointOptions } from '../../packages/interfaces/src/ws/endpoint.js';
import { FakeBackend } from './push-fakes.js';
import { rethrow } from './push-hub.js';

/** Keys of these tests: `good` and `other`. */
function authenticate(_request: IncomingMessage, token: string | undefined): Authentication {
  if (token === undefined) return { ok: false, rejection: new Rejection('auth.missing', 'a key is needed') };
  if (token === 'weak') return { ok: false, rejection: new Rejection('auth.scope', 'qot:read is needed') };
  if (token !== 'good' && token !== 'other') return { ok: false, rejection: new Rejection('auth.invalid', 'no such key') };
  const peer = { address: '127.0.0.1', loopback: true };
  const caller: Caller = { iface: 'ws', endpoint: 'GET /ws', requestId: 'r1', peer, keyText: token };
  return { ok: true, caller, owner: `key:${token}`, keyId: token, permits: () => true };
}

function refuse(_request: IncomingMessage, _token: string | undefined, rejection: Rejection): UpgradeRefusal {
  return { status: rejection.kind.http, body: writeError(rejection, 'r1') };
}

/** A push hub behind the endpoint of WebSockets, on a port of its own, for one test. */
export async function openWsEndpoint(
  options: Partial<WsEndpointOptions> & { maxBacklogBytes?: number; allowedOrigins?: readonly string[] } = {},
) {
  const backend = new FakeBackend();
  const clock = new ManualClock(Date.UTC(2026, 7, 3));
  const hub = new PushHub({ backend, onDefect: rethrow, clock, maxBacklogBytes: options.maxBacklogBytes ?? 8 * 1024 * 1024 });
  const defects: unknown[] = [];
  const command = (_caller: Caller, connection: PushConnection, { operation, request }: Command) =>
    operation.name === 'query_subscription'
      ? answerSubInfo(hub, connection.ownOwner, request as QotGetSubInfo.C2S)
      : answerSubscribe(hub, connection.ownOwner, request as QotSub.C2S);
  const onDefect = (error: unknown) => defects.push(error);
  const origins = new PageOrigins(options.allowedOrigins ?? []);
  const checkPage = ({ headers }: IncomingMessage) => origins.check(headers, { scopeMode: true });
  const endpoint = new WsEndpoint({ hub, clock, checkPage, authenticate, refuse, command, onDefect, ...options });
  const server: Server = createServer();
  server.on('upgrade', (request, socket, head) => void endpoint.handleUpgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    endpoint.close();
    hub.stop(1001, 'going away');
    server.close();
    server.closeAllConnections();
  });
  const join = async (query = '?token=good', headers: Record<string, string> = {}) => {
    const client = new Client(new WebSocket(`ws://127.0.0.1:${port}/ws${query}`, { headers }));
    onTestFinished(() => client.webSocket.terminate());
    await client.opened;
    return client;
  };
  return { backend, clock, hub, endpoint, port, defects, join };
}

/** A client that keeps what it receives and lets a test wait for more. */
class Client {
  readonly texts: string[] = [];
  readonly opened: Promise<unknown>;
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: () => void = () => undefined;

  constructor(readonly webSocket: WebSocket) {
    this.opened = once(webSocket, 'open');
    this.closed = new Promise((resolve) => webSocket.on('close', (code, reason) => resolve({ code, reason: String(reason) })));
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data) => {
      this.texts.push(String(data));
      this.#wake();
    });
  }

  /** Frames so far, once there are so many. */
  async frames(count: number): Promise<Record<string, unknown>[]> {
    while (this.texts.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.texts.map((text) => JSON.parse(text));
  }

  async ask(text: string): Promise<Record<string, unknown>> {
    const count = this.texts.length + 1;
    this.webSocket.send(text);
    return (await this.frames(count)).at(-1)!;
  }
}
