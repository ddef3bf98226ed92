import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { operations } from '@svc-gateway/contract/operations';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runQuietly } from '../../../test/support/terminal.js';
import type { Terminal } from './terminal.js';

/** Request to the fake daemon, and its answer. */
interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
let server: Server;
let url: string;
let folder: string;
let asked: Asked[];
let answer: (request: Asked, response: ServerResponse) => void;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const seen = { method, url, headers, body: await text(request) };
    asked.push(seen);
    answer(seen, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  asked = [];
  answer = (_, response) => response.end('{"ret_type":0,"s2c":{}}');
});

async function svcctl(args: string[], more: Partial<Terminal> = {}) {
  let out = '';
  let said = '';
  const status = await runQuietly(args, {
    env: { SVC_REST_URL: url, SVC_STATE_DIR: folder },
    out: (text) => {
      out += text;
    },
    explain: (text) => {
      said += text;
    },
    ...more,
  });
  return { status, out, said };
}

function answering(status: number, body: string, headers: Record<string, string> = {}): void {
  answer = (_, response) => response.writeHead(status, headers).end(body);
}

const ORDER = '{"market":1,"acc_id":281756479859383816,"env":1,"side":1,"code":"00700","qty":100,"price":300.10}';

describe('svcctl call', () => {
  it('sends the body as it was written and prints the answer as it came', async () => {
    const body = '{"ret_type":0,"s2c":{"header":{"acc_id":281756479859383816},"order_id":18446744073709551615,"price":300.10}}';
    answering(200, body);
    const { status, out, said } = await svcctl(['call', 'place_order', ORDER, '--api-key', 'svc_k']);
    expect({ status, out, said }).toEqual({ status: 0, out: `${body}\n`, said: '' });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ method: 'POST', url: '/api/order', body: ORDER });
    expect(asked[0]?.headers).toMatchObject({
      authorization: 'Bearer svc_k',
      'content-type': 'application/json',
      'idempotency-key': 'made-up',
    });
  });

  it('lays the answer out on a screen without touching a digit', async () => {
    answering(200, '{"ret_type":0,"s2c":{"id":18446744073709551615,"list":[],"text":"a: {b}, \\"c\\""}}');
    const { out } = await svcctl(['call', 'list_accounts'], { interactive: true });
    expect(out).toBe(
      '{\n  "ret_type": 0,\n  "s2c": {\n    "id": 18446744073709551615,\n    "list": [],\n    "text": "a: {b}, \\"c\\""\n  }\n}\n',
    );
    expect((await svcctl(['call', 'list_accounts', '--raw'], { interactive: true })).out).not.toContain('\n ');
    expect((await svcctl(['call', 'list_accounts', '--pretty'])).out).toBe(out);
  });

  it('tells a refusal once: in words, or as it came where that is asked for', async () => {
    const body = '{"error":"symbol: no such thing","code":"request.invalid","ret_msg":"symbol: no such thing"}';
    for (const interactive of [true, false]) {
      answering(400, body);
      const told = await svcctl(['call', 'get_quote', '{"symbol":"HK.1"}'], { interactive });
      expect([told.status, told.out]).toEqual([3, '']);
      expect(told.said.match(/no such thing/g)).toHaveLength(1);
      const raw = await svcctl(['call', 'get_quote', '{"symbol":"HK.1"}', '--raw'], { interactive });
      expect([raw.status, raw.out]).toEqual([3, `${body}\n`]);
      expect(raw.said).not.toContain('no such thing');
    }
  });

  it('reaches every declared operation over a declared route', async () => {
    for (const operation of operations) {
      const { status } = await svcctl(['call', operation.name]);
      expect(status).toBe(0);
      const { method, url: path } = asked.at(-1) ?? {};
      expect(operation.rest).toContainEqual({ method, path });
    }
  });

  it('takes the body from standard input or a file, and names with dashes or as a tool', async () => {
    const path = join(folder, 'body.json');
    writeFileSync(path, '{"symbol":"US.AAPL"}\n');
    await svcctl(['call', 'get-quote', `@${path}`]);
    await svcctl(['call', 'svc_get_quote', '-'], { readStdin: async () => '{"symbol":"HK.00700"}' });
    expect(asked.map(({ url, body }) => `${url} ${body.trim()}`)).toEqual([
      '/api/quote {"symbol":"US.AAPL"}',
      '/api/quote {"symbol":"HK.00700"}',
    ]);
  });

  it('uses POST where there is a body and a route for it, else the query', async () => {
    await svcctl(['call', 'get_risk_free_rate']);
    await svcctl(['call', 'get_risk_free_rate', '{"rate_time":1234567890123456789}']);
    await svcctl(['call', 'get_quote_rights', '{"refresh":true}']);
    expect(asked.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/api/risk-free-rate', ''],
      ['POST', '/api/risk-free-rate', '{"rate_time":1234567890123456789}'],
      ['GET', '/api/quote-rights?refresh=true', ''],
    ]);
  });

  it.each([
    [['call', 'get_qoute'], 'no operation is named "get_qoute": did you mean get_quote'],
    [['operations', 'get_quot'], 'no operation is named "get_quot": did you mean get_quote'],
    [['operations', 'zzzzzz'], '"svcctl operations" lists them'],
    [['call', 'zzzzzz'], '"svcctl operations" lists them'],
    [['call', 'get_quote', '{"symbol":}'], 'line 1, column 11'],
    [['call', 'get_quote', '[1]'], 'must be a JSON object'],
    [['call', 'get_quote', '@/nowhere'], 'cannot be read: ENOENT'],
    [['call', 'get_quote', '{}', '--idempotency-key', 'x'], 'get_quote changes nothing'],
    [['call', 'get_quote_rights', '{"refresh":[1]}'], 'refresh must be a single value'],
    [['call', 'get_quote', '--rest-url', 'localhost:22499'], '--rest-url must be like https://'],
    [['call', 'get_quote', '--rest-url', 'http://desk.example', '--api-key', 'svc_x'], 'would travel in plaintext'],
    [['call', 'get_quote', '--ca-file', '/nowhere'], '--ca-file cannot be read'],
    [
      ['call', 'place_order', '{}', '--idempotency-key', '日本'],
      '--idempotency-key: character 1 of 2 is "日" (U+65E5); expected printable ASCII',
    ],
    [['call'], "missing required argument 'operation'"],
    [['call', 'get_quote', '--prety'], "unknown option '--prety'"],
    [['cal'], "unknown command 'cal'"],
    [['data', 'import', 'HK.00700.csv'], "required option '--to <folder>' not specified"],
    [['watch', '00700'], '"00700" is not MARKET.CODE'],
    [['watch', 'HK.00700', '--types', '3'], '"3" is not one of 1 (Basic)'],
  ])('%j is wrong usage: nothing is sent', async (args, message) => {
    const { status, out, said } = await svcctl(args);
    expect(said).toContain(message);
    expect({ status, out, asked }).toEqual({ status: 2, out: '', asked: [] });
  });

  it.each([
    ['svc_secret\r', 'character 11 of 11 is a carriage return (U+000D)'],
    ['svc_sec…', 'character 8 of 8 is "…" (U+2026)'],
    ['svc_\u200bsecret', 'character 5 of 11 is an invisible sign (U+200B)'],
    ['svc_sécret', 'character 6 of 10 is "é" (U+00E9)'],
    ['svc_😀secret', 'character 5 of 11 is "😀" (U+1F600)'],
  ])('names the sign of a key that cannot be sent, and nothing else of it: %j', async (key, problem) => {
    for (const command of [['call', 'get_quote', '{}'], ['watch', 'HK.00700'], ['health'], ['mcp']]) {
      const env = { SVC_REST_URL: url, SVC_STATE_DIR: folder, SVC_API_KEY: key };
      const said = (name: string) => ({ status: 2, out: '', said: `error: ${name}: ${problem}; expected printable ASCII\n` });
      expect(await svcctl(command, { env })).toEqual(said('SVC_API_KEY'));
      expect(await svcctl([...command, '--api-key', key])).toEqual(said('--api-key'));
    }
    expect(asked).toEqual([]);
  });

  it('tells a refusal by the brokerage from one by the gateway, and both from success', async () => {
    answering(200, '{"ret_type":-1,"ret_msg":"no funds","err_code":7,"s2c":null}');
    expect(await svcctl(['call', 'place_order', ORDER])).toMatchObject({
      status: 1,
      out: '',
      said: 'error: the brokerage refused: no funds (ret_type -1, err_code 7)\n',
    });
    answering(403, '{"error":"needs trade:simulate","code":"auth.scope","ret_type":-1}');
    expect(await svcctl(['call', 'place_order', ORDER])).toMatchObject({
      status: 3,
      said: expect.stringMatching(/HTTP 403 auth\.scope: needs trade:simulate\n.*svcctl gen-key --scopes/),
    });
  });

  it.each([
    [401, 'auth.missing', 'SVC_API_KEY'],
    [401, 'auth.legacy_write', 'start it with --rest-keys-file'],
    [403, 'feature_disabled', 'restart svcd with that switch'],
    [404, 'route.not_found', 'another version'],
    [429, 'limit.rate', 'try again in 17 s'],
    [503, 'backend.not_ready', 'svcctl health'],
  ])('says what to do about HTTP %i %s', async (status, code, advice) => {
    answering(status, `{"error":"no","code":"${code}","ret_type":-1}`, { 'retry-after': '17' });
    const result = await svcctl(['call', 'place_order', ORDER]);
    expect(result.status).toBe(3);
    expect(result.said).toContain(advice);
    expect(result.said).not.toContain('not known');
  });

  it('does not repeat a write whose outcome is unknown, and says how to do so safely', async () => {
    answer = (_, response) => response.destroy();
    const lost = await svcctl(['call', 'place_order', ORDER]);
    expect(lost.status).toBe(5);
    expect(lost.said).toContain('--idempotency-key made-up');
    expect(asked).toHaveLength(1);
    answering(500, '{"error":"gateway disconnect","code":"backend.disconnected"}');
    const failed = await svcctl(['call', 'place_order', ORDER, '--idempotency-key', 'mine']);
    expect(failed.status).toBe(5);
    expect(failed.said).toContain('--idempotency-key mine');
    expect((await svcctl(['call', 'get_quote', '{"symbol":"HK.00700"}'])).said).not.toContain('idempotency');
  });

  it('reports a refused connection, or a peer of another protocol', async () => {
    const free = createTcpServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const nobody = await svcctl(['call', 'ping', '--rest-url', `http://127.0.0.1:${port}`]);
    expect(nobody.status).toBe(4);
    expect(nobody.said).toContain('is svcd running?');
    const plain = await svcctl(['call', 'ping', '--rest-url', url.replace('http:', 'https:')]);
    expect(plain.status).toBe(4);
    expect(plain.said).toContain(`the address is ${url}`);
  });
});

