import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { answerJson, ScriptedMcp } from '../../../../test/support/scripted-mcp.js';
import { until } from '../../../../test/support/until.js';
import type { Target } from '../target.js';
import { Endpoint } from './endpoint.js';
import type { GatewayError } from './gateway-error.js';

const started: { close?(): void; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of started.splice(0)) {
    each.close?.();
    await each.stop?.();
  }
});

const CARRIED_OUT = 'gateway connection lost, the request may have been carried out';

async function gateway(name: string): Promise<ScriptedMcp> {
  const scripted = new ScriptedMcp((request) => answerJson(request, JSON.stringify(name)));
  await scripted.start();
  started.push(scripted);
  return scripted;
}

function targetAt(url: string): Target {
  return { url: new URL(url), apiKey: undefined, ca: undefined };
}

function endpointAt(findTarget: () => Target, firstAnswerMsMax?: number): Endpoint {
  const findOk = () => ({ ok: true, value: findTarget() }) as const;
  const endpoint = new Endpoint({ findTarget: findOk, explain: () => {}, ...(firstAnswerMsMax === undefined ? {} : { firstAnswerMsMax }) });
  started.push(endpoint);
  return endpoint;
}

/** The answer's body, or the reason why there is none. */
async function post(endpoint: Endpoint): Promise<string> {
  const exchange = { method: 'POST', headers: {}, body: 'x', signal: AbortSignal.timeout(10_000) };
  return endpoint.send(exchange).then(
    (answer) => answer.json() as Promise<string>,
    (thrown: GatewayError) => thrown.message,
  );
}

it('finds a gateway that has moved, within the request that misses it', async () => {
  const [first, second] = [await gateway('first'), await gateway('second')];
  let at = first.url;
  const endpoint = endpointAt(() => targetAt(at));
  expect(await post(endpoint)).toBe('first');
  at = second.url;
  expect(await post(endpoint)).toBe('first');
  await first.stop();
  const failures: string[] = [];
  await until(async () => {
    const answer = await post(endpoint);
    if (answer !== 'second') failures.push(answer);
    return answer === 'second';
  }, 'an answer of the second');
  // A connection that closes just as it is used may have carried the message; one that is refused has not.
  expect(failures.filter((failure) => !failure.startsWith(CARRIED_OUT))).toEqual([]);
});

it('distinguishes an unsent request from one that may have been carried out', async () => {
  const scripted = await gateway('here');
  const endpoint = endpointAt(() => targetAt(scripted.url));
  scripted.answer = ({ response }) => void response.destroy();
  expect(await post(endpoint)).toMatch(/^gateway connection lost, the request may have been carried out: .* closed the connection/);
  expect(scripted.seen).toHaveLength(1);
  await scripted.stop();
  expect(await post(endpoint)).toMatch(/^gateway connect failed: nothing listens/);
});

it('reuses its connections', async () => {
  const scripted = await gateway('here');
  const ports = new Set<number | undefined>();
  scripted.answer = (request) => {
    ports.add(request.response.socket?.remotePort);
    answerJson(request, '"here"');
  };
  const endpoint = endpointAt(() => targetAt(scripted.url));
  for (let n = 0; n < 5; n++) expect(await post(endpoint)).toBe('here');
  expect(ports.size).toBe(1);
});

it('gives up a peer that stays silent at first, and waits for a gateway that has answered', async () => {
  const sockets = new Set<Socket>();
  const stranger = createServer((socket) => void sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const origin = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const asking = endpointAt(() => targetAt(origin), 50);
  expect(await post(asking)).toContain(`${CARRIED_OUT}: no answer from ${origin}: no answer within 0.05 s`);
  for (const socket of sockets) socket.destroy();
  stranger.close();

  const scripted = await gateway('slow');
  const endpoint = endpointAt(() => targetAt(scripted.url), 1_000);
  expect(await post(endpoint)).toBe('slow');
  scripted.answer = (request) => void setTimeout(() => answerJson(request, '"late"'), 1_200);
  expect(await post(endpoint)).toBe('late');
});
