import { quoted } from '../shown.js';
import { emptyObject, InexactNumber, type JsonObject, type JsonValue } from './value.js';
import { keepText } from './written-numbers.js';

/** Both count from 1; the column counts UTF-16 units, as editors do. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Where and why a text is not the JSON that is accepted here. */
export interface JsonSyntaxError extends TextPosition {
  readonly message: string;
}

/** Reason why a text is not accepted, and at which offset. Offsets are in UTF-16 units. */
export interface TextFault {
  readonly at: number;
  readonly message: string;
}

/** Range of a value: the offset of its first character, and the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Records the ranges of values, inner ones first, for messages about a text and edits of it. */
export interface PlaceRecorder {
  /** A field's value is read; its name stands at `nameStart`. */
  field(object: JsonObject, name: string, nameStart: number, value: Span): void;
  item(array: JsonValue[], value: Span): void;
}

export type JsonParse = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly error: JsonSyntaxError };

const DEPTH_MAX = 64;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const LAST_CONTROL = 0x1f;
const [ZERO, NINE, POINT, SMALL_E, CAPITAL_E] = [0x30, 0x39, 0x2e, 0x65, 0x45];
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** With `u`, pairs are one character of another kind. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** Every decimal of at most this many significant digits survives a double and back (IEEE 754 DBL_DIG). */
const EXACT_DIGITS = 15;
/** No field takes an integer longer than this, and reading one costs more than linear time. */
const INTEGER_CHARACTERS_MAX = 40;

/**
 * Parses JSON (RFC 8259) strictly and without loss: see {@link JsonValue}. Beyond the grammar it refuses what makes a
 * request ambiguous or hostile: a name twice in one object, and nesting deeper than 64.
 */
export function parseJson(text: string): JsonParse {
  try {
    return { ok: true, value: new Parser(text, 0, undefined).document() };
  } catch (thrown) {
    if (thrown instanceof Stop) return { ok: false, error: { message: thrown.message, ...positionOf(text, thrown.offset) } };
    throw thrown;
  }
}

