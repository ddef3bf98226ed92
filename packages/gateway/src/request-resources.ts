import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { classOf, type FieldClass, type FieldClasses, isLookedInto } from '@svc-gateway/contract/field-classes';
import { memoized } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { calendarOf, forexOf, forexQuotesOf, type NamedMarket, type Numbering, quoteMarketOf, tradingMarketOf } from './named-markets.js';

/** A security or a plate: Qot_Common.Security. */
export interface NamedSecurity {
  readonly market: number;
  readonly code: string;
}

/** The subjects of a request, for allowlists, by the declared classes of its fields (contract/field-classes.ts). */
export interface RequestResources {
  readonly securities: readonly NamedSecurity[];
  readonly plates: readonly NamedSecurity[];
  /** Securities by numbers of which no market is known. */
  readonly stockIds: readonly bigint[];
  /** A code stands beside a trading header, which says the market. */
  readonly tradedCodes: readonly string[];
  readonly markets: readonly NamedMarket[];
  readonly accIds: readonly bigint[];
  /** Numbers and texts of orders; 0 and the empty text name none. */
  readonly orders: readonly (bigint | string)[];
}

type Lists = { -readonly [K in keyof RequestResources]: RequestResources[K] };
type Collector = (message: Message, into: Lists) => void;

/** Shared empty list: most requests leave most kinds empty, so they allocate nothing. */
const none: readonly never[] = [];

function add<T>(list: readonly T[], value: T): readonly T[] {
  if (list === none) return [value];
  (list as T[]).push(value);
  return list;
}

const collectorFor = memoized(({ messages, classes }: Operation) => collectorOf(messages.C2SSchema, classes, new Map()));

/** Collects the subjects of a request at any depth. */
export function resourcesOf(operation: Operation, request: Message): RequestResources {
  const resources: Lists = {
    securities: none,
    plates: none,
    stockIds: none,
    tradedCodes: none,
    markets: none,
    accIds: none,
    orders: none,
  };
  collectorFor(operation)(request, resources);
  return resources;
}

/** Made once per operation; `known` has the messages on the way, since a message may hold itself. */
function collectorOf(desc: DescMessage, classes: FieldClasses, known: Map<string, Collector>): Collector {
  const found = known.get(desc.typeName);
  if (found !== undefined) return found;
  const parts: Collector[] = [];
  const collect: Collector = (message, into) => {
    for (const part of parts) part(message, into);
  };
  known.set(desc.typeName, collect);
  for (const field of desc.fields) {
    const part = isLookedInto(field) ? innerCollector(field, classes, known) : fieldCollector(field, classes);
    if (part !== undefined) parts.push(part);
  }
  return collect;
}

function innerCollector(
  field: DescField & { readonly message: DescMessage },
  classes: FieldClasses,
  known: Map<string, Collector>,
): Collector {
  const inner = collectorOf(field.message, classes, known);
  return eachValue<Message>(field, inner);
}

function fieldCollector(field: DescField, classes: FieldClasses): Collector | undefined {
  const named = classOf(field, classes);
  if (named === undefined) throw new Error(`${field.parent.typeName}.${field.name} has no class`);
  if (named === 'stock_market') return stockMarketCollector(field);
  const numbering = numberings[named];
  if (numbering !== undefined) return marketCollector(field, numbering);
  const addValue = adders[named];
  return addValue === undefined ? undefined : eachValue<never>(field, addValue);
}

const numberings: Partial<Record<FieldClass, Numbering>> = {
  quote_market: quoteMarketOf,
  trading_market: tradingMarketOf,
  calendar: calendarOf,
  forex_broker: forexOf,
  forex: forexQuotesOf,
};

type Adder = (value: never, into: Lists) => void;

const adders: Partial<Record<FieldClass, Adder>> = {
  security: adder('securities'),
  plate: adder('plates'),
  stock_id: adder('stockIds'),
  traded_code: adder('tradedCodes'),
  account: adder('accIds'),
  order: adder('orders'),
};

function adder<K extends keyof RequestResources>(kind: K): (value: RequestResources[K][number], into: Lists) => void {
  return (value, into) => {
    into[kind] = add<unknown>(into[kind], value) as Lists[K];
  };
}

/** A market that could be named and is not is every market; so is a list of none. */
function marketCollector(field: DescField, numbering: Numbering): Collector {
  const collect = eachValue<number>(field, (value, into) => {
    into.markets = add(into.markets, numbering(value));
  });
  return (message, into) => {
    const before = into.markets.length;
    collect(message, into);
    if (into.markets.length === before) into.markets = add(into.markets, numbering(0));
  };
}

/** A screen of the mainland shows both of its markets, whichever is named. */
function stockMarketCollector(field: DescField): Collector {
  const collect = marketCollector(field, quoteMarketOf);
  const shanghai = quoteMarketOf(SHANGHAI);
  const shenzhen = quoteMarketOf(SHENZHEN);
  return (message, into) => {
    const before = into.markets.length;
    collect(message, into);
    const named = into.markets.slice(before);
    if (named.includes(shanghai) && !named.includes(shenzhen)) into.markets = add(into.markets, shenzhen);
    if (named.includes(shenzhen) && !named.includes(shanghai)) into.markets = add(into.markets, shanghai);
  };
}

/** Qot_Common.QotMarket. */
const SHANGHAI = 21;
const SHENZHEN = 22;

/** Does something with each value that a message holds in a field; with none where it is not set. */
function eachValue<T>({ localName, fieldKind }: DescField, act: (value: T, into: Lists) => void): Collector {
  const held = (message: Message) => (message as unknown as Record<string, unknown>)[localName];
  if (fieldKind === 'list') {
    return (message, into) => {
      for (const value of held(message) as readonly T[]) act(value, into);
    };
  }
  return (message, into) => {
    if (!Object.hasOwn(message, localName)) return;
    const value = held(message) as T | undefined;
    if (value !== undefined) act(value, into);
  };
}
