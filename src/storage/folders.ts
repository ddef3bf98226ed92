import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, posix, win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where `config.toml`, `keys.json` and `tls/` live: `$SVC_CONFIG_DIR`, else `svc` in the platform's user configuration folder. */
export function configFolder(env: Environment = process.env, platform = process.platform, home = homedir()): string {
  if (env.SVC_CONFIG_DIR) return env.SVC_CONFIG_DIR;
  if (platform === 'win32') return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), 'svc');
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'svc');
  return posix.join(xdgFolder(env.XDG_CONFIG_HOME, home, '.config'), 'svc');
}

/** Where the database, saved credentials and logs live: `$SVC_STATE_DIR`, else `svc` in the platform's user state folder. */
export function stateFolder(env: Environment = process.env, platform = process.platform, home = homedir()): string {
  if (env.SVC_STATE_DIR) return env.SVC_STATE_DIR;
  if (platform === 'win32') return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'svc');
  // macOS has one folder for both kinds; state gets a room of its own in it.
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'svc', 'state');
  return posix.join(xdgFolder(env.XDG_STATE_HOME, home, posix.join('.local', 'state')), 'svc');
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

/** The XDG base directory specification has relative paths ignored. */
function xdgFolder(value: string | undefined, home: string, fallback: string): string {
  return value?.startsWith('/') ? value : posix.join(home, fallback);
}
