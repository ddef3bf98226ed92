import { once } from 'node:events';
import { connect } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { PageOrigins } from '@svc-gateway/interfaces/common/page-origins';
import { CoreWsEndpoint, gatewayTcpService, TcpEndpoint } from '@svc-gateway/interfaces/core';
import { afterEach, describe, expect, it } from 'vitest';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { ScriptedBackend, serveGateway, succeed } from '../support/gateway.js';
import { protocolIds } from '../support/public-protocol.js';
import { publishedSocket } from '../support/published-client.js';
import { until } from '../support/until.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

interface Served {
  readonly backend: ScriptedBackend;
  readonly clock: ManualClock;
  readonly api: string;
  readonly websocket: string;
  readonly tcp: TcpEndpoint;
  readonly defects: unknown[];
  /** Changes fields of the key. */
  readonly restrict: (fields: Record<string, unknown>) => void;
}

/** The core listeners over a backend and a clock of the test's own, with one key that may do everything. */
async function serve(declared: readonly Operation[] = operations, maxConnections = 10): Promise<Served> {
  const backend = new ScriptedBackend();
  const scopes = ['qot:read', 'qot:write', 'acc:read', 'trade:simulate', 'trade:unlock', 'admin', 'auth:setup', 'metrics:read'] as const;
  const served = await serveGateway({ backend, keys: { desk: { scopes } } });
  const clock = new ManualClock(Date.UTC(2026, 7, 3));
  const defects: unknown[] = [];
  let requests = 0;
  const services = {
    gateway: served.gateway,
    clock,
    ids: new ProtocolIds(declared),
    nextRequestId: () => `r${++requests}`,
    onDefect: (error: unknown) => defects.push(error),
  };
  const tcp = new TcpEndpoint({ service: gatewayTcpService(services, { kind: 'id', id: 'desk' }), ...services, maxConnections });
  const ws = new CoreWsEndpoint({ services, origins: new PageOrigins([]), maxConnections });
  const address = { host: '127.0.0.1', port: 0 };
  const [tcpPort, wsPort] = [await tcp.listen(address), await ws.listen(address)];
  cleanups.push(
    () => served.stop(),
    async () => {
      await Promise.all([tcp.finish(), ws.finish()]);
      const closed = Promise.all([tcp.close(), ws.close()]);
      clock.advance(1000);
      await closed;
    },
  );
  const token = served.keys.get('desk');
  return {
    backend,
    clock,
    api: `127.0.0.1:${tcpPort}`,
    websocket: `ws://127.0.0.1:${wsPort}/?token=${token}`,
    tcp,
    defects,
    restrict: (fields) => served.change('desk', fields),
  };
}

async function openTcp(api: string): Promise<CoreTcpClient> {
  const client = await CoreTcpClient.open(api);
  cleanups.push(() => client.close());
  return client;
}

describe('operations', () => {
  it('are answered when they fail, and leave the connection open', async () => {
    const { backend, api } = await serve();
    const client = await openTcp(api);
    backend.answer = () => {
      throw new Error('a defect');
    };
    expect(await client.ask('Qot_GetStaticInfo', { securityList: [{ market: 1, code: '00700' }] })).toMatchObject({
      retType: -1,
      errCode: 500,
    });
    // An answer that cannot be written is a defect, too.
    backend.answer = ({ messages }) => ({ ...create(messages.ResponseSchema), retType: 0, s2c: {} }) as unknown as ResponseMessage;
    expect(await client.ask('Qot_GetStaticInfo', { securityList: [{ market: 1, code: '00700' }] })).toMatchObject({
      retType: -1,
      errCode: 500,
    });
    backend.answer = succeed;
    expect(await client.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0 });
  });
});

