import { posix, win32 } from 'node:path';
import { err, ok, type Result } from '@svc-gateway/access';
import { homeFolder, homeProblem } from '@svc-gateway/storage';

/** Environment of the daemon. A parameter, so that tests depend on no real home folder. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Not absolute where the system has no usable one. */
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
  return ok({ variables: process.env, home: homeFolder(), cwd, platform: process.platform });
}

/** A variable's value; one that is set to nothing counts as not set. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment.variables[name];
  return value === '' ? undefined : value;
}

/** An absolute path: `~/` is the home folder, anything relative is taken from `base`. The error says why there is no home folder. */
export function expandPath(path: string, { home, platform }: Environment, base: string): Result<string, string> {
  const { resolve, join } = pathOf(platform);
  if (path !== '~' && !path.startsWith('~/')) return ok(resolve(base, path));
  const problem = homeProblem(home, platform);
  return problem === undefined ? ok(join(home, path.slice(1))) : err(problem);
}

/** The path functions of a platform. */
export function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
