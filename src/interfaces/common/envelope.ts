import { messageWriter } from '../../contract/json/message-json.js';
import type { Int64Format } from '../../contract/json/scalars.js';
import type { Operation } from '../../contract/operation.js';
import { payloadOf, type ResponseMessage } from '../../gateway/index.js';
import { type Body, bodyOf } from './body.js';

// By response: a backend that has nothing new to say returns the same object (see Backend.call), which is written once.
const written: Readonly<Record<Int64Format, WeakMap<ResponseMessage, Body>>> = { number: new WeakMap(), string: new WeakMap() };

/** The response envelope: `ret_type`, `ret_msg`, `err_code`, `s2c`. */
export function writeEnvelope(operation: Operation, response: ResponseMessage, int64: Int64Format): Body {
  let body = written[int64].get(response);
  if (body === undefined) {
    body = bodyOf(envelopeText(operation, response, int64));
    written[int64].set(response, body);
  }
  return body;
}

/** The same as text, for what is put into something else. */
export function envelopeText(operation: Operation, response: ResponseMessage, int64: Int64Format): string {
  const payload = payloadOf(operation, response);
  const s2c = payload === undefined ? '{}' : messageWriter(operation.messages.S2CSchema, 'rest', int64)(payload);
  // A success may have something to say as well: what it left out.
  const said = response.retMsg === '' ? 'null' : JSON.stringify(response.retMsg);
  if (response.retType === 0) return `{"ret_type":0,"ret_msg":${said},"err_code":null,"s2c":${s2c}}`;
  const code = response.errCode === 0 ? 'null' : String(response.errCode);
  return `{"ret_type":${response.retType},"ret_msg":${JSON.stringify(response.retMsg)},"err_code":${code},"s2c":${s2c}}`;
}
