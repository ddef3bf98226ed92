import { fromBinary } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import { PushHub } from '@svc-gateway/gateway/push';
import { describe, expect, it } from 'vitest';
import { FakeBackend, FakeSink, notify, quote, stream, trade, turn } from '../../../../test/support/push-fakes.js';
import { pushFormatOf, type WireFormat } from './push-formats.js';
import { TextFrame } from './text-frame.js';

const tencent = stream('HK.00700');
const register = { push: true, first: true };
const json: WireFormat = { format: 'json', int64: 'number', enums: 'rest' };
const accId = 281756455983234567n;

function setUp() {
  const backend = new FakeBackend();
  const onDefect = (error: unknown) => {
    throw error;
  };
  const hub = new PushHub({ backend, onDefect, clock: new ManualClock(0) });
  const join = (wire: WireFormat) => {
    const sink = new FakeSink();
    const connection = hub.connect({ iface: 'ws', owner: 'key:a', permits: () => true, format: pushFormatOf(wire), sink });
    return { connection, texts: () => textsOf(sink.bytes()) };
  };
  return { backend, hub, join };
}

/** The texts of WebSocket frames, oldest first. */
function textsOf(data: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < data.length; ) {
    if (data[at] !== 0x81) throw new Error(`no text frame at ${at}`);
    const short = data[at + 1] ?? 0;
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    const length = short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2));
    texts.push(data.toString('utf8', start, start + length));
    at = start + length;
  }
  return texts;
}

describe('frames', () => {
  it('have the names of enumerations where those are asked for', async () => {
    const { backend, hub, join } = setUp();
    const { texts } = join({ ...json, enums: 'mcp' });
    const numbers = join(json);
    const kline = stream('US.AAPL', 6, 1);
    await hub.subscribe('key:a', [tencent, kline], register);
    await hub.subscribeAccounts('key:a', [accId]);
    backend.push(quote(tencent, 512.5));
    backend.push(quote(kline, 230));
    backend.push(trade(accId, 15, 9007199254740993n));
    await turn();
    const [basic, bars, order] = texts().map((text) => JSON.parse(text));
    expect([basic.sub_type, basic.body.basic_qot_list[0].security.market]).toEqual(['Basic', 'HK']);
    expect([bars.sub_type, bars.rehab_type]).toEqual(['KL_Day', 'forward']);
    expect(order.body.header.trd_env).toBe('simulate');
    expect(JSON.parse(numbers.texts()[1] ?? '')).toMatchObject({ sub_type: 6, rehab_type: 1 });
  });

  it('of a quote, a K-line, a trade and a notification have the fields of the interface', async () => {
    const { backend, hub, join } = setUp();
    const { texts } = join(json);
    const kline = stream('US.AAPL', 6, 1);
    await hub.subscribe('key:a', [tencent, kline], register);
    await hub.subscribeAccounts('key:a', [accId]);
    backend.push(quote(tencent, 512.5));
    backend.push(quote(kline, 230));
    backend.push(trade(accId, 15, 9007199254740993n));
    backend.push(notify('hello'));
    await turn();
    const head = '{"type":"quote","seq":1,"proto_id":3005,"sec_key":"1_00700","symbol":"HK.00700","sub_type":1,"body":{"basic_qot_list":[';
    expect(texts()[0]?.startsWith(head)).toBe(true);
    expect(JSON.parse(texts()[0] ?? '').body.basic_qot_list[0].cur_price).toBe(512.5);
    // Day K-lines are 1 in REST's list (2 in the protocol), simulated accounts 1 (0), and 64-bit integers are exact.
    expect(texts()[1]).toBe(
      '{"type":"quote","seq":2,"proto_id":3007,"sec_key":"11_AAPL","symbol":"US.AAPL","sub_type":6,"rehab_type":1,"body":{"rehab_type":1,"kl_type":1,"security":{"market":11,"code":"AAPL"},"kl_list":[{"time":"2026-08-03","is_blank":false,"close_price":230}]}}',
    );
    const header = '"header":{"trd_env":1,"acc_id":281756455983234567,"trd_market":15}';
    const address = '"proto_id":2208,"acc_id":281756455983234567,"trd_market":"JP"';
    const { cursor } = JSON.parse(texts()[2] ?? '{}');
    expect(cursor).toMatch(/^[0-9a-f]{8}-[0-9a-f]{32}-0$/);
    expect(texts()[2]?.startsWith(`{"type":"trade","seq":3,"cursor":"${cursor}",${address},"body":{${header},"order":{`)).toBe(true);
    expect(texts()[2]).toContain('"order_id":9007199254740993,');
    expect(texts()[3]).toBe('{"type":"notify","seq":4,"proto_id":1003,"body":{"type":1,"event":{"event_type":0,"desc":"hello"}}}');
  });

  it('carry the protobuf bytes, or 64-bit integers as text, where the connection asks for it', async () => {
    const { backend, hub, join } = setUp();
    const protobuf = join({ format: 'protobuf', int64: 'string', enums: 'rest' });
    const text = join({ format: 'json', int64: 'string', enums: 'rest' });
    await hub.subscribe('key:a', [tencent], register);
    await hub.subscribeAccounts('key:a', [accId]);
    const event = trade(accId, 1, 9007199254740993n);
    backend.push(event);
    backend.push(quote(tencent, 1));
    await turn();
    const [order, basic] = protobuf.texts().map((each) => JSON.parse(each));
    expect(order).toMatchObject({ type: 'trade', acc_id: '281756455983234567' });
    expect(order).not.toHaveProperty('body');
    expect(fromBinary(TrdUpdateOrder.ResponseSchema, Buffer.from(order.body_b64, 'base64'))).toEqual(event.message);
    const quoted = fromBinary(QotUpdateBasicQot.ResponseSchema, Buffer.from(basic.body_b64, 'base64'));
    expect(quoted.s2c?.basicQotList[0]?.curPrice).toBe(1);
    expect(text.texts()[0]).toContain('"acc_id":"281756455983234567"');
    expect(text.texts()[0]).toContain('"order_id":"9007199254740993"');
  });

  it('have each length form of RFC 6455', () => {
    for (const size of [1, 117, 118, 119, 65_527, 65_528, 65_529, 70_000]) {
      for (const width of [1, 2]) {
        const tail = 'x'.repeat(size);
        const frame = new TextFrame({ kind: 'kept' }, '{"seq":', tail);
        const bytes = Buffer.alloc(frame.size(width));
        const end = frame.write(bytes, 0, width);
        bytes.write('7'.repeat(width), end - width);
        expect(textsOf(bytes)).toEqual([`{"seq":${'7'.repeat(width)}${tail}`]);
      }
    }
  });
});
