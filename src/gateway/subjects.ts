import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { enumerationOf, quoteMarketNumbers, tradeDateMarket } from '../contract/enums.js';
import { SecuritySchema } from '../contract/generated/Qot_Common_pb.js';
import { TrdHeaderSchema } from '../contract/generated/Trd_Common_pb.js';
import { marketsOfTradeDates } from '../contract/markets.js';
import type { Operation } from '../contract/operation.js';

/** What a request is about, for allowlists: found by reflection, so that no operation has to say it twice. */
export interface Subjects {
  readonly securities: { market: number; code: string }[];
  /** Quote markets that are asked for as a whole (Qot_Common.QotMarket); {@link EVERY_MARKET} where one could be named and is not. */
  readonly markets: number[];
  /** Of each calendar asked for, the markets of which one must be allowed. */
  readonly calendars: (readonly string[])[];
  readonly accIds: bigint[];
}

export const EVERY_MARKET = 0;

type Collector = (message: Message, into: Subjects) => void;

const collectors = new Map<string, Collector>();

/** The securities and accounts that a request names. */
export function subjectsOf(operation: Operation, request: Message): Subjects {
  const subjects: Subjects = { securities: [], markets: [], calendars: [], accIds: [] };
  collectorOf(operation.messages.C2SSchema)(request, subjects);
  return subjects;
}

const accountFields = new Set(['accID', 'accIDList', 'acc_id', 'account_id']);

function collectorOf(desc: DescMessage): Collector {
  const known = collectors.get(desc.typeName);
  if (known !== undefined) return known;
  const parts: Collector[] = [];
  const collect: Collector = (message, into) => {
    for (const part of parts) part(message, into);
  };
  collectors.set(desc.typeName, collect);
  if (desc.typeName === SecuritySchema.typeName) {
    parts.push((message, into) => into.securities.push(message as Message & { market: number; code: string }));
    return collect;
  }
  for (const field of desc.fields) {
    const part = fieldCollector(field);
    if (part !== undefined) parts.push(part);
  }
  return collect;
}

function fieldCollector(field: DescField): Collector | undefined {
  const value = (message: Message) => (message as unknown as Record<string, unknown>)[field.localName];
  if (accountFields.has(field.name)) {
    return (message, into) => {
      if (!Object.hasOwn(message, field.localName)) return;
      const ids = value(message) as bigint | bigint[];
      into.accIds.push(...(Array.isArray(ids) ? ids : [ids]));
    };
  }
  const enumeration = enumerationOf(field.parent.typeName, field.name);
  if (enumeration === quoteMarketNumbers) {
    return (message, into) => into.markets.push(Object.hasOwn(message, field.localName) ? (value(message) as number) : EVERY_MARKET);
  }
  if (enumeration === tradeDateMarket) {
    return (message, into) => into.calendars.push(marketsOfTradeDates(value(message) as number));
  }
  if (field.message === undefined || !reaches(field.message, new Set())) return undefined;
  const inner = collectorOf(field.message);
  if (field.fieldKind === 'list') {
    return (message, into) => {
      for (const item of value(message) as Message[]) inner(item, into);
    };
  }
  return (message, into) => {
    const child = value(message) as Message | undefined;
    if (child !== undefined) inner(child, into);
  };
}

/** Whether a message holds, however deep, something to collect. */
function reaches(desc: DescMessage, seen: Set<string>): boolean {
  if (desc.typeName === SecuritySchema.typeName || desc.typeName === TrdHeaderSchema.typeName) return true;
  if (seen.has(desc.typeName)) return false;
  seen.add(desc.typeName);
  return desc.fields.some((field) => accountFields.has(field.name) || (field.message !== undefined && reaches(field.message, seen)));
}
