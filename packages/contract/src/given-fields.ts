import { isJsonObject, type JsonValue } from './json/value.js';
import { snakeCase } from './names.js';

/** The targets that the request has set, each followed by where. There are few, so that a list is searched faster than a map is made. */
export type Given = string[];

/** Where the request has set the target of a slot before, or the whole that it is a part of. */
export function givenBefore(given: Given, { target, whole }: { readonly target: string; readonly whole: string }): string | undefined {
  for (let index = 0; index < given.length; index += 2) {
    if (given[index] === target || given[index] === whole) return given[index + 1];
  }
  return undefined;
}

/** Whether a request is the message itself under `c2s`, without a field beside it. */
export function isWithinC2s(body: JsonValue | undefined, given: Given): boolean {
  if (!isJsonObject(body) || !isJsonObject(body.c2s)) return false;
  return given.every((where, index) => index % 2 === 0 || where.startsWith('c2s.'));
}

/** The snake_case of a path from `C2S`. */
export function snakePath(path: string): string {
  return path.split('.').map(snakeCase).join('.');
}

/** How a request has written a field: by itself, or as a part of what it has given whole; undefined where it says nothing of it. */
export function writtenName(given: Given, path: string, symbolNames: ReadonlySet<string>): string | undefined {
  for (let index = 0; index < given.length; index += 2) {
    const [target = '', where = ''] = given.slice(index, index + 2);
    if (path === target) return where;
    if (path.startsWith(target) && /[.[]/.test(path.charAt(target.length))) return where + snakePath(path.slice(target.length));
    // The symbol of an order says the market of the security too.
    if (path === 'secMarket' && target === 'code' && symbolNames.has(where.slice(where.lastIndexOf('.') + 1))) return where;
  }
  return undefined;
}
