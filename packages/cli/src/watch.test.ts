import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { runQuietly } from '../../../test/support/terminal.js';
import type { Terminal } from './terminal.js';

let server: Server;
let push: WebSocketServer;
let url: string;
/** Called with every connection and what it says first. */
let onSubscribe: (socket: WebSocket, command: string, headers: Record<string, unknown>) => void;

beforeEach(async () => {
  server = createServer((_, response) => response.writeHead(404).end('{"error":"not found","code":"route.not_found"}'));
  push = new WebSocketServer({ server, path: '/ws' });
  push.on('connection', (socket, request) => socket.on('message', (data) => onSubscribe(socket, data.toString(), request.headers)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const socket of push.clients) socket.terminate();
  push.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Runs `svcctl watch`; `interrupt` is its Ctrl-C. */
function watch(args: string[], more: Partial<Terminal> = {}) {
  const result = { out: [] as string[], said: '', status: Promise.resolve(-1), interrupt: () => {} };
  result.status = runQuietly(['watch', '--rest-url', url, ...args], {
    env: { SVC_STATE_DIR: tmpdir() },
    out: (text) => void result.out.push(text),
    explain: (text) => {
      result.said += text;
    },
    onInterrupt(action) {
      result.interrupt = action;
      return () => {};
    },
    ...more,
  });
  return result;
}

const FRAME = '{"type":"trade","seq":1,"acc_id":281756479859383816,"body":{}}';

it('subscribes, prints frames as they come, and ends in good order at Ctrl-C', async () => {
  let closed: Promise<number> | undefined;
  const run = watch(['HK.00700', 'US.AAPL', '--types', '1,orderbook', '--api-key', 'svc_k'], {
    out(text) {
      run.out.push(text);
      if (text.includes('"trade"')) run.interrupt();
    },
  });
  onSubscribe = (socket, command, headers) => {
    expect(JSON.parse(command)).toEqual({ op: 'subscribe', id: 1, symbols: ['HK.00700', 'US.AAPL'], sub_types: [1, 2] });
    expect(headers.authorization).toBe('Bearer svc_k');
    closed = new Promise((resolve) => socket.on('close', resolve));
    socket.send('{"type":"ack","id":1,"ret_type":0}');
    socket.send(FRAME);
  };
  expect(await run.status).toBe(0);
  expect(run.out).toEqual(['{"type":"ack","id":1,"ret_type":0}\n', `${FRAME}\n`]);
  expect(run.said).toBe('');
  expect(await closed).toBe(1005);
});

it('reads nothing more until its output is taken', async () => {
  let takeOutput = () => {};
  let sendSecond = () => {};
  const run = watch(['HK.00700'], {
    out(text) {
      run.out.push(text);
      if (run.out.length === 1) sendSecond();
      else run.interrupt();
    },
    drained: () =>
      new Promise<void>((resolve) => {
        takeOutput = resolve;
      }),
  });
  const heldBack = new Promise<string[]>((resolve) => {
    onSubscribe = (socket) => {
      sendSecond = () =>
        socket.send('{"seq":2}', async () => {
          // Long enough for a client that does read: frames take a turn or two on loopback.
          for (let turns = 0; turns < 50; turns++) await new Promise((next) => setImmediate(next));
          resolve([...run.out]);
          takeOutput();
        });
      socket.send('{"seq":1}');
    };
  });
  expect(await heldBack).toEqual(['{"seq":1}\n']);
  expect(await run.status).toBe(0);
  expect(run.out).toEqual(['{"seq":1}\n', '{"seq":2}\n']);
});

it('says why the subscription was refused', async () => {
  onSubscribe = (socket) => socket.send('{"type":"ack","id":1,"error":"unknown symbol HK.99999","ret_type":-1}');
  const run = watch(['HK.99999']);
  expect(await run.status).toBe(3);
  expect(run.said).toBe('error: subscription refused: unknown symbol HK.99999\n');
});

it.each([
  ['the brokerage', 'ret_msg', 'broker.unknown_code', 1],
  ['the gateway', 'error', 'auth.scope', 3],
  ['a gateway without its backend', 'error', 'backend.not_ready', 3],
  ['a defect', 'error', 'internal', 5],
])('ends a subscription that is refused by %s with the status of a call', async (_, field, code, status) => {
  const refusal = { type: 'ack', id: 1, op: 'subscribe', ret_type: -1, [field]: 'the reason', err_code: code, code };
  onSubscribe = (socket) => socket.send(JSON.stringify(refusal));
  const run = watch(['HK.99999']);
  expect(await run.status).toBe(status);
  expect(run.said).toBe('error: subscription refused: the reason\n');
});

it.each([
  [4401, 'key revoked', 3],
  [1013, 'too slow', 5],
])('says that the daemon closed the stream with code %i', async (code, reason, status) => {
  onSubscribe = (socket) => socket.close(code, reason);
  const run = watch(['HK.00700']);
  expect(await run.status).toBe(status);
  expect(run.said).toBe(`error: the daemon closed the push stream (code ${code}: ${reason})\n`);
});

it('says that the handshake was refused', async () => {
  push.shouldHandle = () => false;
  server.removeAllListeners('upgrade');
  server.on('upgrade', (_, socket) => {
    socket.end('HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n{"error":"token invalid","code":"auth.invalid"}');
  });
  const run = watch(['HK.00700', '--retry']);
  expect(await run.status).toBe(3);
  expect(run.said).toContain('HTTP 401 auth.invalid: token invalid');
});

it('connects again with --retry after a loss, not after a refusal', async () => {
  let connections = 0;
  onSubscribe = (socket) => {
    connections += 1;
    if (connections < 3) socket.terminate();
    else socket.close(4401, 'key revoked');
  };
  const run = watch(['HK.00700', '--retry']);
  expect(await run.status).toBe(3);
  expect(connections).toBe(3);
  expect(run.said.match(/trying again/g)).toHaveLength(2);
});

describe('a daemon that is not heard of any more', () => {
  const SILENCE_MS_MAX = 70_000;
  let clock: ManualClock;

  beforeEach(() => {
    clock = new ManualClock(0);
  });

  const after: Terminal['after'] = (ms, action) => clock.after(ms, action);

  it('is given up with an error', async () => {
    const run = watch(['HK.00700'], { after });
    onSubscribe = () => clock.advance(SILENCE_MS_MAX);
    expect(await run.status).toBe(5);
    expect(run.said).toBe('error: nothing from the daemon for 70 s, not even a ping: the connection is given up\n');
  });

  it('is connected to again with --retry, which is said', async () => {
    let connections = 0;
    onSubscribe = (socket) => {
      connections += 1;
      if (connections < 2) clock.advance(SILENCE_MS_MAX);
      else socket.close(4401, 'key revoked');
    };
    const run = watch(['HK.00700', '--retry'], { after });
    expect(await run.status).toBe(3);
    expect(connections).toBe(2);
    expect(run.said).toContain('nothing from the daemon for 70 s, not even a ping: the connection is given up; trying again in 0 ms\n');
  });

  it('is waited for after each ping and each frame', async () => {
    const run = watch(['HK.00700'], {
      after,
      out: () => {
        clock.advance(SILENCE_MS_MAX - 1);
        run.interrupt();
      },
    });
    onSubscribe = (socket) => {
      clock.advance(SILENCE_MS_MAX - 1);
      // Answered once it was heard.
      socket.once('pong', () => {
        clock.advance(SILENCE_MS_MAX - 1);
        socket.send(FRAME);
      });
      socket.ping();
    };
    expect(await run.status).toBe(0);
    expect(run.said).toBe('');
  });

  it('is not given up while nothing is read of it', async () => {
    const run = watch(['HK.00700'], {
      after,
      drained: async () => {
        // Held back from here on.
        await new Promise((next) => setImmediate(next));
        clock.advance(2 * SILENCE_MS_MAX);
        run.interrupt();
      },
    });
    onSubscribe = (socket) => socket.send(FRAME);
    expect(await run.status).toBe(0);
    expect(run.said).toBe('');
  });
});
