import { writeSync } from 'node:fs';

/** Sink of log lines; each is whole, with its line end. */
export interface LogTarget {
  write(line: string): void;
}

/** Bytes held for a reader that is behind; beyond it new lines are counted and dropped. */
const HELD_MAX = 1024 * 1024;
const RETRY_MS = 20;
/** Failed tries after which retries slow down. */
const TRIES_IN_HASTE = 50;
const SLOW_RETRY_MS = 1_000;
const LINE_FEED = 0x0a;

export interface StderrOptions {
  /** Told how many lines were lost when it takes lines again. */
  readonly onRecovered: (lost: number) => void;
  /** The system call, on a descriptor that does not block; another one in tests. Returns the bytes written, throws where there are none. */
  readonly write?: (bytes: Buffer) => number;
  readonly heldMax?: number;
}

/**
 * Lines to stderr, wherever it leads. A full disk, a pipe that nobody reads or whose reader is gone costs lines, which are counted,
 * and nothing else: `process.stderr` would end the daemon, or hold without bound what is not read.
 */
export class StderrOutput implements LogTarget {
  readonly #write: (bytes: Buffer) => number;
  readonly #heldMax: number;
  #held: Buffer = Buffer.alloc(0);
  #triesInVain = 0;
  #lost = 0;
  #lostInAll = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(private readonly options: StderrOptions) {
    this.#write = options.write ?? ((bytes) => writeSync(process.stderr.fd, bytes));
    this.#heldMax = options.heldMax ?? HELD_MAX;
  }

  /** Lines that were never written, since the start. */
  get linesLost(): number {
    return this.#lostInAll;
  }

  /** `lines` are whole, each with its line feed. */
  write(lines: string): void {
    const bytes = Buffer.from(lines);
    if (this.#held.length > 0) this.#hold(bytes);
    else this.#send(bytes);
  }

  #send(bytes: Buffer): void {
    let sent = 0;
    try {
      while (sent < bytes.length) sent += this.#write(bytes.subarray(sent));
    } catch {
      // Whatever it is: there is no other place to tell it.
    }
    if (sent > 0) this.#triesInVain = 0;
    this.#held = bytes.subarray(sent);
    if (this.#held.length === 0) this.#recovered();
    else this.#tryLater();
  }

  #hold(bytes: Buffer): void {
    if (this.#held.length + bytes.length <= this.#heldMax) {
      this.#held = Buffer.concat([this.#held, bytes]);
      return;
    }
    const lines = bytes.reduce((count, byte) => (byte === LINE_FEED ? count + 1 : count), 0);
    this.#lost += lines;
    this.#lostInAll += lines;
  }

  #recovered(): void {
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.options.onRecovered(lost);
  }

  #tryLater(): void {
    if (this.#retry !== undefined) return;
    this.#triesInVain += 1;
    const retry = () => {
      this.#retry = undefined;
      this.#send(this.#held);
    };
    this.#retry = setTimeout(retry, this.#triesInVain > TRIES_IN_HASTE ? SLOW_RETRY_MS : RETRY_MS).unref();
  }
}

/**
 * Makes stderr and stdout such that nothing written there waits for a reader or ends the process. Node opens them when they are
 * first asked for, pipes and sockets without blocking; a terminal it makes block, so that one that was paused (Ctrl-S) would
 * stop the daemon.
 */
export function neverWaitForOutput(): void {
  for (const stream of [process.stderr, process.stdout]) {
    stream.on('error', () => undefined);
    const { _handle: handle } = stream as { _handle?: { setBlocking?: (blocking: boolean) => number } };
    if (stream.isTTY) handle?.setBlocking?.(false);
  }
}
