/** The calls of examples/requests.http, in their order: what the bench asks of each operation. */
import { readFileSync } from 'node:fs';

const file = new URL('../../examples/requests.http', import.meta.url);

/**
 * `{ title, name, method, path, headers, body }`; `headers` are those beside the key's, `name` and `body` are undefined where a call has none, and texts
 * are not yet filled in.
 */
export function examples() {
  const text = readFileSync(file, 'utf8');
  return text
    .split(/^### /m)
    .slice(1)
    .map((block) => {
      const [title, ...lines] = block.split('\n');
      const [, method, path] = /^(GET|POST) \{\{url\}\}(\S+)$/m.exec(block) ?? [];
      const [, name] = /^# @name (\w+)$/m.exec(block) ?? [];
      const [head, ...body] = lines
        .filter((line) => !line.startsWith('#'))
        .join('\n')
        .trim()
        .split('\n\n');
      const others = [...head.matchAll(/^([\w-]+): (.+)$/gm)].filter(([, header]) => header !== 'Authorization');
      const headers = Object.fromEntries(others.map(([, header, value]) => [header, value]));
      return { title, name, method, path, headers, body: body.length === 0 ? undefined : body.join('\n\n') };
    });
}

/** The variables of the file, filled into a text, and what calls by a name have answered. */
export function fillIn(text, answers) {
  const variables = Object.fromEntries(
    [...readFileSync(file, 'utf8').matchAll(/^@(\w+) = (.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  return text.replace(/\{\{(.+?)\}\}/g, (_, inner) => {
    const [name, path] = inner.split('.response.body.$.');
    if (path === undefined) return variables[name];
    return path.split(/[.[\]]+/).reduce((at, step) => (step === '' ? at : at[step]), answers.get(name));
  });
}
