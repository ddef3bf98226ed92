import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import * as WaitFor from '@svc-gateway/contract/generated/svc/wait_for_pb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestLine, nodeLines } from '../../scripts/node-lines.mjs';
import { BUY, HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { ways } from '../support/mcp-client.js';
import { McpProcessClient } from '../support/mcp-process.js';
import { nodeOfLine } from '../support/node-line.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { root } from './demo.js';
import { theTourWorks } from './tour.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const account = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
const order = { ...account, side: BUY, code: '00700', qty: 100, price: 20 };
const quoteOfTencent = { securityList: [{ market: 1, code: '00700' }] };

it('package.json asks for the lines that are tested', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(engines.node).toBe(nodeLines.map((line) => `^${line}`).join(' || '));
});

describe.each(nodeLines)('Node %s', (line) => {
  const found = nodeOfLine(line);
  if ('missing' in found) {
    it('serves every interface', (context) => context.skip(found.missing));
    return;
  }
  const { node } = found;

  describe('serves', () => {
    let daemon: SpawnedDaemon<'desk'>;
    beforeAll(async () => {
      daemon = new SpawnedDaemon<'desk'>(true);
      await daemon.addKey('desk', { scopes, sdk: true });
      await daemon.boot(['--enable-trading', '--api-key-id', 'desk'], [node]);
    });
    afterAll(() => daemon.stop());

    it('on this line', () => {
      expect(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout).toMatch(new RegExp(`^v${line.replace('.', '\\.')}\\.`));
    });

    it('REST: an answer, a refusal, an order and its cancel, its documents', async () => {
      const desk = daemon.as('desk');
      expect((await desk.s2c('/api/quote', { symbol: 'HK.00700' })).basic_qot_list[0].security.code).toBe('00700');
      expect((await desk.post('/api/quote', { symbl: 'HK.00700' })).json.field).toBe('symbl');
      const { order_id_ex } = await desk.s2c('/api/order', order);
      expect((await desk.post('/api/cancel-order', { ...account, order_id_ex })).json.ret_type).toBe(0);
      expect((await daemon.as().get('/openapi.json')).text).toContain('"/api/order"');
      expect((await daemon.as().get('/docs')).text).toContain('<section id="place_order">');
      expect((await daemon.as().get('/livez')).status).toBe(200);
    });

    it('the page of the console, with its script and its style', async () => {
      for (const path of ['/console', '/console/script.js', '/console/style.css']) {
        const { status, text } = await daemon.as().get(path);
        expect([path, status, text.length > 1000]).toEqual([path, 200, true]);
      }
    });

    it('pushes over /ws', async () => {
      const client = await daemon.push('desk');
      expect((await client.command('subscribe', { symbols: ['HK.00700'], sub_types: [1] })).ret_type).toBe(0);
      expect((await client.frame(({ type }) => type === 'quote', 'a quote')).symbol).toBe('HK.00700');
    });

    it.each(ways)('MCP over HTTP, %s', async (way) => {
      const client = await daemon.mcp('desk', { way });
      expect((await client.toolNames()).length).toBeGreaterThan(100);
      expect((await client.call('svc_get_quote', { symbol: 'HK.00700' })).json).toHaveProperty('basic_qot_list');
    });

    it.each(ways)('MCP over stdio, %s: in front of a daemon, and embedded', async (way) => {
      for (const args of [[], ['--embedded']]) {
        const env = {
          ...daemon.variables,
          HOME: daemon.folder,
          SVC_REST_URL: daemon.url,
          SVC_API_KEY: daemon.keys.desk,
          SVC_CA_FILE: daemon.caFile,
        };
        const client = await McpProcessClient.open(way, { node, env, args });
        expect(await client.call('svc_get_quote', { symbol: 'HK.00700' })).toContain('"basic_qot_list"');
        await client.client.close();
      }
    });

    it('gRPC: an answer and a push', async () => {
      const client = daemon.grpc();
      const wish = { key: daemon.keys.desk, type: 'Qot_GetBasicQot', protoId: 3004, request: quoteOfTencent };
      expect((await client.call(wish)).message?.s2c.basicQotList[0].security.code).toBe('00700');
      const stream = await client.open({ key: daemon.keys.desk, symbols: ['HK.00700'] });
      const c2s = { ...quoteOfTencent, subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true };
      await client.call({ key: daemon.keys.desk, protoId: 3001, type: 'Qot_Sub', request: c2s });
      expect((await stream.next(({ sec_key }) => sec_key !== undefined)).sec_key).toBe('1_00700');
    });

    it('gRPC: DEADLINE_EXCEEDED to a client that leaves its deadline to the server', async () => {
      expect(await statusAtTheDeadline(daemon)).toBe('4');
    });

    it('the public protocol, over TCP and over its WebSocket', async () => {
      const tcp = await CoreTcpClient.open(daemon.apiAddress);
      expect(tcp.init.retType).toBe(0);
      tcp.close();
      const socket = await CoreWsClient.open(String(daemon.ready.websocket), daemon.keys.desk, daemon.ca);
      expect((await socket.ask('GetGlobalState', { userID: 0 })).retType).toBe(0);
      socket.webSocket.terminate();
    });
  });
});

const newest = nodeOfLine(newestLine);
if ('node' in newest) describe('the tour on the newest line', () => theTourWorks(newest.node));

/** `grpc-status` of a `wait_for` that nothing fulfils, asked for by HTTP/2 alone. */
async function statusAtTheDeadline(daemon: SpawnedDaemon<'desk'>): Promise<unknown> {
  const request = create(WaitFor.RequestSchema, {
    c2s: { condition: 1, security: { market: 1, code: '00700' }, relation: 1, price: 1e9, timeout: 60 },
  });
  const body = toBinary(WaitFor.RequestSchema, request);
  // A `GatewayRequest`: proto_id 20050 as field 1, the body as field 2; before it, that it is not compressed, and its length.
  const message = Buffer.concat([Buffer.from([0x08, 0xd2, 0x9c, 0x01, 0x12, body.length]), body]);
  const session = connect(daemon.grpcUrl, { ca: daemon.ca, servername: 'localhost' });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/svc.v1.Gateway/Request',
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': '500m',
    authorization: `Bearer ${daemon.keys.desk}`,
  });
  stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]));
  const [head] = await once(stream, 'response');
  stream.on('trailers', (trailers) => Object.assign(head, trailers)).resume();
  await once(stream, 'close');
  session.close();
  return head['grpc-status'];
}
