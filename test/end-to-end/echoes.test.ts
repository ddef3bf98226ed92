import { type DescField, type DescMessage, fromJson, type JsonObject, ScalarType, toBinary } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { TestDaemon } from '../support/daemon.js';
import type { GrpcClient } from '../support/grpc-client.js';
import { McpWire, request, stateless } from '../support/mcp-wire.js';
import { HandshakeRefused, type PushClient } from '../support/push-client.js';
import { sampleRequest } from '../support/sample-request.js';

/** Characters of two UTF-16 units, so that a cut may fall between them. */
const LONG = `x${'𝕏'.repeat(220_000)}`;
/** As long as a head may be. */
const HEAD = 'h'.repeat(12_000);
/** As long as a message on /ws may be. */
const LINE = '𝕏'.repeat(15_000);
const MANY = 10_000;
/** Bound of an answer and of a line of the trail and of the log: a few texts of 200 characters, four bytes each, and a list of what is accepted. */
const BYTES_MAX = 8_000;

let push: PushClient;
let ws: CoreWsClient;
let grpc: GrpcClient;
let mcp: McpWire;
let session: Record<string, string>;
let [audited, logged] = [0, 0];

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock', 'admin'] as const;
const daemon = TestDaemon.forAll({
  keys: {
    desk: { scopes, sdk: true },
    markets: { scopes, limits: { allowedMarkets: 'HK' } },
    symbols: { scopes, limits: { allowedSymbols: 'HK.00700' } },
  },
  flags: [
    ...['--api-key-id', 'desk', '--max-refusals-per-second', '1000000', '--enable-trading'],
    ...['--enable-desktop-phase2-reads', '--enable-v18-experimental-reads', '--enable-v18-position-writes'],
    ...['--enable-v18-kline-patterns', '--enable-v18-kline-pattern-performance'],
  ],
});
beforeAll(async () => {
  const { keys, ca } = daemon;
  push = await daemon.push('desk');
  ws = await CoreWsClient.open(daemon.daemon.websocketUrl ?? '', keys.desk, ca);
  grpc = daemon.grpc();
  mcp = new McpWire(daemon, keys.desk);
  session = await mcp.begin();
});

beforeEach(async () => {
  await daemon.daemon.access.audit.flush();
  audited = daemon.auditTexts().length;
  logged = daemon.log.length;
});

const bytesOf = (text: string) => Buffer.byteLength(text);

/** Expects the answer and the lines that the daemon keeps of the question to be short, and of whole characters. */
async function expectShort(answer: string): Promise<void> {
  await daemon.daemon.access.audit.flush();
  const lines = [...daemon.auditTexts().slice(audited), ...daemon.log.slice(logged)];
  for (const text of [answer, ...lines]) {
    if (bytesOf(text) > BYTES_MAX) throw new Error(`${bytesOf(text)} bytes: ${text.slice(0, 400)}`);
    expect(text).not.toMatch(/\p{Surrogate}|\\ud83[45](?!\\ud)/iu);
  }
}

const rest = async (path: string, body: unknown, headers = {}) => (await daemon.as('desk').post(path, body, headers)).text;
const thousands = <T>(make: (index: number) => T) => Array.from({ length: MANY }, (_, index) => make(index));
/** A command in as many bytes as one may have. */
const command = async (fields: object) => {
  const from = push.frames.length;
  push.socket.send(JSON.stringify(fields));
  return JSON.stringify(await push.frame(({ type }) => type === 'ack', 'the answer to a command', from));
};
const handshake = async (query: string, headers = {}) => {
  const { desk } = daemon.keys;
  const refused = await daemon.pushAt(`/ws${query}`, { authorization: `Bearer ${desk}`, ...headers }).catch((error: unknown) => error);
  if (!(refused instanceof HandshakeRefused)) throw new Error('it was not refused');
  return refused.text;
};
const rpc = async (method: string, params: Record<string, unknown>) => {
  const [body, headers] = stateless(method, params);
  const inSession = await mcp.send('POST', request(method, params), session);
  const alone = await mcp.send(
    'POST',
    body,
    bytesOf(JSON.stringify(headers)) > BYTES_MAX ? { 'mcp-protocol-version': headers['mcp-protocol-version'] ?? '' } : headers,
  );
  return `${inSession.text}${alone.text}`;
};
const tool = (name: string, args: Record<string, unknown>) => rpc('tools/call', { name, arguments: args });
const inTcp = async (protoId: number, body: string | Uint8Array, format: 'json' | 'protobuf' = 'json') => {
  const other = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '', { format });
  const { body: answer } = await other.send(protoId, Buffer.from(body));
  other.close();
  return answer.toString();
};
const quoteOf = (code: string) => ({ securityList: [{ market: 1, code }] });
const called = async (protoId: number, type: string, c2s: object) =>
  JSON.stringify(await grpc.call({ key: daemon.keys.desk, protoId, type, request: c2s }));

