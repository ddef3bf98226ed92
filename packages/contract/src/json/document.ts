import { getOrInsert } from '../memo.js';
import { type PlaceRecorder, readJson, type Span, type TextFault } from './parse.js';
import { isJsonObject, type JsonObject, type JsonValue } from './value.js';

/**
 * A JSON text in which everything knows where it stands, for files that people edit: an error can name its line and column, a
 * number keeps its digits, and an editor can insert text without touching the rest.
 */
export type JsonNode = ObjectNode | ArrayNode | StringNode | NumberNode | BooleanNode | NullNode;

export interface ObjectNode extends Span {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, FieldNode>;
}
export interface FieldNode {
  /** Offset of the field's name. */
  readonly start: number;
  readonly value: JsonNode;
}
export interface ArrayNode extends Span {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}
export interface StringNode extends Span {
  readonly kind: 'string';
  readonly value: string;
}
export interface NumberNode extends Span {
  readonly kind: 'number';
  /** As written, at most {@link NUMBER_LENGTH_MAX} characters. */
  readonly text: string;
}
export interface BooleanNode extends Span {
  readonly kind: 'boolean';
  readonly value: boolean;
}
export interface NullNode extends Span {
  readonly kind: 'null';
}

export type DocumentRead = { readonly ok: true; readonly value: JsonNode } | { readonly ok: false; readonly error: TextFault };

const NUMBER_LENGTH_MAX = 64;

/** Reads one JSON value that fills the whole text, by the rules of `parseJson`. A byte-order mark, which some editors leave, is no part of it. */
export function readDocument(text: string): DocumentRead {
  const places = new Places();
  const read = readJson(text, text.startsWith('\ufeff') ? 1 : 0, places);
  if ('fault' in read) return { ok: false, error: read.fault };
  return new Nodes(text, places).document(read.value, read.span);
}

interface FieldPlace {
  readonly name: string;
  readonly start: number;
  readonly value: Span;
}

class Places implements PlaceRecorder {
  readonly fields = new Map<JsonObject, FieldPlace[]>();
  readonly items = new Map<JsonValue[], Span[]>();

  field(object: JsonObject, name: string, start: number, value: Span): void {
    getOrInsert(this.fields, object, () => []).push({ name, start, value });
  }

  item(array: JsonValue[], value: Span): void {
    getOrInsert(this.items, array, () => []).push(value);
  }
}

/** Joins values and their places. */
class Nodes {
  /** The first number that is too long. */
  #fault: TextFault | undefined;

  constructor(
    readonly text: string,
    readonly places: Places,
  ) {}

  document(value: JsonValue, span: Span): DocumentRead {
    const node = this.#node(value, span);
    return this.#fault === undefined ? { ok: true, value: node } : { ok: false, error: this.#fault };
  }

  #node(value: JsonValue, { start, end }: Span): JsonNode {
    if (value === null) return { kind: 'null', start, end };
    if (typeof value === 'boolean') return { kind: 'boolean', value, start, end };
    // A text of its own, where a slice would keep the whole file in memory.
    if (typeof value === 'string') return { kind: 'string', value: Buffer.from(value).toString(), start, end };
    if (Array.isArray(value)) {
      const spans = this.places.items.get(value) ?? [];
      return { kind: 'array', items: spans.map((span, index) => this.#node(value[index] ?? null, span)), start, end };
    }
    if (isJsonObject(value)) {
      const fields = (this.places.fields.get(value) ?? []).map((field): [string, FieldNode] => [
        field.name,
        { start: field.start, value: this.#node(value[field.name] ?? null, field.value) },
      ]);
      return { kind: 'object', fields: new Map(fields), start, end };
    }
    return this.#number(start, end);
  }

  #number(start: number, end: number): NumberNode {
    if (end - start > NUMBER_LENGTH_MAX) {
      this.#fault ??= { at: start, message: `a number of ${end - start} characters; at most ${NUMBER_LENGTH_MAX}` };
    }
    return { kind: 'number', text: this.text.slice(start, end), start, end };
  }
}
