import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configFolder, ensurePrivateFolder, homeProblem, stateFolder } from './folders.js';

it.each([
  ['linux', {}, '/home/u/.config/svc', '/home/u/.local/state/svc'],
  ['linux', { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, '/c/svc', '/s/svc'],
  ['linux', { XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '' }, '/home/u/.config/svc', '/home/u/.local/state/svc'],
  ['darwin', {}, '/home/u/Library/Application Support/svc', '/home/u/Library/Application Support/svc/state'],
  ['win32', { APPDATA: 'C:\\R', LOCALAPPDATA: 'C:\\L' }, 'C:\\R\\svc', 'C:\\L\\svc'],
  ['linux', { SVC_CONFIG_DIR: '/own/c', SVC_STATE_DIR: '/own/s', XDG_CONFIG_HOME: '/c' }, '/own/c', '/own/s'],
] as const)('%s with %j', (platform, env, config, state) => {
  expect(configFolder(env, platform, '/home/u')).toBe(config);
  expect(stateFolder(env, platform, '/home/u')).toBe(state);
});

it.each([
  ['linux', {}, ''],
  ['linux', { XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: 's' }, 'u'],
  ['darwin', {}, 'u'],
  ['win32', { APPDATA: 'R', LOCALAPPDATA: 'L' }, 'u'],
] as const)('%s with %j has no folders below the home folder "%s"', (platform, env, home) => {
  expect([configFolder(env, platform, home), stateFolder(env, platform, home)]).toEqual([undefined, undefined]);
  const variable = platform === 'win32' ? 'USERPROFILE' : 'HOME';
  expect(homeProblem(home, platform)).toBe(`${variable} must be an absolute path; found "${home}"`);
  const named = platform === 'win32' ? 'C:\\N' : '/n';
  expect(configFolder({ SVC_CONFIG_DIR: named }, platform, home)).toBe(named);
});

it.runIf(process.platform === 'linux')('says that a folder cannot be made where one exists and takes none', () => {
  const script = `import { ensurePrivateFolder } from ${JSON.stringify(new URL('../dist/folders.js', import.meta.url))};
    try { ensurePrivateFolder('/proc/svc/state'); } catch (error) { console.log(error.code); }`;
  // In a process of its own: what never returns could not be timed out in this one.
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  expect([ended.signal, ended.stdout]).toEqual([null, 'ENOENT\n']);
});

it('makes folders for the user alone', () => {
  const parent = mkdtempSync(join(tmpdir(), 'svc-folders-'));
  const folder = join(parent, 'a', 'b');
  ensurePrivateFolder(folder);
  ensurePrivateFolder(folder);
  expect([folder, join(parent, 'a')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  rmSync(parent, { recursive: true });
});
