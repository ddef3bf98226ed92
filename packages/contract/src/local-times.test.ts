import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';

/** Days, which are dates of a market's calendar, or texts that name their zone themselves (RFC 3339). */
const withoutEpoch: readonly RegExp[] = [
  /[._](date|date_str|day|\w+_date|\w+_date_str|\w+_day|\w*date_begin|\w*date_end)$/,
  /^svc\.whoami\..*_at$/,
  /^svc\.admin_status\..*_at$/,
  // The rest of them: an order's end as its caller gave it, in the zone of its market; a trading session's name; days by another name.
  /^Trd_Common\.Order\.expire_time$/,
  /^Qot_GetFutureInfo\.FutureInfo\.time_zone$/,
  /^Qot_GetOptionQuote\.OptionQuote\.expire_time$/,
  /^Qot_GetArkStockDynamic\.S2C\.last_transaction_time$/,
  // No day's flow has it here.
  /^Trd_FlowSummary\.FlowSummaryInfo\.create_time$/,
];

const numbers = new Set<ScalarType>([ScalarType.DOUBLE, ScalarType.INT64, ScalarType.UINT64, ScalarType.INT32, ScalarType.UINT32]);

/** Whether a message has the moment of a text in numbers: `time` with `timestamp`, `begin_time` with `begin_timestamp`, `update_time_str` with `update_time`. */
function hasEpoch({ parent }: DescField, name: string): boolean {
  const beside = parent.fields.filter(({ scalar }) => numbers.has(scalar as ScalarType)).map((field) => snakeCase(field.name));
  const forms = [`${name}stamp`, `${name}_stamp`, `${name}_timestamp`, name.replace(/_str$/, ''), name.replace(/_time$/, '_timestamp')];
  return forms.some((form) => form !== name && beside.includes(form));
}

function* timesIn(desc: DescMessage, seen: Set<DescMessage>): Generator<string> {
  if (seen.has(desc)) return;
  seen.add(desc);
  for (const field of desc.fields) {
    if (field.message !== undefined) yield* timesIn(field.message, seen);
    else if (field.scalar === ScalarType.STRING) {
      const name = snakeCase(field.name);
      const path = `${desc.typeName}.${name}`;
      if (!/(^|_)(time|date|day|at)(_|$)/.test(name) || withoutEpoch.some((one) => one.test(path))) continue;
      if (!hasEpoch(field, name)) yield path;
    }
  }
}

describe('an answer', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'of %s has a number beside each local time',
    (_, { messages }) => expect([...timesIn(messages.S2CSchema, new Set())]).toEqual([]),
  );
});
