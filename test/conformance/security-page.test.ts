import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const page = readFileSync(join(docs, 'security.md'), 'utf8');
const links = [...page.matchAll(/\[([^\]]+)\]\((\.\.\/(?:test|src)\/[^)]+)\)/g)].map(([, title = '', file = '']) => ({ title, file }));

describe('docs/security.md', () => {
  it('has a test for its points', () => {
    expect(links.length).toBeGreaterThan(25);
  });

  it.each(links)('names a test of $file: $title', ({ title, file }) => {
    const source = readFileSync(join(docs, file), 'utf8');
    // Of a table of cases, or of some platforms alone, as well.
    expect(source).toMatch(new RegExp(`\\bit(\\.\\w+\\(.*\\))?\\('${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}'`));
  });
});
