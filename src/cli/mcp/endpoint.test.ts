import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { answerJson, ScriptedMcp } from '../../../test/support/scripted-mcp.js';
import { until } from '../../../test/support/until.js';
import type { Target } from '../target.js';
import { Endpoint } from './endpoint.js';

const started: { close?(): void; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) {
    each.close?.();
    await each.stop?.();
  }
});

async function gateway(name: string): Promise<ScriptedMcp> {
  const scripted = new ScriptedMcp((request) => answerJson(request, name));
  await scripted.start();
  started.push(scripted);
  return scripted;
}

function targetAt(url: string): Target {
  return { url: new URL(url), apiKey: undefined, ca: undefined };
}

async function post(endpoint: Endpoint) {
  const answer = await endpoint.send({ method: 'POST', headers: {}, body: 'x', signal: AbortSignal.timeout(10_000) });
  return answer.ok ? text(answer.value) : answer.error;
}

it('finds a gateway that has moved, within the message that misses it', async () => {
  const [first, second] = [await gateway('first'), await gateway('second')];
  let at = first.url;
  const endpoint = new Endpoint(() => ({ ok: true, value: targetAt(at) }), undefined);
  started.push(endpoint);
  expect(await post(endpoint)).toBe('first');
  at = second.url;
  expect(await post(endpoint)).toBe('first');
  await first.stop();
  const failures: unknown[] = [];
  await until(async () => {
    const answer = await post(endpoint);
    if (answer !== 'second') failures.push(answer);
    return answer === 'second';
  }, 'an answer of the second');
  // A connection that closes just as it is used may have carried the message; one that is refused has not.
  expect(failures.filter((failure) => (failure as { sent: boolean }).sent === false)).toEqual([]);
});

it('tells what was not sent from what may have been', async () => {
  const scripted = await gateway('here');
  const endpoint = new Endpoint(() => ({ ok: true, value: targetAt(scripted.url) }), undefined);
  started.push(endpoint);
  scripted.answer = ({ response }) => void response.destroy();
  expect(await post(endpoint)).toMatchObject({ sent: true, message: expect.stringContaining('closed the connection') });
  expect(scripted.seen).toHaveLength(1);
  await scripted.stop();
  expect(await post(endpoint)).toMatchObject({ sent: false, message: expect.stringContaining('nothing listens') });
});

it('knows what was sent on a connection that goes straight from one message to the next', async () => {
  const scripted = await gateway('here');
  const endpoint = new Endpoint(() => ({ ok: true, value: targetAt(scripted.url) }), undefined);
  started.push(endpoint);
  // More than there are connections: the last ones wait for those of the first.
  const connections = 256;
  const held: (() => void)[] = [];
  scripted.answer = (request) => {
    if (scripted.seen.length <= connections) held.push(() => answerJson(request, 'here'));
    else request.response.destroy();
  };
  const first = Array.from({ length: connections }, () => post(endpoint));
  await until(() => held.length === connections, 'all connections');
  const waiting = post(endpoint);
  for (const answer of held) answer();
  expect(new Set(await Promise.all(first))).toEqual(new Set(['here']));
  expect(await waiting).toMatchObject({ sent: true });
});

it('uses its connections again', async () => {
  const scripted = await gateway('here');
  const ports = new Set<number | undefined>();
  scripted.answer = (request) => {
    ports.add(request.response.socket?.remotePort);
    answerJson(request, 'here');
  };
  const endpoint = new Endpoint(() => ({ ok: true, value: targetAt(scripted.url) }), undefined);
  started.push(endpoint);
  for (let n = 0; n < 5; n++) expect(await post(endpoint)).toBe('here');
  expect(ports.size).toBe(1);
});

it('gives up whoever says nothing at first, and waits for a gateway that has answered', async () => {
  const sockets = new Set<Socket>();
  const stranger = createServer((socket) => void sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const origin = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const asking = new Endpoint(() => ({ ok: true, value: targetAt(origin) }), undefined, 50);
  started.push(asking);
  const answer = await post(asking);
  expect(answer).toMatchObject({ sent: true, message: expect.stringContaining(`no answer from ${origin}: no answer within 0.05 s`) });
  for (const socket of sockets) socket.destroy();
  stranger.close();

  const scripted = await gateway('slow');
  const endpoint = new Endpoint(() => ({ ok: true, value: targetAt(scripted.url) }), undefined, 1_000);
  started.push(endpoint);
  expect(await post(endpoint)).toBe('slow');
  scripted.answer = (request) => void setTimeout(() => answerJson(request, 'late'), 1_200);
  expect(await post(endpoint)).toBe('late');
});
