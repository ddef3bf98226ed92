import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

describe('the check of comments', () => {
  let copy = '';
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'svc-comments-'));
    for (const folder of ['packages/wire/src', 'packages/contract/src/generated', 'test', 'bench', 'scripts', 'proto/svc'])
      mkdirSync(join(copy, folder), { recursive: true });
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  /** Complaints about a copy of the folders with this file in it. */
  function complaints(path: string, ...lines: string[]): string[] {
    writeFileSync(join(copy, path), lines.join('\n'));
    const { stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'comments.mjs'), copy], { encoding: 'utf8' });
    return stderr.split('\n').filter((line) => line !== '');
  }

  it.each([
    ['a doc comment', 'packages/wire/src/a.ts', ['/** What a key may see. */', 'export const a = 1;'], 1, 'What'],
    [
      'a doc comment of several lines',
      'packages/wire/src/a.ts',
      ['/**', ' * Whose orders these are.', ' */', 'export const a = 1;'],
      2,
      'Whose',
    ],
    ['an inner comment', 'bench/a.mjs', ['function a() {', '  // Those that are over.', '}'], 2, 'Those'],
    ['a comment in a protobuf definition', 'proto/svc/a.proto', ['message A {', '  // Of a price: the value.', '}'], 2, 'Of'],
  ])('refuses a fragment in %s', (_, path, lines, line, word) => {
    expect(complaints(path, ...lines)).toEqual([
      `comments: ${path}:${line} begins with "${word}": write a sentence or a noun phrase with its subject first`,
    ]);
  });

  it('accepts comments with their subject first, other words with the same beginning, and generated files', () => {
    expect(
      complaints('packages/wire/src/a.ts', '/** Orders in flight, by id. */', 'const a = 1; // What', '// Offers that ended.'),
    ).toEqual([]);
    expect(complaints('packages/contract/src/generated/a.ts', '/** What. */')).toEqual([]);
  });
});
