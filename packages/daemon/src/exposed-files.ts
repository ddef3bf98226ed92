import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ResolvedSettings } from './settings.js';
import { settingNames, settingOf } from './settings-table.js';

/** Something of the daemon's on disk. */
interface OwnFile {
  readonly what: string;
  readonly path: string;
  /** Its content is nobody else's business: reading it is a fault as well as writing. */
  readonly isSecret: boolean;
}

const OTHERS_READ = 0o044;
const ANYBODY_READS = 0o004;
const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const PERMISSIONS = 0o777;

/**
 * Names files and folders of the daemon that other users of the machine can write, or read though they hold secrets, and the
 * folders above by which a file could be replaced. Sentences for the operator. POSIX permissions only: elsewhere none are named.
 */
export function exposedFiles({ settings, sources }: Pick<ResolvedSettings, 'settings' | 'sources'>): string[] {
  const userId = process.getuid?.();
  if (userId === undefined) return [];
  const configPath = join(settings.configDir, 'config.toml');
  const hasPassword = settingNames.some((name) => settingOf(name).secret === true && sources.get(name)?.startsWith(configPath) === true);
  const kept: OwnFile[] = [];
  const add = (what: string, path: string | null, isSecret: boolean) => {
    if (path !== null) kept.push({ what, path, isSecret });
  };
  add('state folder', settings.stateDir, true);
  add('configuration folder', settings.configDir, false);
  add('configuration', configPath, hasPassword);
  add('keys file', settings.restKeysFile, true);
  add('TLS certificate', settings.restTlsCert, false);
  add('TLS key', settings.restTlsKey, true);
  add('RSA key', settings.apiRsaKey, true);
  add('RSA key of the upstream', settings.upstreamRsaKey, true);
  add('recordings', settings.record, true);
  add('audit file', settings.auditLog, true);
  const faults = kept.flatMap((each) => faultsOf(each, userId));
  // Several of them lie in the same folder.
  return [...new Set(faults)];
}

function faultsOf({ what, path, isSecret }: OwnFile, userId: number): string[] {
  const real = resolved(path);
  if (real === undefined) return [];
  const stats = statSync(real);
  // Anything that is no file and no folder, such as /dev/stderr, is the system's.
  if (!stats.isFile() && !stats.isDirectory()) return [];
  // A secret of root's that a group may read is one that was given to the daemon's group.
  const isShared = stats.uid === 0 && userId !== 0;
  const reading = !isSecret ? 0 : isShared ? ANYBODY_READS : OTHERS_READ;
  const own = (stats.mode & (reading | OTHERS_WRITE)) !== 0 ? [exposed(`${what} ${path}`, stats, reading)] : [];
  const foreign = isOfAnother(stats, userId) ? [`${what} ${path} belongs to another user (id ${stats.uid}), who can change it`] : [];
  return [...own, ...foreign, ...foldersAbove(real).flatMap((folder) => replaceable(folder))];
}

function exposed(name: string, stats: Stats, reading: number): string {
  const verbs = [...((stats.mode & reading) !== 0 ? ['read'] : []), ...((stats.mode & OTHERS_WRITE) !== 0 ? ['written'] : [])];
  const remedy = reading === 0 ? 'go-w' : stats.isDirectory() ? '700' : reading === ANYBODY_READS ? '640' : '600';
  return `${name} can be ${verbs.join(' and ')} by other users (mode ${modeOf(stats)}): chmod ${remedy} it`;
}

/** In a folder that others can write, and that has no sticky bit, they can put another file in a file's place. */
function replaceable(folder: string): string[] {
  const stats = lstatSync(folder);
  if ((stats.mode & OTHERS_WRITE) === 0 || (stats.mode & STICKY) !== 0) return [];
  return [`folder ${folder} can be written by other users (mode ${modeOf(stats)}), who can replace what lies in it: chmod go-w it`];
}

function isOfAnother({ uid }: Stats, userId: number): boolean {
  return uid !== userId && uid !== 0;
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

/** undefined for what is not there or cannot be looked at. */
function resolved(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function modeOf({ mode }: Stats): string {
  return (mode & PERMISSIONS).toString(8).padStart(4, '0');
}
