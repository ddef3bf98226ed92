import { write } from 'node:fs';
import type { Clock } from '@svc-gateway/contract/clock';
import { AppendTarget } from './append-target.js';
import { err, ok, type Result } from './result.js';

const LINE_FEED = 0x0a;
/** Lines held in memory while the file takes none, in bytes. Beyond it new lines are counted and dropped. */
const HELD_MAX = 32 * 1024 * 1024;
/** Buffered bytes that trigger a write at once. */
const WRITE_EARLY = 256 * 1024;
/** Pause between two writes, so that under load many lines share one. A line after a longer silence goes at once. */
const PAUSE_MS = 20;
const RETRY_MS = 1_000;
/** How soon a pipe whose reader is behind is tried again. */
const PIPE_RETRY_MS = 20;
/** Time without progress after which a write counts as failed and is no longer awaited. */
const STALLED_MS = 1_000;

/** Room for lines at first; it grows with them. */
const GATHERED_BYTES = 64 * 1024;

const nothing = Buffer.alloc(0);

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
 * A file, or a pipe, that lines are appended to: at the end of the turn, or under load after a pause. Whatever stands
 * behind the path, nobody waits for it longer than a second. While it takes nothing, lines are held until memory for `heldMax`
 * bytes is used up; after that the number of lost lines is reported. A file that was removed or renamed is opened anew.
 */
export class LineFile {
  readonly #heldMax: number;
  /** Lines that were taken since the last write began: its first `#gatheredBytes` bytes. */
  #gathered = Buffer.allocUnsafe(GATHERED_BYTES);
  #gatheredBytes = 0;
  /** Whole lines on their way to the file, of which the first `#sent` bytes are in it. */
  #leaving: Buffer = nothing;
  #sent = 0;
  #writing = false;
  #scheduled = false;
  #pausing = false;
  #cancelPause = () => {};
  #failure: string | undefined;
  #lost = 0;
  #lostInAll = 0;
  /** A reader of a pipe is behind. */
  #behind = false;
  #cancelRetry = () => {};
  #cancelStall: (() => void) | undefined;
  #reopening: ((outcome: Result<void, string>) => void)[] = [];
  #waiting: ((written: boolean) => void)[] = [];
  /** Promise of {@link written} that present callers share. */
  #promised: Promise<boolean> | undefined;

  private constructor(
    private readonly options: LineFileOptions,
    private readonly target: AppendTarget,
  ) {
    this.#heldMax = options.heldMax ?? HELD_MAX;
  }

  /** Opens or creates (mode 0600) the file for appending. A named pipe that nobody reads yet is no error: its lines are held. */
  static open(options: LineFileOptions): Result<LineFile, string> {
    const target = AppendTarget.open(options.path);
    return target.ok ? ok(new LineFile(options, target.value)) : target;
  }

  /** Reason why nothing can be written at present. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Lines that were never written, since the start. */
  get linesLost(): number {
    return this.#lostInAll;
  }

  /** Takes one line of ASCII text, without its line feed. While memory is used up, the line is counted as lost. */
  append(line: string): void {
    if (this.#full) {
      if (this.#lost === 0) this.options.report(`${this.options.path}: the buffer is full, lines are being lost`);
      this.#lost += 1;
      this.#lostInAll += 1;
      return;
    }
    this.#reserve(line.length + 1);
    this.#gatheredBytes += this.#gathered.write(line, this.#gatheredBytes, 'latin1');
    this.#gathered[this.#gatheredBytes++] = LINE_FEED;
    if (!this.#idle) return;
    if (this.#gatheredBytes >= WRITE_EARLY) this.#next();
    else if (!this.#pausing) this.#schedule();
  }

  /**
   * Resolves when everything taken so far is with the operating system (true), so that it outlives this process, or cannot
   * be written at present (false). What is asked for in one turn is written at once.
   */
  written(): Promise<boolean> {
    // With no more memory, a line of this turn may be among the lost ones, though the file takes those before it.
    if (this.#failure !== undefined || this.#full) return Promise.resolve(false);
    if (this.#idle) this.#schedule();
    // Callers wait until nothing is left to be written.
    this.#promised ??= new Promise((resolve) => this.#waiting.push(resolve));
    return this.#promised;
  }

  /** Writes everything taken so far without further delay; resolves when it is written, or has failed to be. */
  flush(): Promise<boolean> {
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
    this.#cancelStall?.();
    const held = this.#leaving.length - this.#sent + this.#gatheredBytes;
    if (held > 0) this.options.report(`${this.options.path}: ${held} bytes were lost, the file could not be written`);
    this.target.close();
  }

  /** Memory is used up: new lines are lost. */
  get #full(): boolean {
    return this.#gatheredBytes + this.#leaving.length > this.#heldMax;
  }

  get #idle(): boolean {
    return !this.#writing && !this.#behind && this.#failure === undefined;
  }

  #reserve(bytes: number): void {
    if (this.#gatheredBytes + bytes <= this.#gathered.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#gatheredBytes + bytes));
    this.#gathered.copy(larger, 0, 0, this.#gatheredBytes);
    this.#gathered = larger;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#idle) this.#next();
    });
  }

  #pause(): void {
    this.#pausing = true;
    this.#cancelPause = this.options.clock.after(PAUSE_MS, () => {
      this.#pausing = false;
      if (this.#gatheredBytes > 0 && this.#idle) this.#next();
    });
  }

