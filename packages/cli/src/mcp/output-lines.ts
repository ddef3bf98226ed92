import type { Terminal } from '../terminal.js';

/** Writes messages to stdout, one a line, no faster than the reader takes them. */
export class OutputLines {
  #full: Promise<void> | undefined;

  constructor(private readonly terminal: Pick<Terminal, 'out' | 'drained'>) {}

  /** Writes JSON text without line breaks. Resolves when stdout takes more. */
  async write(message: string): Promise<void> {
    while (this.#full !== undefined) await this.#full;
    this.terminal.out(`${message}\n`);
    this.#full = this.terminal.drained()?.then(() => {
      this.#full = undefined;
    });
    await this.#full;
  }

  /** Resolves when stdout takes more. */
  async drained(): Promise<void> {
    while (this.#full !== undefined) await this.#full;
  }
}
