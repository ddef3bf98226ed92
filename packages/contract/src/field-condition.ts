import { type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { fieldNamed, fieldValue } from './field-path.js';

/** Condition on a field of a message. An unset field holds its type's zero: false, 0, or an empty list. */
export interface FieldCondition {
  /** Name of a field of `C2S`, as the `.proto` has it. */
  readonly field: string;
  readonly is: boolean | number | 'empty';
}

/** Whether a message meets a condition. */
export function conditionHolds(desc: DescMessage, { field, is }: FieldCondition): (message: Message) => boolean {
  const value = fieldValue(desc, field);
  if (is === 'empty') return (message) => (value(message) as readonly unknown[] | undefined)?.length === 0;
  const zero = fieldNamed(desc, field).scalar === ScalarType.BOOL ? false : 0;
  return (message) => (value(message) ?? zero) === is;
}
