import { readFileSync } from 'node:fs';

/** This package's folder: one above the sources, and above what is built from them, be it modules or one bundle of them. */
export const packageFolder = new URL('..', import.meta.url);

/** The version of this package, "0.1.0". */
export const packageVersion: string = readVersion(new URL('package.json', packageFolder));

function readVersion(url: URL): string {
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version: string };
  return version;
}
