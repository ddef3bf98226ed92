import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { KLineSchema } from '../generated/Qot_Common_pb.js';
import { S2CSchema } from '../generated/Qot_GetKL_pb.js';
import { keepText } from './kept-texts.js';
import { messagePieces, messageWriter } from './message-json.js';

const lineOf = (closePrice: number) =>
  create(KLineSchema, { time: '2026-11-20 00:00:00', isBlank: false, closePrice, volume: 9_007_199_254_740_993n });
const listOf = (...klList: ReturnType<typeof lineOf>[]) => create(S2CSchema, { security: { market: 1, code: '00700' }, klList });

test('an element whose text is kept is written once by each writer, whatever list it is in', () => {
  const [kept, other] = [lineOf(1), lineOf(1)];
  keepText(kept);
  const write = messageWriter(S2CSchema, 'rest', 'string');
  const before = write(listOf(kept, other));
  expect(JSON.parse(before).kl_list[0]).toEqual(JSON.parse(before).kl_list[1]);
  for (const line of [kept, other]) line.closePrice = 2;
  const prices = (text: string) => JSON.parse(text).kl_list.map(({ close_price }: { close_price: number }) => close_price);
  expect(prices(write(listOf(other, kept, kept)))).toEqual([2, 1, 1]);
  expect(prices([...messagePieces(S2CSchema, 'rest', 'string', listOf(other, kept), 1)].join(''))).toEqual([2, 1]);
});

test('writers of other formats write their own', () => {
  const kept = lineOf(1);
  keepText(kept);
  const [text, number] = (['string', 'number'] as const).map((int64) => messageWriter(S2CSchema, 'rest', int64)(listOf(kept)));
  expect(text).toContain('"volume":"9007199254740993"');
  expect(number).toContain('"volume":9007199254740993');
});
