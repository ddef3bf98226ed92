import { closeSync, fstatSync, openSync, readSync, write, writeSync } from 'node:fs';
import type { Clock } from '../contract/clock.js';
import { AsciiBuffer } from './ascii-buffer.js';
import { err, ok, type Result } from './result.js';

/** Lines held in memory while the disk fails, in bytes. Beyond it new lines are counted and dropped. */
const HELD_MAX = 32 * 1024 * 1024;
/** At this size what has gathered is written without waiting any longer. */
const WRITE_EARLY = 256 * 1024;
/** Pause between two writes, so that under load many lines share one. A line after a longer silence goes at once. */
const PAUSE_MS = 5;
const RETRY_MS = 1_000;

export interface LineFileOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Told once when writing begins to fail, and once when it works again. */
  readonly report: (message: string) => void;
  readonly heldMax?: number;
  /** The system call; another one in tests of failing disks. */
  readonly writeBytes?: typeof write;
}

/**
 * A file that lines are appended to: at the end of the turn, or under load every few milliseconds. A failing disk loses nothing until memory for `heldMax`
 * bytes is used up; after that the number of lost lines is reported.
 */
export class LineFile {
  readonly #options: LineFileOptions;
  readonly #heldMax: number;
  #file: number;
  readonly #gathered = new AsciiBuffer();
  /** Whole lines on their way to the file, of which the first `#sent` bytes are in it. */
  #leaving: Buffer = Buffer.alloc(0);
  #sent = 0;
  #writing = false;
  #scheduled = false;
  #pausing = false;
  #cancelPause = () => {};
  #failing = false;
  #lost = 0;
  #cancelRetry = () => {};
  #reopening: ((outcome: Result<void, string>) => void)[] = [];
  #waiting: (() => void)[] = [];

  private constructor(options: LineFileOptions, file: number) {
    this.#options = options;
    this.#heldMax = options.heldMax ?? HELD_MAX;
    this.#file = file;
  }

  /** Opens or creates (mode 0600) the file for appending. */
  static open(options: LineFileOptions): Result<LineFile, string> {
    const file = openForAppend(options.path);
    return file.ok ? ok(new LineFile(options, file.value)) : file;
  }

  /**
   * Where the next line is to be written, in ASCII and without its line feed; {@link end} takes it. undefined while memory is
   * used up: the line is counted as lost.
   */
  begin(): AsciiBuffer | undefined {
    if (this.#gathered.length + this.#leaving.length > this.#heldMax) {
      if (this.#lost === 0) this.#options.report(`${this.#options.path}: memory is used up, lines are being lost`);
      this.#lost += 1;
      return undefined;
    }
    return this.#gathered;
  }

  /** Takes one line of ASCII text, without its line feed. */
  append(line: string): void {
    const out = this.begin();
    if (out === undefined) return;
    out.text(line);
    this.end();
  }

  /** Takes the line that was written since {@link begin}. */
  end(): void {
    this.#gathered.text('\n');
    if (this.#writing || this.#failing) return;
    if (this.#gathered.length >= WRITE_EARLY) this.#next();
    else if (!this.#scheduled && !this.#pausing) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        if (!this.#writing && !this.#failing) this.#next();
      });
    }
  }

  #pause(): void {
    this.#pausing = true;
    this.#cancelPause = this.#options.clock.after(PAUSE_MS, () => {
      this.#pausing = false;
      if (this.#gathered.length > 0 && !this.#writing && !this.#failing) this.#next();
    });
  }

  /** Resolves when everything taken so far is written, or has failed to be. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#writing) this.#next();
    });
  }

  /** Goes on in a new file of the same name, after a log rotation. On failure the old file stays in use. */
  reopen(): Promise<Result<void, string>> {
    return new Promise((resolve) => {
      this.#reopening.push(resolve);
      if (!this.#writing) this.#next();
    });
  }

  /** Writes what is left and closes the file. */
  async close(): Promise<void> {
    await this.flush();
    this.#cancelRetry();
    this.#cancelPause();
    const held = this.#leaving.length - this.#sent + this.#gathered.length;
    if (held > 0) this.#options.report(`${this.#options.path}: ${held} bytes were lost, the file could not be written`);
    closeSync(this.#file);
  }

  /** Between two writes: swap the file if asked to, then write what has gathered. */
  #next(): void {
    this.#swap();
    if (this.#sent === this.#leaving.length) {
      this.#leaving = this.#gathered.take();
      this.#sent = 0;
    }
    if (this.#leaving.length === 0) {
      for (const resolve of this.#waiting.splice(0)) resolve();
      return;
    }
    this.#writing = true;
    const writeBytes = this.#options.writeBytes ?? write;
    writeBytes(this.#file, this.#leaving, this.#sent, this.#leaving.length - this.#sent, null, (error, written) => {
      this.#writing = false;
      if (error === null) this.#wrote(written);
      else this.#failed(error);
    });
  }

  #wrote(bytes: number): void {
    this.#sent += bytes;
    if (this.#failing) {
      this.#failing = false;
      this.#cancelRetry();
      this.#options.report(`${this.#options.path} is written again${this.#lost > 0 ? `; ${this.#lost} lines were lost` : ''}`);
      this.#lost = 0;
    }
    const urgent = this.#sent < this.#leaving.length || this.#waiting.length > 0 || this.#reopening.length > 0;
    if (urgent || this.#gathered.length >= WRITE_EARLY) this.#next();
    else if (!this.#pausing) this.#pause();
  }

  #failed(error: Error): void {
    if (!this.#failing) this.#options.report(`cannot write ${this.#options.path}: ${error.message}; lines are held in memory`);
    this.#failing = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
    this.#cancelRetry();
    this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => {
      if (!this.#writing) this.#next();
    });
  }

  #swap(): void {
    if (this.#reopening.length === 0) return;
    const opened = openForAppend(this.#options.path);
    if (opened.ok) {
      closeSync(this.#file);
      this.#file = opened.value;
      // A line that the old file has a part of goes to the new one as a whole.
      this.#leaving = this.#leaving.subarray(this.#sent === 0 ? 0 : this.#leaving.lastIndexOf(0x0a, this.#sent - 1) + 1);
      this.#sent = 0;
    } else this.#options.report(`${opened.error}; the old file stays in use`);
    for (const resolve of this.#reopening.splice(0)) resolve(opened.ok ? ok(undefined) : opened);
  }
}

function openForAppend(path: string): Result<number, string> {
  try {
    const file = openSync(path, 'a+', 0o600);
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    // A crash may have cut the last line short; the next one must not be glued to it.
    if (size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a) writeSync(file, '\n');
    return ok(file);
  } catch (thrown) {
    return err(`cannot open ${path}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
