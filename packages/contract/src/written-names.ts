import type { Message } from '@bufbuild/protobuf';
import { snakeCase } from './names.js';
import type { FieldNames } from './needs.js';
import type { Operation } from './operation.js';
import { Rejection } from './rejection.js';

const writtenNames = new WeakMap<Message, FieldNames>();

/** Keeps how the caller of a JSON interface has written the fields of a request, for what is found out about it later. */
export function rememberNames(request: Message, nameOf: FieldNames): void {
  writtenNames.set(request, nameOf);
}

/** Gives an order that is part of another one the names of its fields there. */
export function shareNames(from: Message, to: Message): void {
  const nameOf = writtenNames.get(from);
  if (nameOf !== undefined) writtenNames.set(to, nameOf);
}

/** How the caller has written the fields of an order; undefined where the request came as a message. */
export function writtenNamesOf(request: object): FieldNames | undefined {
  return writtenNames.get(request as Message);
}

/** How the caller has written a field of an order, by its path from `C2S`; undefined where the request came as a message. */
export function writtenNameOf(request: object, path: string): string | undefined {
  return writtenNames.get(request as Message)?.(path);
}

/** A refusal that names its field as the caller has written it: "c2s.combo_legs[1].qty_ratio". */
export function asWritten<A>({ shape, messages }: Operation, request: Message, answer: A): A | Rejection {
  if (!(answer instanceof Rejection) || !answer.code.startsWith('request.')) return answer;
  const { field } = answer.details;
  const nameOf = writtenNames.get(request);
  if (field === undefined || nameOf === undefined) return answer;
  const [, head = '', rest = ''] = /^(\w+)(.*)$/.exec(field) ?? [];
  const named = shape.find((param) => !param.hidden && (param.name === head || param.aliases.includes(head)))?.field;
  const path = named ?? messages.C2SSchema.fields.find(({ name }) => snakeCase(name) === head)?.name;
  const written = path === undefined ? field : nameOf(path + rest);
  if (written === field) return answer;
  const { message } = answer;
  const text = message.startsWith(`${field}:`) ? written + message.slice(field.length) : message.replace(`"${field}"`, `"${written}"`);
  return new Rejection(answer.code, text, { ...answer.details, field: written });
}
