import { existsSync, readFileSync } from 'node:fs';

/** The folder of the program, whether this is its source, a module compiled from it, or part of a bundle: the nearest one that holds bin/svcd. */
export const packageFolder: URL = nearestAbove(new URL('.', import.meta.url));

/** The version of this package, "0.1.0". */
export const packageVersion: string = readVersion(new URL('package.json', packageFolder));

function readVersion(url: URL): string {
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version: string };
  return version;
}

function nearestAbove(folder: URL): URL {
  if (existsSync(new URL('bin/svcd', folder))) return folder;
  const parent = new URL('..', folder);
  if (parent.href === folder.href) throw new Error('bin/svcd is missing');
  return nearestAbove(parent);
}
