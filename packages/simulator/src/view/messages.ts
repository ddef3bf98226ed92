import { create, type DescMessage, type Message, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';

/** A message as plain fields: those that are undefined are left out, and nested messages may be plain, too. */
export type Fields<T> = T extends Uint8Array
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Fields<Item>[]
    : T extends Message
      ? { readonly [Name in Exclude<keyof T, keyof Message>]?: Fields<T[Name]> | undefined }
      : T;

/** The message of some fields. Throws for a field that it does not have: the compiler misses those in nested lists. */
export function messageOf<Desc extends DescMessage>(schema: Desc, fields: Fields<MessageShape<Desc>>): MessageShape<Desc> {
  checkNames(schema, fields as object);
  return create(schema, fields as MessageInitShape<Desc>);
}

function checkNames(schema: DescMessage, fields: object): void {
  if ('$typeName' in fields) return;
  for (const name in fields) {
    const field = schema.field[name];
    const value = (fields as Record<string, object | undefined>)[name];
    if (field === undefined) throw new Error(`${schema.typeName} has no field ${name}`);
    if (field.message === undefined || value === undefined) continue;
    if (field.fieldKind === 'list') for (const item of value as readonly object[]) checkNames(field.message, item);
    else checkNames(field.message, value);
  }
}

/** The value of an optional field, or undefined when the sender left it out (a message shows the default then). */
export function given<M extends Message, K extends Exclude<keyof M, keyof Message>>(message: M, name: K): M[K] | undefined {
  return Object.hasOwn(message, name) ? message[name] : undefined;
}
