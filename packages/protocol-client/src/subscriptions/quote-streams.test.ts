import { create, toBinary } from '@bufbuild/protobuf';
import { PushDataType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import * as QotUpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import type { QuoteStream } from '@svc-gateway/gateway/backend';
import { expect, it } from 'vitest';
import { QuoteStreams } from './quote-streams.js';

const TICKER = 4;
const stream: QuoteStream = { symbol: 'HK.00700', subType: TICKER, rehabType: 0, extendedTime: false };
const { PushDataType_Realtime: LIVE, PushDataType_ByDisConn: MISSED, PushDataType_Cache: MEMORY } = PushDataType;

/** Sequence numbers of the ticks that are passed on of a push. */
function heard(streams: QuoteStreams, pushDataType: number, sequences: readonly number[], timestamp = 1): readonly number[] {
  const tickerList = sequences.map((sequence) => ({
    ...{ sequence: BigInt(sequence), timestamp, pushDataType },
    ...{ time: '', dir: 1, price: 1, volume: 1n, turnover: 1 },
  }));
  const s2c = { security: { market: 1, code: '00700' }, tickerList };
  const body = toBinary(QotUpdateTicker.ResponseSchema, create(QotUpdateTicker.ResponseSchema, { retType: 0, s2c }));
  const pushes = streams.take({ protoId: 3011, format: 'protobuf', body }) ?? [];
  return pushes.flatMap(({ message }) => (message as QotUpdateTicker.Response).s2c?.tickerList.map((tick) => Number(tick.sequence)) ?? []);
}

it('ticks that a server repeats from memory after a loss are heard once', () => {
  const streams = new QuoteStreams();
  streams.begin([stream]);
  expect(heard(streams, MEMORY, [1, 2])).toEqual([1, 2]);
  expect(heard(streams, LIVE, [3])).toEqual([3]);
  streams.clear();
  streams.begin([stream]);
  expect(heard(streams, MEMORY, [3])).toEqual([]);
  // Somebody else who subscribes now has not heard it.
  expect(streams.current(stream)).toBeDefined();
  expect(heard(streams, MEMORY, [2, 3, 4])).toEqual([4]);
  expect(heard(streams, MISSED, [2])).toEqual([2]);
  expect(heard(streams, LIVE, [5])).toEqual([5]);
});

it('ticks of a server with restarted numbering are delivered', () => {
  const streams = new QuoteStreams();
  streams.begin([stream]);
  expect(heard(streams, LIVE, [1000], 10)).toEqual([1000]);
  expect(heard(streams, MEMORY, [1], 20)).toEqual([1]);
  expect(heard(streams, LIVE, [2], 20)).toEqual([2]);
});

it('the last tick is heard again by whoever subscribes later', () => {
  const streams = new QuoteStreams();
  streams.begin([stream]);
  expect(heard(streams, LIVE, [7])).toEqual([7]);
  streams.end([stream]);
  streams.begin([stream]);
  expect(heard(streams, MEMORY, [7])).toEqual([7]);
});
