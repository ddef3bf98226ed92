import { describe, expect, it } from 'vitest';
import { call, ENVELOPE, errorOf, INITIALIZE, isCall, ping, scriptedBridge } from '../../../../test/support/scripted-bridge.js';
import { answerJson, beginStream } from '../../../../test/support/scripted-mcp.js';
import { until } from '../../../../test/support/until.js';

const relay = scriptedBridge();

describe('an error answer', () => {
  it('without a gateway says so, and the first message after it is up is served', async () => {
    await relay.gateway.stop();
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, ping(1));
    expect(await stdio.answer(0)).toMatch(/"code":-32000,"message":"gateway connect failed: nothing listens at .*svcd.*--rest-url/);
    expect(await stdio.answer(1)).toContain('gateway connect failed');
    expect(stdio.said.match(/gateway connect failed/g)).toHaveLength(1);
    await relay.gateway.start();
    stdio.send(ping(2));
    expect(await stdio.answer(2)).toContain('"result"');
    expect(stdio.said).toContain('connected to the gateway');
  });

  it.each([
    [
      'a refusal of the gateway',
      401,
      '{"error":"key expired","code":"auth.expired"}',
      '"code":-32000,"message":"HTTP 401 auth.expired: key expired',
    ],
    ['an error that names no request', 400, errorOf('null', -32600, 'bad'), '"id":1,"error":{"code":-32600,"message":"bad"}'],
    ['an error that names it', 400, errorOf('1', -32022, 'unsupported'), '"id":1,"error":{"code":-32022,"message":"unsupported"}'],
    [
      'an error with data',
      400,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["a"]}}}',
      '"message":"no","data":{"supported":["a"]}}',
    ],
    ['no endpoint', 404, 'not here', '"code":-32000,"message":"HTTP 404'],
    ['no JSON', 200, '<html>', 'answered with no message'],
    ['nothing', 200, '', 'gateway connection lost before the answer'],
  ])('is made from %s', async (_, status, body, expected) => {
    relay.gateway.answer = (request) => answerJson(request, body, status);
    const stdio = relay.bridge();
    stdio.send(ping(1));
    expect(await stdio.answer(1)).toContain(expected);
    expect(stdio.lines).toHaveLength(1);
  });

  it('is given to each request of a batch that the gateway leaves unanswered', async () => {
    relay.gateway.answer = (request) => answerJson(request, '[{"jsonrpc":"2.0","id":"b","result":{}}]');
    const stdio = relay.bridge();
    stdio.send(`[${ping(1)},{"jsonrpc":"2.0","id":"b","method":"ping"}]`);
    expect(await stdio.answer(1)).toContain('gateway connection lost');
    expect(stdio.lines[0]).toBe('{"jsonrpc":"2.0","id":"b","result":{}}\n');
  });

  it('says that the request may have been carried out if its stream breaks off, and it is not sent again', async () => {
    relay.gateway.answer = (request) => void beginStream(request).write(': begun\n\n', () => request.response.destroy());
    const stdio = relay.bridge();
    stdio.send(call(1));
    expect(await stdio.answer(1)).toContain('may have been carried out');
    expect(relay.gateway.seen).toHaveLength(1);
  });

  it('is not needed if a broken stream can be resumed after its last event', async () => {
    const stdio = relay.bridge();
    relay.gateway.answer = (request) => {
      if (request.headers['last-event-id'] === 'e1') return void beginStream(request).end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
      if (isCall(request)) return void beginStream(request).end('id: e1\nretry: 1\ndata:\n\n');
      relay.answerOf(request);
    };
    stdio.send(INITIALIZE, call(1));
    expect(await stdio.answer(1)).toContain('"result"');
  });

  it('replaces an answer that is longer than a client takes', async () => {
    relay.gateway.answer = (request) => answerJson(request, `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(10 * 1024 * 1024)}"}`);
    const stdio = relay.bridge();
    stdio.send(ping(1));
    expect(await stdio.answer(1)).toContain('longer than 10485760 bytes');
  });
});

describe('shutdown', () => {
  it('waits at the end of the input for pending requests', async () => {
    relay.gateway.answer = (request) => (isCall(request) ? void beginStream(request) : relay.answerOf(request));
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, call(1));
    const held = await relay.gateway.request('the call', isCall);
    const status = stdio.end();
    held.response.end('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    expect(await status).toBe(0);
    expect(stdio.lines).toHaveLength(2);
    expect(relay.gateway.seen.at(-1)?.method).toBe('DELETE');
  });

  it('does not wait for streams without an end', async () => {
    relay.gateway.answer = (request) => void beginStream(request);
    const stdio = relay.bridge();
    stdio.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{${ENVELOPE}}}`);
    const listening = await relay.gateway.request('the subscription', () => true);
    expect(await stdio.end()).toBe(0);
    await until(() => listening.closed, 'the stream to be closed');
  });

  it.each(['interrupt', 'closeOutput'] as const)('ends requests and the session at once on %s', async (end) => {
    relay.gateway.answer = (request) => (isCall(request) ? void beginStream(request) : relay.answerOf(request));
    const stdio = relay.bridge();
    stdio.send(INITIALIZE, call(1));
    const held = await relay.gateway.request('the call', isCall);
    stdio[end]();
    expect(await stdio.status).toBe(0);
    await until(() => held.closed, 'the call to be closed');
    expect(relay.gateway.seen.at(-1)?.method).toBe('DELETE');
  });
});

it.each([
  [['--toolsets', 'quote,accounts'], 'unknown toolset "accounts", accepted: system, '],
  [['--embedded'], 'conflicts'],
  [['--rest-url', 'nowhere'], '--rest-url must be like'],
])('refuses %j as wrong usage', async (args, reason) => {
  const stdio = relay.bridge(args);
  expect(await stdio.status).toBe(2);
  expect(stdio.said + stdio.lines.join('')).toMatch(reason === 'conflicts' ? /cannot be used with/ : reason);
});
