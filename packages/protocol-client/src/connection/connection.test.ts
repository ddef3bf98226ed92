import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import * as TrdSubAccPush from '@svc-gateway/contract/generated/Trd_SubAccPush_pb';
import { account, system } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { BackendLost, BackendRefused, BackendTimeout, BackendUnsent, LateRejection } from '@svc-gateway/gateway/backend-failures';
import { encodeFrame, readRsaKey } from '@svc-gateway/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateRsaKey } from '../../../../test/support/rsa-key.js';
import { ScriptedServer } from '../../../../test/support/scripted-server.js';
import { type ConnectionOptions, ProtocolConnection } from './connection.js';
import { dialTcp } from './dial.js';
import type { PushFrame } from './upstream.js';

const rsaPem = generateRsaKey();
const asked = system.getGlobalState;
const c2s = { userID: 0n } as GetGlobalState.C2S;
const state = { retType: 0, s2c: stateOf(1011) };

function stateOf(serverVer: number) {
  const markets = { marketHK: 0, marketUS: 0, marketSH: 0, marketSZ: 0, marketHKFuture: 0 };
  return { ...markets, qotLogined: true, trdLogined: true, serverVer, serverBuildNo: 1, time: 1n };
}

describe('a connection of the public protocol', () => {
  let server: ScriptedServer;
  let clock: ManualClock;
  let pushes: PushFrame[];
  let lost: string[];
  let whenLost: Promise<void>;
  let ending: AbortController;
  let defects: unknown[];

  beforeEach(async () => {
    server = await ScriptedServer.listen();
    clock = new ManualClock(Date.UTC(2026, 0, 5));
    pushes = [];
    lost = [];
    defects = [];
    ending = new AbortController();
  });
  afterEach(async () => {
    ending.abort();
    await server.close();
  });

  function options(more: Partial<ConnectionOptions> = {}): ConnectionOptions {
    let tell: () => void = () => undefined;
    whenLost = new Promise((resolve) => {
      tell = resolve;
    });
    return {
      endpoint: server.endpoint,
      dial: dialTcp,
      clock,
      introduction: { clientId: 'test', packetEncAlgo: 2 },
      rsaKey: undefined,
      signal: ending.signal,
      onPush: (frame) => pushes.push(frame),
      onDefect: (error) => defects.push(error),
      onLost: (reason) => {
        lost.push(reason);
        tell();
      },
      ...more,
    };
  }

  const open = (more?: Partial<ConnectionOptions>) => ProtocolConnection.open(options(more));
  const soon = () => ({ deadline: clock.monotonic() + 1000 });

  async function withKey(pem = rsaPem): Promise<Partial<ConnectionOptions>> {
    const key = readRsaKey(pem);
    if (!key.ok) throw new Error(key.message);
    return { endpoint: server.endpoint, rsaKey: key.key };
  }

  it('completes a handshake, sends requests, and delivers pushes', async () => {
    server.onRequest = (frame, peer) => {
      peer.push(1003, Notify, { retType: 0, s2c: { type: 1 } });
      peer.answer(frame, GetGlobalState, state);
    };
    const connection = await open();
    expect(connection.greeting).toEqual({ serverVersion: 1011, userId: 7n, connId: 1n });
    expect(server.peer.init).toMatchObject({ clientID: 'test', clientVer: 1011, recvNotify: true, packetEncAlgo: -1, pushProtoFmt: 0 });
    await expect(connection.request(asked, c2s, soon())).resolves.toMatchObject({ retType: 0, s2c: { serverVer: 1011, qotLogined: true } });
    expect(pushes).toMatchObject([{ protoId: 1003, format: 'protobuf' }]);
  });

  it.each([0, 1, 2])('encrypts with packetEncAlgo %i where both sides have the key', async (packetEncAlgo) => {
    await server.close();
    server = await ScriptedServer.listen(rsaPem);
    server.onRequest = (frame, peer) => peer.answer(frame, GetGlobalState, state);
    const connection = await open({ ...(await withKey()), introduction: { clientId: 'test', packetEncAlgo } });
    expect(server.peer.init?.packetEncAlgo).toBe(packetEncAlgo);
    await expect(connection.request(asked, c2s, soon())).resolves.toMatchObject({ retType: 0 });
  });

  it('says that the answer to its handshake cannot be opened, where the keys differ', async () => {
    server.onUnreadable = (peer) => {
      const body = new Uint8Array(128).fill(7);
      peer.write({ protoId: 1001, serial: 1, format: 'protobuf', body });
    };
    await expect(open(await withKey())).rejects.toMatchObject({ message: 'its answer to InitConnect cannot be opened' });
  });

  it('says that the keys may differ, where the server closes without an answer to the handshake', async () => {
    server.greets = false;
    server.onRequest = (_frame, peer) => peer.socket.end();
    await expect(open()).rejects.toMatchObject({
      message: 'the server closed the connection without an answer to InitConnect: it may expect encryption (--upstream-rsa-key)',
    });
    server.onUnreadable = (peer) => peer.socket.end();
    await expect(open(await withKey())).rejects.toMatchObject({
      message:
        'the server closed the connection without an answer to InitConnect: its RSA key may be missing or another (--upstream-rsa-key)',
    });
  });

  it('reports the server’s reason for a refused handshake', async () => {
    server.greets = false;
    server.onRequest = (frame, peer) => peer.answer(frame, GetGlobalState, { retType: -1, retMsg: 'waiting for a code' });
    await expect(open()).rejects.toMatchObject({ message: 'the server refused the connection: waiting for a code', final: false });
  });

  it.each([
    ['closes', (peer: ScriptedServer['peer']) => peer.socket.destroy(), /connection (was closed|broke)|closed the connection/],
    [
      'sends what is no frame',
      (peer: ScriptedServer['peer']) => peer.socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(3)),
      /no frame/,
    ],
    [
      'sends a wrong digest',
      (peer: ScriptedServer['peer']) => {
        const frame = encodeFrame({ protoId: 1003, serial: 1, format: 'protobuf', body: new Uint8Array([8, 0]) });
        frame[16] = (frame[16] ?? 0) ^ 1;
        peer.socket.write(frame);
      },
      /SHA-1/,
    ],
    [
      'claims a body of a gigabyte',
      (peer: ScriptedServer['peer']) => {
        const frame = encodeFrame({ protoId: 1003, serial: 1, format: 'protobuf', body: new Uint8Array([8, 0]) });
        frame.writeUInt32LE(2 ** 30, 12);
        peer.socket.write(frame);
      },
      /too long/,
    ],
  ])('fails what is under way, and nothing twice, when the server %s', async (_what, act, reason) => {
    const connection = await open();
    const asking = [connection.request(asked, c2s, soon()), connection.request(asked, c2s, soon())];
    const settled = Promise.allSettled(asking);
    await server.when(() => server.peer.requests.length === 3);
    act(server.peer);
    await whenLost;
    for (const outcome of await settled) expect(outcome).toMatchObject({ reason: expect.any(BackendLost) });
    expect(lost).toEqual([expect.stringMatching(reason)]);
    await expect(connection.request(asked, c2s, soon())).rejects.toBeInstanceOf(BackendUnsent);
    expect(connection.underWay).toBe(0);
  });

  it.each([
    ['no key', '', 'abcdefghijklmnop'],
    ['a short key', 'ABC', 'abcdefghijklmnop'],
    ['a key that is 16 characters and more bytes', 'é'.repeat(16), 'abcdefghijklmnop'],
    ['no IV', 'ABCDEFGHIJKLMNOP', ''],
  ])('is not made where the server gives %s', async (_, connAESKey, aesCBCiv) => {
    await server.close();
    server = await ScriptedServer.listen(rsaPem);
    server.greets = false;
    const s2c = { serverVer: 1011, loginUserID: 7n, connID: 1n, connAESKey, aesCBCiv, keepAliveInterval: 10 };
    server.onRequest = (frame, peer) => {
      peer.answer(frame, InitConnect, { retType: 0, s2c });
      peer.push(1003, Notify, { retType: 0, s2c: { type: 1 } });
    };
    await expect(open(await withKey())).rejects.toMatchObject({ message: expect.stringMatching(/no key of 16 characters/) });
  });

  it.each([
    ['lacks what it must have', Uint8Array.of(0x08, 0, 0x22, 0), 'with bytes that cannot be read'],
    ['says success and has no payload', Uint8Array.of(0x08, 0), 'without the payload that it answers with'],
  ])('takes an answer that %s for a failure of the server, never for an empty one', async (_what, body, how) => {
    const connection = await open();
    server.onRequest = ({ protoId, serial }, peer) => peer.write({ protoId, serial, format: 'protobuf', body });
    const message = `the server answered get_global_state ${how}`;
    const read = await connection.request(asked, c2s, soon()).catch((thrown: unknown) => thrown);
    expect(read).toMatchObject({ constructor: BackendRefused, code: 'backend.failed', message });
    // Nobody knows what became of a write.
    const written = await connection.request(asked, c2s, { ...soon(), priority: 'order' }).catch((thrown: unknown) => thrown);
    expect(written).toMatchObject({ constructor: BackendLost, message });
  });

  it('takes a success without a payload where the operation answers with none', async () => {
    const connection = await open();
    server.onRequest = (frame, peer) => peer.answer(frame, TrdSubAccPush, { retType: 0 });
    const { messages } = account.subAccPush;
    await expect(connection.request(account.subAccPush, create(messages.C2SSchema), soon())).resolves.toMatchObject({ retType: 0 });
  });

  it('keeps little of what a server says', async () => {
    const connection = await open();
    server.onRequest = (frame, peer) => peer.answer(frame, GetGlobalState, { retType: -1, retMsg: 'no '.repeat(1_000_000) });
    const refused = await connection.request(asked, c2s, soon());
    expect(refused.retMsg).toMatch(/^(no ){333}n… \(3000000 characters\)$/);
  });

  it('takes a long answer to a read, and none to a write', async () => {
    const connection = await open();
    server.onRequest = (frame, peer) => peer.answer(frame, GetGlobalState, { ...state, retMsg: 'x'.repeat(300_000) });
    await expect(connection.request(asked, c2s, soon())).resolves.toMatchObject({ retType: 0 });
    await expect(connection.request(asked, c2s, { ...soon(), priority: 'order' })).rejects.toBeInstanceOf(BackendLost);
  });

  it('ends with a push that cannot be taken, and says why', async () => {
    const defect = new Error('what is this?');
    const throwing = () => {
      throw defect;
    };
    const connection = await open({ onPush: throwing });
    const asking = connection.request(asked, c2s, soon());
    const failed = expect(asking).rejects.toBeInstanceOf(BackendLost);
    await server.request(1002);
    server.peer.push(1003, Notify, { retType: 0, s2c: { type: 1 } });
    await whenLost;
    await failed;
    expect(defects).toEqual([defect]);
    expect(lost).toEqual(['a push of protocol id 1003 could not be taken']);
  });

  it('ends with a push of megabytes', async () => {
    await open();
    server.peer.push(1003, Notify, { retType: 0, retMsg: 'x'.repeat(2 ** 20), s2c: { type: 1 } });
    await whenLost;
    expect(lost).toEqual([expect.stringMatching(/^the server pushed \d+ bytes at once/)]);
    expect(pushes).toEqual([]);
  });

  it('does not take bytes that trickle in for a sign of life for ever', async () => {
    const connection = await open();
    const body = new Uint8Array(1000);
    const frame = encodeFrame({ protoId: 1002, serial: 9, format: 'protobuf', body });
    const asking = connection.request(asked, c2s, { deadline: Number.POSITIVE_INFINITY });
    const failed = expect(asking).rejects.toBeInstanceOf(BackendLost);
    await server.request(1002);
    server.alive = false;
    for (let at = 0; lost.length === 0; at++) {
      expect(at).toBeLessThan(10);
      clock.advance(8_000);
      server.peer.socket.write(frame.subarray(at, at + 1));
      while (connection.heardAt < clock.now() && lost.length === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await failed;
    expect(lost).toEqual([expect.stringMatching(/longer than 60 seconds over one frame/)]);
  });

  it('takes half a frame for no frame', async () => {
    const connection = await open();
    const body = new Uint8Array([8, 0]);
    server.onRequest = ({ protoId, serial }, { socket }) => {
      const frame = encodeFrame({ protoId, serial, format: 'protobuf', body });
      socket.write(frame.subarray(0, 20));
      setImmediate(() => socket.write(frame.subarray(20)));
    };
    await expect(connection.requestBytes(1002, body, soon())).resolves.toEqual(Buffer.from(body));
  });

  it('gives up at the deadline, and knows nothing of an answer that comes later', async () => {
    const connection = await open();
    const asking = connection.request(asked, c2s, soon());
    const late = await server.request(1002);
    clock.advance(1100);
    await expect(asking).rejects.toBeInstanceOf(BackendTimeout);
    server.peer.answer(late, GetGlobalState, state);
    server.onRequest = (frame, peer) => peer.answer(frame, GetGlobalState, { ...state, s2c: stateOf(7) });
    await expect(connection.request(asked, c2s, soon())).resolves.toMatchObject({ s2c: { serverVer: 7 } });
    expect(connection.underWay).toBe(0);
  });

  it('sends no expired or cancelled request', async () => {
    const connection = await open();
    await expect(connection.request(asked, c2s, { deadline: clock.monotonic() })).rejects.toBeInstanceOf(BackendUnsent);
    await expect(connection.request(asked, c2s, { ...soon(), signal: AbortSignal.abort() })).rejects.toBeInstanceOf(BackendUnsent);
    const halted = new LateRejection(new Rejection('trading.halted', 'trading is halted'));
    await expect(connection.request(asked, c2s, { ...soon(), lateRejection: () => halted })).rejects.toBe(halted);
    const gone = new AbortController();
    const asking = connection.request(asked, c2s, { ...soon(), signal: gone.signal });
    await server.request(1002);
    gone.abort();
    await expect(asking).rejects.toBeInstanceOf(BackendTimeout);
    expect(connection.underWay).toBe(0);
  });

  it('does not take a server for dead when it was held up itself', async () => {
    await open();
    // Its timers run late, and before it reads what came meanwhile.
    const heldUp = clock.monotonic() + 60_000;
    clock.monotonic = () => heldUp;
    clock.advance(8_000);
    expect(lost).toEqual([]);
    await server.request(1004);
  });

  it('keeps itself alive, and notices a server that says nothing any more', async () => {
    await open();
    clock.advance(8000);
    await server.request(1004);
    server.alive = false;
    clock.advance(8000);
    await server.when(() => server.peer.requests.filter(({ protoId }) => protoId === 1004).length === 2);
    clock.advance(16_000);
    await whenLost;
    expect(lost).toEqual([expect.stringMatching(/said nothing for \d+ seconds/)]);
    await server.peer.closed;
  });

  it('times out without an answer to the handshake', async () => {
    server.greets = false;
    const opening = open();
    const failed = expect(opening).rejects.toMatchObject({ message: 'the server did not answer InitConnect', final: false });
    await server.request(1001);
    clock.advance(10_000);
    await failed;
  });

  it('is abandoned at once on request', async () => {
    server.greets = false;
    const failed = expect(open()).rejects.toMatchObject({ message: 'given up' });
    await server.request(1001);
    ending.abort();
    await failed;
    await server.peer.closed;
  });

  it('names the address that cannot be reached', async () => {
    const { endpoint } = server;
    const opening = options({ endpoint });
    await server.close();
    await expect(ProtocolConnection.open(opening)).rejects.toMatchObject({
      message: `cannot connect to 127.0.0.1:${endpoint.port} (ECONNREFUSED)`,
    });
    server = await ScriptedServer.listen();
  });
});
