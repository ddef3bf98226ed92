import { quoted, shown } from '../shown.js';
/**
 * JSON values without loss. Integers that a double cannot hold exactly are bigints; a fraction whose digits a double
 * would change is kept as its text. Objects inherit no names, so any field name is safe.
 */
export type JsonValue = null | boolean | number | bigint | string | InexactNumber | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

// An object of a constructor whose prototype is empty and at the end of its chain is one in the engine's fast form,
// which one of Object.create(null) is not.
function Bare(): void {}
Bare.prototype = Object.create(null);
const BareObject = Bare as unknown as new () => JsonObject;

/** An object without any name, inherited ones included: any field name is safe in it. */
export function emptyObject(): JsonObject {
  return new BareObject();
}

/** A number with more digits than a double carries, as it was written. */
export class InexactNumber {
  constructor(readonly text: string) {}
}

/** Kind of a value, in words for error texts: `a string`, `null`, `an array`. */
export function describeJson(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof InexactNumber) return `the number ${shown(value.text)}`;
  switch (typeof value) {
    case 'string':
      return `the string ${quoted(value)}`;
    case 'object':
      return 'an object';
    default:
      return typeof value === 'boolean' ? String(value) : `the number ${shown(String(value))}`;
  }
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof InexactNumber);
}
