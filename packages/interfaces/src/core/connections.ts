import { type Clock, every } from '@svc-gateway/contract/clock';

/** One peer of a core listener. */
export interface CoreConnection {
  /** Looks at the time (of the monotonic clock): heartbeats, and peers that have been silent too long. */
  tick(now: number): void;
  /** Takes no more requests; resolves when those under way are answered. */
  finish(): Promise<void>;
  /** Ends it after what is buffered. */
  end(): void;
  /** Cuts it off. */
  destroy(): void;
}

/** Far more than clients of one person or desk; each costs memory before it has shown a key. */
const CONNECTIONS_MAX = 10_000;
const TICK_MS = 5000;
/** How long requests under way may take once the daemon stops; below its own limit of ten seconds. */
const FINISH_MS_MAX = 5000;
/** How long peers may take to notice the end of a daemon that stops. */
const CLOSE_MS_MAX = 1000;

/** The open connections of a listener: one timer for all of them, and an orderly end. */
export class Connections {
  readonly #open = new Set<CoreConnection>();
  readonly #endTicks: () => void;
  #onEmpty: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly max = CONNECTIONS_MAX,
  ) {
    this.#endTicks = every(clock, TICK_MS, () => {
      const now = clock.monotonic();
      for (const connection of this.#open) connection.tick(now);
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** No more connections are taken. */
  get full(): boolean {
    return this.#open.size >= this.max;
  }

  add(connection: CoreConnection): void {
    this.#open.add(connection);
  }

  /** Its socket is closed. */
  remove(connection: CoreConnection): void {
    this.#open.delete(connection);
    if (this.#open.size === 0) this.#onEmpty();
  }

  /** Lets the requests under way be answered, within five seconds, and takes no others. */
  async finish(): Promise<void> {
    const idle = Promise.all([...this.#open].map((connection) => connection.finish()));
    await this.#within(FINISH_MS_MAX, (done) => void idle.then(done));
  }

  /** Ends every connection; those that do not go within a second are cut off. */
  async close(): Promise<void> {
    this.#endTicks();
    for (const connection of this.#open) connection.end();
    if (this.#open.size > 0) {
      await this.#within(CLOSE_MS_MAX, (done) => {
        this.#onEmpty = done;
      });
    }
    for (const connection of this.#open) connection.destroy();
  }

  #within(ms: number, wait: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(ms, resolve);
      wait(() => {
        cancel();
        resolve();
      });
    });
  }
}
