import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { Dialect } from './enums.js';
import { conditionHolds, type FieldCondition } from './field-condition.js';
import { fieldAt, fieldValue } from './field-path.js';
import { callerParams, type Param, type Shape } from './shape.js';

/**
 * Requirement of a request beyond the fields that are always required: one of several, or one that only some requests
 * need. It is data, beside the shape: both decoders hold requests to it, and references show it.
 */
export interface Need {
  /** Paths from `C2S`: at least one of these fields must say something. */
  readonly oneOf: readonly string[];
  /** Only requests that meet this need it. */
  readonly when?: FieldCondition;
  /** References, schemas and tools say nothing of it: the texts of its fields do. */
  readonly unspoken?: true;
  /** Another field that may be needed, which the request alone does not tell: for refusals. */
  readonly goesWith?: string;
  /** Requests that meet this do without. */
  readonly unless?: FieldCondition;
  /** Most entries, where the field is a list. */
  readonly entriesMax?: number;
}

/** A need that a message does not meet. */
export interface Unmet {
  /** Path from `C2S` of the first field that would meet it. */
  readonly path: string;
  /** "required when unlock is true". */
  readonly text: string;
  /** "1 to 10 entries", where nothing but a list meets it. */
  readonly entries?: string;
}

/**
 * Holds a message to needs: looks for what it says before anything is filled in, and gives back what tells the unmet ones once
 * its defaults are there, which conditions go by. `nameOf` names fields in its texts.
 */
export type NeedCheck = (message: Message) => (nameOf: FieldNames) => readonly Unmet[];

const met = () => [];

/** How a decoder's callers call a field, by its path from `C2S`. */
export type FieldNames = (path: string) => string;

/** Compiles the needs of a message. */
export function needCheck(desc: DescMessage, shape: Shape, needs: readonly Need[]): NeedCheck {
  const checks = needs.map((need) => {
    const { oneOf, when, unless, goesWith, entriesMax } = need;
    const values = oneOf.map((path) => fieldValue(desc, path));
    const applies = when === undefined ? undefined : conditionHolds(desc, when);
    const excused = unless === undefined ? undefined : conditionHolds(desc, unless);
    const [path = ''] = oneOf;
    const isList = oneOf.length === 1 && fieldAt(desc, path).fieldKind === 'list';
    const entries = entriesMax === undefined ? 'at least one entry' : `1 to ${entriesMax} entries`;
    return {
      unmet: (nameOf: FieldNames): Unmet => ({
        path,
        text: `${needText(shape, need, nameOf)}${goesWith === undefined ? '' : `, with ${goesWith}`}`,
        ...(isList ? { entries } : {}),
      }),
      isSaid: (message: Message) => values.some((value) => saysSomething(value(message))),
      applies: (message: Message) => applies?.(message) !== false && excused?.(message) !== true,
    };
  });
  return (message) => {
    const unsaid = checks.filter(({ isSaid }) => !isSaid(message));
    return unsaid.length === 0 ? met : (nameOf) => unsaid.filter(({ applies }) => applies(message)).map(({ unmet }) => unmet(nameOf));
  };
}

/** "one of order_id, order_id_ex is required", "required when unlock is true", in a caller's words. */
function needText(shape: Shape, { oneOf, when, unless }: Need, nameOf: FieldNames): string {
  const names = oneOf.map(nameOf);
  const what = names.length === 1 ? 'required' : `one of ${names.join(', ')} is required`;
  const says = (condition: FieldCondition) => conditionText(shape, condition, nameOf);
  return [what, ...(when === undefined ? [] : [`when ${says(when)}`]), ...(unless === undefined ? [] : [`unless ${says(unless)}`])].join(
    ' ',
  );
}

/** Needs that a parameter is the first to meet, for its readers: "One of order_id, order_id_ex is required.", "Required when op is DEL or MODIFY." */
export function needHint(shape: Shape, needs: readonly Need[], { field }: Param, dialect: Dialect): string {
  const names = new Map(callerParams(shape, dialect).map((param) => [param.field, param.name]));
  const texts = needs
    .filter(({ oneOf, unspoken }) => oneOf[0] === field && unspoken !== true)
    .map((need) => needText(shape, need, (path) => names.get(path) ?? path));
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

/** "time_in_force is GTD", in a caller's words. */
export function conditionText(shape: Shape, condition: FieldCondition, nameOf: FieldNames): string {
  return `${nameOf(condition.field)} is ${wordOf(shape, condition)}`;
}

function wordOf(shape: Shape, { field, is }: FieldCondition): string {
  const type = shape.find((param: Param) => param.field === field)?.type;
  const member = type?.kind === 'choice' ? type.enumeration.members.find((one) => one.public === is) : undefined;
  return member?.name ?? String(is);
}
