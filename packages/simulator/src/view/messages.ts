import { create, type DescMessage, isMessage, type Message, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';

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
  if (isMessage(fields)) return;
  for (const [name, value] of Object.entries(fields)) {
    const { [name]: field } = schema.field;
    if (field === undefined) throw new Error(`${schema.typeName} has no field ${name}`);
    if (field.message === undefined || value === undefined) continue;
    for (const item of field.fieldKind === 'list' ? value : [value]) checkNames(field.message, item);
  }
}

/** The value of an optional field, or undefined when the sender left it out (a message shows the default then). */
export function given<M extends Message, K extends Exclude<keyof M, keyof Message>>(message: M, name: K): M[K] | undefined {
  return Object.hasOwn(message, name) ? message[name] : undefined;
}
