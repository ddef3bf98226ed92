import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as UpdateBasicQot from '../contract/generated/Qot_UpdateBasicQot_pb.js';
import * as UpdateTicker from '../contract/generated/Qot_UpdateTicker_pb.js';
import { EventReader, type Recorded } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import type { Source } from './events.js';

const source = (protoId: number, symbol: string): Source => ({
  kind: 'quote',
  protoId,
  symbol,
  subType: 1,
  rehabType: 0,
  extendedTime: false,
  secKey: `1_${symbol}`,
});

const price = fc.oneof(
  fc.double(),
  fc.integer({ min: 1, max: 10_000_000 }).map((cents) => cents / 100),
  fc.constantFrom(0, -0, 0.1 + 0.2, 5e-324, Number.MAX_VALUE),
);
const wide = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: 0n, max: 10n ** 9n }));
const ticker = fc.record(
  {
    time: fc.string({ unit: 'grapheme' }),
    sequence: wide,
    dir: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    price,
    volume: wide,
    turnover: price,
    recvTime: price,
  },
  { requiredKeys: ['time', 'sequence', 'price'] },
);
const tickerPush = fc
  .record({ name: fc.option(fc.string(), { nil: undefined }), tickers: fc.array(ticker, { maxLength: 5 }) })
  .map(({ name, tickers }) => ({
    protoId: 3011,
    message: create(UpdateTicker.ResponseSchema, {
      retType: 0,
      s2c: { security: { market: 1, code: '00700' }, ...(name === undefined ? {} : { name }), tickerList: tickers },
    }),
  }));
const quotePush = fc.record({ curPrice: price, volume: wide, isSuspended: fc.boolean(), updateTime: fc.string() }).map((quote) => {
  const message = create(UpdateBasicQot.ResponseSchema, {
    retType: 0,
    s2c: { basicQotList: [{ security: { market: 1, code: '00700' }, ...quote }] },
  });
  message.$unknown = [{ no: 99, wireType: 2, data: new Uint8Array([1, 7]) }];
  return { protoId: 3005, message };
});
const event = fc.record({
  time: fc.integer({ min: 0, max: 4e12 }),
  symbol: fc.constantFrom('HK.00700', 'HK.00005'),
  push: fc.oneof(tickerPush, quotePush),
  beside: fc.constantFrom('', '', '{"gap":1}'),
});

describe('a recording', () => {
  it('gives back every push bit for bit, in order, in whatever pieces its bytes come', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), fc.integer({ min: 1, max: 400 }), (events, piece) => {
        const writer = new EventWriter();
        for (const { time, symbol, push, beside } of events) {
          writer.event(time, `${symbol} ${push.protoId}`, () => source(push.protoId, symbol), push.message, beside);
        }
        const bytes = writer.take();
        const reader = new EventReader();
        const read: Recorded[] = [];
        for (let from = 0; from < bytes.length; from += piece) read.push(...reader.read(bytes.subarray(from, from + piece)));
        expect(read).toStrictEqual(
          events.map(({ time, symbol, push, beside }) => ({
            event: { time, source: source(push.protoId, symbol), message: push.message, beside },
          })),
        );
      }),
    );
  });
});
