import * as UpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as UpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { messages } from '../../../test/support/messages.js';
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

const push = fc.oneof(
  messages(UpdateTicker.ResponseSchema).map((message) => ({ protoId: 3011, message })),
  messages(UpdateBasicQot.ResponseSchema).map((message) => ({ protoId: 3005, message })),
);
const event = fc.record({
  time: fc.integer({ min: 0, max: 4e12 }),
  symbol: fc.constantFrom('HK.00700', 'HK.00005'),
  push,
  beside: fc.constantFrom('', '', '{"gap":1}'),
});

it('gives back every push, in order, in whatever pieces its bytes come', () => {
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
