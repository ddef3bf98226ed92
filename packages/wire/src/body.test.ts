import { create } from '@bufbuild/protobuf';
import * as InitConnect from '@svc-gateway/contract/generated/InitConnect_pb';
import * as Sub from '@svc-gateway/contract/generated/Qot_Sub_pb';
import * as ModifyOrder from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishedDecode, publishedEncode } from '../../../test/support/published-client.js';
import { decodeBody, encodeBody } from './body.js';

const int64 = fc.oneof(
  fc.constantFrom(0n, 2n ** 53n + 1n, 123456789012345678n, 2n ** 64n - 1n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
// JSON.stringify has no -0.
const number = fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0);

const anyModify = fc
  .record({ orderID: int64, accID: int64, price: number, qty: number, forAll: fc.boolean(), remark: fc.string(), serialNo: fc.nat() })
  .map(({ accID, serialNo, remark, ...fields }) =>
    create(ModifyOrder.RequestSchema, {
      c2s: {
        ...fields,
        packetID: { connID: accID, serialNo },
        header: { trdEnv: 1, accID, trdMarket: 2 },
        modifyOrderOp: 1,
        orderIDEx: remark,
      },
    }),
  );

function readJson(text: string) {
  return decodeBody(ModifyOrder.RequestSchema, Buffer.from(text), 'json');
}

const HEADER = { trdEnv: 1, accID: '123456789012345678', trdMarket: 2 };
const PACKET = { connID: '5', serialNo: 1 };

describe('a body', () => {
  it.each(['protobuf', 'json'] as const)('reads back as it was written (%s)', (format) => {
    fc.assert(
      fc.property(anyModify, (message) => {
        expect(decodeBody(ModifyOrder.RequestSchema, encodeBody(ModifyOrder.RequestSchema, message, format), format)).toEqual({
          ok: true,
          message,
        });
      }),
    );
  });

  it('in protobuf is what the published client writes and reads', () => {
    const fields = {
      c2s: {
        packetID: { connID: 5, serialNo: 1 },
        header: { trdEnv: 1, accID: 7, trdMarket: 2 },
        orderID: 9,
        modifyOrderOp: 1,
        price: 0.1,
      },
    };
    const read = decodeBody(ModifyOrder.RequestSchema, publishedEncode('Trd_ModifyOrder.Request', fields), 'protobuf');
    expect(read).toMatchObject({
      ok: true,
      message: { c2s: { packetID: { connID: 5n }, header: { accID: 7n }, orderID: 9n, price: 0.1 } },
    });

    const answer = create(InitConnect.ResponseSchema, {
      retType: 0,
      s2c: {
        serverVer: 1011,
        loginUserID: 123456789012345678n,
        connID: 2n ** 64n - 1n,
        connAESKey: '0123456789abcdef',
        keepAliveInterval: 10,
      },
    });
    expect(publishedDecode('InitConnect.Response', encodeBody(InitConnect.ResponseSchema, answer, 'protobuf'))).toEqual({
      retType: 0,
      s2c: {
        serverVer: 1011,
        loginUserID: '123456789012345678',
        connID: '18446744073709551615',
        connAESKey: '0123456789abcdef',
        keepAliveInterval: 10,
      },
    });
  });

  it('in JSON has the original names, exact integers, and enumerations as numbers', () => {
    const answer = create(ModifyOrder.ResponseSchema, {
      retType: 0,
      s2c: { header: { trdEnv: 0, accID: 123456789012345678n, trdMarket: 1 }, orderID: 2n ** 53n + 1n, orderIDEx: 'x' },
    });
    expect(JSON.parse(Buffer.from(encodeBody(ModifyOrder.ResponseSchema, answer, 'json')).toString())).toEqual({
      retType: 0,
      s2c: { header: { trdEnv: 0, accID: '123456789012345678', trdMarket: 1 }, orderID: '9007199254740993', orderIDEx: 'x' },
    });
  });

  it('has no s2c in JSON where the payload has no field', () => {
    const answer = create(Sub.ResponseSchema, { retType: 0, s2c: {} });
    expect(JSON.parse(Buffer.from(encodeBody(Sub.ResponseSchema, answer, 'json')).toString())).toEqual({ retType: 0 });
    expect(answer.s2c).toBeDefined();
  });

  it('is never empty', () => {
    for (const format of ['protobuf', 'json'] as const) {
      expect(decodeBody(Sub.RequestSchema, Buffer.alloc(0), format)).toEqual({
        ok: false,
        problem: { kind: 'invalid', path: '', message: `empty body, expected a Qot_Sub.Request as ${format}` },
      });
    }
    expect(() => encodeBody(Sub.S2CSchema, create(Sub.S2CSchema), 'protobuf')).toThrow('Qot_Sub.S2C: a body is never empty');
    expect(() => encodeBody(Sub.RequestSchema, create(Sub.RequestSchema), 'json')).toThrow('c2s');
  });
});

describe('JSON requests', () => {
  it.each([
    ['as text', '"123456789012345678"'],
    ['as a number', '123456789012345678'],
  ])('take 64-bit integers %s', (_, number) => {
    const header = `{"trdEnv":1,"accID":${number},"trdMarket":2}`;
    const read = readJson(`{"c2s":{"packetID":{"connID":5,"serialNo":1},"header":${header},"orderID":${number},"modifyOrderOp":1}}`);
    expect(read).toMatchObject({ ok: true, message: { c2s: { orderID: 123456789012345678n, header: { accID: 123456789012345678n } } } });
  });

  it('take a double with more digits than it needs', () => {
    const text = `{"c2s":{"packetID":{"connID":5,"serialNo":1},"header":{"trdEnv":1,"accID":1,"trdMarket":2},"orderID":1,"modifyOrderOp":1,"price":0.1000000000000000055511151231257827}}`;
    expect(readJson(text)).toMatchObject({ ok: true, message: { c2s: { price: 0.1 } } });
  });

  it('may have fields that are not known here', () => {
    const c2s = {
      packetID: PACKET,
      header: { ...HEADER, newer: [1, { a: 2 }] },
      orderID: '1',
      modifyOrderOp: 1,
      newest: null,
      __proto__: 1,
    };
    expect(readJson(JSON.stringify({ c2s, c3s: {} }))).toMatchObject({ ok: true });
  });

  it.each([
    ['{"c2s":', 'malformed JSON at line 1, column 8: expected a value, found the end of the text'],
    ['{"c2s":{},"c2s":{}}', 'malformed JSON at line 1, column 11: the field "c2s" appears twice'],
    ['[]', 'cannot decode message Trd_ModifyOrder.Request from JSON'],
  ])('are refused with the place: %s', (text, message) => {
    expect(readJson(text)).toEqual({ ok: false, problem: { kind: 'invalid', path: '', message: expect.stringContaining(message) } });
  });

  it.each([
    [5, 'c2s', 'an object, found the number 5'],
    [{ orderID: 'x' }, 'c2s.orderID', 'an unsigned integer of 64 bits, found the string "x"'],
    ['{"orderID":18446744073709551616}', 'c2s.orderID', 'an unsigned integer of 64 bits, found the number 18446744073709551616'],
    [{ modifyOrderOp: 1.5 }, 'c2s.modifyOrderOp', 'an integer of 32 bits, found the number 1.5'],
    ['{"price":1e999}', 'c2s.price', 'a number, found the number 1e999'],
    [{ forAll: 1 }, 'c2s.forAll', 'true or false, found the number 1'],
    [{ header: { accID: '1', trdMarket: 'HK' } }, 'c2s.header.trdMarket', 'an integer of 32 bits, found the string "HK"'],
  ])('of a wrong type are refused with the path of the value: %j', (c2s, path, says) => {
    const text = `{"c2s":${typeof c2s === 'string' ? c2s : JSON.stringify(c2s)}}`;
    const message = `${path}: expected ${says}`;
    expect(readJson(text)).toEqual({ ok: false, problem: { kind: 'wrong_type', path, message } });
  });

  it.each([
    [{ securityList: [{ market: 1, code: '00700' }, { market: 'HK' }] }, 'c2s.securityList[1].market'],
    [{ securityList: {} }, 'c2s.securityList'],
    [{ securityList: [null] }, 'c2s.securityList[0]'],
    [{ subTypeList: [1, 'x'] }, 'c2s.subTypeList[1]'],
  ])('in lists are refused with the path of the value: %j', (c2s, path) => {
    const read = decodeBody(Sub.RequestSchema, Buffer.from(JSON.stringify({ c2s })), 'json');
    expect(read).toMatchObject({ ok: false, problem: { kind: 'wrong_type', path } });
  });

  it('are UTF-8', () => {
    const read = decodeBody(Sub.RequestSchema, Buffer.from('7b22c3287d', 'hex'), 'json');
    expect(read).toMatchObject({ ok: false, problem: { message: 'the body is not UTF-8 text' } });
  });
});

describe('a required field', () => {
  const securities = [
    { market: 1, code: '00700' },
    { market: 1, code: '00005' },
  ];

  it.each([
    [{}, 'c2s'],
    [{ c2s: { subTypeList: [1] } }, 'c2s.isSubOrUnSub'],
    [{ c2s: { subTypeList: [1], isSubOrUnSub: true, securityList: [securities[0], { market: 1 }] } }, 'c2s.securityList[1].code'],
  ])('is named with its path: %j', (request, path) => {
    const read = decodeBody(Sub.RequestSchema, Buffer.from(JSON.stringify(request)), 'json');
    expect(read).toEqual({ ok: false, problem: { kind: 'missing_field', path, message: `missing field "${path}"` } });
  });

  it('is named together with all others, at every level', () => {
    const request = { c2s: { securityList: [{}, { market: 1 }] } };
    const read = decodeBody(Sub.RequestSchema, Buffer.from(JSON.stringify(request)), 'json');
    const others = ['securityList[0].market', 'securityList[0].code', 'securityList[1].code'].map((each) => `"c2s.${each}"`);
    const message = `missing field "c2s.isSubOrUnSub"; also missing: ${others.join(', ')}`;
    expect(read).toMatchObject({ ok: false, problem: { kind: 'missing_field', path: 'c2s.isSubOrUnSub', message } });
  });

  it('is missed in protobuf as well', () => {
    // Field 1 (c2s), length 0.
    const read = decodeBody(Sub.RequestSchema, Buffer.of(0x0a, 0), 'protobuf');
    expect(read).toMatchObject({ ok: false, problem: { kind: 'missing_field', path: 'c2s.isSubOrUnSub' } });
  });
});

describe('any bytes', () => {
  it.each(['protobuf', 'json'] as const)('are a message or a problem (%s)', (format) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const read = decodeBody(Sub.RequestSchema, bytes, format);
        if (!read.ok) expect(read.problem.message).not.toBe('');
      }),
      { numRuns: 2000 },
    );
  });

  it('may not nest deeper than the stack', () => {
    // Group after group of an unknown field.
    const groups = Buffer.alloc(100_000, 0xa3);
    for (let at = 1; at < groups.length; at += 2) groups[at] = 0x06;
    expect(decodeBody(Sub.RequestSchema, groups, 'protobuf')).toMatchObject({ ok: false });
    expect(decodeBody(Sub.RequestSchema, Buffer.alloc(100_000, '['), 'json')).toMatchObject({ ok: false });
  });
});
