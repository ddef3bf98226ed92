import { PassThrough } from 'node:stream';
import type { StartEmbedded } from '../../packages/cli/src/mcp.js';
import type { Terminal } from '../../packages/cli/src/terminal.js';
import { runQuietly } from './terminal.js';
import { until } from './until.js';

/** `svcctl mcp` in this process, between a test's lines. */
export class McpStdio {
  readonly input = new PassThrough();
  readonly lines: string[] = [];
  said = '';
  /** The exit status, when it has ended. */
  readonly status: Promise<number>;
  interrupt = () => {};
  closeOutput = () => {};

  constructor(args: readonly string[], terminal: Partial<Terminal> = {}, startEmbedded?: StartEmbedded) {
    this.status = runQuietly(
      ['mcp', ...args],
      {
        out: (text) => void this.lines.push(text),
        explain: (text) => {
          this.said += text;
        },
        stdin: () => this.input,
        onInterrupt: (action) => {
          this.interrupt = action;
          return () => {};
        },
        onOutputClosed: (action) => {
          this.closeOutput = action;
          return () => {};
        },
        ...terminal,
      },
      startEmbedded,
    );
  }

  send(...lines: string[]): void {
    for (const line of lines) this.input.write(`${line}\n`);
  }

  /** The first line of which this holds. */
  line(what: string, holds: (line: string) => boolean): Promise<string> {
    return until(() => this.lines.find(holds), `a line with ${what}; there are ${JSON.stringify(this.lines)}`);
  }

  /** The answer to the request of this id. */
  answer(id: number | string): Promise<string> {
    const text = JSON.stringify(id);
    return this.line(`the answer to ${text}`, (line) => line.includes(`"id":${text}`) && !line.includes('"method"'));
  }

  /** Ends the input; resolves with the exit status. */
  end(): Promise<number> {
    this.input.end();
    return this.status;
  }
}
