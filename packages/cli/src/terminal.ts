import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Clock, systemClock } from '@svc-gateway/contract/clock';
import { type CommandLine, processCommandLine } from './command-line.js';
import { readSecret } from './secret-prompt.js';

/** Process environment of commands that talk to a daemon; replaced in tests. */
export interface Terminal extends CommandLine {
  /** True if stdout is a terminal, not a file or a pipe. */
  readonly interactive: boolean;
  /** Resolves when stdout takes more; undefined if it does at once. */
  drained(): Promise<unknown> | undefined;
  readStdin(): Promise<string>;
  /** True if standard input is a terminal. */
  readonly asksPerson: boolean;
  /** See `readSecret` of secret-prompt.ts. */
  readSecret(prompt: string): Promise<string | undefined>;
  /** Standard input as a stream. */
  stdin(): Readable;
  newIdempotencyKey(): string;
  /** Calls `action` at Ctrl-C or SIGTERM in place of ending the process. Returns its removal. */
  onInterrupt(action: () => void): () => void;
  /** Calls `action` when stdout is closed by its reader, in place of ending the process. Returns its removal. */
  onOutputClosed(action: () => void): () => void;
  /** A number in [0, 1), for spreading retries. */
  random(): number;
  /** See {@link Clock.after}. */
  after: Clock['after'];
}

/** Environment of this process. */
export const processTerminal: Terminal = {
  ...processCommandLine,
  interactive: process.stdout.isTTY === true,
  drained: () => (process.stdout.writableNeedDrain ? once(process.stdout, 'drain') : undefined),
  readStdin: () => text(process.stdin),
  asksPerson: process.stdin.isTTY === true,
  readSecret: (prompt) => readSecret(prompt, process.stdin, processCommandLine.explain),
  stdin: () => process.stdin,
  newIdempotencyKey: randomUUID,
  onInterrupt(action) {
    const signals = ['SIGINT', 'SIGTERM'] as const;
    for (const signal of signals) process.on(signal, action);
    return () => {
      for (const signal of signals) process.off(signal, action);
    };
  },
  onOutputClosed(action) {
    const onError = (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') action();
    };
    process.stdout.on('error', onError);
    return () => process.stdout.off('error', onError);
  },
  random: Math.random,
  after: systemClock.after,
};
