import { create, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageWriter } from './json/message-json.js';
import { completeMessage, protobufBody, readMessageRequest } from './message-request.js';
import type { Operation } from './operation.js';
import { account, metadata, operations, quote, subscription, system, trade } from './operations/index.js';
import { ProtocolIds } from './protocol-ids.js';
import { Rejection } from './rejection.js';

const ids = new ProtocolIds();
const security = { market: 1, code: '00700' };
const header = { trdEnv: 0, accID: 123456789012345678n, trdMarket: 1 };
const packetID = { connID: 7n, serialNo: 1 };
const order = { packetID, header, trdSide: 1, orderType: 1, code: '00700' };

/** The request as REST would write it back, or the problem's text. */
function decode<O extends Operation>(operation: O, fields: MessageInitShape<O['messages']['C2SSchema']>): string {
  const c2s = create(operation.messages.C2SSchema, fields);
  const problem = completeMessage(operation, c2s);
  return problem?.message ?? messageWriter(operation.messages.C2SSchema, 'rest')(c2s);
}

describe('a message', () => {
  it.each([
    ['in full', () => decode(quote.getOrderBook, { security, num: 5 }), '{"security":{"market":1,"code":"00700"},"num":5}'],
    ['with a default', () => decode(quote.getOrderBook, { security }), '{"security":{"market":1,"code":"00700"},"num":10}'],
    ['with hidden constants', () => decode(system.getGlobalState, {}), '{"user_id":0}'],
    [
      'with HK futures by their old market',
      () => decode(quote.getOrderBook, { security: { market: 2, code: 'HSImain' } }),
      '{"security":{"market":1,"code":"HSImain"},"num":10}',
    ],
    [
      'whose absent field says something by its absence',
      () => decode(subscription.subscribe, { securityList: [security], subTypeList: [1], isSubOrUnSub: true }),
      '{"security_list":[{"market":1,"code":"00700"}],"sub_type_list":[1],"is_sub_or_un_sub":true,"reg_push_rehab_type_list":[],"is_first_push":true,"is_sub_order_book_detail":false,"extended_time":false}',
    ],
    [
      'with a number of the public protocol that the JSON interfaces do not know',
      () => decode(trade.placeOrder, { packetID, header, trdSide: 1, orderType: 10, code: '00700', qty: 100, auxPrice: 300 }),
      '{"packet_id":{"conn_id":7,"serial_no":1},"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1},"trd_side":1,"order_type":10,"code":"00700","qty":100,"aux_price":300}',
    ],
    [
      'that says what the gateway would fill in',
      () => decode(account.getOrderFee, { header: { ...header, trdMarket: 0 }, orderIdExList: ['x'] }),
      '{"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":0},"order_id_ex_list":["x"]}',
    ],
    [
      'without the zeroes that say nothing, and with those that say something',
      () => decode(account.getOrders, { header, filterConditions: { filterMarket: 0 } }),
      '{"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1},"filter_conditions":{"code_list":[],"id_list":[],"order_id_ex_list":[]},"filter_status_list":[]}',
    ],
    [
      'with the price that a binary float was meant to be, to the 3 places of securities',
      () => decode(trade.placeOrder, { ...order, qty: 99.99999999999999, price: 0.1 + 0.2, auxPrice: 283.41179999999997 }),
      '{"packet_id":{"conn_id":7,"serial_no":1},"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1},"trd_side":1,"order_type":1,"code":"00700","qty":100,"price":0.3,"aux_price":283.412}',
    ],
    [
      'with the price of a future to 9 places',
      () => decode(trade.placeOrder, { ...order, header: { ...header, trdMarket: 5 }, qty: 1, price: 0.006_700_5 + 1e-17 }),
      '{"packet_id":{"conn_id":7,"serial_no":1},"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":5},"trd_side":1,"order_type":1,"code":"00700","qty":1,"price":0.0067005}',
    ],
    [
      'with fractions of a share, which the brokerage judges',
      () => decode(trade.placeOrder, { ...order, qty: 1.5, price: 320 }),
      '{"packet_id":{"conn_id":7,"serial_no":1},"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1},"trd_side":1,"order_type":1,"code":"00700","qty":1.5,"price":320}',
    ],
    [
      'with a price that would round to 0 as it is, since 0 says something else',
      () => decode(trade.modifyOrder, { packetID, header, orderID: 1n, modifyOrderOp: 1, qty: 100, price: 0.0004 }),
      '{"packet_id":{"conn_id":7,"serial_no":1},"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1},"order_id":1,"modify_order_op":1,"qty":100,"price":0.0004}',
    ],
    [
      'with a session of 0, which is none',
      () =>
        decode(trade.placeOrder, { packetID, header, trdSide: 1, orderType: 1, code: '00700', qty: 1, price: 1, secMarket: 0, session: 0 }),
      '{"packet_id":{"conn_id":7,"serial_no":1},"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1},"trd_side":1,"order_type":1,"code":"00700","qty":1,"price":1,"session":0}',
    ],
    [
      'with securities in place of the market that it must name',
      () => decode(metadata.getTradingDays, { market: 0, security, beginTime: '2026-01-01', endTime: '2026-01-31 23:59:59' }),
      '{"market":0,"begin_time":"2026-01-01","end_time":"2026-01-31 23:59:59","security":{"market":1,"code":"00700"}}',
    ],
    ['with a filter by nothing', () => decode(quote.getStaticInfo, { market: 0, secType: 3 }), '{"sec_type":3,"security_list":[]}'],
    [
      'that asks for the fees of no order',
      () => decode(account.getOrderFee, { header }),
      '{"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1},"order_id_ex_list":[]}',
    ],
  ])('is read %s', (_, actual, expected) => expect(actual()).toBe(expected));

  it.each([
    [() => decode(quote.getOrderBook, { num: 3 }), 'missing field "security"'],
    [() => decode(quote.getOrderBook, { security: { market: 1 } as never }), 'missing field "security.code"'],
    [() => decode(quote.getOrderBook, { security, num: 41 }), 'num: 41 is out of range, accepted: 1 to 40'],
    [
      () => decode(quote.getOrderBook, { security: { market: 51, code: 'x' } }),
      'security.market: expected one of 1 (HK), 2 (HK_FUTURE), 11 (US)',
    ],
    [() => decode(quote.getQuote, {}), 'missing field "securityList"'],
    [
      () => decode(quote.getQuote, { securityList: Array.from({ length: 2_001 }, () => security) }),
      'securityList: 2001 entries are too many; at most 2000 are accepted',
    ],
    [() => decode(quote.getQuote, { securityList: [security, { market: 3, code: 'x' }] }), 'securityList[1].market: expected one of'],
    [() => decode(quote.getKline, { security, klType: 16, rehabType: 0, reqNum: 1 }), 'klType: expected one of 2 (day), 3 (week)'],
    [
      () => decode(account.getFunds, { header: { ...header, trdEnv: 2 } }),
      'header.trdEnv: expected one of 0 (simulate), 1 (real), found the number 2',
    ],
    [() => decode(account.getFunds, { header: { trdEnv: 0, trdMarket: 1 } as never }), 'missing field "header.accID"'],
    [
      () => decode(account.getFunds, { header: { ...header, trdMarket: 8 } }),
      'header.trdMarket: market AU is not traded here; accepted: 1 (HK)',
    ],
    [() => decode(account.getFunds, { header: { ...header, trdMarket: 112 } }), 'header.trdMarket: market CA is not traded here'],
    [() => decode(account.getFunds, { header: { ...header, trdMarket: 0 } }), 'header.trdMarket: expected one of 1 (HK)'],
    [
      () => decode(account.getHistoryOrders, { header, filterConditions: { beginTime: '2026-13-01', endTime: '2026-12-31' } }),
      'filterConditions.beginTime: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, found the string "2026-13-01"',
    ],
    [
      () => decode(trade.placeOrder, { packetID, header, trdSide: 1, orderType: 3, code: '00700', qty: 100 }),
      'orderType: expected one of 1 (NORMAL), 2 (MARKET)',
    ],
    [
      () => decode(trade.placeOrder, { header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 1, remark: 'x'.repeat(65) }),
      'remark: 65 bytes are too long; at most 64 are accepted',
    ],
    [
      () => decode(trade.placeOrder, { header, trdSide: 1, orderType: 1, code: '00700', qty: Number.NaN, price: 1 }),
      'qty: expected a number, found NaN',
    ],
    [
      () =>
        decode(trade.placeOrder, { header, trdSide: 1, orderType: 1, code: '00700', qty: 1, price: 1, auxPrice: Number.POSITIVE_INFINITY }),
      'auxPrice: expected a number, found Infinity',
    ],
    [
      () => decode(trade.placeOrder, { header, trdSide: 1, orderType: 1, code: '00700', qty: -1, price: 1 }),
      'qty: -1 is out of range, accepted: above 0',
    ],
    [() => decode(trade.placeOrder, { packetID, header, trdSide: 1, orderType: 0, code: '00700', qty: 1 }), 'orderType: expected one of'],
    [() => decode(trade.placeOrder, { packetID, header, trdSide: 1, code: '00700', qty: 1 }), 'missing field "orderType"'],
    [
      () => decode(trade.placeOrder, { packetID, header, trdSide: 0, orderType: 1, code: '00700', qty: 1, price: 1 }),
      'trdSide: expected one of 1 (BUY)',
    ],
    [
      () => decode(subscription.subscribe, { securityList: [security], subTypeList: [0], isSubOrUnSub: true }),
      'subTypeList[0]: expected one of',
    ],
    [() => decode(quote.getStaticInfo, { market: 0, secType: 0 }), 'missing field "securityList": one of securityList, market, secType'],
    [() => decode(metadata.getTradingDays, { market: 0, beginTime: '2026-01-01', endTime: '2026-01-31' }), 'missing field "market"'],
    [() => decode(subscription.subscribe, { isSubOrUnSub: true, subTypeList: [1] }), 'missing field "securityList"'],
    [() => decode(subscription.unsubscribe, { isSubOrUnSub: false }), 'missing field "securityList": required unless isUnsubAll is true'],
    [() => decode(trade.cancelOrder, { header, packetID, modifyOrderOp: 2, orderID: 0n }), 'one of orderID, orderIDEx is required'],
    [
      () => decode(trade.modifyOrder, { header, packetID, modifyOrderOp: 1, orderID: 1n }),
      'missing field "qty": required when modifyOrderOp is normal',
    ],
    [
      () => decode(trade.placeComboOrder, { header: {} as never, comboLegs: [{} as never], orderType: 1 }),
      'missing field "qty"; also missing: "header.trdEnv", "header.accID", "header.trdMarket", "comboLegs[0].security", "comboLegs[0].side", "comboLegs[0].qtyRatio", "price"',
    ],
    [
      () =>
        decode(metadata.getStockFilter, { begin: 0, num: 1, market: 1, baseFilterList: [{ fieldName: 5, filterMin: 5, filterMax: 1 }] }),
      'baseFilterList[0].filterMin: 5 exceeds baseFilterList[0].filterMax, which is 1',
    ],
    [
      () => decode(metadata.getStockFilter, { begin: 0, num: 1, market: 1, financialFilterList: [{ fieldName: 1, quarter: 9 }] }),
      'financialFilterList[0].quarter: expected one of 1 (Annual)',
    ],
    [() => decode(trade.unlockTrade, { unlock: true }), 'missing field "pwdMD5": required when unlock is true'],
    [
      () => decode(trade.cancelOrder, { header, orderID: 1n, modifyOrderOp: 3 }),
      'modifyOrderOp: expected one of 2 (cancel), found the number 3',
    ],
  ])('is refused: case %#', (actual, message) => expect(actual()).toContain(message));
});

