import { closeSync, constants, fdatasync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePrivateFolder } from '@svc-gateway/storage';

/** Progress of a database, noted outside of it. */
export interface StateMark {
  /** {@link DurableStore.identity}. */
  readonly identity: string;
  /** A number of flushes that the database has on disk, at the least. */
  readonly sequence: number;
}

/** Where the progress of the database with this identity is noted: in the configuration folder, which is not restored together with the state. */
export function markerPath(configDir: string, identity: string): string {
  return join(configDir, 'state-markers', `${identity}.json`);
}

/** Reads the noted progress, if there is a readable one. */
export function readMark(path: string): StateMark | undefined {
  try {
    const { identity, sequence } = JSON.parse(readFileSync(path, 'utf8')) as Partial<StateMark>;
    return typeof identity === 'string' && Number.isSafeInteger(sequence) ? { identity, sequence: sequence as number } : undefined;
  } catch {
    return undefined;
  }
}

/** Width of the number: an integer of a double has 16 digits at most. */
const DIGITS = 16;

/**
 * The note of a database's progress. It is rewritten in place at each flush, so that a process that is killed leaves the newest number, and
 * its length never changes, so that it is never half of two.
 */
export class StateMarker {
  #file: number | undefined;
  #sequence = -1;
  #synced = -1;

  constructor(
    readonly path: string,
    private readonly identity: string,
  ) {}

  /** Writes the number for whoever starts next on this machine, in a microsecond. Throws when the folder cannot be written. */
  note(sequence: number): void {
    if (sequence === this.#sequence) return;
    this.#file ??= this.#open();
    const number = String(sequence).padEnd(DIGITS);
    writeSync(this.#file, `{"identity":${JSON.stringify(this.identity)},"sequence":${number}}\n`, 0);
    this.#sequence = sequence;
  }

  /** Writes the number to disk, also when the file was removed. */
  async sync(): Promise<void> {
    if (this.#file === undefined || this.#synced === this.#sequence) return;
    if (fstatSync(this.#file).nlink === 0) {
      const sequence = this.#sequence;
      this.close();
      this.note(sequence);
    }
    const synced = this.#sequence;
    await promisify(fdatasync)(this.#file);
    this.#synced = synced;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#sequence = -1;
  }

  #open(): number {
    ensurePrivateFolder(dirname(this.path));
    return openSync(this.path, constants.O_RDWR | constants.O_CREAT, 0o600);
  }
}
