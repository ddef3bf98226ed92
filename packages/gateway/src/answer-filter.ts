import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import { allowsAccount, allowsMarket, type Limits } from '@svc-gateway/access';
import { withFields } from '@svc-gateway/contract/field-path';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { isRequiredField } from '@svc-gateway/contract/json/message-json';
import type { Listing } from '@svc-gateway/contract/listing';
import type { Operation } from '@svc-gateway/contract/operation';
import type { ResponseMessage } from './backend.js';
import { isLimited } from './limit-check.js';
import { allowsSecurity, allowsTraded, type Traded } from './market-names.js';
import { tradingMarketOf } from './named-markets.js';
import type { NamedSecurity } from './request-resources.js';

type Fields = Readonly<Record<string, unknown>>;
type Shown = (entry: unknown) => boolean;
/** A message being filtered: it pauses where the turn of the event loop is to end. */
type Filtering = Generator<void, Message>;

/** Entries looked at in one turn of the event loop: about a millisecond's worth. */
const ENTRIES_A_TURN = 1_000;

/**
 * An answer as its caller may see it: without the entries of its declared lists that the limits do not allow. An answer is
 * never written to, since a backend may give it out again; what loses nothing is handed on as it is. Long lists take
 * several turns of the event loop.
 */
export function filterAnswer(
  operation: Operation,
  request: Message,
  limits: readonly Limits[],
  response: ResponseMessage,
): ResponseMessage | Promise<ResponseMessage> {
  const { reach } = operation;
  const { s2c } = response as ResponseMessage & { s2c?: Message };
  if (typeof reach === 'string' || s2c === undefined || !limits.some(isLimited)) return response;
  const trading = (request as Message & { header?: TrdHeader }).header?.trdMarket ?? 0;
  const { S2CSchema } = operation.messages;
  const filtering = filterLists(s2c, S2CSchema, reach, (listing) => shownTo(limits, listing, trading));
  const whole = (payload: Message) => (payload === s2c ? response : withValue(response, 's2c', payload));
  const first = filtering.next();
  return first.done ? whole(first.value) : inTurns(filtering).then(whole);
}

async function inTurns(filtering: Filtering): Promise<Message> {
  for (;;) {
    await nextTurn();
    const step = filtering.next();
    if (step.done) return step.value;
  }
}

function* filterLists(payload: Message, schema: DescMessage, reach: readonly Listing[], shownFor: (listing: Listing) => Shown): Filtering {
  const branches: Branch[] = [];
  for (const listing of reach) addTo(branches, listing.list.split('.').map(localName), shownFor(listing));
  let filtered = yield* filterFields(payload, branches);
  const isWhole = filtered === payload;
  for (const { list, total, more } of reach) {
    if (more !== undefined && !isWhole) {
      const name = localName(more.field);
      filtered = more.last === undefined ? without(filtered, name) : withValue(filtered, name, more.last);
    }
    if (total === undefined) continue;
    const isRequired = schema.fields.some((field) => field.name === total && isRequiredField(field));
    filtered = isRequired
      ? withValue(filtered, localName(total), subjectsAt(filtered, list.split('.').map(localName)).length)
      : without(filtered, localName(total));
  }
  return filtered;
}

/** A field on the way to the lists that are filtered, or such a list itself. */
interface Branch {
  readonly name: string;
  /** Checks that an entry must pass to be shown; empty on inner nodes. */
  readonly shown: Shown[];
  readonly branches: Branch[];
}

function addTo(branches: Branch[], [name = '', ...rest]: readonly string[], shown: Shown): void {
  let branch = branches.find((each) => each.name === name);
  if (branch === undefined) {
    branch = { name, shown: [], branches: [] };
    branches.push(branch);
  }
  if (rest.length === 0) branch.shown.push(shown);
  else addTo(branch.branches, rest, shown);
}

function shownTo(limits: readonly Limits[], { of, at, general }: Listing, trading: number): Shown {
  const path = at?.split('.').map(localName) ?? [];
  const allows: Readonly<Record<Listing['of'], (each: Limits, value: unknown) => boolean>> = {
    account: (each, value) => allowsAccount(each, value as bigint),
    security: (each, value) => allowsSecurity(each, value as NamedSecurity),
    traded: (each, value) => allowsTraded(each, value as Traded, trading),
    trading_market: (each, value) => allowsMarket(each, tradingMarketOf((value as Traded).trdMarket).parts),
  };
  return (entry) => {
    const values = subjectsAt(entry, path);
    return (values.length > 0 || general === true) && limits.every((each) => values.every((value) => allows[of](each, value)));
  };
}

/** The values at the end of a path within an entry; the path may lead through lists. */
function subjectsAt(entry: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (entry === undefined) return [];
  if (Array.isArray(entry)) return entry.flatMap((each) => subjectsAt(each, name === undefined ? [] : [name, ...rest]));
  return name === undefined ? [entry] : subjectsAt((entry as Fields)[name], rest);
}

/** A message with what its branches lead to filtered; the message itself where that leaves it as it is. */
function* filterFields(message: Message, branches: readonly Branch[]): Filtering {
  let filtered = message;
  for (const branch of branches) {
    const { name } = branch;
    const held = (filtered as unknown as Fields)[name];
    if (Array.isArray(held)) {
      const kept = yield* filterList(held, branch);
      if (kept !== held) filtered = withValue(filtered, name, kept);
    } else if (held !== undefined) {
      if (!branch.shown.every((shown) => shown(held))) filtered = without(filtered, name);
      else if (branch.branches.length > 0) filtered = withValue(filtered, name, yield* filterFields(held as Message, branch.branches));
    }
  }
  return filtered;
}

/**
 * An entry on the way that loses all that it lists is left out as well: how many of them there are would tell of what they held, and with a
 * filter in the request even what that was like. One that is shown for its own sake stays.
 */
function* filterList(entries: readonly unknown[], { shown, branches }: Branch): Generator<void, readonly unknown[]> {
  const kept: unknown[] = [];
  let same = true;
  for (const [index, entry] of entries.entries()) {
    if (index > 0 && index % ENTRIES_A_TURN === 0) yield;
    if (!shown.every((each) => each(entry))) continue;
    const inner = branches.length === 0 ? entry : yield* filterFields(entry as Message, branches);
    if (inner === entry || shown.length > 0 || branches.some((branch) => holds(inner as Message, branch))) kept.push(inner);
    same &&= inner === entry;
  }
  return same && kept.length === entries.length ? entries : kept;
}

function holds(message: Message, { name }: Branch): boolean {
  const held = (message as unknown as Fields)[name];
  return Array.isArray(held) ? held.length > 0 : held !== undefined;
}

/** A message without one field: the same where it was not set. */
function without<M extends Message>(message: M, field: string): M {
  if (!Object.hasOwn(message, field)) return message;
  return withFields(message, { [field]: undefined });
}

/** A message with a value in one field: what it shares with the first is not written to either. */
function withValue<M extends Message>(message: M, field: string, value: unknown): M {
  if ((message as unknown as Fields)[field] === value) return message;
  return withFields(message, { [field]: value });
}

/** "acc_id_list" → "accIdList", as generated messages have it. */
function localName(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
