import { create, toBinary } from '@bufbuild/protobuf';
import {
  type Order,
  OrderFillSchema,
  OrderSchema,
  SecurityFirm,
  TrdAccSchema,
  type TrdHeader,
  TrdMarket,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recoveredTrades, tradePushOf } from './trades.js';

const terms = { trdSide: 1, orderType: 1, orderStatus: 15, code: '00700', name: '', qty: 100, price: 1, createTime: '', updateTime: '' };
const ids = { orderID: 1n, orderIDEx: '1', fillID: 2n, fillIDEx: '2' };
const headerOf = (message: object) => (message as { s2c: { header: TrdHeader } }).s2c.header;

describe('tradePushOf', () => {
  it.each([
    [2208, TrdUpdateOrder.ResponseSchema, { order: { ...terms, ...ids, trdMarket: 2 } }],
    [2218, TrdUpdateOrderFill.ResponseSchema, { orderFill: { ...terms, ...ids, trdMarket: 2 } }],
  ])('names the market of the trade where the header of push %i names none', (protoId, schema, content) => {
    const response = create(schema as typeof TrdUpdateOrder.ResponseSchema, {
      retType: 0,
      s2c: { header: { trdEnv: 1, accID: 7n, trdMarket: 0 }, ...content },
    });
    const push = tradePushOf({
      protoId,
      format: 'protobuf',
      body: toBinary(schema as typeof TrdUpdateOrder.ResponseSchema, response),
    });
    expect(push?.trdMarket).toBe(2);
    expect(headerOf(push?.message ?? {}).trdMarket).toBe(2);
  });
});

describe('recoveredTrades', () => {
  it('names a market in each header, whatever the account and the trade say of theirs', () => {
    const marketLists = fc.array(fc.constantFrom(TrdMarket.TrdMarket_Unknown, TrdMarket.TrdMarket_HK, TrdMarket.TrdMarket_US));
    const firms = fc.option(fc.integer({ min: SecurityFirm.SecurityFirm_Unknown, max: SecurityFirm.SecurityFirm_FutuJP }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(marketLists, firms, fc.constantFrom(undefined, 0, 2), (trdMarketAuthList, securityFirm, trdMarket) => {
        const firm = securityFirm === undefined ? {} : { securityFirm };
        const account = create(TrdAccSchema, { trdEnv: 1, accID: 7n, trdMarketAuthList, ...firm });
        const market = trdMarket === undefined ? {} : { trdMarket };
        const order: Order = create(OrderSchema, { ...terms, ...ids, ...market });
        const pushes = recoveredTrades(account, [order], [create(OrderFillSchema, { ...terms, ...ids, ...market })], 0);
        expect(pushes).toHaveLength(2);
        for (const push of pushes) {
          expect(headerOf(push.message).trdMarket).toBeGreaterThan(0);
          expect(push.trdMarket).toBe(headerOf(push.message).trdMarket);
        }
      }),
    );
  });

  it.each([
    ['the home of its firm', SecurityFirm.SecurityFirm_FutuSG, TrdMarket.TrdMarket_SG],
    ['Hong Kong where no firm is named', SecurityFirm.SecurityFirm_Unknown, TrdMarket.TrdMarket_HK],
  ])('addresses an account that lists no market in %s', (_, securityFirm, trdMarket) => {
    const account = create(TrdAccSchema, { trdEnv: 1, accID: 7n, trdMarketAuthList: [], securityFirm });
    const [push] = recoveredTrades(account, [create(OrderSchema, { ...terms, ...ids })], [], 0);
    expect(push?.trdMarket).toBe(trdMarket);
  });
});
