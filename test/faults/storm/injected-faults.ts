import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CONTROL_BYTES = 16;
const NS_PER_MS = 1_000_000n;

/** Steps the wall clock and fills the disk of daemons under test, through a library of ours that is loaded before their own. */
export class InjectedFaults {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-faults-'));
  readonly #library = join(this.#folder, 'shim.so');
  readonly #controlPath = join(this.#folder, 'control');
  readonly #control: number;
  #offsetMs = 0;
  #full = false;
  /** Why there are none; the daemon then runs without. */
  readonly missing: string | undefined;

  constructor() {
    writeFileSync(this.#controlPath, Buffer.alloc(CONTROL_BYTES));
    this.#control = openSync(this.#controlPath, 'r+');
    this.missing = this.#build();
  }

  /** Command that runs the daemon, for `SpawnedDaemon.boot`. */
  get launcher(): [string, ...string[]] {
    if (this.missing !== undefined) return [process.execPath];
    return ['env', `LD_PRELOAD=${this.#library}`, `SVC_TEST_FAULTS=${this.#controlPath}`, process.execPath];
  }

  get isFull(): boolean {
    return this.#full;
  }

  /** Steps the clock by so many ms, forward or back. */
  stepClock(ms: number): void {
    this.#offsetMs += ms;
    this.#write();
  }

  /** From now on every regular file refuses bytes with ENOSPC, or takes them again. */
  fillDisk(full: boolean): void {
    this.#full = full;
    this.#write();
  }

  remove(): void {
    closeSync(this.#control);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(): void {
    if (this.missing !== undefined) return;
    const bytes = Buffer.alloc(CONTROL_BYTES);
    bytes.writeBigInt64LE(BigInt(this.#offsetMs) * NS_PER_MS, 0);
    bytes.writeBigInt64LE(this.#full ? 1n : 0n, 8);
    writeSync(this.#control, bytes, 0, CONTROL_BYTES, 0);
  }

  #build(): string | undefined {
    if (process.platform !== 'linux') return 'clock steps and full disks are injected on Linux alone';
    const source = join(import.meta.dirname, 'shim.c');
    const { status, stderr, error } = spawnSync('cc', ['-O1', '-shared', '-fPIC', '-o', this.#library, source, '-ldl'], {
      encoding: 'utf8',
    });
    return status === 0 ? undefined : `no C compiler: ${error?.message ?? stderr}`;
  }
}