describe('a connection', () => {
  const ask = (client: { ask: CoreTcpClient['ask'] }) => client.ask('Qot_GetStaticInfo', { securityList: [{ market: 1, code: '00700' }] });

  it.each(['tcp', 'websocket'])('over %s has 64 requests under way at most; the rest wait and are answered', async (wire) => {
    const { backend, api, websocket } = await serve();
    const client = wire === 'tcp' ? await openTcp(api) : await CoreWsClient.connect(websocket);
    if (client instanceof CoreWsClient) await client.login('');
    const held: (() => void)[] = [];
    let most = 0;
    backend.answer = async (asked, request) => {
      await new Promise<void>((resolve) => {
        held.push(resolve);
        most = Math.max(most, held.length);
        // The last that may come has come: let one go at a time.
        if (held.length >= 64 || backend.calls.length === 200) setImmediate(() => held.shift()?.());
      });
      setImmediate(() => held.shift()?.());
      return succeed(asked, request);
    };
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(client)));
    expect(answers).toHaveLength(200);
    for (const { retType } of answers) expect(retType).toBe(0);
    expect(most).toBe(64);
    if (client instanceof CoreWsClient) await client.close();
  });

  it('over TCP is closed when it has been silent for two intervals, and kept by KeepAlive', async () => {
    const { clock, api } = await serve();
    const [silent, lively] = [await openTcp(api), await openTcp(api)];
    clock.advance(15_000);
    expect(await lively.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0 });
    clock.advance(10_000);
    await silent.closed;
    expect(await lively.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0 });
  });

  it('over WebSocket is pinged, never asked for KeepAlive, and cut off when two pings stay unanswered', async () => {
    const { clock, websocket } = await serve();
    const client = await CoreWsClient.connect(websocket);
    await client.login('');
    for (let ping = 0; ping < 4; ping++) {
      const pinged = once(client.webSocket, 'ping');
      clock.advance(30_000);
      await pinged;
      // The daemon has read the pong when it has answered what came after it.
      expect(await client.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0 });
    }
    (client.webSocket as unknown as { _autoPong: boolean })._autoPong = false;
    clock.advance(90_000);
    expect((await client.closed).code).toBe(1006);
  });

  it('is cut off without a handshake', async () => {
    const { clock, api, websocket } = await serve();
    const tcp = await CoreTcpClient.connect(api);
    const ws = await CoreWsClient.connect(websocket);
    clock.advance(10_000);
    await tcp.closed;
    expect((await ws.closed).code).toBe(1006);
  });

  it('is refused when there are as many as may be', async () => {
    const { api, websocket } = await serve(operations, 1);
    await openTcp(api);
    const refused = await CoreTcpClient.connect(api);
    await refused.closed;
    const first = await CoreWsClient.connect(websocket);
    await expect(CoreWsClient.connect(websocket)).rejects.toThrow('503');
    await first.close();
  });

  it('over TCP frees its place as soon as the peer of a refused handshake is gone', async () => {
    const { api } = await serve(operations, 1);
    const refused = await CoreTcpClient.connect(api);
    const handshake = refused.ask('InitConnect', { clientVer: 1, clientID: 'x', pushProtoFmt: 9 });
    // Bytes after the handshake must not hide the end, nor hold up the answer.
    refused.socket.write(refused.frame(protocolIds.KeepAlive, Buffer.alloc(100_000), 2));
    expect(await handshake).toMatchObject({ retType: -1 });
    await refused.closed;
    const isTaken = async () => {
      const next = await CoreTcpClient.connect(api);
      const answered = next.ask('InitConnect', { clientVer: 1, clientID: 'x' }).then(() => true);
      const taken = await Promise.race([answered, next.closed.then(() => false)]);
      next.close();
      return taken;
    };
    await until(isTaken, 'room for another connection');
  });

  it.each(['requests before the login', 'repeated logins'])('over WebSocket that does not read is cut off over %s', async (what) => {
    const { websocket } = await serve();
    const client = await CoreWsClient.connect(websocket);
    if (what === 'repeated logins') await client.login('');
    // Nothing is read after the cut.
    client.webSocket.removeAllListeners('message');
    client.webSocket.pause();
    const [command, body] = what === 'repeated logins' ? [1, Buffer.of(0x0a, 0)] : [protocolIds.KeepAlive, Buffer.of(0x0a, 2, 8, 1)];
    const request = Buffer.from(publishedSocket.packBuff(command, 5, body));
    for (let sent = 0; sent < 1_000_000 && client.webSocket.readyState === client.webSocket.OPEN; sent++) {
      const written = new Promise<void>((resolve) => client.webSocket.send(request, () => resolve()));
      if (sent % 1000 === 0) await written;
    }
    expect(client.webSocket.readyState).not.toBe(client.webSocket.OPEN);
  });

  it('affects no other client when it sends garbage', async () => {
    const { api, defects } = await serve();
    const lively = await openTcp(api);
    const [host, port] = api.split(':');
    for (let round = 0; round < 50; round++) {
      const socket = connect(Number(port), host);
      await once(socket, 'connect');
      socket.on('error', () => undefined);
      const bytes = lively.frame(protocolIds.InitConnect, Buffer.from([0x0a, 2, 8, round]), 1);
      bytes.writeUInt32LE(0xffff_ffff - round, 12);
      socket.write(bytes);
      await once(socket, 'close');
    }
    expect(await lively.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0 });
    expect(defects).toEqual([]);
  });
});
