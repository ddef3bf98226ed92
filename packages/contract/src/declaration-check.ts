import type { DescMessage } from '@bufbuild/protobuf';
import { classOf, fieldsWithin } from './field-classes.js';
import { fieldsOf, fits, type Listing } from './listing.js';
import type { Operation } from './operation.js';
import { switches } from './switches.js';

/**
 * Checks that a declaration is complete before anybody may call it. Each check is one that a forgetful author, and green
 * tests, would otherwise find out about from an attacker. Throws, since it is a defect: at the import of the
 * declaration, which is before a daemon starts or a test runs.
 */
export function checkDeclaration(operation: Operation): void {
  const faults = [
    ...unvalued(operation),
    ...unclassified(operation),
    ...unfiltered(operation),
    ...unknownFields(operation),
    ...unknownSwitches(operation),
  ];
  if (faults.length > 0) throw new Error(`${operation.name} ${faults.join('; ')}`);
}

/** The types say so too; this is for declarations that get round them. */
function* unvalued(operation: Operation): Generator<string> {
  if (touchesOrders(operation) && operation.valuer === null)
    yield 'may change orders and names no valuer of their risk: say in "valuer" who values it';
}

/** Whether requests of an operation may place or change orders: the protocol protects those alone, by a packet id, against replay. */
export function touchesOrders({ effect, scope, messages }: Pick<Operation, 'effect' | 'scope' | 'messages'>): boolean {
  const isWrite = effect === 'write' && scope.kind === 'byEnv';
  return effect === 'order' || isWrite || messages.C2SSchema.fields.some(({ name }) => name === 'packetID');
}

function* unclassified({ messages, classes }: Operation): Generator<string> {
  const missing = new Map<string, string[]>();
  for (const field of fieldsWithin(messages.C2SSchema)) {
    if (classOf(field, classes) !== undefined) continue;
    const { typeName } = field.parent;
    const likely = field.message === undefined ? '?' : 'security';
    missing.set(typeName, [...(missing.get(typeName) ?? []), `${field.name}: '${likely}'`]);
  }
  if (missing.size === 0) return;
  const entries = [...missing].map(([typeName, fields]) => `'${typeName}': { ${fields.join(', ')} }`);
  yield `does not say what fields of its request name: declare classes: { ${entries.join(', ')} }, each ? a FieldClass of contract/field-classes.ts ('none' where a field names nothing)`;
}

/** A filter that the request sets, of an answer that nobody filters, and a list to filter that is not there. */
function* unfiltered({ messages, classes, reach, beside }: Operation): Generator<string> {
  const listings: readonly Listing[] = typeof reach === 'string' ? [] : reach;
  for (const field of fieldsWithin(messages.C2SSchema)) {
    if (classOf(field, classes) === 'filter' && listings.length === 0) {
      yield `has a filter, ${field.parent.typeName}.${field.name}: say in "reach" which lists of the answer are filtered for limited keys`;
    }
  }
  for (const listing of listings) {
    if (!fits(listing, messages.S2CSchema))
      yield `reaches a list that is not there: ${messages.S2CSchema.typeName} has no ${listing.list} of ${listing.of}`;
  }
  const known = [...beside, ...listings.flatMap(fieldsOf)];
  const unsaid = listings.length === 0 ? [] : messages.S2CSchema.fields.filter(({ name }) => !known.includes(name));
  for (const { name } of unsaid) {
    yield `does not say what ${messages.S2CSchema.typeName}.${name} tells of entries that are left out: name it as "total" or "more" of a list of "reach", or in "beside" where it tells nothing`;
  }
}

/** Names fields of the declaration that the message does not have. */
function* unknownFields({ messages, shape, unused, answers, values }: Operation): Generator<string> {
  const named = [...shape.map(({ field }) => field), ...unused, ...[...answers, ...values].map(({ field }) => field.replaceAll('[]', ''))];
  for (const path of named)
    if (!hasPath(messages.C2SSchema, path.split('.')))
      yield `names a field that is not there: ${messages.C2SSchema.typeName} has no ${path}`;
}

function hasPath(desc: DescMessage, [head, ...tail]: readonly string[]): boolean {
  const field = desc.fields.find(({ name }) => name === head);
  return field !== undefined && (tail.length === 0 || (field.message !== undefined && hasPath(field.message, tail)));
}

function* unknownSwitches(operation: Operation): Generator<string> {
  for (const name of operation.switches) {
    if (switches.includes(name)) continue;
    yield `needs the switch ${name}, for which there is no setting: add it to contract/switches.ts and the daemon's settings (known: ${switches.join(', ')})`;
  }
}

/**
 * Checks what operations must not share: names, routes, tools. Of two with one name the second would silently stand in for
 * the first, under its scopes and limits.
 *
 * @returns the operations, in the order of their groups.
 */
export function catalogue(groups: Readonly<Record<string, Readonly<Record<string, Operation>>>>): readonly Operation[] {
  const owners = new Map<string, string>();
  const claim = (what: string, owner: string) => {
    const other = owners.get(what);
    if (other !== undefined) throw new Error(`${what} is declared twice: by ${other} and by ${owner}; rename one of them`);
    owners.set(what, owner);
  };
  for (const [group, declared] of Object.entries(groups)) {
    for (const [exported, { name, rest, tool }] of Object.entries(declared)) {
      const owner = `${group}.${exported}`;
      claim(`operation ${name}`, owner);
      for (const { method, path } of rest) claim(`route ${method} ${path}`, owner);
      if (tool !== null) claim(`tool ${tool}`, owner);
    }
  }
  return Object.values(groups).flatMap((group) => Object.values(group));
}
