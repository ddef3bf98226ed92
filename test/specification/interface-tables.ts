import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A field of a documented body, with the fields inside it where the table writes them. */
export interface BodyField {
  readonly name: string;
  readonly inner: readonly string[];
}

/** A row of one of the tables of routes. */
export interface RouteRow {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Scopes that the row, its table's heading or the text above it names. */
  readonly scopes: readonly string[];
  readonly body: readonly BodyField[];
}

export interface ToolEntry {
  readonly tool: string;
  readonly args: readonly string[];
}

export const interfaceText = readFileSync(join(import.meta.dirname, 'interface.md'), 'utf8');

const SCOPE = /\b(?:(?:qot|acc|trade|auth|metrics):[a-z]+|admin)\b/g;

interface Table {
  /** The heading above it, with the text between. */
  readonly above: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Every table of the text, in order. */
function tables(): Table[] {
  const found: { above: string; columns: string[]; rows: string[][] }[] = [];
  let above = '';
  let current: (typeof found)[number] | undefined;
  for (const line of interfaceText.split('\n')) {
    if (!line.startsWith('|')) {
      current = undefined;
      above = line.startsWith('#') ? line : `${above}\n${line}`;
      continue;
    }
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', ''));
    if (current === undefined) {
      current = { above, columns: cells, rows: [] };
      found.push(current);
    } else if (!/^-+$/.test(cells[0] ?? '')) current.rows.push(cells);
  }
  return found;
}

const tableOf = (first: string) => {
  const table = tables().find(({ columns }) => columns.join(' | ') === first);
  if (table === undefined) throw new Error(`no table ${first}`);
  return table;
};

/** The rows of all tables of routes, one for each method and path. */
export function routeRows(): RouteRow[] {
  return tables()
    .filter(({ columns }) => columns.includes('Path'))
    .flatMap(({ above, columns, rows }) =>
      rows.flatMap((cells) => {
        const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
        const place = `${cell('Method')} ${cell('Path').replace(/\(.*?\)/g, '')}`;
        const own = (`${cell('Scope')} ${/scope ([a-z:]+)/.exec(cell('Payload') || cell('Body fields'))?.[1] ?? ''}`.match(SCOPE) ??
          []) as string[];
        const scopes = own.length > 0 ? own : (/[Ss]cope.*|^#.*$|unless stated.*/gm.exec(scopeText(above))?.[0].match(SCOPE) ?? []);
        const methods = place.match(/\b(?:GET|POST)\b/g) ?? ['POST'];
        const paths = place.match(/\/?[a-z][a-z0-9/-]+/g) ?? [];
        const text = ['Payload', 'Body fields', 'Required fields', 'Optional'].map(cell).filter(Boolean).join(', ');
        return paths.flatMap((path) =>
          methods.map((method) => ({
            method: method as RouteRow['method'],
            path: path.startsWith('/') ? path : `/api/${path}`,
            scopes: [...new Set(scopes)],
            body: method === 'GET' && methods.length > 1 ? [] : bodyFields(text),
          })),
        );
      }),
    );
}

/** The heading's own scopes, or the sentence on scopes below it. */
function scopeText(above: string): string {
  const [heading = '', ...text] = above.split('\n');
  return heading.match(SCOPE) === null ? (text.find((line) => line.match(SCOPE)) ?? '') : heading;
}

/** First words of what a cell says beside its fields. */
const WORDS = new Set(
  `none liveness process backend true same subscriptions place modify cancel scope loopback responses own needs each
  optionally disabled returns synchronous synchronously all no accepted experimental stays group_name system_mode at instruments partial a`.split(
    /\s+/,
  ),
);

/** The fields that a cell names: "symbol, period_type int", "header {trd_env, acc_id}", "optional reserved int", "symbol or security". */
function bodyFields(cell: string): BodyField[] {
  const sentence = cell.replace(/\((?:[^()]|\([^()]*\))*\)/g, '').split('. ')[0] ?? '';
  const text = sentence.replaceAll('; ', ', ');
  return splitOutside(text).flatMap((part) => {
    const inner = /\{(.*)\}/.exec(part)?.[1];
    const head = part
      .replace(/[{[].*/, '')
      .replace(/^(?:optional|POST:|at least one non-empty|and)\s+/g, '')
      .trim();
    const names = head.split(/\s+or\s+/).map((word) => word.trim().split(/\s+/)[0] ?? '');
    return names
      .filter((name) => /^[a-z][a-z0-9_]*$/.test(name) && !WORDS.has(name))
      .map((name) => ({
        name,
        inner:
          inner === undefined || /array of/.test(part)
            ? []
            : splitOutside(inner)
                .map((each) => each.trim().split(/\s+/)[0] ?? '')
                .filter((each) => /^[a-z_]+$/.test(each)),
      }));
  });
}

/** Splits at commas outside of brackets. */
function splitOutside(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if ('{[('.includes(character)) depth += 1;
    if ('}])'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part];
}

const ARGUMENT = /\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b(?:symbols?|market|num|begin|end|count|depth|session|c2s|uid|env)\b/g;

/** The tools of the table, each with the arguments that stand behind its name or in brackets. */
export function toolEntries(): ToolEntry[] {
  return tableOf('Group | Tools (prefix svc_) and arguments').rows.flatMap(([group = '', cell = '']) => {
    const ofGroup = group.includes('c2s_json') ? ['c2s_json'] : [];
    const segments = cell.replace(/\([^()]*\)/g, (inner) => inner.replaceAll(/[;,]/g, ' ')).split('; ');
    return segments.flatMap((segment) => {
      const [head = '', args = ''] = segment.split(/: (.*)/s);
      return head.split(', ').flatMap((part) => {
        const [, names = '', brackets = ''] = /^([a-z_ ]+)(.*)$/s.exec(part.trim()) ?? [];
        const own = (args === '' ? brackets : args.replaceAll(/\(.*?\)/g, '')).match(ARGUMENT) ?? [];
        const tools = names.split(' ').filter((word) => word !== '' && word !== 'and');
        return tools.map((tool) => ({ tool: `svc_${tool}`, args: own.length > 0 ? own : ofGroup }));
      });
    });
  });
}

/** The bounds of the table: "1-1000", "0-200", with the default where it says one. */
export function boundRows(): BoundRow[] {
  return tableOf('Item | Bound').rows.flatMap(([item = '', cell = '']) =>
    cell.split(/; (?=[a-z_]+ \d)/).map((bound, index) => {
      const [, name = '', min, max] = /^([a-z_]* ?)(\d+)-(\d+)/.exec(bound) ?? [];
      const fallback = /default (\d+)/.exec(bound)?.[1];
      return {
        item: index === 0 ? item : `${item.split(' ').slice(0, -1).join(' ')} ${name.trim()}`,
        min: numberOf(min),
        max: numberOf(max),
        fallback: numberOf(fallback),
      };
    }),
  );
}

export interface BoundRow {
  readonly item: string;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly fallback: number | undefined;
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
