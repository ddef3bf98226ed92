import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import type { ExtraFields } from './result.js';

/**
 * The enumerations of a write by name: `{"env":"simulate","side":"BUY","order_type":"AUCTION"}`. The
 * numbers of `order_type` differ between interfaces, so the answer to a write repeats how they were understood.
 */
export function understood({ effect, shape }: Operation, request: Message): ExtraFields {
  if (effect !== 'order' && effect !== 'write') return {};
  const names: Record<string, string> = {};
  for (const { name, field, type, hidden, only } of shape) {
    if (type.kind !== 'choice' || hidden || only === 'rest') continue;
    const value = valueAt(request, field);
    const member = type.enumeration.members.find((each) => each.public === value);
    if (member !== undefined) names[name] = member.name;
  }
  return Object.keys(names).length === 0 ? {} : { understood: JSON.stringify(names) };
}

/** Value at a path of proto field names, such as "header.trdEnv"; undefined if a part of it is missing. */
function valueAt(request: Message, path: string): unknown {
  let value: unknown = request;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
