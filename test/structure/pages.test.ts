import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WIDTH } from '../support/markdown.js';

const root = join(import.meta.dirname, '..', '..');
const CELL_WIDTH = 200;
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];

interface Line {
  readonly text: string;
  /** Place as "docs/keys.md:12". */
  readonly place: string;
}

/** Lines of a page that are its own text. Printed sources, whose width is the formatter's, are left out. */
function linesOf(path: string): Line[] {
  let source = false;
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((text, at) => {
      if (text.startsWith('```')) source = text === '```ts';
      return source ? [] : [{ text, place: `${path}:${at + 1}` }];
    });
}

/** A heading's anchor, as code hosts make it. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function anchorsOf(path: string): Set<string> {
  return new Set(linesOf(path).flatMap(({ text }) => (/^#+ /.test(text) ? [anchorOf(text)] : [])));
}

describe.each(pages)('%s', (path) => {
  const lines = linesOf(path);

  it(`has no line of more than ${WIDTH} columns outside tables`, () => {
    const wide = lines.filter(({ text }) => text.length > WIDTH && !text.startsWith('|'));
    expect(wide.map(({ place }) => place)).toEqual([]);
  });

  it(`has no table cell of more than ${CELL_WIDTH} characters`, () => {
    const rows = lines.filter(({ text }) => text.startsWith('|'));
    const wide = rows.filter(({ text }) => text.split(/(?<!\\)\|/).some((cell) => cell.trim().length > CELL_WIDTH));
    expect(wide.map(({ place }) => place)).toEqual([]);
  });

  it('links to files and headings that exist', () => {
    const dead = [...readFileSync(join(root, path), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?(?: "[^"]*")?\)/g)]
      .filter(([, file = '', anchor]) => {
        const target = file === '' ? path : relative(root, join(root, dirname(path), file));
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
      })
      .map(([link]) => link);
    expect(dead).toEqual([]);
  });
});
