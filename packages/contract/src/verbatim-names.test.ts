import { describe, expect, it } from 'vitest';
import { sampleRequest } from '../../../test/support/sample-request.js';
import type { Dialect } from './enums.js';
import { emptyObject, isJsonObject, type JsonObject, type JsonValue } from './json/value.js';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';
import { requestDecoder } from './request.js';

/** A sample message by the names of JSON requests. */
function asJson(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  return bare(Object.entries(value).map(([name, inner]) => [snakeCase(name), asJson(inner)]));
}

function bare(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.assign(emptyObject(), Object.fromEntries(entries));
}

const wrong: readonly JsonValue[] = ['?', -1, 1.5, 2n ** 70n, true, [], ['?'], bare([]), bare([['no_such_field', 1]])];

/** Copies of a message, each without one of its fields or with a value there that few fields take. */
function* variants(message: JsonObject): Iterable<JsonObject> {
  for (const [name, value] of Object.entries(message)) {
    const others = Object.entries(message).filter(([other]) => other !== name);
    yield bare(others);
    for (const other of [...wrong, ...within(value)]) yield bare([...others, [name, other]]);
  }
}

function within(value: JsonValue): readonly JsonValue[] {
  if (isJsonObject(value)) return [...variants(value)];
  const [first] = Array.isArray(value) ? value : [];
  return isJsonObject(first) ? [...variants(first)].map((one) => [first, one]) : [];
}

const withMessage = operations.filter(({ effect, messages }) => effect === 'read' || messages.C2SSchema.fields.length > 0);

it('a field that a tool takes in c2s alone is named so, where the call lacks it too', () => {
  const [operation] = operations.filter(({ name }) => name === 'get_option_quote');
  for (const body of [bare([]), bare([['c2s', bare([])]])])
    expect(requestDecoder(operation!, 'mcp')(body)).toMatchObject({ ok: false, problem: { path: 'c2s.multi_legs' } });
});

describe('what is wrong with a message under c2s is named from c2s on', () => {
  it.each<Dialect>(['rest', 'mcp'])('for callers of %s, in every operation', (dialect) => {
    const bareNames: string[] = [];
    let refused = 0;
    for (const operation of withMessage) {
      const sample = asJson(sampleRequest(operation, operations)) as JsonObject;
      const fields = operation.messages.C2SSchema.fields.map(({ name }): [string, JsonValue] => [snakeCase(name), 1]);
      for (const c2s of [bare([]), bare([['no_such_field', 1]]), ...variants(sample), ...variants(bare(fields))]) {
        const decoded = requestDecoder(operation, dialect)(bare([['c2s', c2s]]));
        if (decoded.ok) continue;
        refused += 1;
        const { kind, path, message } = decoded.problem;
        const named = kind === 'missing_field' ? [...message.matchAll(/(?:missing|,) (?:field )?"([^"]+)"/g)].map(([, name]) => name) : [];
        for (const name of [path, ...named]) if (!name?.startsWith('c2s.')) bareNames.push(`${operation.name}: ${message}`);
      }
    }
    expect(bareNames).toEqual([]);
    expect(refused).toBeGreaterThan(10 * withMessage.length);
  });
});
