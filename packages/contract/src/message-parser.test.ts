import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messages } from '../../../test/support/messages.js';
import * as QotGetFinancialsStatements from './generated/Qot_GetFinancialsStatements_pb.js';
import { GatewayRequestSchema } from './generated/svc/v1/gateway_pb.js';
import * as TrdGetOrderList from './generated/Trd_GetOrderList_pb.js';
import { messageParser } from './message-parser.js';
import { operations } from './operations/index.js';

describe('a parser', () => {
  it('reads every request as the library does', () => {
    for (const desc of [GatewayRequestSchema, ...new Set(operations.map(({ messages }) => messages.RequestSchema))]) {
      fc.assert(
        fc.property(messages(desc, 3, 'named'), (message) => {
          const bytes = toBinary(desc, message);
          expect(messageParser(desc)(bytes)).toEqual(fromBinary(desc, bytes));
        }),
        { numRuns: 30 },
      );
    }
  });

  it('keeps a number that an enumeration does not have, which the library drops', () => {
    const desc = QotGetFinancialsStatements.RequestSchema;
    const c2s = { security: { market: 1, code: '00700' }, statementType: 9 };
    const bytes = toBinary(desc, create(desc, { c2s }));
    expect(fromBinary(desc, bytes)).not.toMatchObject({ c2s });
    expect(messageParser(desc)(bytes)).toMatchObject({ c2s });
  });

  it('joins what comes in pieces: parts of a message are one, of a field the last counts', () => {
    const desc = TrdGetOrderList.RequestSchema;
    const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
    const first = toBinary(desc, create(desc, { c2s: { header, refreshCache: true } }));
    const second = toBinary(desc, create(desc, { c2s: { header: { ...header, accID: 2n } } }));
    const bytes = Buffer.concat([first, second]);
    expect(messageParser(desc)(bytes)).toEqual(fromBinary(desc, bytes));
    expect(messageParser(desc)(bytes)).toMatchObject({ c2s: { header: { accID: 2n }, refreshCache: true } });
  });

  it('reads lists of numbers packed or one by one', () => {
    // GetDelayStatistics.Request { c2s { typeList: [1, 2] } }, as two elements and as one piece.
    const { RequestSchema } = operations.find(({ name }) => name === 'get_delay_statistics')!.messages;
    for (const bytes of [
      [0x0a, 4, 0x08, 1, 0x08, 2],
      [0x0a, 4, 0x0a, 2, 1, 2],
    ])
      expect(messageParser(RequestSchema)(Uint8Array.from(bytes))).toMatchObject({ c2s: { typeList: [1, 2] } });
  });

  it.each([
    ['a field that ends early', [0x12, 5, 1]],
    ['a number that does not end', [0x08, 0xff]],
    ['a group that does not end', [0x1b, 0x08, 1]],
    ['no field number', [0x00]],
  ])('stops at %s', (_, bytes) => expect(() => messageParser(GatewayRequestSchema)(Uint8Array.from(bytes))).toThrow());

  it('stops at a part that reaches beyond its whole', () => {
    const { RequestSchema } = operations.find(({ name }) => name === 'get_orderbook')!.messages;
    expect(() => messageParser(RequestSchema)(Uint8Array.from([0x0a, 2, 0x0a, 9, 1, 2, 3]))).toThrow();
  });

  it('takes or refuses any bytes, and never hangs', () => {
    const { RequestSchema } = operations.find(({ name }) => name === 'place_order')!.messages;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        try {
          messageParser(RequestSchema)(bytes);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Error);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('does not make of a few bytes more messages than anybody sends', () => {
    const { ResponseSchema } = TrdGetOrderList;
    const orders = (count: number) => {
      // Field 2 of the payload, and nothing in it.
      const payload = Buffer.alloc(2 * count, Uint8Array.of(0x12, 0));
      return new BinaryWriter().tag(1, WireType.Varint).int32(0).tag(4, WireType.LengthDelimited).bytes(payload).finish();
    };
    expect(messageParser(ResponseSchema)(orders(1000))).toEqual(fromBinary(ResponseSchema, orders(1000)));
    expect(() => messageParser(ResponseSchema)(orders(1_000_000))).toThrow(/more than 500000 messages within one/);
  });
});
