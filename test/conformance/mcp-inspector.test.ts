import { join } from 'node:path';
import { operations } from '@svc-gateway/contract/operations';
import { scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HK_CASH } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { type Inspection, Inspector } from '../support/inspector.js';

/**
 * The protocol's own inspector, unmodified, against `/mcp` and `svcctl mcp`. It is a client that we did not write, with the
 * habits of one: it reads the list of tools before each call and turns `key=value` into what the schemas ask for.
 */
const found = Inspector.find();
const svcctl = join(import.meta.dirname, '..', '..', 'bin', 'svcctl');
const toolNames = operations.flatMap(({ tool }) => (tool === null ? [] : [tool])).sort();

/** A way to a gateway: the arguments that name it, and what the process needs. */
interface Target {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

let daemon: TestDaemon<'all'>;

/** The exit statuses that the inspector documents. */
const [DONE, FAILED, AUTH_REQUIRED, TOOL_FAILED] = [0, 1, 3, 5];

function overHttp(keyText = daemon.keys.all): Target {
  return {
    before: [`${daemon.url}/mcp`, '--header', `Authorization: Bearer ${keyText}`],
    after: [],
    env: { NODE_EXTRA_CA_CERTS: daemon.caFile },
  };
}

function overStdio(args: readonly string[] = [], url = daemon.url): Target {
  const settings = { ...daemon.variables, SVC_REST_URL: url, SVC_API_KEY: daemon.keys.all, SVC_CA_FILE: daemon.caFile };
  // An embedded gateway takes no address.
  const given = args.includes('--embedded') ? {} : settings;
  const env = Object.entries(given).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return { before: env, after: ['--', process.execPath, svcctl, 'mcp', ...args], env: {} };
}

if (typeof found === 'string') {
  it('the official inspector', (context) => context.skip(found));
} else {
  const inspect = (target: Target, ...args: string[]): Promise<Inspection> =>
    found.run([...target.before, ...args, ...target.after], target.env);
  const callTool = (target: Target, name: string, ...args: string[]) =>
    inspect(target, '--method', 'tools/call', '--tool-name', name, ...args);

  describe(`the official inspector ${found.version}`, { timeout: 120_000 }, () => {
    beforeAll(async () => {
      daemon = await TestDaemon.start({ keys: { all: { scopes } }, flags: [...switches] });
    });
    afterAll(async () => {
      await daemon.stop();
      found.remove();
    });

    const targets: readonly [string, () => Target, readonly string[]][] = [
      ['Streamable HTTP, sessions', () => overHttp(), toolNames],
      ['Streamable HTTP, no sessions', () => withEra(overHttp(), 'modern'), toolNames],
      ['stdio, svcctl mcp', () => overStdio(), toolNames],
      ['stdio, svcctl mcp, no sessions', () => withEra(overStdio(), 'modern'), toolNames],
      ['stdio, svcctl mcp --embedded', () => overStdio(['--embedded']), []],
    ];

    describe.each(targets)('over %s', (_, target, names) => {
      it('lists the tools, in schemas that other clients understand', async () => {
        const { status, result, stderr } = await inspect(target(), '--method', 'tools/list', '--strict');
        // --strict: 6 where a schema is one that common clients refuse.
        expect([status, stderr.match(/^Error: .*$/gm)]).toEqual([DONE, null]);
        const listed = (result.tools as { name: string }[]).map(({ name }) => name).sort();
        expect(listed).toEqual(names.length === 0 ? expect.arrayContaining(['svc_get_quote', 'svc_list_accounts']) : names);
      });

      it('calls tools, with arguments as pairs and as JSON', async () => {
        const quote = await callTool(target(), 'svc_get_kline', '--tool-arg', 'symbol=HK.00700', 'req_num=3');
        expect(quote.status, quote.stderr).toBe(DONE);
        expect(quote.result).toMatchObject({
          structuredContent: { security: { market: 'HK', code: '00700' }, kl_list: { rows: { length: 3 } } },
        });
        const args = JSON.stringify({ acc_id: HK_CASH, env: 'simulate', market: 'HK' });
        const funds = await callTool(target(), 'svc_get_funds', '--tool-args-json', args);
        expect(funds.status, funds.stderr).toBe(DONE);
        expect(funds.stdout).toContain(`\\"acc_id\\":${HK_CASH}`);
        expect(funds.result).toMatchObject({ structuredContent: { header: { acc_id: HK_CASH, trd_env: 'simulate' } } });
      });

      it('lists and reads resources', async () => {
        const { status, result } = await inspect(target(), '--method', 'resources/list');
        expect(status).toBe(DONE);
        expect(result.resources).toEqual(expect.arrayContaining([expect.objectContaining({ uri: 'svc://accounts' })]));
        const read = await inspect(target(), '--method', 'resources/read', '--uri', 'svc://quote/HK.00700');
        expect(read.status, read.stderr).toBe(DONE);
        const [content] = read.result.contents as { text: string }[];
        expect(JSON.parse(content?.text ?? '')).toMatchObject({ basic_qot_list: [{ security: { code: '00700' } }] });
        const templates = await inspect(target(), '--method', 'resources/templates/list');
        expect(templates.result.resourceTemplates).toEqual(
          expect.arrayContaining([expect.objectContaining({ uriTemplate: 'svc://quote/{symbol}' })]),
        );
      });

      it('lists and gets prompts', async () => {
        const { result } = await inspect(target(), '--method', 'prompts/list');
        expect((result.prompts as { name: string }[]).map(({ name }) => name)).toEqual(
          expect.arrayContaining(['daily_review', 'risk_check']),
        );
        const got = await inspect(
          target(),
          '--method',
          'prompts/get',
          '--prompt-name',
          'risk_check',
          '--prompt-args',
          `acc_id=${HK_CASH}x`,
        );
        expect(got.status, got.stderr).toBe(DONE);
        expect(JSON.stringify(got.result.messages)).toContain(HK_CASH);
      });

      it('receives the error’s reason', async () => {
        const tool = await callTool(target(), 'svc_get_qoute', '--tool-arg', 'symbol=HK.00700');
        expect([tool.status, tool.error.code]).toEqual([TOOL_FAILED, 'tool_not_found']);
        const argument = await callTool(target(), 'svc_get_kline', '--tool-arg', 'symbol=HK.00700', 'cuont=3');
        expect(argument.status).toBe(TOOL_FAILED);
        expect(argument.stdout).toContain('unknown field \\\\\\"cuont\\\\\\"; did you mean \\\\\\"count\\\\\\"?');
        const value = await callTool(target(), 'svc_get_kline', '--tool-arg', 'symbol=HK.00700', 'req_num=0');
        expect(value.stdout).toContain('req_num: 0 is out of range, accepted: 1 to 1000');
        const resource = await inspect(target(), '--method', 'resources/read', '--uri', 'svc://nothing/x');
        expect([resource.status, resource.error.message]).toEqual([FAILED, expect.stringContaining('svc://nothing/x')]);
        const prompt = await inspect(target(), '--method', 'prompts/get', '--prompt-name', 'no_such_prompt');
        expect([prompt.status, prompt.error.message]).toEqual([FAILED, expect.stringContaining('unknown prompt "no_such_prompt"')]);
      });
    });

    it('is not let in with a wrong key', async () => {
      expect((await inspect(overHttp('svc_nobody'), '--method', 'tools/list', '--stored-auth-only')).status).toBe(AUTH_REQUIRED);
    });

    it('is told when no daemon runs', async () => {
      const { status, error } = await inspect(overStdio([], 'http://127.0.0.1:9'), '--method', 'tools/list');
      expect([status, error.message]).toEqual([FAILED, expect.stringMatching(/^gateway connect failed/)]);
    });
  });
}

function withEra(target: Target, era: 'modern'): Target {
  return { ...target, before: [...target.before, '--protocol-era', era] };
}
