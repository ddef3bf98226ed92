import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keysFileText, packagesFolder, temporaryFolder } from '../../../test/support/access.js';
import { digestOf } from './digest.js';
import { generateKeyText, issueKey, type NewKey } from './key-issue.js';
import { loadKeysFile } from './keys-source.js';

function newKey(id: string, changes: Partial<NewKey> = {}): NewKey {
  return {
    id,
    scopes: ['qot:read'],
    limitsJson: '{}',
    allowedMachines: null,
    createdAt: 0,
    expiresAt: null,
    note: '',
    sdk: false,
    ...changes,
  };
}

function recordsAt(path: string) {
  const loaded = loadKeysFile(path);
  if (!loaded.ok) throw new Error(loaded.error.message);
  return loaded.value.records;
}

it('makes key texts of 256 random bits', () => {
  expect(generateKeyText()).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
  expect(generateKeyText()).not.toBe(generateKeyText());
});

describe('issueKey', () => {
  it('creates the file and its folder for the user alone', async () => {
    const folder = join(temporaryFolder(), 'svc');
    const path = join(folder, 'keys.json');
    const issued = await issueKey(
      path,
      newKey('a', { limitsJson: '{"allowed_acc_ids": [281756455983234027]}', expiresAt: 1.8e12, note: 'first "key"', sdk: true }),
    );
    if (!issued.ok) throw new Error(issued.error);
    expect(recordsAt(path)).toMatchObject([
      {
        id: 'a',
        hash: digestOf(issued.value.keyText),
        expiresAt: 1.8e12,
        note: 'first "key"',
        limits: { allowedAccIds: new Set([281756455983234027n]) },
      },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readFileSync(path, 'utf8')).not.toContain(issued.value.keyText);
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it.each([
    ['as written by itself', undefined],
    ['compact', keysFileText({ id: 'old', limits: { max_daily_value: 0.1 } })],
    ['of no key', '{"version":2,"keys":[ ]}'],
    [
      'of another taste',
      '{\r\n\t"keys": [\r\n\t\t{"hash":"' +
        'a'.repeat(64) +
        '",\r\n"id": "old",   "scopes": [],"limits":{"max_order_value":1.10e1}}\r\n\t],\r\n\t"version": 2\r\n}',
    ],
  ])('keeps a file %s byte for byte around the new record', async (_, before) => {
    const path = join(temporaryFolder(), 'keys.json');
    if (before === undefined) await issueKey(path, newKey('old'));
    else writeFileSync(path, before);
    const text = readFileSync(path, 'utf8');
    const ids = recordsAt(path).map(({ id }) => id);
    expect(await issueKey(path, newKey('new'))).toMatchObject({ ok: true });
    expect(recordsAt(path).map(({ id }) => id)).toEqual([...ids, 'new']);
    const after = readFileSync(path, 'utf8');
    const cut = ids.length === 0 ? text.indexOf('[') + 1 : Math.max(text.lastIndexOf('}', text.lastIndexOf(']')), 0) + 1;
    expect(after.startsWith(text.slice(0, cut))).toBe(true);
    expect(after.endsWith(text.slice(text.lastIndexOf(']', text.lastIndexOf(']'))))).toBe(true);
  });

  it('refuses an id that is taken and a file that is broken, and touches neither', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'keys.json');
    for (const [text, message] of [
      [keysFileText({ id: 'a' }), 'duplicate id "a"'],
      ['{"version": 2, "keys": [', `${path}:1:25: expected a value`],
      ['', `${path}:1:1: expected a value`],
    ] as const) {
      writeFileSync(path, text);
      const before = statSync(path);
      const issued = await issueKey(path, newKey('a'));
      expect(!issued.ok && issued.error).toContain(message);
      expect(readFileSync(path, 'utf8')).toBe(text);
      expect(statSync(path).ino).toBe(before.ino);
    }
    expect(readdirSync(folder)).toEqual(['keys.json']);
  });

  it('follows a link, and keeps the permissions that the operator set', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'real.json'), keysFileText({ id: 'a' }));
    chmodSync(join(folder, 'real.json'), 0o640);
    symlinkSync('real.json', join(folder, 'keys.json'));
    expect(await issueKey(join(folder, 'keys.json'), newKey('b'))).toMatchObject({ ok: true });
    expect(recordsAt(join(folder, 'real.json'))).toHaveLength(2);
    expect(statSync(join(folder, 'real.json')).mode & 0o777).toBe(0o640);
  });

  it('says so when it cannot write', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, '');
    expect(await issueKey(join(path, 'keys.json'), newKey('a'))).toMatchObject({
      ok: false,
      error: expect.stringContaining('cannot write'),
    });
  });

  it('breaks the lock of a dead process only', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'keys.json');
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'close');
    mkdirSync(`${path}.lock`);
    writeFileSync(join(`${path}.lock`, `${hostname()}~${gone.pid}~00`), '');
    expect(await issueKey(path, newKey('a'))).toMatchObject({ ok: true });
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('loses no key when processes issue at once, even when some are killed', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'keys.json');
    const script = join(folder, 'issuer.mjs');
    writeFileSync(
      script,
      `import { issueKey } from ${JSON.stringify(`file://${packagesFolder}/access/dist/key-issue.js`)};
       const [path, name, count] = process.argv.slice(2);
       for (let n = 0; n < Number(count); n++) {
         const issued = await issueKey(path, { ...${JSON.stringify(newKey(''))}, id: name + '-' + n });
         if (!issued.ok) { console.error(issued.error); process.exit(1); }
         process.stdout.write(name + '-' + n + '\\n');
       }`,
    );
    const printed: string[] = [];
    const run = async (name: string, killAfter?: number) => {
      const child = spawn(process.execPath, [script, path, name, '15'], { stdio: ['ignore', 'pipe', 'inherit'] });
      let own = 0;
      child.stdout.on('data', (bytes: Buffer) => {
        const ids = bytes.toString().trim().split('\n');
        printed.push(...ids);
        own += ids.length;
        if (killAfter !== undefined && own >= killAfter) child.kill('SIGKILL');
      });
      const [status] = await once(child, 'close');
      if (killAfter === undefined) expect(status).toBe(0);
    };
    await Promise.all([run('a'), run('b'), run('c'), run('d'), run('e', 3), run('f', 6)]);
    const ids = new Set(recordsAt(path).map(({ id }) => id));
    expect(printed.length).toBeGreaterThanOrEqual(60 + 3 + 6);
    for (const id of printed) expect(ids).toContain(id);
  });
});
