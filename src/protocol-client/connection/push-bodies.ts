import type { DescMessage } from '@bufbuild/protobuf';
import { messageParser } from '../../contract/message-parser.js';
import { missingFieldOf } from '../../contract/missing-field.js';
import type { ResponseMessage } from '../../gateway/backend.js';
import { decodeBody } from '../../wire/index.js';
import type { PushFrame } from './connection.js';

/** The `Response` of a push, which may come in JSON; undefined for what is none, or says that something failed. */
export function readPush<T>(desc: DescMessage, { format, body }: PushFrame): (ResponseMessage & { readonly s2c: T }) | undefined {
  const message = format === 'protobuf' ? parse(desc, body) : parseJson(desc, body);
  const push = message as (ResponseMessage & { readonly s2c?: T }) | undefined;
  return push?.retType === 0 && push.s2c !== undefined ? (push as ResponseMessage & { readonly s2c: T }) : undefined;
}

function parse(desc: DescMessage, body: Uint8Array): unknown {
  try {
    const message = messageParser(desc)(body);
    return missingFieldOf(desc)(message) === undefined ? message : undefined;
  } catch {
    return undefined;
  }
}

function parseJson(desc: DescMessage, body: Uint8Array): unknown {
  const read = decodeBody(desc, body, 'json');
  return read.ok ? read.message : undefined;
}