describe('a text of a megabyte comes back cut', () => {
  const rows: readonly (readonly [string, () => Promise<string>])[] = [
    ['REST: a field name', () => rest('/api/quote', { [LONG]: 1 })],
    ['REST: a field name within another', () => rest('/api/quote', { c2s: { security_list: [{ market: 1, code: '1', [LONG]: 1 }] } })],
    ['REST: a field given twice', () => rest('/api/quote', `{"${LONG}":1,"${LONG}":2}`)],
    ['REST: a value', () => rest('/api/quote', { symbol: LONG })],
    ['REST: a code', () => rest('/api/order', { acc_id: HK_MARGIN, env: 0, code: LONG, market: 'HK', side: 'BUY', qty: 1, price: 1 })],
    ['REST: a number', () => rest('/api/quote', `{"symbol":${'9'.repeat(500_000)}}`)],
    ['REST: a name of a key to halt', () => rest('/api/admin/halt', { key_id: LONG, reason: LONG })],
    ['REST: a path', async () => (await daemon.as('desk').get(`/${HEAD}`)).text],
    ['REST: a path, escaped', async () => (await daemon.as('desk').get(`/${'%F0%9D%95%8F'.repeat(900)}`)).text],
    ['REST: a query parameter of a POST', () => rest(`/api/quote?${HEAD}=1`, {})],
    ['REST: a query parameter of a GET', async () => (await daemon.as('desk').get(`/api/quote?${HEAD}=1`)).text],
    [
      'REST: a query parameter given twice',
      async () => (await daemon.as('desk').get(`/api/quote?${HEAD.slice(6_500)}=1&${HEAD.slice(6_500)}=2`)).text,
    ],
    ['REST: a method', async () => (await daemon.as('desk').request('PURGE', `/api/quote/${HEAD}`, {})).text],
    ['REST: an Origin', () => rest('/api/quote', { symbol: 'HK.00700' }, { origin: `https://${HEAD}` })],
    ['REST: an idempotency key', () => rest('/api/order', { symbol: 'HK.00700' }, { 'idempotency-key': HEAD })],
    ['REST: unknown fields by the thousand', () => rest('/api/quote', Object.fromEntries(thousands((index) => [`field_${index}`, 1])))],
    ['REST: unknown symbols by the thousand', () => rest('/api/snapshot', { symbols: thousands((index) => `HK.9${index}`) })],
    [
      'REST: unknown symbols, as many as are taken',
      () => rest('/api/snapshot', { symbols: thousands((index) => `HK.X${index}`).slice(0, 400) }),
    ],
    ['/ws: an op', () => command({ op: LINE, id: 1 })],
    ['/ws: an id', () => command({ op: 'ping', id: LINE })],
    ['/ws: a field of a ping', () => command({ op: 'ping', [LINE]: 1 })],
    ['/ws: a field name', () => command({ op: 'subscribe', [LINE]: 1 })],
    ['/ws: a symbol', () => command({ op: 'subscribe', symbols: [LINE], sub_types: [1] })],
    ['/ws: a cursor', () => command({ op: 'sub_acc', acc_id: HK_MARGIN, since: LINE })],
    [
      '/ws: unknown symbols by the thousand',
      () => command({ op: 'subscribe', symbols: thousands((index) => `HK.9${index}`).slice(0, 4_000), sub_types: [1] }),
    ],
    ['/ws: a parameter of the handshake', () => handshake(`?${HEAD}=1`)],
    ['/ws: a value of the handshake', () => handshake(`?format=${HEAD}`)],
    ['/ws: a cursor of the handshake', () => handshake(`?since=${HEAD}`)],
    ['/ws: an Origin', () => handshake('', { origin: `https://${HEAD}` })],
    ['MCP: a tool', () => tool(LONG, {})],
    ['MCP: an argument', () => tool('svc_get_quote', { [LONG]: 1 })],
    ['MCP: a value', () => tool('svc_get_quote', { symbol: LONG })],
    ['MCP: a message as text', () => tool('svc_get_quote', { c2s_json: LONG })],
    ['MCP: a name within a message as text', () => tool('svc_get_quote', { c2s_json: JSON.stringify({ [LONG]: 1 }) })],
    ['MCP: fields that there are not', () => tool('svc_get_kline', { symbol: 'HK.00700', fields: LONG })],
    ['MCP: a cursor', () => tool('svc_get_kline', { cursor: LONG })],
    ['MCP: an idempotency key', () => tool('svc_place_order', { symbol: 'HK.00700', idempotency_key: LONG })],
    ['MCP: a key', () => tool('svc_get_quote', { symbol: 'HK.00700', api_key: LONG })],
    ['MCP: a tool that another calls', () => tool('svc_call_tool', { name: LONG })],
    ['MCP: a tool to be described', () => tool('svc_describe_tools', { names: [LONG] })],
    ['MCP: a method', () => rpc(LONG, {})],
    ['MCP: a resource', () => rpc('resources/read', { uri: LONG })],
    ['MCP: a resource of an account', () => rpc('resources/read', { uri: `svc://accounts/${LONG}` })],
    ['MCP: a resource to be told of', () => rpc('resources/subscribe', { uri: `svc://quotes/${LONG}` })],
    ['MCP: a prompt', () => rpc('prompts/get', { name: LONG })],
    ['MCP: an argument of a prompt', () => rpc('prompts/get', { name: 'plan_order', arguments: { [LONG]: '1' } })],
    [
      'MCP: an id',
      async () => (await mcp.send('POST', request('tools/call', { name: 'svc_get_quote', arguments: {} }, LONG), session)).text,
    ],
    [
      'MCP: an id without a session',
      async () => {
        const [body, headers] = stateless('tools/call', { name: 'svc_get_quote', arguments: {} });
        return (await mcp.send('POST', { ...body, id: LONG }, headers)).text;
      },
    ],
    ['MCP: a token of progress', () => rpc('tools/call', { name: 'svc_get_quote', arguments: {}, _meta: { progressToken: LONG } })],
    ['MCP: a revision', async () => (await mcp.send('POST', request('tools/list'), { ...session, 'mcp-protocol-version': HEAD })).text],
    ['MCP: a session', async () => (await mcp.send('POST', request('tools/list'), { 'mcp-session-id': HEAD })).text],
    ['MCP: toolsets', async () => (await mcp.send('POST', request('tools/list'), { ...session, 'x-svc-toolsets': HEAD })).text],
    [
      'MCP: an event to go on from',
      async () => (await mcp.send('POST', request('tools/call', {}), { ...session, 'last-event-id': HEAD })).text,
    ],
    ['gRPC: a code', () => called(3004, 'Qot_GetBasicQot', quoteOf(LONG))],
    [
      'gRPC: codes by the thousand',
      () => called(3004, 'Qot_GetBasicQot', { securityList: thousands((index) => ({ market: 1, code: `9${index}` })) }),
    ],
    ['core TCP: a code', () => inTcp(3203, JSON.stringify({ c2s: quoteOf(LONG) }))],
    ['core TCP: a field', () => inTcp(3203, JSON.stringify({ c2s: { [LONG]: 1 } }))],
    ['core TCP: a value of another type', () => inTcp(3203, JSON.stringify({ c2s: { securityList: LONG } }))],
    ['core TCP: no JSON', () => inTcp(3203, LONG)],
    ['core WebSocket: a code', async () => JSON.stringify(await ws.ask('Qot_GetSecuritySnapshot', quoteOf(LONG)))],
    [
      'core WebSocket: a key',
      async () => {
        const other = await CoreWsClient.connect(daemon.daemon.websocketUrl ?? '', daemon.ca === undefined ? {} : { ca: daemon.ca });
        const { body, errorText } = await other.login(LONG);
        await other.close();
        return `${body}${errorText}`;
      },
    ],
  ];
  it.each(rows)('%s', async (_name, ask) => {
    await expectShort(await ask());
  });
});

