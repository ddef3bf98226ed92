import type { DescMessage, Message } from '@bufbuild/protobuf';
import { withFields } from '@svc-gateway/contract/field-path';
import { unknownField } from '@svc-gateway/contract/json/message-json';
import { snakeCase } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { pagedFields } from '@svc-gateway/contract/tool-arguments';

/** Selected fields of a record, by local name; a leaf selects the whole field. */
export type Tree = ReadonlyMap<string, Tree>;

/** Fields that a caller selected of the records of an answer. */
export interface Selection {
  /** Names as given, in that order: "basic.cur_price". */
  readonly names: readonly string[];
  /** Selected fields by local name of a list; a list with none of them stays whole. */
  readonly lists: ReadonlyMap<string, Tree>;
}

/** Parses the argument `fields`; rejects a name that no list of the operation's answer has. */
export function readSelection(operation: Operation, names: readonly string[]): Selection {
  const paged = pagedFields(operation);
  const lists = new Map<string, MutableTree>();
  for (const name of names) {
    let known = false;
    for (const { localName, message } of paged) {
      const tree = lists.get(localName) ?? new Map();
      if (!add(tree, message, name.split('.'))) continue;
      known = true;
      lists.set(localName, tree);
    }
    if (!known) unknownField(name, name, new Set(paged.flatMap(({ message }) => message.fields.map((field) => snakeCase(field.name)))));
  }
  return { names, lists };
}

type MutableTree = Map<string, MutableTree>;

/** Adds a path to a tree; returns false if the message has no such field. */
function add(tree: MutableTree, desc: DescMessage | undefined, [head, ...tail]: readonly string[]): boolean {
  const field = desc?.fields.find((each) => snakeCase(each.name) === head);
  if (field === undefined) return false;
  const known = tree.get(field.localName);
  if (tail.length === 0) {
    tree.set(field.localName, new Map());
    return true;
  }
  // The whole field is selected already.
  if (known !== undefined && known.size === 0) return field.message !== undefined && add(new Map(), field.message, tail);
  const inner: MutableTree = known ?? new Map();
  if (!add(inner, field.message, tail)) return false;
  tree.set(field.localName, inner);
  return true;
}

/** The payload with only the selected fields of its records. Read-only: it shares them with the whole. */
export function select(payload: Message, { lists }: Selection): Message {
  const values = payload as unknown as Readonly<Record<string, unknown>>;
  return withFields(payload, Object.fromEntries([...lists].map(([localName, tree]) => [localName, pruned(values[localName], tree)])));
}

function pruned(value: unknown, tree: Tree): unknown {
  if (tree.size === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => pruned(item, tree));
  const kept = Object.create(Object.getPrototypeOf(value));
  for (const [localName, inner] of tree) {
    if (Object.hasOwn(value, localName)) kept[localName] = pruned((value as Record<string, unknown>)[localName], inner);
  }
  return kept;
}

/** The payload with only the items of the operation's list that are in one currency (Trd_Common.Currency). */
export function inCurrency({ byCurrency }: Operation, payload: Message, currency: number): Message {
  if (byCurrency === null) return payload;
  const { field, currencyOf } = byCurrency;
  const items = (payload as Message & Record<string, Message[]>)[field] ?? [];
  return withFields(payload, { [field]: items.filter((item) => currencyOf(item) === currency) });
}
