import { closeSync, constants, fdatasync, fstatSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
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

/** Reads the noted progress. undefined: none was noted; `damaged`: what is there is not what was written. */
export function readMark(path: string): StateMark | 'damaged' | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'damaged';
  }
  try {
    const { identity, sequence, check } = JSON.parse(text) as Partial<StateMark & { check: string }>;
    if (typeof identity !== 'string' || sequence === undefined || !Number.isSafeInteger(sequence)) return 'damaged';
    // Notes of earlier builds have no check.
    return check === undefined || check === checkOf({ identity, sequence }) ? { identity, sequence } : 'damaged';
  } catch {
    return 'damaged';
  }
}

/** CRC-32 of a note, 8 hexadecimal digits: a flipped bit is noticed. */
function checkOf({ identity, sequence }: StateMark): string {
  return crc32(`${identity} ${sequence}`).toString(16).padStart(8, '0');
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
    const { identity } = this;
    const number = String(sequence).padEnd(DIGITS);
    const check = checkOf({ identity, sequence });
    writeSync(this.#file, `{"identity":${JSON.stringify(identity)},"check":"${check}","sequence":${number}}\n`, 0);
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
