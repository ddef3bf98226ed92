import { expect, it } from 'vitest';
import { readClientMessage } from './client-message.js';
import { headersFor } from './headers.js';

function read(text: string) {
  const message = readClientMessage(Buffer.from(text));
  if (!message.ok) throw new Error(message.error.message);
  return message.value;
}

const ENVELOPE = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';

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

it('refuses what is not UTF-8', () => {
  expect(readClientMessage(Buffer.from([0x7b, 0xff, 0x7d]))).toMatchObject({ ok: false, error: { code: -32700 } });
});

it.each([
  ['tools/call', '"name":"svc_get_quote"', 'svc_get_quote'],
  ['resources/read', '"uri":"svc://quote/HK.00700"', 'svc://quote/HK.00700'],
  ['prompts/get', '"name":"日報"', '=?base64?5pel5aCx?='],
  ['prompts/get', '"name":" spaced "', '=?base64?IHNwYWNlZCA=?='],
  ['prompts/get', '"name":"=?base64?eA==?="', `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`],
  ['tools/list', '"name":"not repeated"', undefined],
])('repeats revision, method and name of an enveloped %s with %s in headers', (method, field, name) => {
  const headers = headersFor(read(`{"id":1,"method":"${method}","params":{${field},${ENVELOPE}}}`), undefined, undefined);
  expect(headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
  expect(headers['mcp-name']).toBe(name);
});

it('leaves out a header that HTTP cannot carry', () => {
  const headers = headersFor(read(`{"id":1,"method":"a\\nb: c","params":{${ENVELOPE}}}`), undefined, undefined);
  expect(headers).not.toHaveProperty('mcp-method');
});

it('marks what belongs to a session with it, and what belongs to no session with the revision before it', () => {
  const session = { id: 's1', version: '2025-11-25', logging: false, initialize: read('{"id":0,"method":"initialize"}') };
  const notification = read('{"method":"notifications/progress"}');
  expect(headersFor(notification, session, '2026-07-28')).toMatchObject({ 'mcp-session-id': 's1', 'mcp-protocol-version': '2025-11-25' });
  expect(headersFor(notification, undefined, '2026-07-28')).toMatchObject({
    'mcp-method': 'notifications/progress',
    'mcp-protocol-version': '2026-07-28',
  });
  expect(headersFor(session.initialize, session, '2026-07-28')).not.toHaveProperty('mcp-protocol-version');
});
