import { expect, it } from 'vitest';
import { readClientMessage } from './client-message.js';

function read(text: string) {
  const message = readClientMessage(Buffer.from(text));
  if (!message.ok) throw new Error(message.error.message);
  return message.value;
}

it('keeps the digits of an id', () => {
  expect(read('{"jsonrpc":"2.0","id":123456789012345678,"method":"ping"}').ids).toEqual(['123456789012345678']);
  expect(read('{"jsonrpc":"2.0","id":"a\\"b","method":"ping"}').ids).toEqual(['"a\\"b"']);
});

it('tells requests, notifications, answers and batches apart', () => {
  expect(read('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toMatchObject({ kind: 'notification', ids: [] });
  expect(read('{"jsonrpc":"2.0","id":1,"result":{}}')).toMatchObject({ kind: 'response', ids: [] });
  expect(read('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}').kind).toBe('response');
  expect(read('[{"id":1,"method":"ping"},{"method":"x"},{"id":"b","method":"ping"}]')).toMatchObject({ kind: 'batch', ids: ['1', '"b"'] });
  expect(read('{"method":"notifications/cancelled","params":{"requestId":7}}').cancels).toBe('7');
});

it.each([
  ['{', -32700],
  ['{"id":1,"id":2,"method":"ping"}', -32700],
  ['42', -32600],
  ['{}', -32600],
  ['{"id":null,"method":"ping"}', -32600],
  ['{"id":{},"method":"ping"}', -32600],
])('refuses %s', (text, code) => {
  expect(readClientMessage(Buffer.from(text))).toMatchObject({ ok: false, error: { code } });
});

it('refuses bytes that are not UTF-8', () => {
  expect(readClientMessage(Buffer.from([0x7b, 0xff, 0x7d]))).toMatchObject({ ok: false, error: { code: -32700 } });
});
