import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A call of `examples/requests.http`, its variables not yet filled in. */
export interface RequestExample {
  readonly title: string;
  /** By which later calls refer to its answer. */
  readonly name: string | undefined;
  readonly method: string;
  readonly path: string;
  /** Beside that of the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined where the call has none. */
  readonly body: string | undefined;
}

const file = join(import.meta.dirname, '..', '..', 'examples', 'requests.http');

/** Every call of the file, in its order. */
export function requestExamples(): RequestExample[] {
  const [, ...blocks] = readFileSync(file, 'utf8').split(/^### /m);
  return blocks.map((block) => {
    const [title = '', ...lines] = block.split('\n');
    const comments = lines.filter((line) => line.startsWith('#'));
    const [head = '', ...body] = lines
      .filter((line) => !line.startsWith('#'))
      .join('\n')
      .trim()
      .split('\n\n');
    const [, method = '', path = '', others = ''] =
      /^(GET|POST) \{\{url\}\}(\S+)\nAuthorization: Bearer \{\{key\}\}((?:\n[\w-]+: .+)*)$/.exec(head) ?? [];
    if (path === '') throw new Error(`"${title}" is no call: ${head}`);
    const name = comments.flatMap((line) => /^# @name (\w+)$/.exec(line)?.[1] ?? [])[0];
    const headers = Object.fromEntries([...others.matchAll(/^([\w-]+): (.+)$/gm)].map(([, header = '', value = '']) => [header, value]));
    return { title, name, method, path, headers, body: body.length === 0 ? undefined : body.join('\n\n') };
  });
}

/** The variables that the file sets at its beginning. */
export function exampleVariables(): Record<string, string> {
  return Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^@(\w+) = (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/**
 * A text with `{{name}}` and `{{call.response.body.$.path[0].field}}` filled in. Throws where one says nothing.
 *
 * @param variables by name
 * @param answers bodies of earlier calls, by the names of these
 */
export function fillIn(text: string, variables: Readonly<Record<string, string>>, answers: ReadonlyMap<string, unknown>): string {
  return text.replace(/\{\{(.+?)\}\}/g, (reference, inner: string) => {
    const [name = '', path] = inner.split('.response.body.$.');
    const value = path === undefined ? variables[name] : valueAt(answers.get(name), path);
    if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`${reference} is ${value}`);
    return String(value);
  });
}

function valueAt(body: unknown, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], body);
}
