import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * The service's requirements, sentence by sentence, and the tests that hold them. `requirements/` has a file per section of the specification,
 * tab-separated: the requirement's id, its sentence, then one or more tests as `file › title`, the title as the file writes it.
 */
const root = join(import.meta.dirname, '..', '..');
const folder = join(import.meta.dirname, 'requirements');

interface Requirement {
  readonly id: string;
  readonly sentence: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

const all = readdirSync(folder)
  .sort()
  .flatMap((name) => {
    const [, ...lines] = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    return lines.map((line): Requirement => {
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
  });

describe('the list of requirements', () => {
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
});