/** Reads a request of this id and these bytes: the operation's name and the decoder's result. */
function read(protoId: number, bytes: Uint8Array): [string, Message | Rejection] | undefined {
  const request = readMessageRequest(ids, protoId, protobufBody(bytes));
  return request && [request.operation.name, request.decode()];
}

describe('a request by protocol id', () => {
  it('is the operation’s, with fields that nobody knows ignored', () => {
    const { RequestSchema } = quote.getOrderBook.messages;
    const known = toBinary(RequestSchema, create(RequestSchema, { c2s: { security, num: 3 } }));
    // Field 99, a varint.
    const [name, request] = read(3012, Buffer.concat([known, Buffer.from([0x98, 0x06, 0x01])]))!;
    expect(name).toBe('get_orderbook');
    expect(request).toMatchObject({ security, num: 3 });
  });

  it('is told from others of its id by its content', () => {
    const { RequestSchema } = trade.cancelOrder.messages;
    const bytes = toBinary(RequestSchema, create(RequestSchema, { c2s: { packetID, header, orderID: 5n, modifyOrderOp: 2 } }));
    expect(read(2205, bytes)?.[0]).toBe('cancel_order');
  });

  it('is refused when it is no such message', () => {
    for (const protoId of [3012, 2205]) {
      expect(read(protoId, Buffer.from([0xff, 0xff]))?.[1]).toMatchObject({
        code: 'request.invalid',
        message: expect.stringContaining('in protobuf'),
      });
      expect(read(protoId, new Uint8Array())?.[1]).toMatchObject({ code: 'request.missing_field', message: 'missing field "c2s"' });
    }
  });

  it('belongs to no operation when the id is unknown', () => expect(read(9999, new Uint8Array())).toBeUndefined());

  it('never fails for a reason of its own, whatever comes', () => {
    const protoIds = operations.flatMap(({ protoId }) => (protoId === null ? [] : [protoId]));
    fc.assert(
      fc.property(fc.constantFrom(...protoIds), fc.uint8Array({ maxLength: 64 }), (protoId, bytes) => {
        const [, request] = read(protoId, bytes)!;
        if (request instanceof Rejection) expect(request.code).toMatch(/^request\./);
      }),
      { numRuns: 2000 },
    );
  });
});

it('takes a body that cannot be read for the operation of its id that has no conditions', () => {
  const unread = { ok: false, problem: { kind: 'missing_field', path: 'packetID', message: 'missing field "packetID"' } } as const;
  expect(readMessageRequest(new ProtocolIds(), 2205, () => unread)?.operation.name).toBe('modify_order');
});