describe('an order id that no list shows comes back cut to a key with lists', () => {
  const id = 'x'.repeat(20_000);
  const account = { acc_id: HK_MARGIN, env: 1, market: 1 };

  it('cuts an order id that no list shows where a bracket goes on in the account', async () => {
    const quoted = JSON.parse(await rest('/api/quote', { symbol: 'HK.00700' }));
    const price = Math.floor(quoted.s2c.basic_qot_list[0].cur_price * 0.9);
    const bracket = { ...account, symbol: 'HK.00700', side: 1, qty: 100, price, stop_loss_price: price - 50 };
    expect(JSON.parse(await rest('/api/bracket-order', bracket))).toMatchObject({ ret_type: 0 });
    const { text } = await daemon.as('symbols').post('/api/cancel-order', { ...account, order_id_ex: id });
    expect(text).toContain('xxx… (20000 characters) is not listed');
    await expectShort(text);
  });

  it.each(['markets', 'symbols'] as const)('in a read of fees by %s', async (who) => {
    const { text } = await daemon.as(who).post('/api/order-fee', { ...account, order_id_ex_list: [id] });
    expect(text).toContain('xxx… (20000 characters)');
    await expectShort(text);
  });
});

describe('every text of every request comes back cut', () => {
  const TEXT = '𝕏'.repeat(20_000);
  const asked = operations.filter(({ group, waits }) => group !== 'admin' && waits === null);

  it('cuts every echoed text over REST and as a tool', async () => {
    for (const operation of asked) {
      const route = operation.rest.find(({ method }) => method === 'POST');
      const texts = operation.shape.filter(({ hidden, type }) => !hidden && !['integer', 'number', 'boolean', 'bytes'].includes(type.kind));
      for (const { name } of texts) {
        for (const value of [TEXT, [TEXT]]) {
          const wish = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 0, market: 1, [name]: value };
          if (route !== undefined) await expectRefusalShort(await rest(route.path, wish));
          if (operation.tool !== null)
            await expectRefusalShort(
              (await mcp.send('POST', request('tools/call', { name: operation.tool, arguments: { [name]: value } }), session)).text,
            );
        }
      }
    }
    await expectShort('');
  });

  it('cuts every echoed text over the core protocol', async () => {
    const tcp = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    for (const operation of asked.filter(({ protoId }) => protoId !== null)) {
      for (const c2s of withLongTexts(operation, TEXT)) {
        const bytes = bytesOfRequest(operation, c2s);
        if (bytes === undefined) continue;
        const closed = tcp.closed.then(() => Promise.reject(new Error(`closed by ${operation.name}`)));
        const { body } = await Promise.race([tcp.send(operation.protoId ?? 0, Buffer.from(bytes)), closed]);
        await expectRefusalShort(body.toString());
      }
    }
    await expectShort('');
  });

  /** A success may give back what is stored. */
  async function expectRefusalShort(text: string): Promise<void> {
    if (text.includes('𝕏'.repeat(4_001))) throw new Error(`${bytesOf(text)} bytes: ${text.slice(0, 400)}`);
  }
});

