import { clone, create, equals, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askedText } from './asked-text.js';
import { C2SSchema as SubC2S } from './generated/Qot_Sub_pb.js';
import { C2SSchema } from './generated/Trd_PlaceOrder_pb.js';

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const placed = fc
  .record({
    packetID: fc.record({ connID: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), serialNo: fc.nat() }),
    header: fc.record({ trdEnv: fc.nat(1), accID: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), trdMarket: fc.nat(3) }),
    trdSide: fc.nat(4),
    orderType: fc.nat(3),
    code: fc.constantFrom('NIO', '00700', '7"=;', 'ü'),
    qty: fc.constantFrom(0, -0, 1, 0.1),
    price: optional(fc.constantFrom(0, -0, 1, 5.1)),
    adjustPrice: optional(fc.boolean()),
    remark: optional(fc.constantFrom('', ';1=2', 'a')),
  })
  .map((fields) => create(C2SSchema, Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))));

it('tells requests apart as the wire does, whatever they came from', () => {
  fc.assert(
    fc.property(placed, placed, (one, other) => {
      expect(askedText(C2SSchema, fromBinary(C2SSchema, toBinary(C2SSchema, one)))).toBe(askedText(C2SSchema, one));
      const same = equals(C2SSchema, one, other) && Buffer.from(toBinary(C2SSchema, one)).equals(toBinary(C2SSchema, other));
      expect(askedText(C2SSchema, one) === askedText(C2SSchema, other)).toBe(same);
      const again = clone(C2SSchema, one);
      again.code += ';';
      expect(askedText(C2SSchema, again)).not.toBe(askedText(C2SSchema, one));
    }),
  );
});

it('leaves one field out', () => {
  const one = create(C2SSchema, { packetID: { connID: 1n, serialNo: 1 }, code: 'NIO' });
  const other = create(C2SSchema, { packetID: { connID: 2n, serialNo: 7 }, code: 'NIO' });
  expect(askedText(C2SSchema, one, 'packetID')).toBe(askedText(C2SSchema, other, 'packetID'));
  expect(askedText(C2SSchema, one)).not.toBe(askedText(C2SSchema, other));
});

it('distinguishes lists and their nested values', () => {
  const text = (codes: string[]) =>
    askedText(SubC2S, create(SubC2S, { securityList: codes.map((code) => ({ market: 1, code })), subTypeList: [1, 2] }));
  expect(text(['1', '2'])).not.toBe(text(['12']));
  expect(text(['1', '2'])).toBe(text(['1', '2']));
});
