import { createHash } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock } from '@svc-gateway/contract/clock';
import { Rejection } from '@svc-gateway/contract/rejection';
import { describe, expect, it, vi } from 'vitest';
import { keysFileText, temporaryFolder, textOf } from '../../../test/support/access.js';
import { digestOf } from './digest.js';
import { Keyring, type KeyringOptions } from './keyring.js';
import { formatLoadError } from './keys-source.js';
import { machineFingerprint } from './machine.js';
import { err, ok } from './result.js';
import { scopesIn } from './scopes.js';

const start = Date.UTC(2026, 7, 1);

function opened(text: string, options: Partial<KeyringOptions> = {}) {
  const path = join(temporaryFolder(), 'keys.json');
  const clock = new ManualClock(start);
  writeFileSync(path, text);
  const keyring = Keyring.open({ path, clock, readMachineId: () => ok('this-machine'), ...options });
  if (!keyring.ok) throw new Error(formatLoadError(keyring.error));
  return { keyring: keyring.value, clock, edit: (next: string) => writeFileSync(path, next), path };
}

describe('Keyring', () => {
  it('knows the bearer of a key text and no other', () => {
    const { keyring } = opened(keysFileText({ id: 'a' }, { id: 'b' }));
    expect(keyring.authenticate(textOf('b'))).toMatchObject({ ok: true, value: { id: 'b' } });
    for (const text of [textOf('c'), '', digestOf(textOf('a')), textOf('a').toUpperCase()]) {
      expect(keyring.authenticate(text)).toEqual({ ok: false, error: new Rejection('auth.invalid', 'token invalid') });
    }
  });

  it('knows an SDK by the MD5 of its key, and only where the key allows it', () => {
    const md5 = (text: string) => createHash('md5').update(text).digest('hex');
    const { keyring } = opened(keysFileText({ id: 'a', sdk_hash: digestOf(md5(textOf('a'))) }, { id: 'b' }));
    expect(keyring.authenticateSdk(md5(textOf('a')))).toMatchObject({ ok: true, value: { id: 'a' } });
    expect(keyring.authenticateSdk(md5(textOf('b')))).toMatchObject({ ok: false, error: { code: 'auth.invalid' } });
    expect(keyring.authenticate(md5(textOf('a')))).toMatchObject({ ok: false, error: { code: 'auth.invalid' } });
  });

  it('finds the whole record by key text, and sees changes of it at once', () => {
    const sdkHash = digestOf(createHash('md5').update(textOf('a')).digest('hex'));
    const full = { id: 'a', sdk_hash: sdkHash, note: 'desk', expires_at: '2027-01-01T00:00:00Z', limits: { max_order_value: 5 } };
    const { keyring, edit } = opened(keysFileText(full, { id: 'b' }));
    const [found, record] = [keyring.authenticate(textOf('a')), keyring.authenticateId('a')];
    if (!found.ok || !record.ok) throw new Error('not found');
    for (const field of Object.keys(record.value) as (keyof typeof record.value)[]) expect(found.value[field]).toEqual(record.value[field]);
    expect(keyring.revalidate(found.value)).toEqual(record);
    edit(keysFileText({ ...full, scopes: ['acc:read'] }, { id: 'b' }));
    keyring.reload();
    const narrowed = keyring.revalidate(found.value);
    expect(narrowed.ok && scopesIn(narrowed.value.scopes)).toEqual(['acc:read']);
    edit(keysFileText({ ...full, hash: digestOf('rotated') }, { id: 'b' }));
    keyring.reload();
    expect(keyring.revalidate(found.value)).toMatchObject({ ok: false, error: { code: 'auth.revoked', details: { keyId: 'a' } } });
    expect(keyring.authenticate(textOf('a'))).toMatchObject({ ok: false, error: { code: 'auth.revoked', details: { keyId: 'a' } } });
  });

  it('holds a bound key to its machines', () => {
    const here = machineFingerprint('a', 'this-machine');
    const text = (machines: string[] | null) => keysFileText({ id: 'a', allowed_machines: machines });
    const { keyring, edit } = opened(text([machineFingerprint('a', 'other'), here]));
    expect(keyring.authenticate(textOf('a')).ok).toBe(true);
    const denied = (machines: string[]) => {
      edit(text(machines));
      keyring.reload();
      return keyring.authenticate(textOf('a'));
    };
    expect(denied([machineFingerprint('a', 'other')])).toMatchObject({
      error: { code: 'auth.machine', message: 'key is bound to other machines' },
    });
    // Another key's fingerprint of this very machine does not do.
    expect(denied([machineFingerprint('b', 'this-machine')])).toMatchObject({ error: { code: 'auth.machine' } });
    expect(denied([])).toMatchObject({ error: { code: 'auth.machine', message: 'key is frozen: it is bound to no machine' } });
    edit(text(null));
    keyring.reload();
    expect(keyring.authenticate(textOf('a')).ok).toBe(true);
  });

  it('refuses a bound key on a machine that has no id, and does not ask for the id without need', () => {
    const readMachineId = vi.fn(() => err('no machine id'));
    const { keyring, edit } = opened(keysFileText({ id: 'a' }), { readMachineId });
    expect(readMachineId).not.toHaveBeenCalled();
    edit(keysFileText({ id: 'a', allowed_machines: [machineFingerprint('a', 'this-machine')] }));
    keyring.reload();
    expect(keyring.authenticate(textOf('a'))).toMatchObject({
      error: { code: 'auth.machine', message: expect.stringContaining('no machine id') },
    });
  });

  it('applies an edited file from the next request on', () => {
    const { keyring, edit } = opened(keysFileText({ id: 'gone' }, { id: 'edited' }, { id: 'same', limits: { max_order_value: 5 } }));
    const before = Object.fromEntries(['gone', 'edited', 'same'].map((id) => [id, keyring.authenticateId(id)]));
    const heard = vi.fn();
    const stop = keyring.onReload(heard);
    edit(keysFileText({ id: 'same', limits: { max_order_value: 5.0 } }, { id: 'edited', scopes: ['acc:read'] }, { id: 'new' }));
    const outcome = keyring.reload();
    expect(outcome).toMatchObject({
      ok: true,
      value: { added: [{ id: 'new' }], removed: [{ id: 'gone' }], changed: [{ before: { id: 'edited' }, after: { id: 'edited' } }] },
    });
    expect(heard).toHaveBeenCalledExactlyOnceWith(outcome);
    expect(keyring.authenticate(textOf('gone'))).toEqual({
      ok: false,
      error: new Rejection('auth.revoked', 'key revoked', { keyId: 'gone' }),
    });
    expect(keyring.authenticate(textOf('new')).ok).toBe(true);
    const edited = keyring.authenticate(textOf('edited'));
    expect(edited.ok && scopesIn(edited.value.scopes)).toEqual(['acc:read']);
    // An untouched record stays the same object: a connection sees by identity that nothing changed.
    expect(before.same!.ok && keyring.revalidate(before.same!.value)).toEqual(before.same);
    const same = keyring.authenticateId('same');
    expect(same.ok && before.same!.ok && same.value === before.same!.value).toBe(true);
    expect(before.gone!.ok && keyring.revalidate(before.gone!.value)).toMatchObject({ error: { code: 'auth.revoked' } });
    stop();
    keyring.reload();
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('treats a key of a new hash as another credential, and a key that comes back as valid', () => {
    const { keyring, edit } = opened(keysFileText({ id: 'a' }));
    const first = keyring.authenticateId('a');
    edit(keysFileText({ id: 'a', hash: digestOf('rotated') }));
    expect(keyring.reload()).toMatchObject({ value: { added: [{ id: 'a' }], removed: [{ id: 'a' }], changed: [] } });
    expect(keyring.authenticate(textOf('a'))).toMatchObject({ error: { code: 'auth.revoked', details: { keyId: 'a' } } });
    expect(first.ok && keyring.revalidate(first.value)).toMatchObject({ error: { code: 'auth.revoked' } });
    expect(keyring.authenticate('rotated').ok).toBe(true);
    edit(keysFileText({ id: 'a' }));
    keyring.reload();
    expect(keyring.authenticate(textOf('a')).ok).toBe(true);
  });

  it.each([
    ['broken', '{"version": 2, "keys": ['],
    ['partly wrong', keysFileText({ id: 'new' }, { id: 'wrong', scopes: ['nope'] })],
  ])('keeps every key in force when the new file is %s', (_, text) => {
    const { keyring, edit, path, clock } = opened(keysFileText({ id: 'a' }));
    const heard = vi.fn();
    keyring.onReload(heard);
    edit(text);
    clock.advance(5_000);
    const outcome = keyring.reload();
    expect(outcome).toMatchObject({ ok: false, error: { path, line: 1, column: expect.any(Number) } });
    expect(heard).toHaveBeenCalledExactlyOnceWith(outcome);
    expect(keyring.authenticate(textOf('a')).ok).toBe(true);
    expect(keyring.authenticate(textOf('new')).ok).toBe(false);
    expect(keyring.status()).toMatchObject({ keys: 1, loadedAt: start, failure: { at: start + 5_000 } });
    edit(keysFileText({ id: 'b' }));
    keyring.reload();
    expect(keyring.status()).toMatchObject({ keys: 1, loadedAt: start + 5_000, failure: undefined });
  });

  it('keeps every key in force when the file is gone', () => {
    const { keyring, path } = opened(keysFileText({ id: 'a' }));
    rmSync(path);
    expect(keyring.reload()).toMatchObject({ ok: false, error: { message: expect.stringContaining('ENOENT') } });
    expect(keyring.authenticate(textOf('a')).ok).toBe(true);
  });

  it('does not open on a missing file, a folder, or bytes that are no text', () => {
    const folder = temporaryFolder();
    const clock = new ManualClock(start);
    const at = (path: string) => Keyring.open({ path, clock });
    expect(at(join(folder, 'none.json'))).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('cannot read the keys file') },
    });
    expect(at(folder)).toMatchObject({ ok: false, error: { message: expect.stringContaining('cannot read the keys file') } });
    const path = join(folder, 'keys.json');
    writeFileSync(path, Buffer.from([0x7b, 0x0a, 0x0a, 0xff, 0xfe]));
    expect(at(path)).toEqual({ ok: false, error: { path, message: 'the file is not UTF-8 text', line: 3, column: 1 } });
    writeFileSync(path, '{\n"version": 3}');
    const refused = at(path);
    expect(!refused.ok && formatLoadError(refused.error)).toBe(`${path}:2:12: unknown version 3: this program reads version 2`);
    writeFileSync(path, `\ufeff${keysFileText({ id: 'a' })}`);
    expect(at(path).ok).toBe(true);
  });
});
