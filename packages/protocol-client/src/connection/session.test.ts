import { ManualClock } from '@svc-gateway/contract/clock';
import * as GetGlobalState from '@svc-gateway/contract/generated/GetGlobalState_pb';
import { system } from '@svc-gateway/contract/operations';
import { BackendLost, BackendUnsent } from '@svc-gateway/gateway/backend-failures';
import { readRsaKey } from '@svc-gateway/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateRsaKey } from '../../../../test/support/rsa-key.js';
import { ScriptedServer } from '../../../../test/support/scripted-server.js';
import { ConnectFailure } from './connect-failure.js';
import { dialTcp } from './dial.js';
import { Session, type SessionOptions } from './session.js';

const START = Date.UTC(2026, 0, 5);
const asked = system.getGlobalState;
const c2s = { userID: 0n } as GetGlobalState.C2S;

describe('a session', () => {
  let server: ScriptedServer;
  let clock: ManualClock;
  let told: string[];
  let session: Session;
  let random: number;
  let states: { readonly what: () => boolean; readonly resolve: () => void }[];

  beforeEach(async () => {
    server = await ScriptedServer.listen();
    clock = new ManualClock(START);
    told = [];
    states = [];
    random = 1;
  });
  afterEach(async () => {
    session.stop();
    await server.close();
  });

  function begin(more: Partial<SessionOptions> = {}): void {
    const { endpoint } = server;
    session = new Session({
      clock,
      random: () => random,
      dial: dialTcp,
      endpoint: () => endpoint,
      clientId: () => 'test',
      prepare: async () => undefined,
      onLost: (reason, heardAt) => told.push(`lost since ${heardAt - START}: ${reason}`),
      onPush: () => undefined,
      onLifecycle: () => {
        told.push(session.lifecycle.state);
        for (const waiting of states.splice(0)) waiting.what() ? waiting.resolve() : states.push(waiting);
      },
      onDefect: (error) => told.push(`defect: ${error}`),
      ...more,
    });
    session.start();
  }

  async function reaches(state: string): Promise<void> {
    if (session.lifecycle.state !== state) {
      await new Promise<void>((resolve) => states.push({ what: () => session.lifecycle.state === state, resolve }));
    }
  }

  const soon = () => ({ deadline: clock.monotonic() + 1000 });

  it('is ready once it is prepared, and counts what it has done', async () => {
    begin({ prepare: async (upstream, { connId }) => void told.push(`prepares ${connId} by ${typeof upstream.request}`) });
    await expect(session.request(asked, c2s, soon())).rejects.toBeInstanceOf(BackendUnsent);
    await reaches('ready');
    expect(told).toEqual(['connecting', 'authenticating', 'prepares 1 by function', 'ready']);
    expect(session.lifecycle.snapshot).toEqual({
      lifecycleState: 'ready',
      lifecycleGeneration: 1,
      lastLifecycleEvent: `connected to 127.0.0.1:${server.port}`,
      reconnectAttempts: 0,
      reconnectSuccesses: 0,
      reconnectFailures: 0,
      lastAttemptAt: '2026-01-05T00:00:00.000Z',
      lastSuccessAt: '2026-01-05T00:00:00.000Z',
    });
    session.stop();
    expect(session.lifecycle.state).toBe('stopped');
    await server.peer.closed;
  });

  it('tells of a loss first, and connects again', async () => {
    begin();
    await reaches('ready');
    const asking = session.request(asked, c2s, soon());
    const rejected = expect(asking).rejects.toBeInstanceOf(BackendLost);
    await server.request(1002);
    server.peer.socket.end();
    await rejected;
    expect(told.slice(3)).toEqual(['lost since 0: the server closed the connection', 'reconnecting']);
    await expect(session.request(asked, c2s, soon())).rejects.toBeInstanceOf(BackendUnsent);
    clock.advance(500);
    await reaches('ready');
    expect(session.greeting?.connId).toBe(2n);
    expect(session.lifecycle.snapshot).toMatchObject({
      lifecycleGeneration: 2,
      reconnectAttempts: 1,
      reconnectSuccesses: 1,
      reconnectFailures: 0,
    });
  });

  it('waits longer each time, by chance, and never longer than half a minute', async () => {
    const { port } = server;
    begin();
    await reaches('ready');
    const waits: number[] = [];
    await server.close();
    await reaches('reconnecting');
    for (const wait of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      const { lifecycleGeneration } = session.lifecycle.snapshot;
      clock.advance(wait - 1);
      expect(session.lifecycle.snapshot.lifecycleGeneration).toBe(lifecycleGeneration);
      clock.advance(1);
      expect(session.lifecycle.state).toBe('connecting');
      waits.push(wait);
      await reaches('reconnecting');
    }
    expect(session.lifecycle.snapshot).toMatchObject({ reconnectAttempts: waits.length, reconnectFailures: waits.length });
    random = 0.01;
    server = await ScriptedServer.listen(undefined, port);
    clock.advance(30_000);
    await reaches('ready');
  });

  it('backs off from a server that closes connections early, and resets after a sound minute', async () => {
    server.onRequest = (frame, peer) => peer.answer(frame, GetGlobalState, { retType: -1 });
    begin();
    for (const wait of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      await reaches('ready');
      server.peer.socket.destroy();
      await reaches('reconnecting');
      clock.advance(wait - 1);
      expect(session.lifecycle.state).toBe('reconnecting');
      clock.advance(1);
    }
    await reaches('ready');
    for (let second = 0; second < 60; second += 5) {
      clock.advance(5_000);
      // By the time that this is answered KeepAlive is too.
      await session.request(asked, c2s, soon());
    }
    server.peer.socket.destroy();
    await reaches('reconnecting');
    clock.advance(500);
    await reaches('ready');
  });

  it('begins anew where the preparation fails, and where it takes too long the old one changes nothing', async () => {
    let prepared = 0;
    let release: () => void = () => undefined;
    begin({
      prepare: async () => {
        prepared += 1;
        if (prepared === 1) throw new ConnectFailure('not logged in yet');
        if (prepared === 2) {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          throw new ConnectFailure('too late', true);
        }
      },
    });
    await reaches('authenticating');
    await reaches('reconnecting');
    expect(session.lifecycle.snapshot.lastLifecycleEvent).toBe('not logged in yet');
    clock.advance(500);
    await reaches('authenticating');
    server.peer.socket.destroy();
    await reaches('reconnecting');
    clock.advance(1000);
    await reaches('ready');
    release();
    await session.request(asked, c2s, { deadline: 0 }).catch(() => undefined);
    expect(session.lifecycle.state).toBe('ready');
    expect(prepared).toBe(3);
  });

  it('gives up where another try cannot help, and tries again when it is told to', async () => {
    let wrong = true;
    begin({
      prepare: async () => {
        if (wrong) throw new ConnectFailure('the login was refused', true);
      },
    });
    await reaches('failed');
    expect(told).toEqual(['connecting', 'authenticating', 'lost since 0: the login was refused', 'failed']);
    clock.advance(600_000);
    expect(session.lifecycle.state).toBe('failed');
    wrong = false;
    session.start();
    await reaches('ready');
  });

  it('does not loop over keys that differ', async () => {
    const read = readRsaKey(generateRsaKey());
    if (!read.ok) throw new Error(read.message);
    await server.close();
    server = await ScriptedServer.listen(generateRsaKey());
    server.onUnreadable = (peer) => peer.write({ protoId: 1001, serial: 1, format: 'protobuf', body: new Uint8Array(128).fill(7) });
    begin({ rsaKey: read.key });
    // One such answer may have been damaged on its way.
    for (const wait of [500, 1000]) {
      await reaches('reconnecting');
      clock.advance(wait);
    }
    await reaches('failed');
    expect(session.lifecycle.snapshot.lastLifecycleEvent).toBe('the RSA keys of the two sides differ');
  });

  it('reports unexpected exceptions, and continues', async () => {
    let first = true;
    begin({
      prepare: async () => {
        if (first) {
          first = false;
          throw new TypeError('a slip');
        }
      },
    });
    await reaches('reconnecting');
    expect(told).toContain('defect: TypeError: a slip');
    clock.advance(500);
    await reaches('ready');
  });

  it('can be given up by its owner for a fresh connection', async () => {
    begin();
    await reaches('ready');
    session.renew('the server was restarted');
    await reaches('reconnecting');
    expect(session.lifecycle.snapshot.lastLifecycleEvent).toBe('the server was restarted');
    clock.advance(500);
    await reaches('ready');
  });

  it('stops while it waits and while it connects', async () => {
    server.greets = false;
    begin();
    await server.request(1001);
    session.stop();
    await server.peer.closed;
    clock.advance(60_000);
    expect(told).toEqual(['connecting', 'stopped']);
  });
});