/** undefined where a message of which only the text is set lacks what it cannot do without. */
function bytesOfRequest({ messages: { RequestSchema } }: Operation, c2s: object): Uint8Array | undefined {
  try {
    return toBinary(RequestSchema, fromJson(RequestSchema, { c2s } as JsonObject));
  } catch {
    return undefined;
  }
}

/** Samples of an operation's request, each with one text of it replaced. */
function withLongTexts(operation: Operation, text: string): object[] {
  const sample = sampleRequest(operation, operations) as Record<string, unknown>;
  return textPaths(operation.messages.C2SSchema, 2).map((path) => {
    const copy = structuredClone(sample);
    let at: Record<string, unknown> = copy;
    for (const field of path.slice(0, -1)) at = innerOf(at, field);
    const last = path.at(-1) as DescField;
    at[last.name] = last.fieldKind === 'list' ? [text] : text;
    return copy;
  });
}

function innerOf(outer: Record<string, unknown>, { name, fieldKind, message }: DescField): Record<string, unknown> {
  const held = outer[name];
  const isSecurity = message?.typeName === 'Qot_Common.Security';
  const inner = ((Array.isArray(held) ? held[0] : held) ?? (isSecurity ? { market: 1, code: '00700' } : {})) as Record<string, unknown>;
  outer[name] = fieldKind === 'list' ? [inner] : inner;
  return inner;
}

function textPaths(desc: DescMessage, depth: number): DescField[][] {
  return desc.fields.flatMap((field) => {
    if (field.message !== undefined) return depth === 0 ? [] : textPaths(field.message, depth - 1).map((path) => [field, ...path]);
    return 'scalar' in field && field.scalar === ScalarType.STRING ? [[field]] : [];
  });
}
