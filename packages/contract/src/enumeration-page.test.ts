import type { DescMessage } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { wrapped } from '../../../test/support/markdown.js';
import { type Enumeration, publicNumbers, writtenValues } from './enums.js';
import { shownEnumeration } from './named-numbers.js';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';

/** Each enumeration with the fields that hold it. */
function enumerationsOf(): Map<Enumeration, Set<string>> {
  const found = new Map<Enumeration, Set<string>>();
  const add = (enumeration: Enumeration, name: string) => {
    const fields = found.get(enumeration) ?? new Set();
    found.set(enumeration, fields.add(name));
  };
  const seen = new Set<DescMessage>();
  const look = (desc: DescMessage): void => {
    if (seen.has(desc)) return;
    seen.add(desc);
    for (const field of desc.fields) {
      if (field.message !== undefined) look(field.message);
      else {
        const enumeration = shownEnumeration(field, 'mcp');
        if (enumeration !== undefined) add(enumeration, snakeCase(field.name));
      }
    }
  };
  for (const { messages, shape } of operations) {
    look(messages.C2SSchema);
    look(messages.S2CSchema);
    for (const { type, name } of shape) if (type.kind === 'choice' || type.kind === 'choices') add(type.enumeration, name);
  }
  return found;
}

/** One enumeration: what REST has for each number of the public protocol, and the names. */
function table(enumeration: Enumeration): string {
  const rest = writtenValues(enumeration, 'rest');
  const names = writtenValues(enumeration, 'mcp');
  return [...publicNumbers(enumeration)]
    .map(([number]) => `| ${number} | ${rest.get(number) ?? ''} | \`${names.get(number) ?? ''}\` |`)
    .join('\n');
}

/** A heading of up to four fields; of more, the first three and a paragraph with all of them. */
function heading(title: string): string[] {
  const names = title.split(', ');
  if (names.length <= 4) return [`## ${title}`];
  return [`## ${names.slice(0, 3).join(', ')} and others`, '', ...wrapped(title)];
}

describe('docs/enumerations.md', () => {
  it('is the page made from the tables', async () => {
    const sections = new Map<string, Set<string>>();
    for (const [enumeration, fields] of enumerationsOf()) {
      const rows = table(enumeration);
      sections.set(rows, new Set([...(sections.get(rows) ?? []), ...fields]));
    }
    const titled = [...sections].map(([rows, fields]) => [[...fields].sort().join(', '), rows] as const);
    titled.sort(([a], [b]) => (a < b ? -1 : 1));
    const page = [
      '# Enumerations',
      '',
      'Look up what a number or a word means, by the JSON name of its field:',
      '',
      '| column | read by |',
      '|---|---|',
      '| public | gRPC, core WebSocket, core TCP |',
      '| REST | REST and `/ws` |',
      '| name | tools, and REST with `X-Svc-Enums: names` |',
      '',
      '**`kl_type` 1 is a day on REST**, and a minute in the public protocol. Inside a `c2s` that is given as it is, the public',
      'numbers of `kl_type` count.',
      '',
      'An operation may take fewer than its enumeration has: its entry in `/docs` lists them. Made from the tables by',
      '`npx vitest run -u packages/contract/src/enumeration-page.test.ts`.',
      ...titled.flatMap(([title, rows]) => ['', ...heading(title), '', '| public | REST | name |', '|---|---|---|', rows]),
    ];
    await expect(`${page.join('\n')}\n`).toMatchFileSnapshot('../../../docs/enumerations.md');
  });
});
