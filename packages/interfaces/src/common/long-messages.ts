import { type DescField, type DescMessage, type JsonObject, type Message, toBinary, toJson } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { fieldNamed, withFields } from '@svc-gateway/contract/field-path';
import type { Operation } from '@svc-gateway/contract/operation';
import { payloadOf, type ResponseMessage } from '@svc-gateway/gateway';
import { ELEMENTS_A_PIECE, madeAlone, ownTurn } from './long-answers.js';

/** The `Response` of an answer that is long (see `isLong`), made in as many turns of the event loop as it takes. */

type MessageListField = DescField & { readonly message: DescMessage };

interface Parts {
  readonly head: Message;
  /** The payload without its lists of messages. */
  readonly rest: Message;
  readonly lists: readonly { readonly field: MessageListField; readonly elements: readonly Message[] }[];
}

/** In protobuf: every element of a list stands by itself there, wherever in the payload. */
export function encodeLong(operation: Operation, response: ResponseMessage): Promise<Uint8Array> {
  return madeAlone(async () => {
    const { S2CSchema, ResponseSchema } = operation.messages;
    const { head, rest, lists } = partsOf(operation, response);
    const pieces: Uint8Array[] = [toBinary(S2CSchema, rest)];
    for (const { field, elements } of lists) {
      for (const piece of piecesOf(elements)) {
        const writer = new BinaryWriter();
        for (const element of piece) writer.tag(field.number, WireType.LengthDelimited).bytes(toBinary(field.message, element));
        pieces.push(writer.finish());
        await ownTurn();
      }
    }
    const payload = fieldNamed(ResponseSchema, 's2c');
    return new BinaryWriter()
      .raw(toBinary(ResponseSchema, head as ResponseMessage))
      .tag(payload.number, WireType.LengthDelimited)
      .bytes(Buffer.concat(pieces))
      .finish();
  });
}

/** In the public protocol's JSON. */
export function encodeLongJson(operation: Operation, response: ResponseMessage): Promise<Uint8Array> {
  return madeAlone(async () => {
    const { S2CSchema, ResponseSchema } = operation.messages;
    const { head, rest, lists } = partsOf(operation, response);
    const pieces: Buffer[] = [];
    const opened = JSON.stringify(jsonOf(S2CSchema, rest)).slice(0, -1);
    let text = `${JSON.stringify(jsonOf(ResponseSchema, head)).slice(0, -1)},"s2c":${opened}`;
    let separator = opened === '{' ? '' : ',';
    for (const { field, elements } of lists) {
      if (elements.length === 0) continue;
      text += `${separator}"${field.name}":[`;
      separator = '';
      for (const piece of piecesOf(elements)) {
        for (const element of piece) {
          text += separator + JSON.stringify(jsonOf(field.message, element));
          separator = ',';
        }
        pieces.push(Buffer.from(text));
        text = '';
        await ownTurn();
      }
      text += ']';
    }
    return Buffer.concat([...pieces, Buffer.from(`${text}}}`)]);
  });
}

function partsOf(operation: Operation, response: ResponseMessage): Parts {
  const { S2CSchema } = operation.messages;
  const payload = payloadOf(operation, response);
  if (payload === undefined) throw new Error(`${operation.name}: an answer without a payload is not long`);
  const fields = S2CSchema.fields.filter((field): field is typeof field & MessageListField => isMessageList(field));
  const values = payload as unknown as Readonly<Record<string, readonly Message[]>>;
  return {
    head: withFields(response, { s2c: undefined }),
    rest: withFields(payload, Object.fromEntries(fields.map(({ localName }) => [localName, []]))),
    lists: fields.map((field) => ({ field, elements: values[field.localName] ?? [] })),
  };
}

function isMessageList(field: DescField): field is DescField & MessageListField {
  return field.fieldKind === 'list' && field.message !== undefined;
}

function* piecesOf<T>(elements: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < elements.length; from += ELEMENTS_A_PIECE) yield elements.slice(from, from + ELEMENTS_A_PIECE);
}

function jsonOf(desc: DescMessage, message: Message): JsonObject {
  return toJson(desc, message, { useProtoFieldName: true, enumAsInteger: true }) as JsonObject;
}