/** As {@link parseJson}, from an offset on, with the places of all that is in the value told to `places`. */
export function readJson(
  text: string,
  from: number,
  places: PlaceRecorder,
): { readonly value: JsonValue; readonly span: Span } | { readonly fault: TextFault } {
  try {
    const value = new Parser(text, from, places).document();
    // Around a value that was read there is nothing but white space.
    return { value, span: { start: text.length - text.slice(from).trimStart().length, end: text.trimEnd().length } };
  } catch (thrown) {
    if (thrown instanceof Stop) return { fault: { at: thrown.offset, message: thrown.message } };
    throw thrown;
  }
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

/** Unwinds the recursion; never leaves this file. */
class Stop {
  constructor(
    readonly message: string,
    readonly offset: number,
  ) {}
}

class Parser {
  #at: number;
  /** Text of the number that was read last, where it is shown otherwise. */
  #numberText: string | undefined;

  constructor(
    readonly text: string,
    from: number,
    readonly places: PlaceRecorder | undefined,
  ) {
    this.#at = from;
  }

  document(): JsonValue {
    this.#space();
    const value = this.#value(0);
    this.#space();
    if (this.#at < this.text.length) throw new Stop(`unexpected ${this.#found()} after the end of the value`, this.#at);
    return value;
  }

  #value(depth: number): JsonValue {
    switch (this.text.charCodeAt(this.#at)) {
      case OPEN_BRACE:
        return this.#object(depth + 1);
      case OPEN_BRACKET:
        return this.#array(depth + 1);
      case QUOTE:
        return this.#string();
      case 0x74: // t
        return this.#word('true', true);
      case 0x66: // f
        return this.#word('false', false);
      case 0x6e: // n
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #object(depth: number): JsonObject {
    this.#bound(depth);
    const object = emptyObject();
    this.#at += 1;
    this.#space();
    if (this.#take(CLOSE_BRACE)) return object;
    for (;;) {
      const start = this.#at;
      if (this.text.charCodeAt(start) !== QUOTE) throw new Stop(`expected a field name in double quotes, found ${this.#found()}`, start);
      const name = this.#string();
      if (object[name] !== undefined) throw new Stop(`the field ${quoted(name)} appears twice`, start);
      this.#space();
      if (!this.#take(COLON)) throw new Stop(`expected ":" after the field name, found ${this.#found()}`, this.#at);
      this.#space();
      const valueStart = this.#at;
      const value = this.#value(depth);
      object[name] = value;
      this.#keepText(object, name);
      this.places?.field(object, name, start, { start: valueStart, end: this.#at });
      this.#space();
      if (this.#take(CLOSE_BRACE)) return object;
      if (!this.#take(COMMA)) throw new Stop(`expected "," or "}", found ${this.#found()}`, this.#at);
      this.#space();
    }
  }

  #array(depth: number): JsonValue[] {
    this.#bound(depth);
    const array: JsonValue[] = [];
    this.#at += 1;
    this.#space();
    if (this.#take(CLOSE_BRACKET)) return array;
    for (;;) {
      const start = this.#at;
      array.push(this.#value(depth));
      this.#keepText(array, array.length - 1);
      this.places?.item(array, { start, end: this.#at });
      this.#space();
      if (this.#take(CLOSE_BRACKET)) return array;
      if (!this.#take(COMMA)) throw new Stop(`expected "," or "]", found ${this.#found()}`, this.#at);
      this.#space();
    }
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    let result = '';
    let isEscaped = false;
    for (;;) {
      const plain = this.#plainCharacters();
      result = result === '' ? plain : result + plain;
      if (this.#take(QUOTE)) {
        // It could be kept here, and would be another text on every wire that writes UTF-8.
        if (isEscaped && LONE_SURROGATE.test(result)) throw new Stop('half of a surrogate pair in a string', start);
        return result;
      }
      if (this.#at >= this.text.length) throw new Stop('this string has no closing quote', start);
      if (this.text.charCodeAt(this.#at) !== BACKSLASH) throw new Stop('a control character must be escaped in a string', this.#at);
      result += this.#escape();
      isEscaped = true;
    }
  }

  /** Up to what ends or escapes a string; control characters are not allowed inside one (RFC 8259, section 7). */
  #plainCharacters(): string {
    const { text } = this;
    const start = this.#at;
    let end = start;
    while (end < text.length) {
      const code = text.charCodeAt(end);
      if (code === QUOTE || code === BACKSLASH || code <= LAST_CONTROL) break;
      end += 1;
    }
    this.#at = end;
    return text.slice(start, end);
  }

  #escape(): string {
    const letter = this.text[this.#at + 1] ?? '';
    const simple = ESCAPES[letter];
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    const digits = this.text.slice(this.#at + 2, this.#at + 6);
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw new Stop('unknown escape in a string', this.#at);
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #number(): number | bigint | InexactNumber {
    return this.#shortInteger() ?? this.#anyNumber();
  }

  /** Fast path for most numbers: a few digits and nothing else, without a leading zero. */
  #shortInteger(): number | undefined {
    const start = this.#at;
    let value = 0;
    let end = start;
    let code = this.text.charCodeAt(end);
    for (; code >= ZERO && code <= NINE; code = this.text.charCodeAt(++end)) value = 10 * value + code - ZERO;
    const digits = end - start;
    if (digits === 0 || digits > EXACT_DIGITS || code === POINT || code === SMALL_E || code === CAPITAL_E) return undefined;
    if (digits > 1 && this.text.charCodeAt(start) === ZERO) return undefined;
    this.#at = end;
    return value;
  }

  #anyNumber(): number | bigint | InexactNumber {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.text);
    if (match === null) throw new Stop(`expected a value, found ${this.#found()}`, this.#at);
    const [token, fraction, exponent] = match;
    this.#at += token.length;
    const value = Number(token);
    if (fraction === undefined && exponent === undefined) {
      if (Number.isSafeInteger(value)) return this.#shownOtherwise(token, value);
      return token.length <= INTEGER_CHARACTERS_MAX ? BigInt(token) : new InexactNumber(token);
    }
    const number = token.length <= EXACT_DIGITS + 1 && exponent === undefined ? value : exactOrText(token, value);
    return typeof number === 'number' ? this.#shownOtherwise(token, number) : number;
  }

  #shownOtherwise(token: string, value: number): number {
    if (String(value) !== token) this.#numberText = token;
    return value;
  }

  #keepText(holder: JsonObject | JsonValue[], key: string | number): void {
    if (this.#numberText === undefined) return;
    keepText(holder, key, this.#numberText);
    this.#numberText = undefined;
  }

  #word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.#at)) throw new Stop(`expected a value, found ${this.#found()}`, this.#at);
    this.#at += word.length;
    return value;
  }

  #take(code: number): boolean {
    if (this.text.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }

  #space(): void {
    while (this.#at < this.text.length) {
      const code = this.text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #bound(depth: number): void {
    if (depth > DEPTH_MAX) throw new Stop(`nested deeper than ${DEPTH_MAX} levels`, this.#at);
  }

  #found(): string {
    const character = this.text[this.#at];
    return character === undefined ? 'the end of the text' : JSON.stringify(character);
  }
}

/** A fraction or exponent form as a double when the double says the same number, else its text. */
function exactOrText(token: string, value: number): number | InexactNumber {
  if (Number.isFinite(value) && canonical(token) === canonical(String(value))) return value;
  return new InexactNumber(token);
}

/** Sign, digits without leading or trailing zeros, and the power of ten of the last digit: equal for equal numbers. */
function canonical(token: string): string {
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const trimmed = digits.replace(/0+$/, '');
  const power = Number(exponent) - fraction.length + (digits.length - trimmed.length);
  return `${mantissa.startsWith('-') ? '-' : ''}${trimmed}e${power}`;
}
