import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { childPath, fieldNamed } from './field-path.js';
import type { Fields } from './json/fields.js';
import { snakeCase } from './names.js';
import type { FieldNames } from './needs.js';
import { stop } from './problem.js';

/** Two fields of one message, of which the first must not exceed the second where both are given. */
export interface LeastAndMost {
  readonly least: DescField;
  readonly most: DescField;
}

const words: readonly (readonly [least: string, most: string])[] = [
  ['min', 'max'],
  ['begin', 'end'],
  ['start', 'end'],
  ['from', 'to'],
];

/** The pairs of a message, by their names: "deltaMin" and "deltaMax", "beginTime" and "endTime", "seq_from" and "seq_to". */
export function leastAndMost(desc: DescMessage): readonly LeastAndMost[] {
  const named = new Map(desc.fields.map((field) => [snakeCase(field.name), field]));
  return desc.fields.flatMap((least) => {
    const parts = snakeCase(least.name).split('_');
    return words.flatMap(([from, to]) => {
      const most = parts.includes(from) ? named.get(parts.map((part) => (part === from ? to : part)).join('_')) : undefined;
      return most === undefined || !isComparable(least) || !isComparable(most) ? [] : [{ least, most }];
    });
  });
}

function isComparable(field: DescField): boolean {
  return field.fieldKind === 'scalar' || (field.fieldKind === 'message' && field.message.fields.some(({ name }) => name === 'value'));
}

/** Stops where the least of a pair exceeds the most; the pair's message is at `path`. */
export function orderedRule({ least, most }: LeastAndMost): (message: Message, path: string, nameOf: FieldNames) => void {
  const read = bound(least);
  // An end of 0 is none.
  const isOpen = snakeCase(most.name).includes('end') ? (value: unknown) => value === 0n : () => false;
  return (message, path, nameOf) => {
    const values = message as unknown as Fields;
    if (!Object.hasOwn(values, least.localName) || !Object.hasOwn(values, most.localName)) return;
    const [low, high] = [read(values[least.localName]), read(values[most.localName])];
    if (isOpen(high) || !exceeds(low, high)) return;
    const [first, second] = [nameOf(childPath(path, least.name)), nameOf(childPath(path, most.name))];
    stop('out_of_range', first, `${first}: ${low} exceeds ${second}, which is ${high}; accepted: at most that`);
  };
}

/** Reads what is compared: a number, a time's text, or the value of a boundary. */
function bound(field: DescField): (value: unknown) => unknown {
  if (field.message === undefined) return (value) => value;
  const { localName } = fieldNamed(field.message, 'value');
  return (boundary) => {
    const values = boundary as Fields;
    return Object.hasOwn(values, localName) ? values[localName] : undefined;
  };
}

const TIMES = [/^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}:\d{2}(\.\d+)?)?$/, /^\d{8}$/];

/** A day ends after all of its times: of two texts of different lengths, what both say is compared. */
function exceeds(low: unknown, high: unknown): boolean {
  if (typeof low === 'string' && typeof high === 'string') {
    const length = Math.min(low.length, high.length);
    return TIMES.some((form) => form.test(low) && form.test(high)) && low.slice(0, length) > high.slice(0, length);
  }
  if (typeof low === 'bigint' && typeof high === 'bigint') return low > high;
  return typeof low === 'number' && typeof high === 'number' && low > high;
}
