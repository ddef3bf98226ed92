import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';

const packages = join(import.meta.dirname, '..', '..', 'packages', '/');
const MODULE = /^([^/]+)\/(?:src|dist)\/(.+)\.[jt]s$/;

/**
 * Resolves the modules of all packages to their sources or to what is compiled of them, however a test names them: there is one of each.
 * Unit tests run the sources. Tests of the whole gateway run the compiled modules, which Node reads by itself: to transform a thousand
 * files for each test file would take a quarter of the run.
 */
export function packageModules(folder: 'src' | 'dist'): Plugin {
  return {
    name: 'package-modules',
    enforce: 'pre',
    async resolveId(name, importer, options) {
      const found = importer === undefined ? null : await this.resolve(name, importer, { ...options, skipSelf: true });
      const [path = ''] = found?.id.split('?') ?? [];
      if (!path.startsWith(packages)) return found;
      const [, packageName = '', module = ''] = MODULE.exec(path.slice(packages.length)) ?? [];
      if (module === '') return found;
      const base = join(packages, packageName, folder, module);
      const file = (folder === 'src' ? ['.ts', '.js'] : ['.js']).map((end) => `${base}${end}`).find((candidate) => existsSync(candidate));
      if (file === undefined) throw new Error(`${path}: there is no such module in ${folder}/`);
      return file;
    },
  };
}
