import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureSelfSigned } from './self-signed.js';
import { loadTlsMaterial } from './tls.js';

const DAY_MS = 86_400_000;
let folder: string;
let cert: string;
let key: string;
const now = Date.now();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tls-'));
  [cert, key] = [join(folder, 'tls', 'localhost.crt'), join(folder, 'tls', 'localhost.key')];
  expect(await ensureSelfSigned(cert, key, now)).toBe('made');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(certPath: string, keyPath: string, at = now) {
  const loaded = loadTlsMaterial(certPath, keyPath, at);
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

function problem(certPath: string, keyPath: string, at = now): string {
  const loaded = loadTlsMaterial(certPath, keyPath, at);
  return loaded.ok ? 'none' : loaded.error;
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the self-signed certificate', () => {
  it('is trusted by a Node client that has only its file, under every loopback name and no other', async () => {
    const server = createServer(load(cert, key), (_, response) => response.end('hello'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ca = readFileSync(cert, 'utf8');
    const ask = (servername: string, authority?: string) =>
      new Promise<string>((resolve) => {
        const request = get({ host: '127.0.0.1', port, servername, ...(authority === undefined ? {} : { ca: authority }) }, (response) =>
          resolve(text(response)),
        );
        request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
    expect(await ask('localhost', ca)).toBe('hello');
    expect(await ask('', ca)).toBe('hello');
    expect(await ask('desk.example', ca)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await ask('localhost')).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    server.close();
    server.closeAllConnections();
  });

  it('is readable by its owner only, and is an EC key', () => {
    for (const path of [cert, key]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'tls')).mode & 0o777).toBe(0o700);
    expect(createPrivateKey(readFileSync(key)).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  });

  it('is kept until a week before it expires, then made anew', async () => {
    const { expiresAt } = load(cert, key);
    expect(Math.round((expiresAt - now) / DAY_MS)).toBe(824);
    const copies = [file('kept.crt', readFileSync(cert, 'utf8')), file('kept.key', readFileSync(key, 'utf8'))] as const;
    expect(await ensureSelfSigned(...copies, expiresAt - 8 * DAY_MS)).toBe('kept');
    expect(await ensureSelfSigned(...copies, expiresAt - 7 * DAY_MS)).toBe('made');
    expect(load(...copies, expiresAt).expiresAt).toBeGreaterThan(expiresAt);
  });

  it('replaces a pair that a crash left half written', async () => {
    const copies = [file('half.crt', readFileSync(cert, 'utf8')), file('half.key', '')] as const;
    expect(await ensureSelfSigned(...copies, now)).toBe('made');
    load(...copies);
  });
});

describe('checks before the start', () => {
  it('names the file that is missing or holds nothing of use', () => {
    expect(problem('/nowhere/c', key)).toContain('--rest-tls-cert /nowhere/c cannot be read: ENOENT');
    expect(problem(cert, '/nowhere/k')).toContain('--rest-tls-key /nowhere/k cannot be read: ENOENT');
    const junk = file('junk', 'junk');
    expect(problem(junk, key)).toBe(`--rest-tls-cert ${junk} holds no PEM certificate`);
    expect(problem(cert, junk)).toBe(`--rest-tls-key ${junk} holds no PEM private key`);
  });

  it('refuses a key of another certificate, and an encrypted one', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = file('other.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    expect(problem(cert, other)).toBe(`--rest-tls-key ${other} is not the key of the certificate ${cert}`);
    const sealed = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString();
    expect(problem(cert, file('sealed.key', sealed))).toContain('is encrypted');
  });

  it('refuses a certificate outside its time, to the second, and warns before it ends', () => {
    const { expiresAt, warnings } = load(cert, key);
    expect(warnings).toEqual([]);
    expect(problem(cert, key, expiresAt)).toContain('expired at');
    expect(problem(cert, key, expiresAt - 1000)).toBe('none');
    expect(load(cert, key, expiresAt - 13 * DAY_MS).warnings[0]).toMatch(/expires at .*: renew it and reload \(svcctl reload\)$/);
    expect(problem(cert, key, now - 2 * DAY_MS)).toContain('is not valid before');
  });
});
