import { describeJson, type JsonValue } from './json/value.js';
import { isCode } from './markets.js';
import { stop } from './problem.js';
import type { Param, ParamType } from './shape.js';
import { isTimeText } from './text-formats.js';

/**
 * Rule for a parameter's value in the message, whichever interface it came by: bounds, lengths, times. It throws a
 * problem that names `path`.
 */
export type ParamRule = (value: unknown, path: string) => void;

/** The rule of a parameter; undefined where its type says it all. Enumerations are not rules: each interface has its own numbers. */
export function paramRule(param: Param): ParamRule | undefined {
  const { type, required } = param;
  if ('exactly' in param) return onlyValue(param.exactly);
  switch (type.kind) {
    case 'integer':
      return type.min === undefined && type.max === undefined ? undefined : range(type);
    case 'number':
      if (type.above !== undefined) return above(type.above, type.max);
      return type.min === undefined && type.max === undefined ? undefined : range(type);
    case 'symbols':
    case 'texts':
    case 'ids':
      return length(type.max, required);
    case 'choices':
      return choiceList(type, required);
    case 'text':
      return type.maxBytes === undefined && type.format === undefined ? undefined : textRule(type, required);
    case 'code':
      return securityCode;
    case 'time':
      return param.absenceCounts && !required ? timeOrNone : time;
    default:
      return undefined;
  }
}

/** Accepts a fixed value that may be repeated and not contradicted. */
function onlyValue(accepted: unknown): ParamRule {
  return (value, path) => {
    if (value !== accepted) stop('invalid', path, `${path}: expected ${accepted}, the only value for this operation; found ${value}`);
  };
}

function range({ min, max }: { readonly min?: number | undefined; readonly max?: number | undefined }): ParamRule {
  const accepted = max === undefined ? `at least ${min}` : min === undefined ? `at most ${max}` : `${min} to ${max}`;
  return (value, path) => {
    const number = value as number;
    // NaN, which only the wire of protobuf can carry, lies in no range.
    if ((min === undefined || number >= min) && (max === undefined || number <= max)) return;
    stop('out_of_range', path, `${path}: ${number} is out of range, accepted: ${accepted}`);
  };
}

function above(bound: number, max: number | undefined): ParamRule {
  const accepted = `above ${bound}${max === undefined ? '' : `, at most ${max}`}`;
  return (value, path) => {
    const number = value as number;
    if (number > bound && (max === undefined || number <= max)) return;
    stop('out_of_range', path, `${path}: ${number} is out of range, accepted: ${accepted}`);
  };
}

function length(max: number, required: boolean): ParamRule {
  return (value, path) => {
    const list = value as readonly unknown[];
    if (list.length > max) stop('out_of_range', path, `${path}: ${list.length} entries are too many; at most ${max} are accepted`);
    if (list.length === 0 && required) stop('out_of_range', path, `${path}: expected at least one entry, found none`);
  };
}

function choiceList({ enumeration, alone }: Extract<ParamType, { kind: 'choices' }>, required: boolean): ParamRule {
  const rule = length(enumeration.members.length, required);
  return (value, path) => {
    rule(value, path);
    const list = value as readonly number[];
    if (alone !== undefined && list.length > 1 && list.includes(alone))
      stop('invalid', path, `${path}: ${alone} stands alone; found ${list.length} entries`);
  };
}

function textRule({ maxBytes, format }: Extract<ParamType, { kind: 'text' }>, required: boolean): ParamRule {
  return (value, path) => {
    const text = value as string;
    const size = Buffer.byteLength(text);
    if (maxBytes !== undefined && size > maxBytes)
      stop('out_of_range', path, `${path}: ${size} bytes are too long; at most ${maxBytes} are accepted`);
    if (format === undefined || (text === '' && !required) || format.accepts(text)) return;
    const found = format.secret === true ? 'another text' : describeJson(text);
    stop('invalid', path, `${path}: expected ${format.expected}, found ${found}`);
  };
}

/** It goes into the question that a person is asked about an order: there is no room in a code for words to them. */
function securityCode(value: unknown, path: string): void {
  if (isCode(value as string)) return;
  const found = describeJson(value as JsonValue);
  stop(
    'invalid',
    path,
    `${path}: expected the code of a security (such as "00700"), without spaces and of at most 64 characters, found ${found}`,
  );
}

/** An empty text is what published clients send for a time that they leave open. */
function timeOrNone(value: unknown, path: string): void {
  if (value !== '') time(value, path);
}

/** Where a date is meant, programs give a time as often as not: its day counts. */
function time(value: unknown, path: string): void {
  if (typeof value === 'string' && isTimeText(value)) return;
  stop(
    typeof value === 'string' ? 'invalid' : 'wrong_type',
    path,
    `${path}: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, found ${describeJson(value as JsonValue)}`,
  );
}
