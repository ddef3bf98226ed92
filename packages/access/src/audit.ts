import type { Clock } from '@svc-gateway/contract/clock';
import { Emitter } from '@svc-gateway/contract/emitter';
import { type AuditEvent, auditLine } from './audit-event.js';
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
  /** Reason why it cannot be written at present; undefined while it can. */
  readonly failure: string | undefined;
  /** Lines that never reached it, since the start. */
  readonly linesLost: number;
}

/**
 * The trail of every allow, reject and trade. Recording never waits for the disk: lines are written
 * some milliseconds later at most. Who acknowledges a write waits for {@link written} first.
 */
export class AuditLog {
  readonly #clock: Clock;
  readonly #log: (event: AuditEvent) => void;
  readonly #file: LineFile | undefined;
  readonly #listeners: Emitter;
  #now = Number.NaN;
  #time = '';

  /** Writes are refused while the file cannot be written. */
  readonly required: boolean;

  private constructor(options: AuditLogOptions, file: LineFile | undefined, listeners: Emitter) {
    this.required = options.required ?? false;
    this.#listeners = listeners;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#file = file;
  }

  /** An error means that the file cannot be opened; the daemon does not start without its trail. */
  static open(options: AuditLogOptions): Result<AuditLog, string> {
    const listeners = new Emitter();
    if (options.path === undefined) return ok(new AuditLog(options, undefined, listeners));
    const report = (message: string) => {
      options.report(message);
      // Emits after this turn, once the status agrees.
      setImmediate(() => listeners.emit());
    };
    const file = LineFile.open({ path: options.path, clock: options.clock, report });
    return file.ok ? ok(new AuditLog(options, file.value, listeners)) : file;
  }

  /** @param now when it happened, epoch ms. */
  record(event: AuditEvent, now = this.#clock.now()): void {
    this.#file?.append(auditLine(event, this.#timeOf(now)));
    this.#log(event);
  }

  /** Many requests share a millisecond, and writing it out costs as much as the rest of a line. */
  #timeOf(now: number): string {
    if (now !== this.#now) {
      this.#now = now;
      this.#time = new Date(now).toISOString();
    }
    return this.#time;
  }

  /**
   * Resolves when everything recorded so far is with the operating system, so that the end of this process cannot take it back
   * (true), or cannot be written at present (false). Calls of one turn share one write. undefined where there is no file.
   */
  written(): Promise<boolean> | undefined {
    return this.#file?.written();
  }

  /** undefined where there is no file. */
  fileStatus(): AuditFileStatus | undefined {
    return this.#file && { failure: this.#file.failure, linesLost: this.#file.linesLost };
  }

  /** Calls `listener` whenever the file begins to fail and when it works again. */
  onFileStatus(listener: () => void): void {
    this.#listeners.on(listener);
  }

  /** Writes everything recorded so far now; resolves when it is written, or has failed to be. */
  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** For SIGHUP after a log rotation. On failure the old file stays in use. */
  reopen(): Promise<Result<void, string>> {
    return this.#file?.reopen() ?? Promise.resolve(ok(undefined));
  }

  /** Writes what is left. Nothing may be recorded afterwards. */
  close(): Promise<void> {
    return this.#file?.close() ?? Promise.resolve();
  }
}
