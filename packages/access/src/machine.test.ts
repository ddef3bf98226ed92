import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { machineFingerprint, readMachineId } from './machine.js';

it('makes the fingerprint that the specification describes', () => {
  const hex = createHash('sha256').update('svc-machine-bind:v1:desk-1:0123abcd').digest('hex');
  expect(machineFingerprint('desk-1', '0123abcd')).toBe(`fp_${hex}`);
});

describe('readMachineId', () => {
  const files = (contents: Record<string, string>) => (path: string) => contents[path];
  const none = () => undefined;

  it('reads the first machine-id file that holds one', () => {
    expect(readMachineId('linux', files({ '/etc/machine-id': 'aa\n', '/var/lib/dbus/machine-id': 'bb\n' }))).toEqual({
      ok: true,
      value: 'aa',
    });
    expect(readMachineId('linux', files({ '/etc/machine-id': 'uninitialized\n', '/var/lib/dbus/machine-id': 'bb' }))).toEqual({
      ok: true,
      value: 'bb',
    });
    expect(readMachineId('linux', none)).toMatchObject({ ok: false, error: expect.stringContaining('/etc/machine-id') });
  });

  it('reads the platform UUID of a Mac', () => {
    const ioreg = '+-o J316sAP  <class IOPlatformExpertDevice>\n    {\n      "IOPlatformUUID" = "AAAA-BBBB"\n    }\n';
    expect(readMachineId('darwin', none, () => ioreg)).toEqual({ ok: true, value: 'AAAA-BBBB' });
    expect(readMachineId('darwin', none, none)).toMatchObject({ ok: false });
  });

  it('says that Windows is not supported', () => {
    expect(readMachineId('win32')).toEqual({ ok: false, error: 'machine binding is not supported on Windows' });
  });
});
