import type { DescMessage } from '@bufbuild/protobuf';
import { isRequiredField } from './json/message-json.js';
import type { Operation } from './operation.js';
import type { Param } from './shape.js';

/** Whether nothing but this parameter says what the message cannot do without. */
export function isRequired({ shape, messages }: Operation, param: Param): boolean {
  if ('default' in param) return false;
  if (param.required) return true;
  // The symbol of an order says its code, and its trading market too.
  const bySymbol = shape.some(({ type }) => type.kind === 'order_symbol') ? ['code', 'header.trdMarket'] : [];
  const filled = shape.some((other) => other.hidden && other.field === param.field);
  return (
    !filled &&
    param.type.kind !== 'order_symbol' &&
    !bySymbol.includes(param.field) &&
    isRequiredPath(messages.C2SSchema, param.field.split('.'))
  );
}

function isRequiredPath(desc: DescMessage, [head, ...tail]: readonly string[]): boolean {
  const field = desc.fields.find(({ name }) => name === head);
  if (field === undefined || !isRequiredField(field)) return false;
  return tail.length === 0 || (field.message !== undefined && isRequiredPath(field.message, tail));
}
