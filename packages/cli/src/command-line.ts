import { type MachineIdReader, readMachineId } from '@svc-gateway/access';

/** Process environment of a command besides files; replaced in tests. */
export interface CommandLine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints results, for scripts. */
  readonly out: (text: string) => void;
  /** Prints explanations, for people. */
  readonly explain: (text: string) => void;
  /** Epoch ms. */
  readonly now: () => number;
  readonly readMachineId: MachineIdReader;
}

/** Environment of this process. */
export const processCommandLine: CommandLine = {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  explain: (text) => void process.stderr.write(text),
  now: Date.now,
  readMachineId: () => readMachineId(),
};

/** Exit status for wrong usage, by the shell's convention. */
export const EXIT_USAGE = 2;
/** Exit status of a command that failed. */
export const EXIT_FAILED = 1;
