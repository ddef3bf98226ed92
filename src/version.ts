import { readFileSync } from 'node:fs';

/** The version of this package, "0.1.0". package.json lies one folder above both the sources and what is built from them. */
export const packageVersion: string = readVersion(new URL('../package.json', import.meta.url));

function readVersion(url: URL): string {
  const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version: string };
  return version;
}
