import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

describe('the arrows between folders', () => {
  let copy = '';

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'svc-arrows-'));
    cpSync(join(root, 'src'), copy, { recursive: true, filter: (path) => !path.includes('generated') });
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  function write(path: string, text: string): void {
    const file = join(copy, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Complaints of the check about the copy; empty if all is well. */
  function complaints(): string[] {
    const { stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'arrows.mjs'), copy], { encoding: 'utf8' });
    return stderr.split('\n').filter((line) => line !== '');
  }

  it('are all on the list', () => expect(complaints()).toEqual([]));

  it('are closed to a new folder until the list opens them, in both directions', () => {
    write('reports/daily.ts', `import type { Gateway } from '../gateway/index.js';\nexport type Of = Gateway;\n`);
    write('daemon/uses-reports.ts', `export { type Of } from '../reports/daily.js';\n`);
    expect(complaints()).toEqual([
      'arrows: reports/ is not in arrows.config.mjs: say there what it may import, and who may import it',
      expect.stringMatching(/^arrows: daemon\/uses-reports\.ts:1 imports reports\/daily\.ts; daemon\/ may import control, /),
      'arrows: reports/daily.ts:1 imports gateway/index.ts; reports/ may import nothing of the project',
    ]);
  });

  it.each([
    ['a type', `import type { Gateway } from '../gateway/index.js';\nexport type Of = Gateway;`],
    ['a type inside a type', `export type Of = import('../gateway/index.js').Gateway;`],
    ['a module that is loaded later', `export const load = () => import('../gateway/index.js');`],
    ['a module that is passed on', `export * from '../gateway/index.js';`],
    ['a module for its effect', `import '../gateway/index.js';`],
  ])('hold for %s', (_, text) => {
    write('access/upwards.ts', text);
    expect(complaints()).toEqual([
      'arrows: access/upwards.ts:1 imports gateway/index.ts; access/ may import storage/index.ts, contract, contract/json',
    ]);
  });

  it('end at the face of a folder where it has one', () => {
    write('interfaces/rest/behind.ts', `import { levelFiles } from '../../storage/level-files.js';\nexport { levelFiles };\n`);
    write('gateway/behind.ts', `export * from '../access/keyring.js';\n`);
    expect(complaints()).toEqual([
      expect.stringMatching(/^arrows: gateway\/behind\.ts:1 imports access\/keyring\.ts; gateway\/ may import .*access\/index\.ts/),
      expect.stringMatching(/^arrows: interfaces\/rest\/behind\.ts:1 imports storage\/level-files\.ts; /),
    ]);
  });

  it('never go in a circle, of types neither', () => {
    write('wire/one.ts', `import type { Two } from './two.js';\nexport type One = Two | 1;\n`);
    write('wire/two.ts', `import type { One } from './one.js';\nexport type Two = One | 2;\n`);
    expect(complaints()).toEqual(['arrows: import circle, types included: wire/one.ts, wire/two.ts']);
  });

  it('name a folder that is on the list and is gone', () => {
    rmSync(join(copy, 'wire'), { recursive: true });
    expect(complaints()).toContain('arrows: wire/ is in arrows.config.mjs and holds no file: take it out');
  });
});
