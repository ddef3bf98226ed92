/**
 * Clients of every interface for a soak: each does for so long what programs do, connections that come and go included, and
 * leaves nothing open. Each resolves to how many of what it did.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import grpc from '@grpc/grpc-js';
import { GatewayRequestSchema, GatewayResponseSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import { WebSocket } from 'ws';
import { getBasicQot, keepAlive, openTcp, openWebSocket, subscribe, tcpFrame } from './core-client.mjs';
import { headersOf, messageOf } from './mcp.mjs';

/** A connection lives for so long at most, and is then made anew. */
const LIFE_MS = 2000;
const PAUSE_MS = 20;

/** Sends over HTTPS; status, headers and the body as text. */
function ask({ port, agent, method = 'POST', path, headers = {}, body }) {
  return new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', ...headers };
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers: all, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Does something again and again until a moment, with what `open` makes, which is closed and made anew every now and then. */
async function inLives(until, open, act) {
  let count = 0;
  while (performance.now() < until) {
    const held = await open();
    const end = Math.min(until, performance.now() + LIFE_MS);
    while (performance.now() < end) {
      count += await act(held);
      await sleep(PAUSE_MS);
    }
    await held.close();
  }
  return count;
}

/** REST: reads, and orders far below the market that are cancelled; those of a repeated idempotency key once. */
export function restClient({ port, key, order }) {
  const headers = { authorization: `Bearer ${key}`, 'x-svc-int64': 'string' };
  const post = async (agent, path, body, more = {}) => {
    const { status, text } = await ask({ port, agent, path, headers: { ...headers, ...more }, body: JSON.stringify(body) });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  const done = { orders: 0 };
  return {
    done,
    run: (until) =>
      inLives(
        until,
        () => {
          const agent = new Agent({ keepAlive: true, maxSockets: 4 });
          return { agent, close: () => agent.destroy() };
        },
        async ({ agent }) => {
          await post(agent, '/api/quote', { symbol: 'HK.00700' });
          await post(agent, '/api/orderbook', { symbol: 'HK.00700' });
          const once = { 'idempotency-key': randomUUID() };
          const [placed] = await Promise.all([post(agent, '/api/order', order, once), post(agent, '/api/order', order, once)]);
          done.orders += 1;
          if (placed.ret_type !== 0) throw new Error(`an order was refused: ${placed.ret_msg}`);
          const { acc_id, env, market } = order;
          await post(agent, '/api/cancel-order', { acc_id, env, market, order_id: placed.s2c.order_id });
          return 5;
        },
      ),
  };
}

/** `/ws`: subscribes, hears and goes. */
export function wsClient({ port, key }) {
  return {
    run: (until) =>
      inLives(
        until,
        async () => {
          const socket = new WebSocket(`wss://127.0.0.1:${port}/ws`, {
            rejectUnauthorized: false,
            headers: { authorization: `Bearer ${key}` },
          });
          socket.on('error', () => undefined);
          await once(socket, 'open');
          socket.send(JSON.stringify({ id: 1, op: 'subscribe', symbols: ['HK.00700', 'HK.00005'], sub_types: [1, 4] }));
          return {
            socket,
            async close() {
              const closed = once(socket, 'close');
              socket.close();
              await closed;
            },
          };
        },
        async ({ socket }) => {
          socket.ping();
          await once(socket, 'pong');
          return 1;
        },
      ),
  };
}

/** MCP with sessions: tools, and sessions that are ended by their clients. */
export function mcpClient({ port, key }) {
  const authorization = `Bearer ${key}`;
  const call = async (agent, question, session = {}) => {
    const headers = { ...headersOf('sessions', question, authorization), ...session };
    const answered = await ask({ port, agent, path: '/mcp', headers, body: JSON.stringify(messageOf('sessions', question)) });
    if (answered.status !== 200) throw new Error(`${question.method}: ${answered.status} ${answered.text}`);
    return answered;
  };
  const client = { name: 'soak', version: '1.0.0' };
  return {
    run: (until) =>
      inLives(
        until,
        async () => {
          const agent = new Agent({ keepAlive: true });
          const begun = await call(agent, {
            method: 'initialize',
            params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client },
          });
          const session = { 'mcp-session-id': begun.headers['mcp-session-id'] };
          return {
            agent,
            session,
            async close() {
              await ask({ port, agent, method: 'DELETE', path: '/mcp', headers: { authorization, ...session } });
              agent.destroy();
            },
          };
        },
        async ({ agent, session }) => {
          await call(agent, { method: 'tools/call', params: { name: 'svc_get_quote', arguments: { symbols: ['HK.00700'] } } }, session);
          return 1;
        },
      ),
  };
}

/** gRPC: calls, and a push stream that is cancelled. */
export function grpcClient({ port, key }) {
  const credentials = grpc.credentials.createSsl(null, null, null, { rejectUnauthorized: false });
  const same = (bytes) => bytes;
  return {
    run: (until) =>
      inLives(
        until,
        () => {
          const client = new grpc.Client(`127.0.0.1:${port}`, credentials);
          const metadata = new grpc.Metadata();
          metadata.set('authorization', `Bearer ${key}`);
          const stream = client.makeServerStreamRequest('/svc.v1.Gateway/SubscribePush', same, same, Buffer.alloc(0), metadata);
          stream.on('data', () => undefined).on('error', () => undefined);
          return {
            client,
            metadata,
            close() {
              stream.cancel();
              client.close();
            },
          };
        },
        ({ client, metadata }) =>
          new Promise((resolve, reject) => {
            const message = Buffer.from(
              toBinary(GatewayRequestSchema, { $typeName: 'svc.v1.GatewayRequest', protoId: 3001, body: subscribe(1) }),
            );
            client.makeUnaryRequest('/svc.v1.Gateway/Request', same, same, message, metadata, (error, answer) => {
              if (error !== null) return reject(error);
              const { retType, retMsg } = fromBinary(GatewayResponseSchema, answer);
              return retType === 0 ? resolve(1) : reject(new Error(retMsg));
            });
          }),
      ),
  };
}

/** Core TCP: subscriptions, quotes and KeepAlive. */
export function coreTcpClient({ port }) {
  return coreClient(() => openTcp(port), tcpRound);
}

/** The core WebSocket: the handshake, and pushes that nobody asked for. */
export function coreWsClient({ port, key }) {
  const md5 = createHash('md5').update(key).digest('hex');
  return coreClient(
    () => openWebSocket(port, { websocketKey: md5, tls: true }),
    async () => 1,
  );
}

function coreClient(open, round) {
  return {
    run: (until) =>
      inLives(
        until,
        () => coreConnection(open, round),
        (connection) => connection.round(),
      ),
  };
}

async function coreConnection(open, round) {
  const socket = await open();
  socket.on('error', () => undefined);
  socket.on('data', () => undefined);
  return {
    round: () => round(socket),
    async close() {
      const closed = once(socket, 'close');
      socket.end();
      await closed;
    },
  };
}

async function tcpRound(socket) {
  socket.write(Buffer.concat([tcpFrame(3001, subscribe(1), 2), tcpFrame(3004, getBasicQot, 3), tcpFrame(1004, keepAlive, 4)]));
  await once(socket, 'data');
  return 3;
}
