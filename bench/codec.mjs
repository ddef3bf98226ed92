/**
 * Cost of decoding and encoding, in ns: the JSON of a quote request to its message, a quote's message to its JSON, and
 * get_quote through the whole pipeline in this process (key, gates, audit to a file, answer as text). And the protobuf bytes of
 * an order's answer, of a quote push and of an answer of 1,000 bars.
 *
 *   node bench/codec.mjs [rounds]
 *
 * The limits are `JSON.parse` of the same request and `JSON.stringify` of the same answer as plain objects.
 */
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import * as QotRequestHistoryKL from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import * as QotUpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { quote } from '@svc-gateway/contract/operations';
import { requestDecoder } from '@svc-gateway/contract/request';
import { writeEnvelope } from '../packages/interfaces/dist/common/envelope.js';
import { decodeRequest } from '../packages/interfaces/dist/rest/body.js';
import { temporaryFolder, writeKeys } from './lib/fixture.mjs';
import { composeGateway } from './lib/gateway.mjs';
import { number, report } from './lib/report.mjs';
import { interleave, median, spread } from './lib/statistics.mjs';
import { nanoseconds, turns } from './lib/timing.mjs';

/** So that they take as long as thousands of quotes. */
const BAR_CALLS = 20;
const rounds = Number(process.argv[2] ?? 25);
const folder = temporaryFolder();
const keys = writeKeys(join(folder, 'keys'), 100);
const { gateway, backend, stop } = await composeGateway({ folder, keysFile: keys.path, auditFile: join(folder, 'audit.jsonl') });
const operation = quote.getQuote;

const body = '{"symbol":"HK.00700"}';
const bytes = Buffer.from(body);
const decode = requestDecoder(operation, 'rest');
const request = decodeRequest(operation, 'POST', bytes, '');
const write = messageWriter(operation.messages.S2CSchema, 'rest');
const response = await backend.call(operation, request, { requestId: 'bench' });
const text = write(response.s2c);
const plain = JSON.parse(text);
// A new message each time has nothing remembered about it: what the first reader after a change pays.
const fresh = () => ({ ...response.s2c, basicQotList: response.s2c.basicQotList.map((item) => ({ ...item })) });
const caller = (index) => ({
  iface: 'rest',
  endpoint: 'POST /api/quote',
  requestId: `bench-${index}`,
  peer: { address: '127.0.0.1', loopback: true },
  keyText: keys.texts[index % keys.texts.length],
});

const security = { market: 1, code: '00700' };
const header = { trdEnv: 0, accID: 281_756_473_194_939_811n, trdMarket: 2 };
const placed = { header, orderID: 7_234_567_890_123_456_789n, orderIDEx: 'FA1234567890ABCDEF' };
const prices = { highPrice: 355.4, lowPrice: 348.6, openPrice: 350, lastClosePrice: 349.2, turnover: 4_345_678_901.5, turnoverRate: 0.13 };
const bar = { ...prices, time: '2026-11-23 10:31:00', isBlank: false, closePrice: 351.2, volume: 123_456n, pe: 21.3, changeRate: 0.3 };
const bars = Array.from({ length: 1000 }, (_, minute) => ({ ...bar, timestamp: 1_795_400_460 + 60 * minute }));
const messages = {
  order: [TrdPlaceOrder.ResponseSchema, { retMsg: '', errCode: 0, s2c: placed }],
  quote: [QotUpdateBasicQot.ResponseSchema, { s2c: { basicQotList: response.s2c.basicQotList } }],
  bars: [QotRequestHistoryKL.ResponseSchema, { s2c: { security, name: 'TENCENT', klList: bars } }],
};
const protobuf = Object.entries(messages).flatMap(([name, [desc, fields]]) => {
  const message = create(desc, { retType: 0, ...fields });
  const calls = name === 'bars' ? BAR_CALLS : undefined;
  return [[name, () => nanoseconds(() => toBinary(desc, message), calls)]];
});

const results = await interleave(rounds, {
  ...Object.fromEntries(protobuf),
  jsonParse: () => nanoseconds(() => JSON.parse(body)),
  parse: () => nanoseconds(() => parseJson(body)),
  decode: () => nanoseconds(() => decode(parseJson(body).value)),
  stringify: () => nanoseconds(() => JSON.stringify(plain)),
  copy: () => nanoseconds(fresh),
  copyAndEncode: () => nanoseconds(() => write(fresh())),
  encode: () => nanoseconds(() => writeEnvelope(operation, response, { int64: 'number', enums: 'rest' })),
  whole: () =>
    turns((index) =>
      writeEnvelope(
        operation,
        gateway.call(operation, caller(index), () => decodeRequest(operation, 'POST', bytes, '')),
        { int64: 'number', enums: 'rest' },
      ),
    ),
});
results.encodeNew = results.copyAndEncode.map((ns, round) => ns - results.copy[round]);

report([
  figure('parse the quote request exactly and strictly', 'parse', 'JSON.parse', 'jsonParse'),
  figure('parse and decode the quote request', 'decode', 'JSON.parse', 'jsonParse'),
  figure(`encode a new quote answer (${text.length} characters)`, 'encodeNew', 'JSON.stringify', 'stringify'),
  figure('encode the answer of an unchanged quote', 'encode', 'JSON.stringify', 'stringify'),
  figure("write an order's answer in protobuf", 'order'),
  figure('write a quote push in protobuf', 'quote'),
  figure('write an answer of 1,000 bars in protobuf', 'bars'),
  figure('get_quote in process: key, decode, gates, backend, audit, encode', 'whole'),
]);
await stop();

function figure(name, measured, limitName, limit) {
  const value = `${number(median(results[measured]))} ns`;
  if (limit === undefined) return { name, value, spread: `${spread(results[measured], 0)} ns` };
  const ratios = results[measured].map((ns, round) => results[limit][round] / ns);
  return { name, value, limit: `${limitName} ${number(median(results[limit]))} ns`, ratio: median(ratios), spread: spread(ratios) };
}
