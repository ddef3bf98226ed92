import { describe, expect, it } from 'vitest';
import {
  acceptedNumbers,
  CURRENCY_USDT,
  currency,
  type Dialect,
  type Enumeration,
  KL_TYPE_4MIN,
  klType,
  memberNamed,
  modifyOrderOp,
  numberIn,
  orderType,
  publicNumbers,
  quoteMarketNumbers,
  rehabType,
  secMarket,
  subType,
  timeInForce,
  trdEnv,
  trdEnvOfModify,
  trdMarket,
  trdSide,
} from './enums.js';
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

/** What an interface accepts, as number → public number: the specification's lists, cell by cell. */
const cells: [string, Enumeration, Dialect, Record<number, number>][] = [
  ['trd_env over REST', trdEnv, 'rest', { 1: 0, 2: 1 }],
  ['trd_env for tools', trdEnv, 'mcp', { 1: 0, 2: 1 }],
  ['trd_env of the modify-order header', trdEnvOfModify, 'rest', { 0: 1, 1: 0 }],
  ['trading market over REST', trdMarket, 'rest', { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 15, 8: 8, 15: 15, 111: 111, 112: 112 }],
  ['trading market for tools', trdMarket, 'mcp', { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 15, 8: 8, 15: 15, 111: 111, 112: 112 }],
  ['quote market', quoteMarketNumbers, 'rest', { 1: 1, 2: 2, 11: 11, 21: 21, 22: 22, 31: 31, 41: 41, 61: 61, 81: 81 }],
  ['order_type over REST', orderType, 'rest', { 1: 1, 2: 2, 5: 5, 6: 6, 7: 7, 8: 8 }],
  ['order_type for tools', orderType, 'mcp', { 1: 1, 2: 2, 5: 6, 6: 5, 7: 8 }],
  ['kl_type over REST', klType, 'rest', { 1: 2, 2: 3, 3: 4, 5: 1, 6: 6, 7: 7, 8: 8, 9: 9, 10: 10, 11: 1004 }],
  ['kl_type for tools', klType, 'mcp', { 1: 2, 2: 3, 3: 4, 5: 1, 6: 6, 7: 7, 8: 8, 9: 9, 10: 10, 11: 1004 }],
  ['trd_side', trdSide, 'rest', { 1: 1, 2: 2, 3: 3, 4: 4 }],
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

it('writes Japan as 15 however it was read', () => {
  const member = acceptedNumbers(trdMarket, 'rest').get(7);
  expect(member && numberIn(member, 'rest')).toBe(15);
});

it('never writes the number of one bar length for another', () => {
  const written = klType.members.map((member) => numberIn(member, 'rest'));
  expect(new Set(written).size).toBe(klType.members.length);
});

it.each([
  'day',
  'week',
  'month',
  'quarter',
  'year',
  '1min',
  '3min',
  '5min',
  '15min',
  '30min',
  '60min',
  '10min',
  '120min',
  '180min',
  '240min',
])('tools know the bar length %s', (name) => {
  expect(memberNamed(klType, name)?.name).toBe(name);
});

it.each(['NORMAL', 'LIMIT', 'MARKET', 'ABSOLUTE_LIMIT', 'AUCTION', 'AUCTION_LIMIT', 'SPECIAL_LIMIT'])(
  'tools know the order type %s',
  (name) => {
    expect(memberNamed(orderType, name.toLowerCase())).toBeDefined();
  },
);
