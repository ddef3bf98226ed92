import { type Group, groups } from '../../contract/operation.js';
import { Rejection } from '../../contract/rejection.js';

/** Reads a list of toolsets, "quote,account": the groups of operations. undefined or empty = all of them. */
export function readToolsets(text: string | readonly string[] | undefined): ReadonlySet<Group> | undefined | Rejection {
  const names = String(text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return undefined;
  const unknown = names.find((name) => !isGroup(name));
  if (unknown !== undefined) {
    const message = `toolsets: unknown toolset ${JSON.stringify(unknown.slice(0, 40))}, accepted: ${groups.join(', ')}`;
    return new Rejection('request.out_of_range', message, { field: 'X-Svc-Toolsets' });
  }
  return new Set(names.filter(isGroup));
}

function isGroup(name: string): name is Group {
  return (groups as readonly string[]).includes(name);
}
