import { type DescMessage, isFieldSet, type MessageShape } from '@bufbuild/protobuf';

/** The fields that have a value: for messages, where one that is not known is left out. */
export function known<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The value of an optional field, or undefined when the sender left it out (a message shows the default then). */
export function given<Desc extends DescMessage, K extends Exclude<keyof MessageShape<Desc>, '$typeName' | '$unknown'> & string>(
  schema: Desc,
  message: MessageShape<Desc>,
  name: K,
): MessageShape<Desc>[K] | undefined {
  const field = schema.field[name];
  if (field === undefined) throw new Error(`${schema.typeName} has no field ${name}`);
  return isFieldSet(message, field) ? message[name] : undefined;
}
