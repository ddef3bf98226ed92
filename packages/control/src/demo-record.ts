import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '@svc-gateway/storage';

/**
 * Record that a running `svcd --demo` leaves in the state folder, so that `svcctl` on the same account finds it without any
 * option. Both files are readable by their owner only.
 */
export interface DemoRecord {
  /** Origin of the REST listener: "https://127.0.0.1:22499". */
  readonly rest: string;
  /** The certificate that proves a peer to be the demo. */
  readonly caFile: string;
  readonly pid: number;
}

function recordPath(stateFolder: string): string {
  return join(stateFolder, 'demo.json');
}

/** Where the demo's key text is kept. */
export function demoKeyPath(stateFolder: string): string {
  return join(stateFolder, 'demo.key');
}

/** Says that a demo is running. */
export function writeDemoRecord(stateFolder: string, record: DemoRecord): void {
  writePrivateFile(recordPath(stateFolder), `${JSON.stringify(record)}\n`);
}

/** Takes back what {@link writeDemoRecord} said, unless another demo has said something since. */
export function removeDemoRecord(stateFolder: string, pid: number): void {
  if (parseRecord(readText(recordPath(stateFolder)))?.pid === pid) rmSync(recordPath(stateFolder), { force: true });
}

/** The demo that runs now, if one does. A record that a crash left behind counts for nothing. */
export function readDemoRecord(stateFolder: string, isRunning = processIsRunning): DemoRecord | undefined {
  const record = parseRecord(readText(recordPath(stateFolder)));
  return record !== undefined && isRunning(record.pid) ? record : undefined;
}

/** The demo's key text, if it was kept. */
export function readDemoKey(stateFolder: string): string | undefined {
  const text = readText(demoKeyPath(stateFolder))?.trim();
  return text === '' ? undefined : text;
}

function parseRecord(text: string | undefined): DemoRecord | undefined {
  try {
    const { rest, caFile, pid } = JSON.parse(text ?? '{}') as Partial<DemoRecord>;
    return typeof rest === 'string' && typeof caFile === 'string' && typeof pid === 'number' ? { rest, caFile, pid } : undefined;
  } catch {
    // A foreign file is no demo record.
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function processIsRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
