import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const SCOPE = '@svc-gateway/';
const names = readdirSync(join(root, 'packages'))
  .filter((name) => existsSync(join(root, 'packages', name, 'package.json')))
  .sort();

it.each(names)('%s has the compiler build the packages that it depends on first, and no others', (name) => {
  const read = (file: string) => readFileSync(join(root, 'packages', name, file), 'utf8').replace(/^\s*\/\/.*$/gm, '');
  const { dependencies = {} } = JSON.parse(read('package.json')) as { dependencies?: Record<string, string> };
  const { references = [] } = JSON.parse(read('tsconfig.json')) as { references?: { path: string }[] };
  const own = Object.keys(dependencies).filter((dependency) => dependency.startsWith(SCOPE));
  expect(references.map(({ path }) => path).sort()).toEqual(own.map((dependency) => `../${dependency.slice(SCOPE.length)}`).sort());
});

it('the whole is made of every package', () => {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { references: { path: string }[] };
  // The console's code is the browser's and is checked with its types.
  expect(references.map(({ path }) => path).sort()).toEqual(names.filter((name) => name !== 'console').map((name) => `packages/${name}`));
});
