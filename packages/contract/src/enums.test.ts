import { type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  acceptedNumbers,
  CURRENCY_USDT,
  currency,
  type Dialect,
  type Enumeration,
  enumerationOf,
  KL_TYPE_4MIN,
  klType,
  knownNumbers,
  memberNamed,
  modifyOrderOp,
  numberIn,
  orderSession,
  orderType,
  publicNumbers,
  quoteMarketNumbers,
  rehabType,
  secMarket,
  session,
  subType,
  timeInForce,
  trdEnv,
  trdEnvOfModify,
  trdMarket,
  trdSide,
  writtenValues,
} from './enums.js';
import { fieldAt } from './field-path.js';
import { KLTypeSchema, RehabTypeSchema, SubTypeSchema } from './generated/Qot_Common_pb.js';
import {
  CurrencySchema,
  ModifyOrderOpSchema,
  OrderTypeSchema,
  TimeInForceSchema,
  TrdEnvSchema,
  TrdMarketSchema,
  TrdSecMarketSchema,
  TrdSideSchema,
} from './generated/Trd_Common_pb.js';
import { documentedEnumeration } from './named-numbers.js';
import { operations } from './operations/index.js';
import { statementType, valuationType } from './research-enums.js';
import { screenFieldsOf } from './screen-numbers.js';

