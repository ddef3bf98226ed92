/** Asks for what no push tells: at once, then every so often while the page is seen, never twice at a time. */
export class Poll {
  #timer: number | undefined;
  #running = false;
  #again = false;
  #closed = false;
  readonly #onVisible = () => {
    if (document.visibilityState === 'visible') this.now();
    else window.clearTimeout(this.#timer);
  };

  /** `task` deals with its own failures. */
  constructor(
    readonly task: () => Promise<void>,
    readonly everyMs: number,
  ) {
    document.addEventListener('visibilitychange', this.#onVisible);
  }

  /** Asks now; if a question is under way, once more after it. */
  now(): void {
    if (this.#closed) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    void this.#run();
  }

  close(): void {
    this.#closed = true;
    window.clearTimeout(this.#timer);
    document.removeEventListener('visibilitychange', this.#onVisible);
  }

  async #run(): Promise<void> {
    window.clearTimeout(this.#timer);
    this.#running = true;
    await this.task();
    this.#running = false;
    if (this.#closed) return;
    if (this.#again) {
      this.#again = false;
      void this.#run();
    } else if (document.visibilityState === 'visible') {
      this.#timer = window.setTimeout(() => this.now(), this.everyMs);
    }
  }
}
