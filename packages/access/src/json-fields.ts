import type { JsonNode, ObjectNode } from '@svc-gateway/contract/json/document';
import type { TextFault } from '@svc-gateway/contract/json/parse';
import { nearestName } from '@svc-gateway/contract/names';
import { quoted } from '@svc-gateway/contract/shown';
import { err, ok, type Result } from './result.js';

/** Collects what is wrong while a document is checked; of several faults the topmost in the text is reported. */
export class Faults {
  first: TextFault | undefined;

  add(at: number, message: string): undefined {
    if (this.first === undefined || at < this.first.at) this.first = { at, message };
    return undefined;
  }

  /** `value` when nothing is wrong, else the first fault. */
  outcome<T>(value: T | undefined): Result<T, TextFault> {
    if (this.first !== undefined) return err(this.first);
    if (value === undefined) throw new Error('a reader gave no value and no fault');
    return ok(value);
  }
}

/** Reads one value. `path` names it in messages ("keys[0].id"); a fault is added and undefined returned when it is not as it must be. */
export type Read<T> = (node: JsonNode, path: string, faults: Faults) => T | undefined;

/** A value for an error message. */
export function shown(node: JsonNode): string {
  switch (node.kind) {
    case 'string':
      return quoted(node.value);
    case 'number':
      return node.text;
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    case 'array':
      return 'an array';
    case 'object':
      return 'an object';
  }
}

export const readString: Read<string> = (node, path, faults) =>
  node.kind === 'string' ? node.value : faults.add(node.start, `${path} must be a string, found ${shown(node)}`);

/** null stays null; anything else is read by `read`. */
export function nullable<T>(read: Read<T>): Read<T | null> {
  return (node, path, faults) => (node.kind === 'null' ? null : read(node, path, faults));
}

export function listOf<T>(what: string, read: Read<T>): Read<T[]> {
  return (node, path, faults) => {
    if (node.kind !== 'array') return faults.add(node.start, `${path} must be an array of ${what}, found ${shown(node)}`);
    const values: T[] = [];
    for (const [index, item] of node.items.entries()) {
      const value = read(item, `${path}[${index}]`, faults);
      if (value !== undefined) values.push(value);
    }
    return values;
  };
}

/** One of a set of names; the message lists them and suggests the nearest. */
export function oneOf<T extends string>(what: string, accepted: readonly T[]): Read<T> {
  return (node, path, faults) => {
    const name = readString(node, path, faults);
    if (name === undefined) return undefined;
    const known = accepted.find((candidate) => candidate === name);
    return (
      known ??
      faults.add(node.start, `${path}: unknown ${what} ${quoted(name)}${suggestion(name, accepted)}; accepted: ${accepted.join(', ')}`)
    );
  };
}

/** The object's fields after refusing any that `accepted` does not name. */
export function readObject(node: JsonNode, path: string, accepted: readonly string[], faults: Faults): ObjectNode | undefined {
  if (node.kind !== 'object') return faults.add(node.start, `${path === '' ? 'the file' : path} must be an object, found ${shown(node)}`);
  for (const [name, field] of node.fields) {
    if (accepted.includes(name)) continue;
    faults.add(field.start, `unknown field ${quoted(under(path, name))}${suggestion(name, accepted)}; accepted: ${accepted.join(', ')}`);
  }
  return node;
}

/** The field read by `read`; `absent` when the object does not have it. */
export function optionalField<T>(object: ObjectNode, path: string, name: string, read: Read<T>, absent: T, faults: Faults): T | undefined {
  const field = object.fields.get(name);
  return field === undefined ? absent : read(field.value, under(path, name), faults);
}

export function requiredField<T>(object: ObjectNode, path: string, name: string, read: Read<T>, faults: Faults): T | undefined {
  const field = object.fields.get(name);
  if (field === undefined) return faults.add(object.start, `${path === '' ? 'the file' : path} lacks the field "${name}"`);
  return read(field.value, under(path, name), faults);
}

function under(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function suggestion(name: string, accepted: readonly string[]): string {
  const near = nearestName(name, accepted);
  return near === undefined ? '' : `, did you mean "${near}"?`;
}
