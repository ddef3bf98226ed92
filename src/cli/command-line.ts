import { type MachineIdReader, readMachineId } from '../access/index.js';

/** What a command touches of the world besides files: replaced in tests. */
export interface CommandLine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results: what a script reads. */
  readonly out: (text: string) => void;
  /** Explanations: what a person reads. */
  readonly explain: (text: string) => void;
  /** Epoch ms. */
  readonly now: () => number;
  readonly readMachineId: MachineIdReader;
}

/** The process's own. */
export const processCommandLine: CommandLine = {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  explain: (text) => void process.stderr.write(text),
  now: Date.now,
  readMachineId: () => readMachineId(),
};

/** Exit status of a command that was asked for something impossible: the shell's convention for wrong usage. */
export const EXIT_USAGE = 2;
/** Exit status of a command that could not do what it was asked for. */
export const EXIT_FAILED = 1;
