import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { shownEnumeration } from './named-numbers.js';
import { snakeCase } from './names.js';
import { operations } from './operations/index.js';

const integers = new Set<ScalarType>([ScalarType.INT32, ScalarType.UINT32, ScalarType.SINT32]);

/** Counts, sizes, quotas, ids, days, years and result codes, by the ends of their names. */
const QUANTITY =
  /(^|_)(count|counts|num|number|size|quota|pos|pid|limit|used|total|ranking|days|expiry|distance|minute|year|delta|index|begin|end|duration|sign|base|ert|volume_precision|digits|star|rating|examined|max|min|version|ver|no|date|interest|position|change|id|ret|code|retcode|period_average|extra)$/;
/** Numbers whose meaning stands beside them, or that the definitions describe and do not list. */
const others: readonly RegExp[] = [
  // A pattern has its name beside it; a screen's fields are those of the request.
  /^svc\.kline_pattern\w*\.\w+\.shape$/,
  /^Qot_StockScreen\.(Property|ResultProperty|Param)\w*\.\w+$/,
  /^Qot_StockScreen\.S2C\.lastPage$/,
  /^Qot_StockFilter\.CustomIndicatorData\.fieldParaList$/,
  // 1 enabled or bound, 0 not.
  /^svc\.token_state\.S2C\./,
  /^Qot_GetDividendRank\.DividendRankItem\.dividendGrowYear$/,
];

function* bare(desc: DescMessage, seen: Set<DescMessage>): Generator<string> {
  if (seen.has(desc)) return;
  seen.add(desc);
  for (const field of desc.fields) {
    if (field.message !== undefined) yield* bare(field.message, seen);
    else if (isBare(field)) yield `${desc.typeName}.${field.name}`;
  }
}

function isBare(field: DescField): boolean {
  if (field.fieldKind !== 'enum' && !integers.has(field.scalar as ScalarType)) return false;
  if (shownEnumeration(field, 'mcp') !== undefined) return false;
  return !QUANTITY.test(snakeCase(field.name)) && !others.some((other) => other.test(`${field.parent.typeName}.${field.name}`));
}

describe('a tool’s answer', () => {
  it.each(operations.filter(({ tool }) => tool !== null).map((operation) => [operation.tool, operation] as const))(
    'of %s has a name for every member of an enumeration',
    (_, { messages }) => {
      expect([...bare(messages.S2CSchema, new Set())]).toEqual([]);
    },
  );
});
