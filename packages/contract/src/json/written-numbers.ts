import type { Problem } from '../problem.js';
import type { JsonObject, JsonValue } from './value.js';

/** Texts of numbers by name or index: a symbol, which copies of an object keep and loops over its names pass over. */
const TEXTS = Symbol('texts of numbers');

type Holder = (JsonObject | JsonValue[]) & { [TEXTS]?: Map<string, string> };

/** Keeps the text of a number that is shown otherwise: "2.2e17", "1.50". */
export function keepText(holder: JsonObject | JsonValue[], key: string | number, text: string): void {
  const own = holder as Holder;
  own[TEXTS] ??= new Map();
  own[TEXTS].set(String(key), text);
}

/** Gives an object the texts of the one that its values are from. */
export function shareTexts(from: JsonObject, to: JsonObject): void {
  const texts = (from as Holder)[TEXTS];
  if (texts !== undefined) (to as Holder)[TEXTS] = texts;
}

/** A problem of a body that repeats the number it is about as the body has it. */
export function withWrittenNumber(problem: Problem, body: JsonValue | undefined): Problem {
  const { path, message } = problem;
  const names = path.split(/[.[\]]+/).filter((name) => name !== '');
  const key = names.pop();
  let holder: unknown = body;
  for (const name of names) holder = (holder as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  const text = key === undefined ? undefined : (holder as Holder | null | undefined)?.[TEXTS]?.get(key);
  if (key === undefined || text === undefined) return problem;
  const shown = String((holder as Readonly<Record<string, unknown>>)[key]);
  // A message says what it found at its end, or begins with it: "depth: 41 is out of range".
  for (const before of ['found the number ', `${path}: the number `, `${path}: `]) {
    const at = message.lastIndexOf(before + shown);
    const start = at + before.length;
    if (at !== -1) return { ...problem, message: `${message.slice(0, start)}${text}${message.slice(start + shown.length)}` };
  }
  return problem;
}
