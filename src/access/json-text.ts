import { err, ok, type Result } from './result.js';

/**
 * A strict JSON reader that remembers where everything stood, for files that people edit: an error can name its line
 * and column, a number keeps its digits, and an editor can insert text without touching the rest.
 */
export type JsonNode = JsonObject | JsonArray | JsonString | JsonNumber | JsonBoolean | JsonNull;

/** Offsets into the text, in UTF-16 units: `start` of the first character, `end` after the last. */
interface Span {
  readonly start: number;
  readonly end: number;
}
export interface JsonObject extends Span {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, JsonField>;
}
export interface JsonField {
  /** Where the field's name stands. */
  readonly start: number;
  readonly value: JsonNode;
}
export interface JsonArray extends Span {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}
export interface JsonString extends Span {
  readonly kind: 'string';
  readonly value: string;
}
export interface JsonNumber extends Span {
  readonly kind: 'number';
  /** As written, at most {@link NUMBER_LENGTH_MAX} characters. */
  readonly text: string;
}
export interface JsonBoolean extends Span {
  readonly kind: 'boolean';
  readonly value: boolean;
}
export interface JsonNull extends Span {
  readonly kind: 'null';
}

/** What is wrong with a text, and at which offset. */
export interface TextFault {
  readonly at: number;
  readonly message: string;
}

/** Both count from 1; the column counts UTF-16 units, as editors do. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

const DEPTH_MAX = 32;
const NUMBER_LENGTH_MAX = 64;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const HEX4 = /^[0-9a-fA-F]{4}$/;

/** Reads one JSON value that fills the whole text. A field named twice is a fault. */
export function parseJsonText(text: string): Result<JsonNode, TextFault> {
  const reader = new Reader(text);
  const node = reader.document();
  return node === undefined ? err(reader.fault) : ok(node);
}

export function positionOf(text: string, offset: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', lineStart)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** Recursive descent; a method returns undefined once `fault` is set. */
class Reader {
  fault: TextFault = { at: 0, message: '' };
  #at: number;
  #depth = 0;

  constructor(readonly text: string) {
    // A byte-order mark, which some editors leave, is no part of the document.
    this.#at = text.startsWith('\ufeff') ? 1 : 0;
  }

  document(): JsonNode | undefined {
    const node = this.#value();
    if (node === undefined) return undefined;
    this.#space();
    return this.#at === this.text.length ? node : this.#fail(`expected the end of the file, found ${this.#found()}`);
  }

  #value(): JsonNode | undefined {
    this.#space();
    switch (this.text[this.#at]) {
      case '{':
        return this.#nested(() => this.#object());
      case '[':
        return this.#nested(() => this.#array());
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', { kind: 'boolean', value: true });
      case 'f':
        return this.#word('false', { kind: 'boolean', value: false });
      case 'n':
        return this.#word('null', { kind: 'null' });
      default:
        return this.#number();
    }
  }

  #nested(read: () => JsonNode | undefined): JsonNode | undefined {
    if (this.#depth === DEPTH_MAX) return this.#fail(`nested deeper than ${DEPTH_MAX} levels`);
    this.#depth += 1;
    const node = read();
    this.#depth -= 1;
    return node;
  }

  #object(): JsonObject | undefined {
    const start = this.#at;
    const fields = new Map<string, JsonField>();
    this.#at += 1;
    this.#space();
    while (this.text[this.#at] !== '}') {
      if (fields.size > 0 && !this.#comma('}')) return undefined;
      if (this.text[this.#at] !== '"') return this.#fail(`expected a field name in double quotes, found ${this.#found()}`);
      const name = this.#string();
      if (name === undefined) return undefined;
      if (fields.has(name.value)) return this.#fail(`field ${shownText(name.value)} appears twice`, name.start);
      this.#space();
      if (this.text[this.#at] !== ':') return this.#fail(`expected ':' after the field name, found ${this.#found()}`);
      this.#at += 1;
      const value = this.#value();
      if (value === undefined) return undefined;
      fields.set(name.value, { start: name.start, value });
      this.#space();
    }
    this.#at += 1;
    return { kind: 'object', fields, start, end: this.#at };
  }

  #array(): JsonArray | undefined {
    const start = this.#at;
    const items: JsonNode[] = [];
    this.#at += 1;
    this.#space();
    while (this.text[this.#at] !== ']') {
      if (items.length > 0 && !this.#comma(']')) return undefined;
      const item = this.#value();
      if (item === undefined) return undefined;
      items.push(item);
      this.#space();
    }
    this.#at += 1;
    return { kind: 'array', items, start, end: this.#at };
  }

  #comma(close: string): boolean {
    if (this.text[this.#at] !== ',') {
      this.#fail(`expected ',' or '${close}', found ${this.#found()}`);
      return false;
    }
    this.#at += 1;
    this.#space();
    return true;
  }

  #string(): JsonString | undefined {
    const start = this.#at;
    for (let at = start + 1; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at);
      if (code === 0x22) {
        this.#at = at + 1;
        // Every character was checked below, so the standard decoder cannot refuse it. It makes a text of its own, where
        // a slice would keep the whole file in memory.
        return { kind: 'string', value: JSON.parse(this.text.slice(start, at + 1)), start, end: at + 1 };
      }
      if (code < 0x20) return this.#fail('a control character must be escaped in a string', at);
      if (code !== 0x5c) continue;
      at += 1;
      const kind = this.text[at] ?? '';
      if (kind === 'u' && HEX4.test(this.text.slice(at + 1, at + 5))) at += 4;
      else if (kind === '' || !'"\\/bfnrt'.includes(kind)) return this.#fail('unknown escape in a string', at - 1);
    }
    return this.#fail('this string has no closing quote', start);
  }

  #number(): JsonNumber | undefined {
    const start = this.#at;
    let end = start;
    while (end < this.text.length && '+-.0123456789eE'.includes(this.text.charAt(end))) end += 1;
    if (end === start) return this.#fail(`expected a JSON value, found ${this.#found()}`);
    if (end - start > NUMBER_LENGTH_MAX) return this.#fail(`a number of ${end - start} characters; at most ${NUMBER_LENGTH_MAX}`);
    const text = this.text.slice(start, end);
    if (!NUMBER.test(text)) return this.#fail(`invalid number ${text}`);
    this.#at = end;
    return { kind: 'number', text, start, end };
  }

  #word<T extends { kind: 'boolean'; value: boolean } | { kind: 'null' }>(word: string, node: T): (T & Span) | undefined {
    const start = this.#at;
    if (!this.text.startsWith(word, start)) return this.#fail(`expected a JSON value, found ${this.#found()}`);
    this.#at += word.length;
    return { ...node, start, end: this.#at };
  }

  #space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #found(): string {
    const code = this.text.codePointAt(this.#at);
    return code === undefined ? 'the end of the file' : shownText(String.fromCodePoint(code));
  }

  #fail(message: string, at = this.#at): undefined {
    this.fault = { at, message };
    return undefined;
  }
}

const SHOWN_LENGTH_MAX = 60;

/** A text of the file for an error message: quoted, escaped, and cut when long. */
export function shownText(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX))}… (${text.length} characters)`;
}
