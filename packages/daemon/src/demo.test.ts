import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keyring, scopesIn } from '@svc-gateway/access';
import { systemClock } from '@svc-gateway/contract/clock';
import { demoKeyPath } from '@svc-gateway/control/demo-record';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareDemo } from './demo.js';
import { demoBanner, svcctlCommand } from './demo-banner.js';
import type { ResolvedSettings } from './settings.js';
import { planStartup } from './startup.js';
import { loadTlsMaterial } from './tls.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-demo-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function resolved(args: string[] = []): ResolvedSettings {
  const startup = planStartup(['--demo', ...args], { variables: {}, home, cwd: home, platform: 'linux' });
  if (startup.kind !== 'run') throw new Error(startup.text);
  return startup;
}

async function prepare(settings = resolved()) {
  const prepared = await prepareDemo(settings, systemClock);
  if (!prepared.ok) throw new Error(prepared.error);
  return prepared.value;
}

function keyring(): Keyring {
  const opened = Keyring.open({ path: resolved().settings.restKeysFile ?? '', clock: systemClock });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

describe('the first demo', () => {
  it('makes a key that trades simulated accounts only, and a certificate', async () => {
    const { apiKey, made } = await prepare();
    expect(made).toHaveLength(2);
    const auth = keyring().authenticate(apiKey);
    if (!auth.ok) throw new Error(auth.error.message);
    const held = [...scopesIn(auth.value.scopes)].sort();
    expect(held).toEqual(['acc:read', 'metrics:read', 'qot:read', 'qot:state', 'trade:simulate', 'trade:unlock']);
    expect(auth.value.limits).toMatchObject({ maxOrderValue: 1_000_000_000_000_000n, maxOrdersPerMinute: 60 });
    const { restTlsCert, restTlsKey, stateDir, restKeysFile } = resolved().settings;
    expect(loadTlsMaterial(restTlsCert ?? '', restTlsKey ?? '', Date.now()).ok).toBe(true);
    for (const path of [restKeysFile ?? '', demoKeyPath(stateDir), restTlsKey ?? '']) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(restKeysFile ?? '', 'utf8')).not.toContain(apiKey);
  });
});

describe('a later demo', () => {
  it('goes on with the same key and certificate', async () => {
    const first = await prepare();
    const keys = readFileSync(resolved().settings.restKeysFile ?? '', 'utf8');
    expect(await prepare()).toEqual({ apiKey: first.apiKey, made: [] });
    expect(readFileSync(resolved().settings.restKeysFile ?? '', 'utf8')).toBe(keys);
  });

  it('makes another key when the text of the first is lost, and leaves all others as they are', async () => {
    const first = await prepare();
    rmSync(demoKeyPath(resolved().settings.stateDir));
    const second = await prepare();
    expect(second.apiKey).not.toBe(first.apiKey);
    expect(keyring().authenticate(second.apiKey)).toMatchObject({ ok: true, value: { id: 'demo-2' } });
    expect(keyring().authenticate(first.apiKey).ok).toBe(true);
  });

  it('makes another key when the first was revoked', async () => {
    const first = await prepare();
    writeFileSync(resolved().settings.restKeysFile ?? '', '{"version": 2, "keys": []}');
    const second = await prepare();
    expect(second.apiKey).not.toBe(first.apiKey);
    expect(keyring().authenticate(second.apiKey)).toMatchObject({ ok: true, value: { id: 'demo' } });
  });

  it('says what is wrong with a broken keys file, and leaves it', async () => {
    const { restKeysFile } = resolved().settings;
    mkdirSync(resolved().settings.stateDir, { recursive: true });
    writeFileSync(restKeysFile ?? '', '{"version": 3}');
    expect(await prepareDemo(resolved(), systemClock)).toEqual({ ok: false, error: expect.stringContaining(`${restKeysFile}:1:`) });
    expect(readFileSync(restKeysFile ?? '', 'utf8')).toBe('{"version": 3}');
  });

  it('makes no certificate where the operator named one', async () => {
    const { made } = await prepare(resolved(['--rest-tls-cert', '/etc/c.pem', '--rest-tls-key', '/etc/k.pem']));
    expect(made).toEqual([expect.stringContaining('key "demo"')]);
  });
});

describe('the banner', () => {
  const banner = {
    restUrl: 'https://127.0.0.1:22499',
    publicUrl: 'https://127.0.0.1:22499',
    caFile: "/home/o'neil/tls/localhost.crt",
    apiKey: `svc_${'k'.repeat(43)}`,
    accId: 281_756_479_859_383_816n,
    svcctl: 'bin/svcctl',
    made: [],
    simulated: true,
  };

  it('holds commands that a shell reads as they are meant', () => {
    const text = demoBanner(banner);
    expect(text).toContain('SIMULATED');
    const command = (start: string) => text.split('\n').find((line) => line.trim().startsWith(start)) ?? '';
    const words = (line: string) =>
      execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
        .trimEnd()
        .split('\n');
    expect(words(command('curl'))).toEqual([
      'curl',
      '--cacert',
      banner.caFile,
      '-H',
      `Authorization: Bearer ${banner.apiKey}`,
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"symbol":"HK.00700"}',
      'https://127.0.0.1:22499/api/quote',
    ]);
    const body = words(command('bin/svcctl call place_order'))[3];
    expect(body).toBe('{"market":1,"acc_id":281756479859383816,"env":1,"side":1,"order_type":2,"code":"00700","qty":100}');
  });

  it('says where the account comes from when it is not known', () => {
    const text = demoBanner({ ...banner, accId: undefined });
    expect(text).toContain('"acc_id":<acc_id>');
    expect(text).toContain('with an acc_id from the list above');
  });

  it('calls svcctl by the shortest path that works, with the state folder where it is not the usual one', () => {
    const root = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');
    const usual = join(home, '.local/state/svc');
    const command = (cwd: string, stateDir = usual) =>
      svcctlCommand({ cwd, home, platform: 'linux', variables: { SVC_STATE_DIR: stateDir } }, stateDir);
    expect(command(root)).toBe('bin/svcctl');
    expect(command(join(root, 'packages'))).toBe(`${root}/bin/svcctl`);
    expect(command(root, '/other state')).toBe("SVC_STATE_DIR='/other state' bin/svcctl");
  });
});
