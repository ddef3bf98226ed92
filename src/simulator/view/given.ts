import { type DescMessage, isFieldSet, type MessageShape } from '@bufbuild/protobuf';

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
