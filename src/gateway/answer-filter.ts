import type { Message } from '@bufbuild/protobuf';
import { allowsAccount, allowsMarket, type Limits } from '../access/index.js';
import type { TrdHeader } from '../contract/generated/Trd_Common_pb.js';
import type { Listing } from '../contract/listing.js';
import type { Operation } from '../contract/operation.js';
import type { ResponseMessage } from './backend.js';
import { isLimited } from './limit-check.js';
import { allowsSecurity, allowsTraded, type Traded } from './market-names.js';
import { tradingMarketOf } from './named-markets.js';
import type { NamedSecurity } from './subjects.js';

type Fields = Readonly<Record<string, unknown>>;
type Shown = (entry: unknown) => boolean;

/**
 * An answer as its caller may see it: without the entries of its declared lists that the limits do not allow. An answer is
 * never written to, since a backend may give it out again; what loses nothing is handed on as it is.
 */
export function filterAnswer(
  operation: Operation,
  request: Message,
  limits: readonly Limits[],
  response: ResponseMessage,
): ResponseMessage {
  const { reach } = operation;
  const { s2c } = response as ResponseMessage & { s2c?: Message };
  if (typeof reach === 'string' || s2c === undefined || !limits.some(isLimited)) return response;
  const trading = (request as Message & { header?: TrdHeader }).header?.trdMarket ?? 0;
  let payload: Message = s2c;
  for (const listing of reach) payload = filterList(payload, listing.list.split('.'), shownTo(limits, listing, trading));
  return payload === s2c ? response : changed(response, 's2c', payload);
}

function shownTo(limits: readonly Limits[], { of, at }: Listing, trading: number): Shown {
  const subject = (entry: unknown) => (at === undefined ? entry : (entry as Fields)[localName(at)]);
  const allows: Readonly<Record<Listing['of'], (each: Limits, value: unknown) => boolean>> = {
    account: (each, value) => allowsAccount(each, value as bigint),
    security: (each, value) => allowsSecurity(each, value as NamedSecurity),
    traded: (each, value) => allowsTraded(each, value as Traded, trading),
    trading_market: (each, value) => allowsMarket(each, tradingMarketOf((value as Traded).trdMarket).parts),
  };
  return (entry) => {
    const value = subject(entry);
    return limits.every((each) => value !== undefined && allows[of](each, value));
  };
}

/** A message with the list at the end of a path filtered; the message itself where that leaves it as it is. */
function filterList(message: Message, [head = '', ...tail]: readonly string[], shown: Shown): Message {
  const name = localName(head);
  const held = (message as unknown as Fields)[name];
  if (Array.isArray(held)) {
    const kept = tail.length === 0 ? held.filter(shown) : held.map((entry: Message) => filterList(entry, tail, shown));
    const same = kept.length === held.length && kept.every((entry, index) => entry === held[index]);
    return same ? message : changed(message, name, kept);
  }
  if (held === undefined) return message;
  const inner = filterList(held as Message, tail, shown);
  return inner === held ? message : changed(message, name, inner);
}

/** A message with another value in one field: what it shares with the first is not written to either. */
function changed<M extends Message>(message: M, field: string, value: unknown): M {
  return Object.assign(Object.create(Object.getPrototypeOf(message)), message, { [field]: value });
}

/** "acc_id_list" → "accIdList", as generated messages have it. */
function localName(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
