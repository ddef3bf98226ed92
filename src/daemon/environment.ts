import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { err, ok, type Result } from '../access/index.js';

/** What the daemon was started in. A parameter, so that tests stand on no real home folder. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

/** The environment of this process. The error is a sentence: the folder that the process was started in may be gone. */
export function processEnvironment(): Result<Environment, string> {
  let cwd: string;
  try {
    cwd = process.cwd();
  } catch (thrown) {
    const why = (thrown as NodeJS.ErrnoException).code ?? String(thrown);
    return err(`the folder that svcd was started in is gone or cannot be read (${why}): change to another one and start it there`);
  }
  return ok({ variables: process.env, home: homedir(), cwd, platform: process.platform });
}

/** A variable's value; one that is set to nothing counts as not set. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment.variables[name];
  return value === '' ? undefined : value;
}

/** An absolute path: `~/` is the home folder, anything relative is taken from `base`. */
export function expandPath(path: string, environment: Environment, base: string): string {
  const { resolve, join } = pathOf(environment.platform);
  const expanded = path === '~' || path.startsWith('~/') ? join(environment.home, path.slice(1)) : path;
  return resolve(base, expanded);
}

/** The path functions of a platform. */
export function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
