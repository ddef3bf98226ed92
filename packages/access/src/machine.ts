import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { err, ok, type Result } from './result.js';

/** The platform's own name of this machine, or why there is none. */
export type MachineIdReader = () => Result<string, string>;

/** `fp_<hex>`: the name under which a key is bound to a machine. It differs from key to key, so that keys files do not tell machines apart. */
export function machineFingerprint(keyId: string, rawMachineId: string): string {
  return `fp_${hash('sha256', `svc-machine-bind:v1:${keyId}:${rawMachineId}`, 'hex')}`;
}

const LINUX_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/** Reads the machine-id file (Linux) or the platform UUID (macOS). `read` and `run` stand for the machine in tests. */
export function readMachineId(platform = process.platform, read = readText, run = runIoreg): Result<string, string> {
  if (platform === 'linux') return linuxMachineId(read);
  if (platform === 'darwin') return macPlatformUuid(run);
  return err(`machine binding is not supported on ${platform === 'win32' ? 'Windows' : platform}`);
}

function linuxMachineId(read: (path: string) => string | undefined): Result<string, string> {
  for (const path of LINUX_FILES) {
    const id = read(path)?.trim();
    // systemd writes "uninitialized" during the first boot of an image.
    if (id !== undefined && id !== '' && id !== 'uninitialized') return ok(id);
  }
  return err(`no machine id: none of ${LINUX_FILES.join(', ')} holds one (systemd-machine-id-setup makes it)`);
}

function macPlatformUuid(run: () => string | undefined): Result<string, string> {
  const uuid = /"IOPlatformUUID" = "([^"]+)"/.exec(run() ?? '')?.[1];
  return uuid === undefined ? err('no machine id: ioreg shows no IOPlatformUUID') : ok(uuid);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function runIoreg(): string | undefined {
  try {
    return execFileSync('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'], { encoding: 'utf8', timeout: 5_000 });
  } catch {
    return undefined;
  }
}
