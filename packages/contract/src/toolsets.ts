import { type Group, groups } from './operation.js';

/** Tools that a language model is shown. */
export interface Toolsets {
  /** Groups with tools; undefined = all. */
  readonly groups: ReadonlySet<Group> | undefined;
  /** They are not listed but looked for: a few tools find, describe and enable the others. */
  readonly dynamic: boolean;
}

const DYNAMIC = 'dynamic';

/** Names that a list of toolsets may hold. */
export const toolsetNames: readonly string[] = [...groups, DYNAMIC];

export const ALL_TOOLSETS: Toolsets = { groups: undefined, dynamic: false };

/** The names in a list: "quote, account". */
export function namesInList(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The first name that stands for no toolset. */
export function unknownToolset(names: readonly string[]): string | undefined {
  return names.find((name) => !toolsetNames.includes(name));
}

/** "quote", "account", "dynamic": the groups that are named, or all where none is. Unknown names say nothing: see {@link unknownToolset}. */
export function toolsetsOf(names: readonly string[]): Toolsets {
  const named = groups.filter((group) => names.includes(group));
  return { groups: named.length === 0 ? undefined : new Set(named), dynamic: names.includes(DYNAMIC) };
}
