import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const page = readFileSync(join(docs, 'security.md'), 'utf8');
/** Links to tests. A link's title names the test; a link without one has the test's name for its text. */
const links = [...page.matchAll(/\[([^\]]+)\]\((\.\.\/(?:test|src)\/[^)" ]+)(?: "([^"]+)")?\)/g)].map(
  ([, text = '', file = '', title = text]) => ({ title, file }),
);

describe('docs/security.md', () => {
  it('has a test for its points', () => {
    expect(links.length).toBeGreaterThan(25);
  });

  it.each(links)('names a test of $file: $title', ({ title, file }) => {
    const source = readFileSync(join(docs, file), 'utf8');
    // The title may belong to a table of cases, or to some platforms alone.
    expect(source).toMatch(new RegExp(`\\b(?:it|describe)(\\.\\w+\\(.*\\))?\\('${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}'`));
  });
});
