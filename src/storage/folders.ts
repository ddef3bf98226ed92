import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, posix, win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's home folder as the system names it; empty where it names none. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // Without HOME, and of a user that the system does not know.
    return '';
  }
}

/**
 * Why a home folder cannot be used, naming its variable; undefined where it can. Taken as it is, one that is not absolute would
 * put keys into whatever folder the program was started in.
 */
export function homeProblem(home = homeFolder(), platform = process.platform): string | undefined {
  const isAbsolute = platform === 'win32' ? win32.isAbsolute(home) : posix.isAbsolute(home);
  if (isAbsolute) return undefined;
  return `${platform === 'win32' ? 'USERPROFILE' : 'HOME'} must be an absolute path; found ${JSON.stringify(home)}`;
}

/**
 * Where `config.toml`, `keys.json` and `tls/` live: `$SVC_CONFIG_DIR`, else `svc` in the platform's user configuration folder;
 * undefined where that needs a home folder which has a {@link homeProblem}.
 */
export function configFolder(env: Environment = process.env, platform = process.platform, home = homeFolder()): string | undefined {
  if (env.SVC_CONFIG_DIR) return env.SVC_CONFIG_DIR;
  if (platform === 'win32') return userFolder(win32, env.APPDATA, home, ['AppData', 'Roaming'], ['svc']);
  if (platform === 'darwin') return userFolder(posix, undefined, home, MAC_FOLDER, ['svc']);
  return userFolder(posix, env.XDG_CONFIG_HOME, home, ['.config'], ['svc']);
}

/**
 * Where the database, saved credentials and logs live: `$SVC_STATE_DIR`, else `svc` in the platform's user state folder;
 * undefined where that needs a home folder which has a {@link homeProblem}.
 */
export function stateFolder(env: Environment = process.env, platform = process.platform, home = homeFolder()): string | undefined {
  if (env.SVC_STATE_DIR) return env.SVC_STATE_DIR;
  if (platform === 'win32') return userFolder(win32, env.LOCALAPPDATA, home, ['AppData', 'Local'], ['svc']);
  // macOS has one folder for both kinds; state gets a room of its own in it.
  if (platform === 'darwin') return userFolder(posix, undefined, home, MAC_FOLDER, ['svc', 'state']);
  return userFolder(posix, env.XDG_STATE_HOME, home, ['.local', 'state'], ['svc']);
}

/**
 * Makes `folder` and its parents where they do not exist, for the user alone (0700). Throws when that is not possible.
 * Not with Node's `recursive`: where a folder exists and says ENOENT to what is made in it (/proc, an automounter's), it never returns.
 */
export function ensurePrivateFolder(folder: string): void {
  if (madeFolder(folder) || isFolder(folder)) return;
  const parent = dirname(folder);
  if (!isFolder(parent)) ensurePrivateFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
}

/** False where its parent does not exist, or something of its name does. */
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

/** `names` in the folder that a variable names, else in `usual` of the home folder. The XDG base directory specification has relative paths ignored. */
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
