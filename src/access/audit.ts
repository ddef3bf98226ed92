import type { Clock } from '../contract/clock.js';
import { type AuditEvent, IsoTime, writeAuditLine } from './audit-event.js';
import { LineFile } from './line-file.js';
import { ok, type Result } from './result.js';

export interface AuditLogOptions {
  readonly clock: Clock;
  /** `--audit-log`: where the lines go besides the daemon's log. */
  readonly path?: string;
  /** The daemon's log: told of every event. */
  readonly log: (event: AuditEvent) => void;
  /** Troubles of the file, for the operator. */
  readonly report: (message: string) => void;
}

/** The trail of every allow, reject and trade. Recording costs some hundred nanoseconds and never waits for the disk. */
export class AuditLog {
  readonly #clock: Clock;
  readonly #log: (event: AuditEvent) => void;
  readonly #file: LineFile | undefined;
  readonly #time = new IsoTime();

  private constructor(options: AuditLogOptions, file: LineFile | undefined) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#file = file;
  }

  /** An error means that the file cannot be opened; the daemon does not start without its trail. */
  static open(options: AuditLogOptions): Result<AuditLog, string> {
    if (options.path === undefined) return ok(new AuditLog(options, undefined));
    const file = LineFile.open({ path: options.path, clock: options.clock, report: options.report });
    return file.ok ? ok(new AuditLog(options, file.value)) : file;
  }

  record(event: AuditEvent): void {
    const line = this.#file?.begin();
    if (line !== undefined) {
      writeAuditLine(event, this.#time.format(this.#clock.now()), line);
      this.#file?.end();
    }
    this.#log(event);
  }

  /** Resolves when everything recorded so far is with the operating system. */
  flush(): Promise<void> {
    return this.#file?.flush() ?? Promise.resolve();
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
