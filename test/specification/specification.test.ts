import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wrapped } from '../support/markdown.js';

/*
 * The service's requirements, sentence by sentence, and the tests that hold them. `requirements/` has a file per section of the specification,
 * tab-separated: the requirement's id, its sentence, then one or more tests as `file › title`, the title as the file writes it.
 * requirements.md is made from them: run this file with -u after a change.
 */
const root = join(import.meta.dirname, '..', '..');
const folder = join(import.meta.dirname, 'requirements');

interface Requirement {
  readonly id: string;
  readonly sentence: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

const sections = readdirSync(folder)
  .sort()
  .map((name) => {
    const [title = '', ...lines] = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    const requirements = lines.map((line): Requirement => {
      const [id = '', sentence = '', ...tests] = line.split('\t');
      return {
        id,
        sentence,
        tests: tests.map((test) => {
          const [file = '', ...rest] = test.split(' › ');
          return { file, title: rest.join(' › ') };
        }),
      };
    });
    return { name: basename(name, '.tsv'), title, requirements };
  });
const all = sections.flatMap(({ requirements }) => requirements);

/** A test file as the page names it: its path below test/, or from packages/ on, without the ending. */
const shortName = (file: string): string => file.replace(/^test\//, '').replace(/\.test\.ts$/, '');

describe('requirements.md', () => {
  it('names every requirement once', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { id, sentence, tests } of all) expect([id, sentence.length > 0, tests.length > 0], id).toEqual([id, true, true]);
  });

  it('names tests that there are', () => {
    const sources = new Map<string, string>();
    const missing = all.flatMap(({ id, tests }) =>
      tests
        .filter(({ file, title }) => {
          const source = sources.get(file) ?? readFileSync(join(root, file), 'utf8');
          sources.set(file, source);
          const pattern = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
          // The first argument of a call: of `it`, `describe` or a table of cases.
          return !["'", '"', '`'].some((quote) => new RegExp(`\\(\\s*${quote}${pattern}${quote}`).test(source));
        })
        .map(({ file, title }) => `${id}: ${file} › ${title}`),
    );
    expect(missing).toEqual([]);
  });

  it('is the page made from them', async () => {
    const lines = [
      '# The specification, requirement by requirement',
      '',
      ...wrapped(
        `${all.length.toLocaleString('en')} requirements, each with the tests that hold it, as file › title. Made from \`requirements/\` by the test beside it (\`npx vitest run -u test/specification\`); a requirement without a test, or a test that is gone, fails it.`,
      ),
    ];
    const files = new Set<string>();
    for (const { title, requirements } of sections) {
      lines.push('', `## ${title}`, '');
      for (const { id, sentence, tests } of requirements) {
        lines.push(...wrapped(sentence.replaceAll('<', '&lt;'), `- **${id}** `, '  '));
        for (const { file, title: test } of tests) {
          files.add(file);
          lines.push(...wrapped(`[${shortName(file)}] › ${test.replaceAll('<', '&lt;')}`, '  - ', '    '));
        }
      }
    }
    lines.push('', ...[...files].sort().map((file) => `[${shortName(file)}]: ../../${file}`));
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('requirements.md');
  });
});
