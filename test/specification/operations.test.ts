import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/contract/operation.js';
import { operations } from '../../src/contract/operations/index.js';
import { possibleScopes, scopes } from '../../src/contract/scope.js';

/*
 * The specification's list of operations, written down a second time on purpose: operations.tsv beside this file says of each its
 * protocol id, its routes, its tool, the scopes of which any one does, and the switches that must all be on.
 */
const [, ...rows] = readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8')
  .trimEnd()
  .split('\n');
const listed = rows.map((row) => {
  const [group = '', name = '', protoId, routes, tool, needed, switches] = row.split('\t');
  return { group, name, protoId, routes, tool, scopes: needed, switches };
});

/** Listed groups and operations that are being built: they may be declared, as listed, or not. */
const coming = ['industry', 'extension', 'news', 'get_heat_map_data'];
const isDue = ({ group, name }: { group: string; name: string }) =>
  !(coming.includes(group) || coming.includes(name)) || operations.some((each) => each.name === name);

/** Operations of this gateway that the specification does not have; docs/choices.md says what they are for. */
const own = ['wait_for', 'place_bracket_order', 'get_brackets', 'cancel_bracket'];

/** An operation as its row says it. */
function rowOf({ group, name, protoId, rest, tool, scope, switches }: Operation): (typeof listed)[number] {
  const held = possibleScopes(scope);
  return {
    group,
    name,
    protoId: protoId === null ? '-' : String(protoId),
    routes: rest.map(({ method, path }) => `${method} ${path}`).join(', '),
    tool: tool ?? '-',
    scopes: held.length === 0 || held.length === scopes.length ? 'any' : held.join(' or '),
    switches: switches.length === 0 ? '-' : switches.join(' '),
  };
}

/** What a row says, whatever the order in which it says it. */
function sorted(row: (typeof listed)[number]): unknown {
  const parts = (text = '') => text.split(/, | or | /).sort();
  return { ...row, routes: (row.routes ?? '').split(', ').sort(), scopes: parts(row.scopes), switches: parts(row.switches) };
}

describe('the list of operations', () => {
  it.each([...new Set(listed.map(({ group }) => group))])('is declared as it says: %s', (group) => {
    const declared = operations.filter((each) => each.group === group && !own.includes(each.name)).map((each) => sorted(rowOf(each)));
    const names = (all: readonly unknown[]) => new Map(all.map((each) => [(each as { name: string }).name, each]));
    expect(names(declared)).toEqual(names(listed.filter((each) => each.group === group && isDue(each)).map(sorted)));
  });

  it('names every operation and every tool that is declared, but for those of this gateway alone', () => {
    const names = listed.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(
      operations
        .map(({ name }) => name)
        .filter((name) => !names.includes(name))
        .sort(),
    ).toEqual([...own].sort());
    const tools = operations.filter(({ name }) => !own.includes(name)).flatMap(({ tool }) => tool ?? []);
    expect(tools.sort()).toEqual(
      listed
        .filter(isDue)
        .flatMap(({ tool = '-' }) => (tool === '-' ? [] : [tool]))
        .sort(),
    );
  });

  it('has no version in a path', () => {
    for (const path of operations.flatMap(({ rest }) => rest.map((route) => route.path))) expect(path).not.toMatch(/\/v\d/);
  });
});
