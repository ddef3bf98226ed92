import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as TrdGetPositionList from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import type { ResponseMessage, TradePush } from '@svc-gateway/gateway/backend';
import { BackendTimeout } from '@svc-gateway/gateway/backend-failures';
import { payloadOf } from '@svc-gateway/gateway/push';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Upstream } from '../connection/upstream.js';
import { SellableQuantities } from './sellable-quantities.js';

const HK = 1;
const ACCOUNT = 11n;
const header = { trdEnv: 0, accID: ACCOUNT, trdMarket: HK };

let asked: ((positions: readonly object[] | Error) => void)[];
let passed: (readonly [string, number | undefined])[];
let sellable: SellableQuantities;
beforeEach(() => {
  asked = [];
  passed = [];
  const upstream: Upstream = {
    request: () =>
      new Promise((resolve, reject) => {
        asked.push((positions) => {
          if (positions instanceof Error) reject(positions);
          else
            resolve(
              create(TrdGetPositionList.ResponseSchema, {
                retType: 0,
                s2c: { header, positionList: positions as never },
              }) as ResponseMessage,
            );
        });
      }),
    requestBytes: () => Promise.reject(new Error('not asked')),
  };
  sellable = new SellableQuantities(upstream, new ManualClock(0), ({ message, canSellQty }) => {
    passed.push([(payloadOf(message) as unknown as { order: { orderIDEx: string } }).order.orderIDEx, canSellQty]);
  });
});

function pushed(orderIDEx: string, code = '00700', accId = ACCOUNT): TradePush {
  const order = { orderIDEx, code, secMarket: HK } as never;
  const message = create(TrdUpdateOrder.ResponseSchema, { retType: 0, s2c: { header, order } });
  return { type: 'trade', protoId: 2208, accId, trdMarket: HK, message: message as ResponseMessage };
}

const position = (code: string, canSellQty: number, positionSide = PositionSide.PositionSide_Long) => ({
  code,
  canSellQty,
  positionSide,
  secMarket: HK,
});

describe('the sellable quantity of a push', () => {
  it('is that of the position in the security, and 0 where there is none', async () => {
    sellable.push(pushed('a'));
    sellable.push(pushed('b', '00005'));
    asked[0]?.([position('00700', 500)]);
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.([position('00700', 500)]);
    await sellable.idle();
    expect(passed).toEqual([
      ['a', 500],
      ['b', 0],
    ]);
  });

  it('is below zero for a short position, and what is held long where both sides are', async () => {
    sellable.push(pushed('short'));
    asked[0]?.([position('00700', 300, PositionSide.PositionSide_Short)]);
    await sellable.idle();
    sellable.push(pushed('both'));
    asked[1]?.([position('00700', 300, PositionSide.PositionSide_Short), position('00700', 200)]);
    await sellable.idle();
    expect(passed).toEqual([
      ['short', -300],
      ['both', 200],
    ]);
  });

  it('is read once for what came meanwhile, after it came, and the order is kept', async () => {
    for (const id of ['a', 'b', 'c']) sellable.push(pushed(id));
    expect(passed).toEqual([]);
    asked[0]?.([position('00700', 100)]);
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.([position('00700', 300)]);
    await sellable.idle();
    expect(passed).toEqual([
      ['a', 100],
      ['b', 300],
      ['c', 300],
    ]);
  });

  it('is left out where the server does not say it', async () => {
    sellable.push(pushed('a'));
    asked[0]?.(new BackendTimeout('no answer in time'));
    await sellable.idle();
    expect(passed).toEqual([['a', undefined]]);
  });

  it('holds up no other account, and no more than a thousand pushes', async () => {
    sellable.push(pushed('a'));
    sellable.push(pushed('other', '00700', 12n));
    asked[1]?.([]);
    await expect.poll(() => passed.length).toBe(1);
    for (let count = 1; count <= 1_000; count++) sellable.push(pushed(`${count}`));
    expect(passed.length).toBe(1 + 1_001);
    asked[0]?.([position('00700', 100)]);
    await sellable.idle();
    expect(passed.map(([id]) => id)).toEqual(['other', 'a', ...Array.from({ length: 1_000 }, (_, index) => `${index + 1}`)]);
  });
});