  /** Between two writes: swap the file if it has to be, then write what has gathered. */
  #next(): void {
    const isEmpty = this.#leaving.length === 0 && this.#gatheredBytes === 0;
    // Nothing can be lost while nothing is held: a moved file is noticed with the next line.
    const problem = isEmpty && this.#reopening.length === 0 ? undefined : this.#swap();
    if (isEmpty) {
      this.#settle(true);
      return;
    }
    if (this.#sent === this.#leaving.length) {
      this.#leaving = this.#gathered.subarray(0, this.#gatheredBytes);
      this.#gathered = Buffer.allocUnsafe(GATHERED_BYTES);
      this.#gatheredBytes = 0;
      this.#sent = 0;
    }
    const { descriptor } = this.target;
    if (problem !== undefined || descriptor === undefined) {
      this.#failed(problem ?? `cannot open ${this.options.path}`);
      return;
    }
    this.#writing = true;
    this.#behind = false;
    this.#cancelStall ??= this.options.clock.after(STALLED_MS, () => {
      this.#cancelStall = undefined;
      this.#fail(`cannot write ${this.options.path}: no write has completed for ${STALLED_MS / 1000} s`);
    });
    const writeBytes = this.options.writeBytes ?? write;
    writeBytes(descriptor, this.#leaving, this.#sent, this.#leaving.length - this.#sent, null, (error, written) => {
      this.#writing = false;
      if (error === null) this.#wrote(written);
      else if (error.code === 'EAGAIN') this.#waitForReader();
      else this.#failed(`cannot write ${this.options.path}: ${error.message}`);
    });
  }

  #wrote(bytes: number): void {
    this.#sent += bytes;
    if (this.#sent === this.#leaving.length) {
      // Written bytes take no room from the lines to come.
      this.#leaving = nothing;
      this.#sent = 0;
    }
    this.#endStall();
    if (this.#failure !== undefined) {
      this.#failure = undefined;
      this.#cancelRetry();
      this.options.report(`${this.options.path} is written again${this.#lost > 0 ? `; ${this.#lost} lines were lost` : ''}`);
      this.#lost = 0;
    }
    const urgent = this.#sent < this.#leaving.length || this.#waiting.length > 0 || this.#reopening.length > 0;
    if (urgent || this.#gatheredBytes >= WRITE_EARLY) this.#next();
    else if (!this.#pausing) this.#pause();
  }

  /** A pipe is full: tried again shortly, and no failure until it has taken nothing for a while. */
  #waitForReader(): void {
    this.#behind = true;
    if (this.#failure !== undefined) this.#settle(false);
    this.#retryIn(this.#failure === undefined ? PIPE_RETRY_MS : RETRY_MS);
  }

  #failed(message: string): void {
    this.#endStall();
    this.#fail(message);
    this.#retryIn(RETRY_MS);
  }

  /** Nobody waits any longer. */
  #fail(message: string): void {
    if (this.#failure === undefined) this.options.report(`${message}; lines are held in memory`);
    this.#failure = message;
    this.#settle(false);
  }

  #settle(written: boolean): void {
    this.#promised = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve(written);
  }

  #endStall(): void {
    this.#cancelStall?.();
    this.#cancelStall = undefined;
  }

  #retryIn(ms: number): void {
    this.#cancelRetry();
    this.#cancelRetry = this.options.clock.after(ms, () => {
      if (!this.#writing) this.#next();
    });
  }

  /** Opens the file anew if that was asked for, or if its name leads elsewhere by now. The problem that leaves no file to write to. */
  #swap(): string | undefined {
    const asked = this.#reopening.length > 0;
    if (!asked && !this.target.moved) return undefined;
    const opened = this.target.reopen();
    if (opened.ok) {
      // A line that the old file has a part of goes to the new one as a whole.
      if (opened.value === 'another') {
        this.#leaving = this.#leaving.subarray(this.#sent === 0 ? 0 : this.#leaving.lastIndexOf(LINE_FEED, this.#sent - 1) + 1);
        this.#sent = 0;
      }
    } else if (asked && this.target.kept) this.options.report(`${opened.error}; the old file stays in use`);
    for (const resolve of this.#reopening.splice(0)) resolve(opened.ok ? ok(undefined) : err(opened.error));
    return opened.ok || this.target.kept ? undefined : opened.error;
  }
}
