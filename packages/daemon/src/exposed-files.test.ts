import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { exposedFiles } from './exposed-files.js';
import { planStartup } from './startup.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A site of the daemon's in good order, and what is said of it. */
function site() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-exposed-'));
  folders.push(folder);
  const at = (name: string) => join(folder, name);
  for (const name of ['config', 'state', 'recordings']) mkdirSync(at(name), { mode: 0o700 });
  for (const name of ['config/keys.json', 'config/tls.crt', 'config/tls.key', 'audit.jsonl', 'config/config.toml', 'config/upstream.pem']) {
    writeFileSync(at(name), '', { mode: 0o600 });
  }
  const flags = [
    '--rest-keys-file',
    at('config/keys.json'),
    '--rest-tls-cert',
    at('config/tls.crt'),
    '--rest-tls-key',
    at('config/tls.key'),
    ...['--backend', 'opend://127.0.0.1:11112', '--upstream-rsa-key', at('config/upstream.pem'), '--record', at('recordings')],
  ];
  const variables = { SVC_CONFIG_DIR: at('config'), SVC_STATE_DIR: at('state') };
  const warnings = () => {
    const startup = planStartup([...flags, '--audit-log', at('audit.jsonl')], { variables, home: folder, cwd: folder, platform: 'linux' });
    if (startup.kind !== 'run') throw new Error(startup.text);
    return exposedFiles(startup).map((text) => text.replaceAll(folder, ''));
  };
  return { at, warnings };
}

it.skipIf(process.platform === 'win32')('says nothing of files that are the daemon’s alone', () => {
  const { at, warnings } = site();
  expect(warnings()).toEqual([]);
  // Public files may be readable by everybody.
  for (const name of ['config/tls.crt', 'config/config.toml']) chmodSync(at(name), 0o644);
  expect(warnings()).toEqual([]);
});

it.skipIf(process.platform === 'win32').each([
  ['config/keys.json', 0o640, 'keys file /config/keys.json can be read by other users (mode 0640): chmod 600 it'],
  ['config/keys.json', 0o620, 'keys file /config/keys.json can be written by other users (mode 0620): chmod 600 it'],
  ['config/tls.key', 0o604, 'TLS key /config/tls.key can be read by other users (mode 0604): chmod 600 it'],
  ['config/tls.crt', 0o664, 'TLS certificate /config/tls.crt can be written by other users (mode 0664): chmod go-w it'],
  ['config/config.toml', 0o646, 'configuration /config/config.toml can be written by other users (mode 0646): chmod go-w it'],
  ['audit.jsonl', 0o666, 'audit file /audit.jsonl can be read and written by other users (mode 0666): chmod 600 it'],
  ['config/upstream.pem', 0o644, 'RSA key of the upstream /config/upstream.pem can be read by other users (mode 0644): chmod 600 it'],
  ['recordings', 0o755, 'recordings /recordings can be read by other users (mode 0755): chmod 700 it'],
  ['state', 0o755, 'state folder /state can be read by other users (mode 0755): chmod 700 it'],
])('names %s with mode %o', (name, mode, warning) => {
  const { at, warnings } = site();
  chmodSync(at(name), mode);
  expect(warnings()).toEqual([warning]);
});

it.skipIf(process.platform === 'win32')('names a folder in which others can replace a file, and one above it', () => {
  const { at, warnings } = site();
  chmodSync(at(''), 0o777);
  expect(warnings()).toEqual(['folder  can be written by other users (mode 0777), who can replace what lies in it: chmod go-w it']);
});

it.skipIf(process.platform === 'win32')('knows a password in the configuration for a secret', () => {
  const { at, warnings } = site();
  writeFileSync(at('config/config.toml'), 'sim_trade_password = "1"');
  chmodSync(at('config/config.toml'), 0o644);
  expect(warnings()).toEqual(['configuration /config/config.toml can be read by other users (mode 0644): chmod 600 it']);
});
