import { describeJson, isJsonObject, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';

/** Most characters of a text. */
export const TEXT_MAX = 4096;

/** JSON is not as it must be; the text holds no secret. */
export class Malformed extends Error {}

export function wrong(path: string, accepted: string, found: JsonValue | undefined): Malformed {
  return new Malformed(`${path} must be ${accepted}; found ${describeJson(found)}`);
}

export function objectOf(value: JsonValue | undefined, path: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw wrong(path, 'an object', value);
}

/** A text that may be absent or null. Never shown: it may be a secret. */
export function textOf(fields: JsonObject, name: string): string | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || (typeof value === 'string' && value.length <= TEXT_MAX)) return value;
  throw new Malformed(`${name} must be a text of at most ${TEXT_MAX} characters`);
}