/** Accepted numbers and the public numbers they map to, row by row as in the specification's lists. */
/** Order types that are numbered alike everywhere. */
const fromTen = Object.fromEntries([10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((n) => [n, n]));

const cells: [string, Enumeration, Dialect, Record<number, number>][] = [
  ['trd_env over REST', trdEnv, 'rest', { 1: 0, 2: 1 }],
  ['trd_env for tools', trdEnv, 'mcp', { 1: 0, 2: 1 }],
  ['trd_env of the modify-order header', trdEnvOfModify, 'rest', { 0: 1, 1: 0 }],
  ['trading market over REST', trdMarket, 'rest', { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 15, 15: 15, 111: 111 }],
  ['trading market for tools', trdMarket, 'mcp', { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 15: 15, 111: 111 }],
  ['quote market', quoteMarketNumbers, 'rest', { 1: 1, 2: 2, 11: 11, 21: 21, 22: 22, 31: 31, 41: 41, 61: 61, 81: 81 }],
  ['order_type over REST', orderType, 'rest', { ...Object.fromEntries([1, 2, 5, 6, 7, 8].map((n) => [n, n])), ...fromTen }],
  ['order_type for tools', orderType, 'mcp', { 1: 1, 2: 2, 5: 6, 6: 5, 7: 8, ...fromTen }],
  ['kl_type over REST', klType, 'rest', { 1: 2, 2: 3, 3: 4, 5: 1, 6: 6, 7: 7, 8: 8, 9: 9, 10: 10, 11: 1004 }],
  ['kl_type for tools', klType, 'mcp', { 1: 2, 2: 3, 3: 4, 5: 1, 6: 6, 7: 7, 8: 8, 9: 9, 10: 10, 11: 1004 }],
  ['trd_side', trdSide, 'rest', { 1: 1, 2: 2, 3: 3, 4: 4 }],
  ['modify_order_op', modifyOrderOp, 'rest', { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 }],
  ['rehab_type for tools', rehabType, 'mcp', { 0: 0, 1: 1, 2: 2 }],
  ['session', session, 'mcp', { 0: 0, 1: 1, 2: 2, 3: 3 }],
  ['session of orders', orderSession, 'mcp', { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4 }],
  ['statement_type', statementType, 'rest', { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4 }],
  ['valuation_type', valuationType, 'rest', { 0: 0, 1: 1, 2: 2, 3: 3 }],
  [
    'sub_types',
    subType,
    'rest',
    Object.fromEntries([1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22].map((n) => [n, n])),
  ],
];

describe.each(cells)('%s', (_, enumeration, dialect, expected) => {
  const accepted = acceptedNumbers(enumeration, dialect);

  it('accepts exactly its numbers', () => {
    expect(Object.fromEntries([...accepted].map(([number, member]) => [number, member.public]))).toEqual(expected);
  });

  it('writes a number that it reads back as the same member', () => {
    for (const member of new Set(accepted.values())) expect(accepted.get(numberIn(member, dialect))).toBe(member);
  });
});

/** Tables that take the public protocol's whole enumeration, but for its "unknown". */
it.each([
  ['TrdEnv', trdEnv, TrdEnvSchema],
  ['TrdMarket', trdMarket, TrdMarketSchema],
  ['TrdSecMarket', secMarket, TrdSecMarketSchema],
  ['TrdSide', trdSide, TrdSideSchema],
  ['OrderType', orderType, OrderTypeSchema],
  ['TimeInForce', timeInForce, TimeInForceSchema],
  ['ModifyOrderOp', modifyOrderOp, ModifyOrderOpSchema],
  ['SubType', subType, SubTypeSchema],
  ['RehabType', rehabType, RehabTypeSchema],
] as const)('%s is complete in the public protocol', (_, enumeration, { values }) => {
  const known = values.filter(({ name }) => !/_(Unknown|None)$/.test(name) || name === 'RehabType_None').map(({ number }) => number);
  expect([...publicNumbers(enumeration).keys()].sort((a, b) => a - b)).toEqual(known.sort((a, b) => a - b));
});

it('the bar lengths of the public protocol are its own and the 4 minutes that are ours', () => {
  const known = KLTypeSchema.values.map(({ number }) => number).filter((number) => number > 0);
  expect(new Set(publicNumbers(klType).keys())).toEqual(new Set([...known, KL_TYPE_4MIN]));
});

it('the currencies of the public protocol are its own and the USDT that is ours', () => {
  const known = CurrencySchema.values.map(({ number }) => number).filter((number) => number > 0);
  expect(new Set(publicNumbers(currency).keys())).toEqual(new Set([...known, CURRENCY_USDT]));
});

it.each(['rest', 'mcp'] as const)('knows Australia and Canada over %s, and accepts neither', (dialect) => {
  for (const enumeration of [trdMarket, secMarket]) {
    const untraded = [...knownNumbers(enumeration, dialect).values()].filter((member) => member.untraded).map(({ name }) => name);
    expect(untraded).toEqual(['AU', 'CA']);
    expect([...acceptedNumbers(enumeration, dialect).values()].filter((member) => member.untraded)).toEqual([]);
  }
});

/** Every table that answers and pushes hold. */
const written = [trdEnv, trdMarket, secMarket, trdSide, orderType, klType, rehabType, subType, timeInForce, currency, quoteMarketNumbers];

it.each(written.map((enumeration) => [enumeration.name, enumeration] as const))(
  '%s: no written number means another member',
  (_, enumeration) => {
    const known = knownNumbers(enumeration, 'rest');
    for (const [number, shown] of writtenValues(enumeration, 'rest')) {
      const member = enumeration.members.find((each) => each.public === number);
      const read = known.get(Number(shown));
      const same = [number, enumeration.members.find(({ name }) => name === member?.writtenAs)?.public];
      if (read !== undefined) expect(same, `${number} is written as ${shown}`).toContain(read.public);
    }
    expect(new Set(writtenValues(enumeration, 'rest').keys())).toEqual(new Set(publicNumbers(enumeration).keys()));
  },
);

it('writes the markets of simulated futures as the market of futures, which is read', () => {
  for (const number of [10, 11, 12, 13]) {
    expect(writtenValues(trdMarket, 'rest').get(number)).toBe(5);
    expect(writtenValues(trdMarket, 'mcp').get(number)).toBe('FUTURES');
  }
  expect(writtenValues(trdMarket, 'rest').get(7)).toBe(107);
});

it('writes Japan as 15 however it was read', () => {
  const member = acceptedNumbers(trdMarket, 'rest').get(7);
  expect(member && numberIn(member, 'rest')).toBe(15);
});

it('never writes the number of one bar length for another', () => {
  const written = klType.members.map((member) => numberIn(member, 'rest'));
  expect(new Set(written).size).toBe(klType.members.length);
});

it.each(['NORMAL', 'LIMIT', 'MARKET', 'ABSOLUTE_LIMIT', 'AUCTION', 'AUCTION_LIMIT', 'SPECIAL_LIMIT'])(
  'tools know the order type %s',
  (name) => {
    expect(memberNamed(orderType, name.toLowerCase())).toBeDefined();
  },
);

it('names the sessions and statements of the specification', () => {
  const names = (enumeration: Enumeration) => enumeration.members.map(({ name }) => name);
  expect(names(session)).toEqual(['NONE', 'RTH', 'ETH', 'ALL']);
  expect(names(orderSession)).toEqual([...names(session), 'OVERNIGHT']);
  expect(names(statementType)).toEqual(['UNKNOWN', 'INCOME', 'BALANCE_SHEET', 'CASH_FLOW', 'MAIN_INDEX']);
  expect(names(valuationType)).toEqual(['RECOMMENDED', 'PE', 'PB', 'PS']);
  expect(names(rehabType)).toEqual(['none', 'forward', 'backward']);
});

it('no field of another type than a whole number is taken for an enumeration', () => {
  const seen = new Set<string>();
  const misnamed: string[] = [];
  const isWhole = (scalar: ScalarType | undefined) => scalar === ScalarType.INT32 || scalar === ScalarType.UINT32;
  const walk = (desc: DescMessage) => {
    if (seen.has(desc.typeName)) return;
    seen.add(desc.typeName);
    for (const field of desc.fields) {
      if (field.message !== undefined) walk(field.message);
      else if (enumerationOf(desc.typeName, field.name) !== undefined && !isWhole(field.scalar) && field.enum === undefined)
        misnamed.push(`${desc.typeName}.${field.name}`);
    }
  };
  for (const { messages } of operations) for (const desc of [messages.C2SSchema, messages.S2CSchema]) walk(desc);
  expect(misnamed).toEqual([]);
});

/** Parameters and values of every operation, by the paths of their fields. */
const declared = operations.flatMap(({ name, messages, shape, values }) =>
  [...shape, ...values].filter(({ hidden }) => !hidden).map((param) => ({ at: `${name} ${param.field}`, desc: messages.C2SSchema, param })),
);

it('no two members of an enumeration share a name', () => {
  const twice = declared.flatMap(({ at, param: { type } }) => {
    if (type.kind !== 'choice' && type.kind !== 'choices') return [];
    const names = type.enumeration.members.flatMap(({ name, aliases = [] }) => [name, ...aliases]).map((name) => name.toLowerCase());
    return new Set(names).size === names.length ? [] : [at];
  });
  expect(twice).toEqual([]);
});

it('no two figures of a screen share a text', () => {
  const seen = new Set<DescMessage>();
  const twice: string[] = [];
  const look = (desc: DescMessage): void => {
    if (seen.has(desc)) return;
    seen.add(desc);
    for (const field of desc.fields) {
      if (field.message !== undefined) look(field.message);
      const texts = (screenFieldsOf(field) ?? []).map(({ about }) => about);
      if (new Set(texts).size !== texts.length) twice.push(`${desc.typeName}.${field.name}`);
    }
  };
  for (const { messages } of operations) look(messages.C2SSchema);
  expect(twice).toEqual([]);
});

it('every number of a closed list is declared as an enumeration, so that tools take its names', () => {
  // Firms of a brokerage are no closed list.
  const open = /broker_id$/;
  const numbers = declared.filter(({ param: { type, field } }) => type.kind === 'integer' && !open.test(field));
  const closed = numbers.filter(({ desc, param: { field, about } }) => {
    const listed = [...about.matchAll(/\b\d+:? [a-z]+/gi)].length > 1;
    const place = field.includes('[]') ? undefined : documentedEnumeration(fieldAt(desc, field));
    return listed || place !== undefined;
  });
  expect(closed.map(({ at }) => at)).toEqual([]);
});
