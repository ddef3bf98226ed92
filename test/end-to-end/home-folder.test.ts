import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const bin = join(import.meta.dirname, '..', '..', 'bin');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-home-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** How a program ends that is started in an empty folder. */
function run(program: string, args: readonly string[], variables: Readonly<Record<string, string>>) {
  const env = { PATH: process.env.PATH, ...variables };
  return new Promise<{ status: unknown; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [join(bin, program), ...args], { env, cwd: folder }, (error, _, stderr) =>
      resolve({ status: error?.code ?? 0, stderr }),
    );
    // Closing its input ends a daemon that would serve all the same.
    child.stdin?.end();
  });
}

const anyPorts = ['--rest-port', '0', '--grpc-port', '0', '--websocket-port', '0', '--api-port', '0'];
/** `conflict` keeps svcd from running on where the home folder is not what stops it. */
const conflict = ['--api-key-id', 'nobody'];

describe.skipIf(process.platform === 'win32')('a home folder that is not absolute', () => {
  it.each([
    ['svcd', ['--demo', ...anyPorts, ...conflict], '--config-dir and --state-dir'],
    ['svcd', ['--demo', '--config-dir', 'config', ...anyPorts, ...conflict], '--config-dir and --state-dir'],
    ['svcd', ['sim', 'serve', '--sim-data', 'none'], '--state-dir'],
    ['svcctl', ['gen-key', '--id', 'a', '--scopes', 'qot:read'], '--rest-keys-file or SVC_CONFIG_DIR'],
    ['svcctl', ['reload'], '--state-dir or SVC_STATE_DIR'],
    ['svcctl', ['call', 'ping'], '--rest-url or SVC_STATE_DIR'],
  ])('is refused by %s %j, which writes nothing where it was started', async (program, args, remedy) => {
    for (const home of ['', 'here']) {
      expect(await run(program, args, { HOME: home })).toEqual({
        status: 2,
        stderr: `${program === 'svcd' ? (args[0] === 'sim' ? 'svcd sim serve' : 'svcd') : 'error'}: HOME must be an absolute path; found "${home}": correct it, or give ${remedy}\n`,
      });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused by the brokerage that runs in svcctl mcp', async () => {
    const { status, stderr } = await run('svcctl', ['mcp', '--embedded'], { HOME: '' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('HOME must be an absolute path; found ""')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused where a path starts at it, by the name of the flag', async () => {
    const folders = ['--config-dir', join(folder, 'c'), '--state-dir', join(folder, 's')];
    expect(await run('svcd', [...folders, '--audit-log', '~/audit.jsonl', '--print-config'], { HOME: 'here' })).toEqual({
      status: 2,
      stderr: 'svcd: --audit-log ~/audit.jsonl: HOME must be an absolute path; found "here"\n',
    });
  });

  it('is not asked for where the folders are named', async () => {
    const folders = { SVC_CONFIG_DIR: join(folder, 'c'), SVC_STATE_DIR: join(folder, 's') };
    expect(await run('svcd', ['--print-config'], { HOME: '', ...folders })).toEqual({ status: 0, stderr: '' });
    const { stderr } = await run('svcctl', ['reload'], { HOME: '', ...folders });
    expect(stderr).toContain('no svcd runs');
  });
});
