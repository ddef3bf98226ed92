import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { ResponseSchema } from './generated/Qot_GetBasicQot_pb.js';
import { ResponseSchema as ConstituentsSchema } from './generated/svc/forex_constituents_pb.js';
import { missingFieldOf } from './missing-field.js';

const prices = { priceSpread: 0, highPrice: 0, openPrice: 0, lowPrice: 0, curPrice: 0, lastClosePrice: 0 };
const rest = { volume: 0n, turnover: 0, turnoverRate: 0, amplitude: 0, isSuspended: false, listTime: '', updateTime: '' };
const whole = { security: { market: 1, code: '00700' }, ...prices, ...rest };

function missing(response: MessageInitShape<typeof ResponseSchema>): string | undefined {
  return missingFieldOf(ResponseSchema)(create(ResponseSchema, response));
}

it('says which required field a message lacks, anywhere in it', () => {
  expect(missing({})).toBe('retType');
  expect(missing({ retType: -1 })).toBeUndefined();
  expect(missing({ retType: 0, s2c: { basicQotList: [whole, whole] } })).toBeUndefined();
  expect(missing({ retType: 0, s2c: { basicQotList: [whole, { ...whole, security: { market: 1 } }] } })).toBe(
    's2c.basicQotList[1].security.code',
  );
  const { volume: _, ...noVolume } = whole;
  expect(missing({ retType: 0, s2c: { basicQotList: [noVolume] } })).toBe('s2c.basicQotList[0].volume');
});

it('tells a list that is missing from one that is empty', () => {
  const lacks = (s2c: object) =>
    missingFieldOf(ConstituentsSchema)(create(ConstituentsSchema, { retType: 0, s2c: { backendRet: 0, ...s2c } }));
  expect(lacks({})).toBe('s2c.list');
  expect(lacks({ list: { listId: 1, stockInfo: [] } })).toBeUndefined();
});
