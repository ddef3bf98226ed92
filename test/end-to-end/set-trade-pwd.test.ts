import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const svcctl = join(import.meta.dirname, '..', '..', 'bin', 'svcctl');
const storage = join(import.meta.dirname, '..', '..', 'packages', 'storage', 'dist', 'index.js');
const RUN_MS_MAX = 25_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-keyring-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(program: string, args: readonly string[], env: Record<string, string> = {}, input = '') {
  return spawnSync(program, args, {
    env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder, ...env },
    encoding: 'utf8',
    timeout: RUN_MS_MAX,
    input,
  });
}

/** Whether a secret service of its own can be started here, apart from the user's. */
const hasSecretService =
  process.platform === 'linux' &&
  ['dbus-run-session', 'gnome-keyring-daemon'].every((program) => spawnSync(program, ['--version']).error === undefined);

describe.skipIf(!hasSecretService)(`with a secret service${hasSecretService ? '' : ' (skipped: no secret service)'}`, () => {
  it('keeps the password where the daemon finds it, and removes it', () => {
    const script = `
      printf '\\n' | gnome-keyring-daemon --daemonize --unlock --components=secrets >/dev/null 2>&1
      printf 'correct horse\\n' | "$NODE" "$SVCCTL" set-trade-pwd; echo "set $?"
      "$NODE" --input-type=module -e "$READ"
      "$NODE" "$SVCCTL" set-trade-pwd --delete; echo "delete $?"
      "$NODE" --input-type=module -e "$READ"`;
    const read = `const { tradePasswordStore } = await import(${JSON.stringify(storage)}); console.log(JSON.stringify(await tradePasswordStore.read()));`;
    const env = { NODE: process.execPath, SVCCTL: svcctl, READ: read };
    const { stdout, stderr } = run('dbus-run-session', ['--', 'sh', '-c', script], env);
    expect(stdout.trim().split('\n')).toEqual(['set 0', '{"available":true,"value":"correct horse"}', 'delete 0', '{"available":true}']);
    expect(stderr).not.toContain('correct horse');
  });
});

it.runIf(process.platform === 'linux')('names the variable to use where there is no secret service', () => {
  const { status, stdout, stderr } = run(
    process.execPath,
    [svcctl, 'set-trade-pwd'],
    { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' },
    'secret\n',
  );
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('SVC_TRADE_PWD');
});
