import { createHash } from 'node:crypto';
import { clearField, clone, type DescField, type DescMessage, type Message, ScalarType, toBinary } from '@bufbuild/protobuf';
import { snakeCase } from './names.js';
import type { Operation } from './operation.js';

/** Fields that hold the key of a page, in requests and in answers. */
const keyNames = ['nextReqKey', 'nextKey', 'nextPageKey', 'nextPage', 'page'];
/** Fields that may differ from page to page: how much of the list a page holds, and what of each item is told. */
const freeNames = new Set(['maxAckKLNum', 'count', 'num', 'needKLFieldsFlag', 'header']);
/** Says that nothing follows. */
const END = '-1';
const KEY = /^(.*)~([A-Za-z0-9_-]{8})$/s;
const TAG_CHARACTERS = 8;

interface PageFields {
  readonly asked: DescField;
  readonly answered: DescField;
}

/**
 * Page keys carry a digest of the request that they came from: with another symbol, range or order they would name a place in another
 * list, and skip or repeat a part of it without a word.
 */
export class PageKeys {
  readonly #fields = new Map<Operation, PageFields | undefined>();
  /** A payload may be answered more than once. */
  readonly #sealed = new WeakSet<Message>();

  /** The request with its key as {@link seal} found it, or why the key is of no use: one of another request. */
  open<M extends Message>(operation: Operation, request: M): M | string {
    const asked = this.#fieldsOf(operation)?.asked;
    const key = asked === undefined ? '' : keyIn(request, asked);
    if (asked === undefined || key === '' || key === END) return request;
    const [, own = '', tag] = KEY.exec(key) ?? [];
    if (tag === undefined) return request;
    if (tag !== tagOf(operation, request)) {
      return `${snakeCase(asked.name)} belongs to another request: repeat the one that it came with, or leave it out to begin with the first page`;
    }
    const opened = clone(operation.messages.C2SSchema, request) as M;
    writeKey(opened, asked, own);
    return opened;
  }

  /** Binds the key in an answer, if it has one, to its request. */
  seal(operation: Operation, request: Message, payload: Message): void {
    const fields = this.#fieldsOf(operation);
    if (fields === undefined || this.#sealed.has(payload)) return;
    const key = keyIn(payload, fields.answered);
    if (key === '' || key === END) return;
    writeKey(payload, fields.answered, `${key}~${tagOf(operation, request)}`);
    this.#sealed.add(payload);
  }

  #fieldsOf(operation: Operation): PageFields | undefined {
    if (!this.#fields.has(operation)) {
      const { C2SSchema, S2CSchema } = operation.messages;
      const [asked, answered] = [keyField(C2SSchema), keyField(S2CSchema)];
      this.#fields.set(operation, asked === undefined || answered === undefined ? undefined : { asked, answered });
    }
    return this.#fields.get(operation);
  }
}

function keyField({ fields }: DescMessage): DescField | undefined {
  return fields.find((field) => keyNames.includes(field.name) && (field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES));
}

function keyIn(message: Message, { localName }: DescField): string {
  const value = (message as unknown as Record<string, string | Uint8Array | undefined>)[localName] ?? '';
  return typeof value === 'string' ? value : Buffer.from(value).toString('latin1');
}

function writeKey(message: Message, { localName, scalar }: DescField, key: string): void {
  const value = scalar === ScalarType.BYTES ? new Uint8Array(Buffer.from(key, 'latin1')) : key;
  (message as unknown as Record<string, string | Uint8Array>)[localName] = value;
}

/** Digest of a request without its key and without what may differ from page to page. */
function tagOf({ messages: { C2SSchema } }: Operation, request: Message): string {
  const bound = clone(C2SSchema, request);
  for (const field of C2SSchema.fields) {
    if (keyNames.includes(field.name) || freeNames.has(field.name)) clearField(bound, field);
  }
  const digest = createHash('sha256').update(toBinary(C2SSchema, bound)).digest('base64url');
  return digest.slice(0, TAG_CHARACTERS);
}
