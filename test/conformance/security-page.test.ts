import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const page = readFileSync(join(docs, 'security.md'), 'utf8');
/** Footnotes: `[^mark]: [file](path):`, then the test's title on indented lines. */
const notes = [...page.matchAll(/^\[\^([\w-]+)\]: \[[^\]]+\]\(([^)]+)\):\n((?: {4}.+\n)+)/gm)].map(
  ([, mark = '', file = '', lines = '']) => ({ mark, file, title: lines.trim().replace(/\n */g, ' ') }),
);
/** Links to tests within the text. A link's title names the test. */
const links = [...page.matchAll(/\[([^\]]+)\]\((\.\.\/(?:test|packages)\/[^)" ]+) "([^"]+)"\)/g)].map(([, , file = '', title = '']) => ({
  file,
  title,
}));
const marks = [...page.matchAll(/\[\^([\w-]+)\](?!:)/g)].map(([, mark]) => mark);

describe('docs/security.md', () => {
  it('has a test for its points', () => {
    expect(notes.length).toBeGreaterThan(150);
  });

  it('has a footnote for each mark, and a mark for each footnote', () => {
    expect(notes.map(({ mark }) => mark).sort()).toEqual([...new Set(marks)].sort());
  });

  it.each([...notes, ...links])('names a test of $file: $title', ({ title, file }) => {
    const source = readFileSync(join(docs, file), 'utf8');
    // A table of cases, or a test of some platforms alone, is accepted as well.
    expect(source).toMatch(new RegExp(`\\b(?:it|describe)(\\.\\w+\\(.*\\))?\\('${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}'`));
  });
});
