import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

const root = join(import.meta.dirname, '..', '..');
const sources = join(root, 'src/');
const builtFolder = join(root, 'dist');

/**
 * Has tests import the modules of `src` as they are built, which Node reads by itself: what a daemon is made of is a thousand
 * files, and to transform and hand them over for each test file would take a quarter of the whole run.
 */
export function builtModules(): Plugin {
  return {
    name: 'built-modules',
    enforce: 'pre',
    async resolveId(name, importer, options) {
      const found = importer === undefined ? null : await this.resolve(name, importer, { ...options, skipSelf: true });
      const [path = ''] = found?.id.split('?') ?? [];
      if (!path.startsWith(sources)) return found;
      const built = join(builtFolder, `${path.slice(sources.length, -'.ts'.length)}.js`);
      // Otherwise a test would have two of what is to be one.
      if (!existsSync(built)) throw new Error(`${built} is not built`);
      return built;
    },
  };
}
