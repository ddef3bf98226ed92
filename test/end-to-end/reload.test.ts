import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { ensureSelfSigned, selfSignedPair } from '../../packages/daemon/src/self-signed.js';
import { stoppedAfterEach, TestDaemon } from '../support/daemon.js';
import { editKey } from '../support/keys.js';
import { grantOf, ScriptedAuthority } from '../support/scripted-authority.js';
import { until } from '../support/until.js';

const kept = stoppedAfterEach();

const scopes = ['qot:read', 'admin'] as const;
const DAY_MS = 86_400_000;

/** A daemon with a certificate of its own in its folder. */
async function start(): Promise<TestDaemon<'desk' | 'gone'>> {
  const daemon = kept(new TestDaemon<'desk' | 'gone'>(true));
  const pair = { cert: join(daemon.folder, 'own.crt'), key: join(daemon.folder, 'own.key') };
  copyFileSync(daemon.tls.cert, pair.cert);
  copyFileSync(daemon.tls.key, pair.key);
  daemon.tls = pair;
  for (const id of ['desk', 'gone'] as const) await daemon.addKey(id, { scopes });
  await daemon.boot();
  return daemon;
}

/** Serial numbers of the certificates that the listeners with TLS show. */
async function shown({ daemon }: TestDaemon): Promise<string[]> {
  const urls = [daemon.restUrl, daemon.grpcUrl, daemon.websocketUrl];
  return Promise.all(
    urls.map(
      (url = '') =>
        new Promise<string>((resolve, reject) => {
          const socket = connectTls({
            host: '127.0.0.1',
            port: Number(new URL(url).port),
            rejectUnauthorized: false,
            ALPNProtocols: ['h2', 'http/1.1'],
          });
          socket.on('error', reject);
          socket.on('secureConnect', () => {
            resolve(socket.getPeerCertificate().serialNumber);
            socket.destroy();
          });
        }),
    ),
  );
}

describe('a certificate', () => {
  it('is taken up by every listener on a reload, and open connections go on', async () => {
    const daemon = await start();
    const [old] = await shown(daemon);
    const push = await daemon.push('desk');
    const pair = await selfSignedPair(Date.now() - DAY_MS, Date.now() + DAY_MS);
    for (const part of ['cert', 'key'] as const) writeFileSync(daemon.tls[part], pair[part]);
    await daemon.daemon.reload();
    const [fresh, ...others] = await shown(daemon);
    expect(fresh).not.toBe(old);
    expect(others).toEqual([fresh, fresh]);
    await push.settled();
    expect((await daemon.audit()).at(-1)).toBeDefined();
    expect(await daemon.audit()).toContainEqual(
      expect.objectContaining({ endpoint: 'reload', outcome: 'allow', reason: 'certificate reloaded' }),
    );
  });

  it('broken in the file leaves the previous one in use, is reported everywhere, and takes effect once mended', async () => {
    const daemon = await start();
    const before = await shown(daemon);
    const client = daemon.as('desk');
    writeFileSync(daemon.tls.key, 'junk');
    expect((await client.post('/api/admin/reload')).status).toBe(200);
    const failed = await until(async () => {
      const { certificate } = (await client.get('/api/admin/status')).json.s2c;
      return certificate.last_error === undefined ? undefined : certificate;
    }, 'the failure in the status');
    expect(failed).toMatchObject({ path: daemon.tls.cert, last_error: expect.stringContaining('holds no PEM private key') });
    expect(await shown(daemon)).toEqual(before);
    const refusal = { endpoint: 'reload', outcome: 'reject', reason: expect.stringMatching(/^certificate refused: .*own\.key/) };
    expect(await daemon.audit()).toContainEqual(expect.objectContaining(refusal));
    expect(daemon.log.join('')).toContain('certificate refused');
    // Nobody asks again.
    await ensureSelfSigned(daemon.tls.cert, daemon.tls.key, Date.now());
    await until(async () => (await shown(daemon)).every((serial) => serial !== before[0]), 'the new certificate');
    expect((await daemon.audit()).filter(({ reason }) => String(reason).startsWith('certificate refused: --rest-tls-key'))).toHaveLength(1);
  });
});

describe('a certificate that is broken at the start', () => {
  it('keeps the daemon from starting, and nobody is logged in', async () => {
    const authority = await ScriptedAuthority.start(grantOf());
    const daemon = new TestDaemon<'desk'>(true);
    await daemon.addKey('desk', { scopes });
    const junk = join(daemon.folder, 'junk');
    writeFileSync(junk, 'junk');
    daemon.tls = { ...daemon.tls, cert: junk };
    const login = ['--backend', 'remote', '--auth-url', authority.url, '--login-account', '1001'];
    await expect(daemon.boot({ flags: login, variables: { SVC_LOGIN_PWD: 'x' } })).rejects.toThrow(/holds no PEM certificate/);
    expect(authority.requests).toEqual([]);
    await authority.stop();
  });
});

describe.skipIf(process.platform === 'win32')('a reload that finds a pipe without a writer', () => {
  it.each(['keys', 'certificate', 'key of the certificate'])('does not wait for it: %s', async (what) => {
    const daemon = await start();
    const path = { keys: daemon.keysPath, certificate: daemon.tls.cert }[what] ?? daemon.tls.key;
    rmSync(path);
    execFileSync('mkfifo', [path]);
    expect(await daemon.daemon.reload()).toMatchObject({ ok: false, message: expect.stringContaining('it is a pipe or a device') });
    expect((await daemon.as('desk').get('/api/admin/status')).status).toBe(200);
  });
});

describe('a keys file', () => {
  it('that cannot be taken up is tried again until it can: a revocation comes into force without another word', async () => {
    const daemon = await start();
    editKey(daemon.keysPath, 'gone', undefined);
    const good = daemon.keysPath.replace('keys.json', 'good.json');
    copyFileSync(daemon.keysPath, good);
    writeFileSync(daemon.keysPath, '{');
    await daemon.daemon.reload();
    expect((await daemon.as('gone').get('/api/ping')).status).toBe(200);
    const { keys_file } = (await daemon.as('desk').get('/api/admin/status')).json.s2c;
    expect(keys_file.last_error).toContain('keys.json:1:2');
    copyFileSync(good, daemon.keysPath);
    await until(async () => (await daemon.as('gone').get('/api/ping')).status === 401, 'the revocation');
    const reloads = (await daemon.audit()).filter(({ endpoint }) => endpoint === 'reload').map(({ outcome }) => outcome);
    expect(reloads).toEqual(['reject', 'allow']);
  });

  it('is taken up by /api/admin/reload as by SIGHUP', async () => {
    const daemon = await start();
    editKey(daemon.keysPath, 'gone', undefined);
    const answer = await daemon.as('gone').post('/api/admin/reload');
    expect(answer.status).toBe(200);
    await until(async () => (await daemon.as('gone').get('/api/ping')).status === 401, 'the revocation');
    const [reload] = (await daemon.audit()).filter(({ endpoint }) => endpoint === 'reload');
    expect(reload).toMatchObject({ outcome: 'allow', request_id: answer.headers['x-request-id'] });
  });
});
