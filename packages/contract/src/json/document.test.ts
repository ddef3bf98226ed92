import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonNode, readDocument } from './document.js';
import { positionOf } from './parse.js';

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries([...node.fields].map(([name, field]) => [name, plain(field.value)]));
    case 'array':
      return node.items.map(plain);
    case 'number':
      return Number(node.text);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

function faultOf(text: string): string {
  const parsed = readDocument(text);
  if (parsed.ok) throw new Error('read without a fault');
  const { line, column } = positionOf(text, parsed.error.at);
  return `${line}:${column} ${parsed.error.message}`;
}

describe('readDocument', () => {
  it('reads the same values as the standard parser', () => {
    // "__proto__" is an ordinary field here; Object.fromEntries treats it so as well.
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        const parsed = readDocument(spaced);
        expect(parsed.ok && JSON.stringify(plain(parsed.value))).toBe(JSON.stringify(JSON.parse(spaced)));
      }),
    );
  });

  it('accepts exactly the texts that the standard parser accepts', () => {
    const soup = fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0041n trlefas-+.1e5\n'), maxLength: 14 });
    fc.assert(
      fc.property(soup, (text) => {
        let accepted = true;
        try {
          JSON.parse(text);
        } catch {
          accepted = false;
        }
        const parsed = readDocument(text);
        const twice = !parsed.ok && parsed.error.message.endsWith('appears twice');
        expect(parsed.ok || twice).toBe(accepted);
      }),
      { numRuns: 3_000 },
    );
  });

  it('knows of every value where it stands', () => {
    const check = (text: string, node: JsonNode) => {
      const again = readDocument(text.slice(node.start, node.end));
      expect(again.ok && JSON.stringify(plain(again.value))).toBe(JSON.stringify(plain(node)));
      if (node.kind === 'array') for (const item of node.items) check(text, item);
      if (node.kind !== 'object') return;
      for (const [name, field] of node.fields) {
        expect(JSON.parse(/^"(?:[^"\\]|\\.)*"/.exec(text.slice(field.start))?.[0] ?? '0')).toBe(name);
        check(text, field.value);
      }
    };
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.constantFrom('', '\ufeff', ' \n'), (text, around) => {
        const whole = around + JSON.stringify(JSON.parse(text), null, 1) + around.replace('\ufeff', '');
        const parsed = readDocument(whole);
        expect(parsed.ok).toBe(true);
        if (parsed.ok) check(whole, parsed.value);
      }),
    );
  });

  it('keeps the digits of a number and knows where a value stands', () => {
    const text = '{"a": [281474976710655123456, "é"]}';
    const parsed = readDocument(text);
    const list = parsed.ok && parsed.value.kind === 'object' ? parsed.value.fields.get('a')?.value : undefined;
    expect(list?.kind === 'array' && list.items[0]).toMatchObject({ kind: 'number', text: '281474976710655123456' });
    expect(list && text.slice(list.start, list.end)).toBe('[281474976710655123456, "é"]');
  });

  it.each([
    ['', '1:1 expected a value, found the end of the text'],
    ['{\n  "a": 1\n  "b": 2}', '3:3 expected "," or "}", found "\\""'],
    ['[1,]', '1:4 expected a value, found "]"'],
    ['{"a":1,}', '1:8 expected a field name in double quotes, found "}"'],
    ['{"a":1,"a":2}', '1:8 the field "a" appears twice'],
    ['[01]', '1:3 expected "," or "]", found "1"'],
    ['["a\nb"]', '1:4 a control character must be escaped in a string'],
    ['["\\x"]', '1:3 unknown escape in a string'],
    ['["abc', '1:2 this string has no closing quote'],
    ['{} {}', '1:4 unexpected "{" after the end of the value'],
    [`[${'9'.repeat(1000)}]`, '1:2 a number of 1000 characters; at most 64'],
  ])('says what is wrong with %j', (text, fault) => expect(faultOf(text)).toBe(fault));

  it('stops at a depth instead of running out of stack', () => {
    expect(faultOf('['.repeat(100_000))).toBe('1:65 nested deeper than 64 levels');
    expect(faultOf('{"a":'.repeat(100_000))).toContain('nested deeper than 64 levels');
  });
});
