import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync, writeSync } from 'node:fs';
import { descriptorReserve } from '@svc-gateway/storage';
import { err, ok, type Result } from './result.js';

/** Non-blocking, so that a pipe that nobody reads refuses what it cannot take. For files it means nothing; Windows has no such flag. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);

/** A descriptor, and what it leads to for as long as it is open. */
interface Open {
  readonly descriptor: number;
  readonly ino: number;
  readonly dev: number;
}

/** Target behind the path of a file that is appended to: a file, a named pipe or a device. */
export class AppendTarget {
  #open: Open | undefined;

  private constructor(
    private readonly path: string,
    open: Open | undefined,
  ) {
    this.#open = open;
  }

  /** Opens or creates (mode 0600) it. A named pipe that nobody reads cannot be opened yet, which is no error. */
  static open(path: string): Result<AppendTarget, string> {
    const opened = openForAppend(path);
    if (opened.ok) return ok(new AppendTarget(path, opened.value));
    return opened.code === 'ENXIO' ? ok(new AppendTarget(path, undefined)) : err(opened.error);
  }

  /** Where to write; undefined while nothing is open. */
  get descriptor(): number | undefined {
    return this.#open?.descriptor;
  }

  /** The path leads to something else than what is open: it was removed, renamed, or never opened. */
  get moved(): boolean {
    try {
      const there = statSync(this.path, { throwIfNoEntry: false });
      return there === undefined || there.ino !== this.#open?.ino || there.dev !== this.#open.dev;
    } catch {
      return true;
    }
  }

  /** Whether the open file still has a name, so that writes to it are not lost. */
  get kept(): boolean {
    return this.#open !== undefined && fstatSync(this.#open.descriptor).nlink > 0;
  }

  /** Opens what the path leads to now. On failure what is open stays so. */
  reopen(): Result<'another' | 'same', string> {
    const same = !this.moved;
    const opened = openForAppend(this.path);
    if (!opened.ok) return err(opened.error);
    this.close();
    this.#open = opened.value;
    return ok(same ? 'same' : 'another');
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.descriptor);
    this.#open = undefined;
  }
}

function openForAppend(
  path: string,
): { readonly ok: true; readonly value: Open } | { readonly ok: false; readonly error: string; readonly code: string } {
  let descriptor: number | undefined;
  try {
    descriptor = descriptorReserve.use(() => openSync(path, APPENDING, 0o600));
    const { ino, dev } = endLastLine(path, descriptor);
    return { ok: true, value: { descriptor, ino, dev } };
  } catch (thrown) {
    if (descriptor !== undefined) closeSync(descriptor);
    const { code = '', message } = thrown as NodeJS.ErrnoException;
    const why = code === 'ENXIO' ? 'no process has this pipe open for reading' : message;
    return { ok: false, error: `cannot open ${path}: ${why}`, code };
  }
}

/** A crash may have cut the last line short; the next one must not be glued to it. Answers what was found there. */
function endLastLine(path: string, descriptor: number): Stats {
  const stats = fstatSync(descriptor);
  if (!stats.isFile() || stats.size === 0) return stats;
  const last = Buffer.alloc(1);
  const reading = openSync(path, 'r');
  try {
    if (readSync(reading, last, 0, 1, stats.size - 1) === 1 && last[0] !== 0x0a) writeSync(descriptor, '\n');
  } finally {
    closeSync(reading);
  }
  return stats;
}
