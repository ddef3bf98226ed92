import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Dialect } from './enums.js';
import { conditionHolds, type FieldCondition } from './field-condition.js';
import { fieldValue } from './field-path.js';
import type { Problem } from './problem.js';
import { callerParams, type Param, type Shape } from './shape.js';

/**
 * What a request must say beyond the fields that are always required: one of several, or one that only some requests need.
 * It is data, beside the shape: both decoders hold requests to it, and references tell of it.
 */
export interface Need {
  /** Paths from `C2S`: at least one of these fields must say something. */
  readonly oneOf: readonly string[];
  /** Only requests that meet this need it. */
  readonly when?: FieldCondition;
  /** Requests that meet this do without. */
  readonly unless?: FieldCondition;
}

/** The first need that a message does not meet. */
export type NeedCheck = (message: Message) => Problem | undefined;

/** How a decoder's callers call a field, by its path from `C2S`. */
export type FieldNames = (path: string) => string;

/**
 * Holds a message to needs, before anything is filled in. What each field says on its own is looked at first: its problems are
 * told before these.
 */
export function needCheck(desc: DescMessage, shape: Shape, needs: readonly Need[], nameOf: FieldNames): NeedCheck {
  const checks = needs.map(({ oneOf, when, unless }): NeedCheck => {
    const values = oneOf.map((path) => fieldValue(desc, path));
    const applies = when === undefined ? undefined : conditionHolds(desc, when);
    const excused = unless === undefined ? undefined : conditionHolds(desc, unless);
    const [first = ''] = oneOf.map(nameOf);
    const text = needText(shape, { oneOf, ...(when === undefined ? {} : { when }), ...(unless === undefined ? {} : { unless }) }, nameOf);
    return (message) => {
      if (applies?.(message) === false || excused?.(message) === true) return undefined;
      if (values.some((value) => saysSomething(value(message)))) return undefined;
      return { kind: 'missing_field', path: first, message: `missing field "${first}": ${text}` };
    };
  });
  return (message) => {
    for (const check of checks) {
      const problem = check(message);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** "one of order_id, order_id_ex is required", "required when unlock is true", in a caller's words. */
function needText(shape: Shape, { oneOf, when, unless }: Need, nameOf: FieldNames): string {
  const names = oneOf.map(nameOf);
  const what = names.length === 1 ? 'required' : `one of ${names.join(', ')} is required`;
  const says = (condition: FieldCondition) => `${nameOf(condition.field)} is ${wordOf(shape, condition)}`;
  return [what, ...(when === undefined ? [] : [`when ${says(when)}`]), ...(unless === undefined ? [] : [`unless ${says(unless)}`])].join(
    ' ',
  );
}

/** Needs that a parameter is the first to meet, for its readers: "One of order_id, order_id_ex is required.", "Required when op is DEL or MODIFY." */
export function needHint(shape: Shape, needs: readonly Need[], { field }: Param, dialect: Dialect): string {
  const names = new Map(callerParams(shape, dialect).map((param) => [param.field, param.name]));
  const texts = needs.filter(({ oneOf }) => oneOf[0] === field).map((need) => needText(shape, need, (path) => names.get(path) ?? path));
  // Texts that differ in their last word alone are one sentence.
  const endings = new Map<string, string[]>();
  for (const text of texts) {
    const [, start = '', ending = text] = /^(.* is )(.*)$/.exec(text) ?? [];
    endings.set(start, [...(endings.get(start) ?? []), ending]);
  }
  return [...endings].map(([start, words]) => sentence(`${start}${words.join(', ').replace(/, ([^,]*)$/, ' or $1')}`)).join(' ');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** An id of 0, an empty text and an empty list are what a field holds that was left alone. */
function saysSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== '' && value !== 0n;
}

function wordOf(shape: Shape, { field, is }: FieldCondition): string {
  const type = shape.find((param: Param) => param.field === field)?.type;
  const member = type?.kind === 'choice' ? type.enumeration.members.find((one) => one.public === is) : undefined;
  return member?.name ?? String(is);
}
