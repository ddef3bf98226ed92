import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/** What the process was started in. A parameter, so that tests stand on no real home folder. */
export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

/** The environment of this process. */
export function processEnvironment(): Environment {
  return { variables: process.env, home: homedir(), cwd: process.cwd(), platform: process.platform };
}

/** A variable's value; one that is set to nothing counts as not set. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment.variables[name];
  return value === undefined || value === '' ? undefined : value;
}

/** Where `config.toml`, `keys.json` and `tls/` lie: $SVC_CONFIG_DIR, else the platform's user configuration folder + `svc`. */
export function configFolder(environment: Environment): string {
  const { home, platform } = environment;
  return (
    override(environment, 'SVC_CONFIG_DIR') ??
    userFolder(environment, {
      linux: [variable(environment, 'XDG_CONFIG_HOME') ?? posix.join(home, '.config'), 'svc'],
      darwin: [home, 'Library', 'Preferences', 'svc'],
      win32: [variable(environment, 'APPDATA') ?? pathOf(platform).join(home, 'AppData', 'Roaming'), 'svc'],
    })
  );
}

/** Where the database, credentials and logs lie: $SVC_STATE_DIR, else the platform's user state folder + `svc`. */
export function stateFolder(environment: Environment): string {
  const { home, platform } = environment;
  return (
    override(environment, 'SVC_STATE_DIR') ??
    userFolder(environment, {
      linux: [variable(environment, 'XDG_STATE_HOME') ?? posix.join(home, '.local', 'state'), 'svc'],
      darwin: [home, 'Library', 'Application Support', 'svc'],
      win32: [variable(environment, 'LOCALAPPDATA') ?? pathOf(platform).join(home, 'AppData', 'Local'), 'svc'],
    })
  );
}

/** An absolute path: `~/` is the home folder, anything relative is taken from `base`. */
export function expandPath(path: string, environment: Environment, base = environment.cwd): string {
  const { resolve, join } = pathOf(environment.platform);
  const expanded = path === '~' || path.startsWith('~/') ? join(environment.home, path.slice(1)) : path;
  return resolve(base, expanded);
}

/** Makes a folder that only its owner may look into. A folder that is there already keeps its mode. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** The path functions of the environment's platform. */
export function pathOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

function override(environment: Environment, name: string): string | undefined {
  const value = variable(environment, name);
  return value === undefined ? undefined : expandPath(value, environment);
}

function userFolder(environment: Environment, by: { linux: string[]; darwin: string[]; win32: string[] }): string {
  const { platform } = environment;
  const parts = platform === 'darwin' || platform === 'win32' ? by[platform] : by.linux;
  return pathOf(platform).join(...parts);
}
