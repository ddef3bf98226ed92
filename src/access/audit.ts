import type { Clock } from '../contract/clock.js';
import { type AuditEvent, AuditLines } from './audit-event.js';
import { LineFile } from './line-file.js';
import { ok, type Result } from './result.js';

export interface AuditLogOptions {
  readonly clock: Clock;
  /** `--audit-log`: where the lines go besides the daemon's log. */
  readonly path?: string;
  /** `--audit-required`: nothing is written of which the file has no line. */
  readonly required?: boolean;
  /** The daemon's log: told of every event. */
  readonly log: (event: AuditEvent) => void;
  /** Troubles of the file, for the operator. */
  readonly report: (message: string) => void;
}

/** How the file of the trail does. */
export interface AuditFileStatus {
  /** Why it cannot be written at present; undefined while it can. */
  readonly failure: string | undefined;
  /** Lines that never reached it, since the start. */
  readonly linesLost: number;
}

/** Events whose lines are still to be written: those since the last write to the file, and not more of them. */
const NOTED_MAX = 256;

/**
 * The trail of every allow, reject and trade. Recording costs some ten nanoseconds and never waits for the disk: the lines are
 * written before the next write to the file, some milliseconds later at most. Who acknowledges a write waits for {@link written} first.
 */
export class AuditLog {
  readonly #clock: Clock;
  readonly #log: (event: AuditEvent) => void;
  readonly #file: LineFile | undefined;
  readonly #listeners: Set<() => void>;
  readonly #lines = new AuditLines();
  readonly #noted = new Array<AuditEvent | undefined>(NOTED_MAX).fill(undefined);
  /** When each happened, epoch ms. */
  readonly #times = new Float64Array(NOTED_MAX);
  #count = 0;

  /** Writes are refused while the file cannot be written. */
  readonly required: boolean;

  private constructor(options: AuditLogOptions, file: LineFile | undefined, listeners: Set<() => void>) {
    this.required = options.required ?? false;
    this.#listeners = listeners;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#file = file;
  }

  /** An error means that the file cannot be opened; the daemon does not start without its trail. */
  static open(options: AuditLogOptions): Result<AuditLog, string> {
    const listeners = new Set<() => void>();
    if (options.path === undefined) return ok(new AuditLog(options, undefined, listeners));
    const report = (message: string) => {
      options.report(message);
      // After this turn, when the status says the same.
      setImmediate(() => {
        for (const listener of listeners) listener();
      });
    };
    let log: AuditLog | undefined;
    const fill = () => {
      if (log !== undefined) log.#write();
    };
    const file = LineFile.open({ path: options.path, clock: options.clock, report, fill });
    if (!file.ok) return file;
    log = new AuditLog(options, file.value, listeners);
    return ok(log);
  }

  /** @param now when it happened, epoch ms. */
  record(event: AuditEvent, now = this.#clock.now()): void {
    if (this.#file !== undefined) {
      if (this.#count === 0) this.#file.announce();
      this.#noted[this.#count] = event;
      this.#times[this.#count] = now;
      this.#count += 1;
      if (this.#count === NOTED_MAX) this.#write();
    }
    this.#log(event);
  }

  /** Writes the lines of what was noted. */
  #write(): LineFile | undefined {
    const file = this.#file;
    if (file === undefined || this.#count === 0) return file;
    const noted = this.#noted;
    // Of many keys, most ids are in no cache of the processor: asked for one after the other, they come together.
    let length = 0;
    for (let index = 0; index < this.#count; index++) length += noted[index]?.keyId?.length ?? 0;
    file.expect(length);
    const count = this.#count;
    this.#count = 0;
    for (let index = 0; index < count; index++) {
      const event = noted[index];
      const line = file.begin();
      if (event !== undefined && line !== undefined) {
        this.#lines.write(event, this.#times[index] ?? 0, line);
        file.end();
      }
      noted[index] = undefined;
    }
    return file;
  }

  /**
   * Resolves when everything recorded so far is with the operating system, so that the end of this process cannot take it back
   * (true), or cannot be written at present (false). Calls of one turn share one write. undefined where there is no file.
   */
  written(): Promise<boolean> | undefined {
    return this.#write()?.written();
  }

  /** undefined where there is no file. */
  fileStatus(): AuditFileStatus | undefined {
    return this.#file && { failure: this.#file.failure, linesLost: this.#file.linesLost };
  }

  /** Calls `listener` whenever the file begins to fail and when it works again. */
  onFileStatus(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Writes everything recorded so far now; resolves when it is written, or has failed to be. */
  async flush(): Promise<void> {
    await this.#write()?.flush();
  }

  /** For SIGHUP after a log rotation. On failure the old file stays in use. */
  reopen(): Promise<Result<void, string>> {
    return this.#write()?.reopen() ?? Promise.resolve(ok(undefined));
  }

  /** Writes what is left. Nothing may be recorded afterwards. */
  close(): Promise<void> {
    return this.#write()?.close() ?? Promise.resolve();
  }
}
