import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoKeyPath } from '@svc-gateway/control/demo-record';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpClient } from '../support/http-client.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';

const svcd = join(import.meta.dirname, '..', '..', 'bin', 'svcd');
const QUOTE = { symbol: 'HK.00700' };

let site: SpawnedDaemon<'bot'>;
afterEach(() => site.stop());

/** How a start of `svcd --demo` ended that was refused. `port` is that of REST. */
function refusedDemo(variables: Readonly<Record<string, string>>, port = '0', flags: readonly string[] = []) {
  const env = { PATH: process.env.PATH, HOME: site.folder, ...site.variables, ...variables };
  return new Promise<{ status: unknown; stderr: string }>((resolve) => {
    execFile(process.execPath, [svcd, '--demo', '--rest-port', port, ...flags], { env, cwd: site.folder }, (error, _, stderr) =>
      resolve({ status: error?.code, stderr }),
    );
  });
}

/** The content of every file of the configuration folder and of the demo's in the state folder, by path. */
function kept(stateDir = site.variables.SVC_STATE_DIR ?? ''): Record<string, string> {
  const paths = [
    ...readdirSync(join(site.folder, 'config'), { recursive: true, withFileTypes: true }),
    ...readdirSync(stateDir, { withFileTypes: true }).filter(({ name }) => name.startsWith('demo')),
  ]
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  // The progress of the database is noted while the daemon runs.
  return Object.fromEntries(paths.filter((path) => !path.includes('state-markers')).map((path) => [path, readFileSync(path, 'utf8')]));
}

describe('beside a demo that runs, a start that is refused', () => {
  it.each([
    ['another configuration folder', (folder: string) => ({ SVC_CONFIG_DIR: join(folder, 'other') })],
    ['another keys file', (folder: string) => ({ SVC_REST_KEYS_FILE: join(folder, 'other.json') })],
    ['nothing else', () => ({})],
  ])('leaves its key as it is, with %s', async (_, variables) => {
    site = new SpawnedDaemon(false);
    await site.boot(['--demo']);
    await site.announced();
    const before = kept();
    const { status, stderr } = await refusedDemo(variables(site.folder));
    expect([status, stderr]).toEqual([2, expect.stringContaining('uses the state folder')]);
    expect(kept()).toEqual(before);
    expect(readdirSync(site.folder).filter((name) => name.startsWith('other'))).toEqual([]);
    const apiKey = readFileSync(demoKeyPath(site.variables.SVC_STATE_DIR ?? ''), 'utf8').trim();
    const ca = readFileSync(join(site.folder, 'config', 'tls', 'localhost.crt'), 'utf8');
    expect((await new HttpClient(site.url, ca, apiKey).post('/api/quote', QUOTE)).status).toBe(200);
  });
});

describe("beside an operator's own daemon, a demo", () => {
  it('adds nothing to its keys', async () => {
    site = await SpawnedDaemon.start({ keys: { bot: { scopes: ['qot:read'] } } });
    const before = kept();
    expect(await refusedDemo({})).toEqual({ status: 2, stderr: expect.stringContaining('uses the state folder') });
    expect(kept()).toEqual(before);
    const own = { SVC_STATE_DIR: join(site.folder, 'own') };
    const { port } = new URL(site.url);
    expect(await refusedDemo(own, port)).toEqual({ status: 2, stderr: expect.stringContaining(`port ${port} on 127.0.0.1 is in use`) });
    expect(readFileSync(site.keysPath, 'utf8')).toBe(before[site.keysPath]);
  });
});
