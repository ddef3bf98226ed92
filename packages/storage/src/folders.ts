import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, posix, win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Home folder of the user; empty if the system names none. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // HOME is unset and the system does not know the user.
    return '';
  }
}

/**
 * Reason why a home folder cannot be used, with the name of its variable; undefined if it can. A relative one would put keys
 * into the folder that the program was started in.
 */
export function homeProblem(home = homeFolder(), platform = process.platform): string | undefined {
  const isAbsolute = platform === 'win32' ? win32.isAbsolute(home) : posix.isAbsolute(home);
  if (isAbsolute) return undefined;
  return `${platform === 'win32' ? 'USERPROFILE' : 'HOME'} must be an absolute path; found ${JSON.stringify(home)}`;
}

/**
 * Folder of `config.toml`, `keys.json` and `tls/`: `$SVC_CONFIG_DIR`, else `svc` in the platform's user configuration folder;
 * undefined if that needs a home folder which has a {@link homeProblem}.
 */
export function configFolder(env: Environment = process.env, platform = process.platform, home = homeFolder()): string | undefined {
  if (env.SVC_CONFIG_DIR) return env.SVC_CONFIG_DIR;
  if (platform === 'win32') return userFolder(win32, env.APPDATA, home, ['AppData', 'Roaming'], ['svc']);
  if (platform === 'darwin') return userFolder(posix, undefined, home, MAC_FOLDER, ['svc']);
  return userFolder(posix, env.XDG_CONFIG_HOME, home, ['.config'], ['svc']);
}

/**
 * Folder of the database, saved credentials and logs: `$SVC_STATE_DIR`, else `svc` in the platform's user state folder;
 * undefined if that needs a home folder which has a {@link homeProblem}.
 */
export function stateFolder(env: Environment = process.env, platform = process.platform, home = homeFolder()): string | undefined {
  if (env.SVC_STATE_DIR) return env.SVC_STATE_DIR;
  if (platform === 'win32') return userFolder(win32, env.LOCALAPPDATA, home, ['AppData', 'Local'], ['svc']);
  // macOS has one folder for configuration and state: state goes into a subfolder.
  if (platform === 'darwin') return userFolder(posix, undefined, home, MAC_FOLDER, ['svc', 'state']);
  return userFolder(posix, env.XDG_STATE_HOME, home, ['.local', 'state'], ['svc']);
}

/**
 * Makes `folder` and its missing parents, for the user alone (0700). Throws if that fails. Node's `recursive` never returns
 * where a folder exists and answers ENOENT to everything made in it (/proc, an automounter's).
 */
export function ensurePrivateFolder(folder: string): void {
  if (madeFolder(folder) || isFolder(folder)) return;
  const parent = dirname(folder);
  if (!isFolder(parent)) ensurePrivateFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
}

/** False if its parent does not exist, or something of its name does. */
function madeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EEXIST') return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const MAC_FOLDER = ['Library', 'Application Support'];

/** Path `names` in the folder given by a variable, else in `usual` of the home folder. Relative paths in variables are ignored, as the XDG base directory specification demands. */
function userFolder(
  { isAbsolute, join }: typeof posix,
  named: string | undefined,
  home: string,
  usual: readonly string[],
  names: readonly string[],
): string | undefined {
  if (named !== undefined && isAbsolute(named)) return join(named, ...names);
  return isAbsolute(home) ? join(home, ...usual, ...names) : undefined;
}