describe('svcctl health', () => {
  it('shows every probe, and fails when one is down', async () => {
    answer = ({ url }, response) => response.writeHead(url === '/readyz' ? 503 : 200).end('{"status":"x"}');
    const { status, out } = await svcctl(['health', '--api-key', 'svc_k']);
    expect(status).toBe(1);
    expect(out).toBe('livez   up  {"status":"x"}\nhealth  up  {"status":"x"}\nreadyz  down (HTTP 503)  {"status":"x"}\n');
    expect(asked.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    answering(200, '{}');
    expect((await svcctl(['health'])).status).toBe(0);
  });
});

describe('svcctl operations', () => {
  it('lists every operation, also as JSON', async () => {
    const { out } = await svcctl(['operations']);
    for (const { name, summary } of operations)
      expect(out.split('\n').some((line) => line.startsWith(`  ${name} `) && line.endsWith(` ${summary}`))).toBe(true);
    const list = JSON.parse((await svcctl(['operations', '--json'])).out) as { name: string }[];
    expect(list.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
  });

  it('shows the fields of one', async () => {
    const { out } = await svcctl(['operations', 'get_orderbook']);
    expect(out).toMatch(/^ {2}POST \/api\/orderbook$/m);
    expect(out).toMatch(/^ {2}depth +whole number, 1 to 40 /m);
    expect(out).toMatch(/^ {2}symbol +MARKET\.CODE, required /m);
    const screen = await svcctl(['operations', 'etf_screen']);
    expect(screen.out).toContain('c2s: need_fields.field_id, filters.field_id, sorts.field_id\n  1 last price (in its currency), 2 change');
    expect(screen.out).toContain('All can be sorted by.');
    const { numbers } = JSON.parse((await svcctl(['operations', 'stock_screen', '--json'])).out) as { numbers: { about: string }[] };
    expect(numbers.map(({ about }) => about)).toContainEqual(expect.stringContaining('All but 1103 can be sorted by.'));
    expect((await svcctl(['operations', 'nothing'])).status).toBe(2);
    for (const { name } of operations) expect((await svcctl(['operations', name])).status).toBe(0);
  });
});

describe('the program', () => {
  it('has every command, and says what its exit statuses mean', async () => {
    const { status, out } = await svcctl(['--help']);
    expect(status).toBe(0);
    for (const word of ['call', 'watch', 'operations', 'health', 'gen-key', 'machine-id', 'Exit status:']) expect(out).toContain(word);
    expect((await svcctl(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('runs the commands of keys', async () => {
    expect((await svcctl(['machine-id'])).out).toBe('machine\n');
    const made = await svcctl(['gen-key', '--id', 'bot', '--scopes', 'qot:read', '--keys-file', join(folder, 'keys.json')]);
    expect(made.out).toMatch(/^svc_[\w-]{43}\n$/);
  });
});

describe('the commands of extension reads', () => {
  const reads = [
    'forex_rates',
    'related_stocks',
    'earnings_expected_move',
    'news_translation',
    'forex_constituents',
    'latest_news',
    'stock_news',
    'get_forex_accounts',
    'get_forex_risk_control',
    'get_forex_symbol_configs',
    'get_forex_account_quote_context',
    'get_forex_assets',
    'preview_forex_margin',
  ];

  it.each(reads)('%s sends its JSON as it was written', async (name) => {
    const json = '{"broker_id": 1001, "account_id": 9223372036854775807, "extension_version": 1}';
    const { status, out } = await svcctl([name.replaceAll('_', '-'), '--c2s-json', json, '--api-key', 'svc_x']);
    expect(status).toBe(0);
    expect(out).toBe('{"ret_type":0,"s2c":{}}\n');
    expect(asked).toMatchObject([{ method: 'POST', url: `/api/${name.replaceAll('_', '-')}`, body: json }]);
    expect(asked[0]?.headers.authorization).toBe('Bearer svc_x');
  });

  it('take the address of the gateway and a key', async () => {
    const read = ['get-forex-accounts', '--c2s-json', '{}', '--api-key', 'svc_y', '--rest-url', url];
    expect((await svcctl(read, { env: { SVC_STATE_DIR: folder, SVC_REST_URL: 'http://127.0.0.1:1' } })).status).toBe(0);
    expect(asked).toMatchObject([{ url: '/api/get-forex-accounts', headers: { authorization: 'Bearer svc_y' } }]);
  });

  it('refuse what is no JSON before anything is sent', async () => {
    const { status, said } = await svcctl(['get-forex-accounts', '--c2s-json', '{"broker_id": ']);
    expect(status).not.toBe(0);
    expect(said).toMatch(/^error: the request body is not JSON: line 1/);
    expect(asked).toEqual([]);
  });
});
