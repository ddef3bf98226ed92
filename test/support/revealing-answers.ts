import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import type { Listing } from '@svc-gateway/contract/listing';
import type { Operation } from '@svc-gateway/contract/operation';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { HK_CASH, HK_MARGIN } from './accounts.js';

/** Subject of an entry: visible to the key, or not. */
type Subject = 'own' | 'foreign';
type Fields = Record<string, unknown>;

const subjects: Readonly<Record<Listing['of'], Readonly<Record<Subject, unknown>>>> = {
  security: { own: { market: 1, code: '00700' }, foreign: { market: 11, code: 'AAPL' } },
  account: { own: BigInt(HK_MARGIN), foreign: BigInt(HK_CASH) },
  traded: { own: { trdMarket: 1, secMarket: 1, code: '00700' }, foreign: { trdMarket: 2, secMarket: 2, code: 'AAPL' } },
  trading_market: { own: { trdMarket: 1 }, foreign: { trdMarket: 2 } },
};

/**
 * An answer as its messages require it, from the declaration alone. In each of its lists it has one entry of HK.00700, or of {@link HK_MARGIN}, and so
 * many of others, which are hidden from a key of these: some name others alone, some others beside the key's own, some lie within the same message as
 * the own one. What counts entries and what says whether more follow, says so of all.
 *
 * @param hidden how many entries of a list are hidden.
 */
export function revealingAnswer({ messages, reach }: Operation, hidden: number): ResponseMessage {
  const { S2CSchema, ResponseSchema } = messages;
  const s2c = minimalMessage(S2CSchema) as Message & Fields;
  const listings = typeof reach === 'string' ? [] : reach;
  for (const path of new Set(listings.map(({ list }) => list))) {
    const ofList = listings.filter(({ list }) => list === path);
    for (let count = 0; count <= hidden; count++) addEntry(s2c, S2CSchema, path.split('.'), ofList, count);
  }
  for (const { total, more } of listings) {
    if (total !== undefined) s2c[fieldNamed(S2CSchema, total).localName] = hidden + 1;
    if (more === undefined) continue;
    const { field, last } = more;
    const { localName } = fieldNamed(S2CSchema, field);
    // A field that the last page does without is a number.
    if (last === undefined) Object.assign(s2c, hidden === 0 ? {} : { [localName]: 77n });
    else s2c[localName] = hidden === 0 ? last : typeof last === 'string' ? '77' : !last;
  }
  return create(ResponseSchema, { retType: 0, s2c } as Record<string, unknown>) as ResponseMessage;
}

/** The entry of a list that was added as the `count`th: the own one is the first. */
function addEntry(
  message: Fields,
  desc: DescMessage,
  [head = '', ...tail]: readonly string[],
  listings: readonly Listing[],
  count: number,
): void {
  const field = fieldNamed(desc, head);
  const { localName, fieldKind } = field;
  if (tail.length === 0) {
    if (fieldKind === 'list') (message[localName] as unknown[]).push(entryOf(field, listings, count));
    else message[localName] ??= entryOf(field, listings, count);
    return;
  }
  const inside = (fieldKind === 'list' ? message[localName] : [message[localName]].filter((each) => each !== undefined)) as Fields[];
  // Every other hidden entry lies in the message that holds the own one.
  let holder = fieldKind !== 'list' || count % 2 === 1 ? inside[0] : undefined;
  if (holder === undefined) {
    holder = minimalMessage(messageOf(field)) as Message & Fields;
    if (fieldKind === 'list') inside.push(holder);
    else message[localName] = holder;
  }
  addEntry(holder, messageOf(field), tail, listings, count);
}

function entryOf(field: DescField, listings: readonly Listing[], count: number): unknown {
  if (field.message === undefined) return subjects[listings[0]?.of ?? 'account'][count === 0 ? 'own' : 'foreign'];
  const entry = minimalMessage(field.message) as Message & Fields;
  for (const [index, { of, at }] of listings.entries()) {
    // An entry that names two subjects may have one of the key's own.
    const subject: Subject = count === 0 || (listings.length > 1 && index === count % 3) ? 'own' : 'foreign';
    place(entry, field.message, at?.split('.') ?? [], of, subject, count);
  }
  return entry;
}

/** Writes a subject to where a path leads from an entry; where it leads through a list, beside one of the key's own now and then. */
function place(
  entry: Fields,
  desc: DescMessage,
  [head, ...tail]: readonly string[],
  of: Listing['of'],
  subject: Subject,
  count: number,
): void {
  if (head === undefined) {
    Object.assign(entry, subjects[of][subject]);
    return;
  }
  const field = fieldNamed(desc, head);
  const { localName } = field;
  if (field.message === undefined) entry[localName] = subjects[of][subject];
  else if (field.fieldKind === 'list') {
    const named: readonly Subject[] = count % 2 === 1 ? ['own', subject] : [subject];
    entry[localName] = named.map((each) => {
      const inner = minimalMessage(messageOf(field)) as Message & Fields;
      place(inner, messageOf(field), tail, of, each, count);
      return inner;
    });
  } else {
    entry[localName] ??= minimalMessage(field.message);
    place(entry[localName] as Fields, field.message, tail, of, subject, count);
  }
}

function fieldNamed(desc: DescMessage, name: string): DescField {
  const field = desc.fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`${desc.typeName} has no ${name}`);
  return field;
}

function messageOf({ message, name }: DescField): DescMessage {
  if (message === undefined) throw new Error(`${name} holds no messages`);
  return message;
}

const REQUIRED = 3;

/** A message with only its required fields. */
export function minimalMessage(desc: DescMessage): Message {
  const fields = desc.fields.filter(({ presence }) => presence === REQUIRED);
  return create(
    desc,
    Object.fromEntries(
      fields.map((field) => [field.localName, field.message === undefined ? zeroOf(field.scalar) : minimalMessage(field.message)]),
    ),
  );
}

/** By ScalarType: 64-bit integers, booleans, text. */
function zeroOf(scalar: number | undefined): unknown {
  if (scalar === 3 || scalar === 4) return 0n;
  if (scalar === 8) return false;
  return scalar === 9 ? '' : 0;
}
