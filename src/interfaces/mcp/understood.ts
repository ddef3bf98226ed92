import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '../../contract/operation.js';
import type { Additions } from './result.js';

/**
 * How the enumerations of a write were understood, by name: `{"env":"simulate","side":"BUY","order_type":"AUCTION"}`. The
 * numbers of `order_type` mean other things on other interfaces, so the answer to a write says what was meant.
 */
export function understood({ effect, shape }: Operation, request: Message): Additions {
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

/** The value at a path of proto field names: "header.trdEnv"; undefined where a part of the way was not given. */
function valueAt(request: Message, path: string): unknown {
  let value: unknown = request;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
