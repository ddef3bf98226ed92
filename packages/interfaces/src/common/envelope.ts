import { refusalCode } from '@svc-gateway/contract/broker-codes';
import type { Dialect } from '@svc-gateway/contract/enums';
import { messagePieces, messageWriter } from '@svc-gateway/contract/json/message-json';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import { getOrInsert } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { payloadOf, type ResponseMessage } from '@svc-gateway/gateway';
import { type Body, bodyOf } from './body.js';
import { ELEMENTS_A_PIECE, madeAlone, ownTurn } from './long-answers.js';

// Bodies by response. A backend returns the same object while nothing has changed (see Backend.call); without this, REST quotes fell from 0.66 to 0.55 of a bare server, by processor time.
const written: Readonly<Record<Dialect, Readonly<Record<Int64Format, WeakMap<ResponseMessage, Body>>>>> = {
  rest: { number: new WeakMap(), string: new WeakMap() },
  mcp: { number: new WeakMap(), string: new WeakMap() },
};

/** How answers are written: enumerations by REST's numbers, or by the names that tools have (`mcp`). */
export interface EnvelopeFormat {
  readonly int64: Int64Format;
  readonly enums: Dialect;
}

/** The response envelope: `ret_type`, `ret_msg`, `err_code`, `s2c`, and a newline, for terminals and programs that read lines. */
export function writeEnvelope(operation: Operation, response: ResponseMessage, format: EnvelopeFormat): Body {
  // No two writes have the same answer.
  if (operation.effect !== 'read') return bodyOf(`${envelopeText(operation, response, format)}\n`);
  return getOrInsert(written[format.enums][format.int64], response, () => bodyOf(`${envelopeText(operation, response, format)}\n`));
}

/** The same as text, for what is put into something else. */
export function envelopeText(operation: Operation, response: ResponseMessage, { int64, enums }: EnvelopeFormat): string {
  const payload = payloadOf(operation, response);
  const s2c = payload === undefined ? '{}' : messageWriter(operation.messages.S2CSchema, enums, int64)(payload);
  return `${headOf(response)}${s2c}}`;
}

/** Long bodies by response: concurrent callers of the same list share one encoding. */
const writtenLong: Readonly<Record<Dialect, Readonly<Record<Int64Format, WeakMap<ResponseMessage, readonly Buffer[]>>>>> = {
  rest: { number: new WeakMap(), string: new WeakMap() },
  mcp: { number: new WeakMap(), string: new WeakMap() },
};

/** Sent at once: encrypting them takes a fraction of a millisecond. */
const CHARACTERS_AT_ONCE = 256 * 1024;

/** The same in bytes, written in as many turns as it takes; undefined where nobody wants it any more. */
export function writeLongEnvelope(
  operation: Operation,
  response: ResponseMessage,
  format: EnvelopeFormat,
  isWanted: () => boolean,
): Promise<readonly Buffer[] | undefined> {
  return madeAlone(async () => {
    if (!isWanted()) return undefined;
    const known = writtenLong[format.enums][format.int64].get(response);
    if (known !== undefined) return known;
    const pieces: Buffer[] = [];
    let text = '';
    for (const piece of envelopePieces(operation, response, format)) {
      text += piece;
      if (text.length >= CHARACTERS_AT_ONCE) {
        pieces.push(Buffer.from(text));
        text = '';
      }
      await ownTurn();
      if (!isWanted()) return undefined;
    }
    if (text !== '') pieces.push(Buffer.from(text));
    writtenLong[format.enums][format.int64].set(response, pieces);
    return pieces;
  });
}

/** In pieces, whose making takes a few milliseconds each. */
function* envelopePieces(operation: Operation, response: ResponseMessage, { int64, enums }: EnvelopeFormat): Iterable<string> {
  const payload = payloadOf(operation, response);
  yield headOf(response);
  if (payload === undefined) yield '{}';
  else yield* messagePieces(operation.messages.S2CSchema, enums, int64, payload, ELEMENTS_A_PIECE);
  yield '}\n';
}

/** The envelope of a success whose payload is JSON text already. */
export function envelopeOf(s2c: string): string {
  return `{"ret_type":0,"ret_msg":null,"err_code":null,"s2c":${s2c}}\n`;
}

/** The envelope up to the payload. */
function headOf(response: ResponseMessage): string {
  const { retType, retMsg } = response;
  // A success may have something to say as well: what it left out.
  const said = retType === 0 && retMsg === '' ? 'null' : JSON.stringify(retMsg);
  if (retType === 0) return `{"ret_type":0,"ret_msg":${said},"err_code":null,"s2c":`;
  const { code, errCode } = refusalCode(response);
  return `{"ret_type":${retType},"ret_msg":${said},"err_code":${JSON.stringify(errCode)},"code":"${code}","s2c":`;
}
