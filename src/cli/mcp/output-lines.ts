import type { Terminal } from '../terminal.js';

/** Writes messages to stdout, one a line, no faster than the reader takes them. */
export class OutputLines {
  readonly #terminal: Pick<Terminal, 'out' | 'drained'>;
  #full: Promise<void> | undefined;

  constructor(terminal: Pick<Terminal, 'out' | 'drained'>) {
    this.#terminal = terminal;
  }

  /** Resolves when stdout takes more. `message` is JSON text: between its tokens, a line break is as good as a space. */
  async write(message: string): Promise<void> {
    while (this.#full !== undefined) await this.#full;
    this.#terminal.out(`${message.replace(/[\r\n]+/g, ' ')}\n`);
    this.#full = this.#terminal.drained()?.then(() => {
      this.#full = undefined;
    });
    await this.#full;
  }
}
