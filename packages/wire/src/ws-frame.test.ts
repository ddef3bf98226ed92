import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishedSocket } from '../../../test/support/published-client.js';
import { decodeWsAnswer, decodeWsRequest, encodeWsAnswer, encodeWsPush, encodeWsRequest, PUSH_SECTION, type WsAnswer } from './ws-frame.js';

const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const section = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const body = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const errorText = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), maxLength: 20 });

function arrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

describe('the two halves', () => {
  it("read each other's requests", () => {
    fc.assert(
      fc.property(fc.record({ command: uint32, section, body }), (request) => {
        expect(decodeWsRequest(encodeWsRequest(request))).toEqual({ ok: true, message: request });
      }),
    );
  });

  it("read each other's answers", () => {
    const anyAnswer = fc.record({ command: uint32, section, error: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), errorText, body });
    fc.assert(
      fc.property(anyAnswer, (answer) => {
        expect(decodeWsAnswer(encodeWsAnswer(answer))).toEqual({ ok: true, message: answer });
      }),
    );
  });
});

describe('the published client', () => {
  it('packs requests that are read here', () => {
    fc.assert(
      fc.property(uint32, fc.maxSafeNat(), body, (command, number, bytes) => {
        const packed = new Uint8Array(publishedSocket.packBuff(command, number, bytes));
        expect(decodeWsRequest(packed)).toEqual({ ok: true, message: { command, section: BigInt(number), body: bytes } });
        expect(encodeWsRequest({ command, section: BigInt(number), body: bytes })).toEqual(Buffer.from(packed));
      }),
    );
  });

  it('unpacks the answers that are written here', () => {
    fc.assert(
      fc.property(uint32, section, fc.constantFrom(0, 1, 2, 3), errorText, body, (command, number, error, text, bytes) => {
        const unpacked = publishedSocket.unpackBuff(
          arrayBuffer(encodeWsAnswer({ command, section: number, error, errorText: text, body: bytes })),
        );
        expect(unpacked).toMatchObject({ cmd: command, error, errmsg: text });
        expect(unpacked.sign).toContain('ft-v1.0');
        expect(String(unpacked.section)).toBe(String(number));
        expect(Buffer.from(unpacked.buff!)).toEqual(bytes);
      }),
    );
  });

  it('is spared error texts that it cannot read', () => {
    const answer = (text: string): WsAnswer => ({ command: 1, section: 1n, error: 1, errorText: text, body: Buffer.alloc(0) });
    const unpack = (text: string) => publishedSocket.unpackBuff(arrayBuffer(encodeWsAnswer(answer(text)))).errmsg;
    expect(unpack('wrong key')).toBe('wrong key');
    expect(unpack('密钥 wrong')).toBe('?? wrong');
    expect(unpack('one\ntwo\0three')).toBe('one?two?three');
    expect(unpack('a text of more than twenty characters')).toBe('a text of more than ');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(unpack(text)).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});

describe('encodeWsAnswer', () => {
  it('lays the header out as published', () => {
    const encoded = encodeWsAnswer({ command: 3001, section: 258n, error: 3, errorText: 'gone', body: Buffer.from('!') });
    const expected = ['66742d76312e3000', '00000bb9', '0000000000000102', '00000003', `676f6e65${'00'.repeat(16)}`, '21'].join('');
    expect(encoded.toString('hex')).toBe(expected);
  });

  it('never writes an answer on which a client would wait for ever', () => {
    const empty = { command: 3001, section: 1n, errorText: '', body: Buffer.alloc(0) };
    expect(() => encodeWsAnswer({ ...empty, error: 0 })).toThrow('the answer to command 3001 has no body');
    expect(encodeWsAnswer({ ...empty, error: 1 })).toHaveLength(44);
  });

  it('gives a push the section 0', () => {
    const push = decodeWsAnswer(encodeWsPush(3005, Buffer.from('x')));
    expect(push).toMatchObject({ ok: true, message: { command: 3005, section: PUSH_SECTION, error: 0, errorText: '' } });
  });
});

describe('a message that is none', () => {
  it.each([
    ['decodeWsRequest', decodeWsRequest, 20],
    ['decodeWsAnswer', decodeWsAnswer, 44],
  ])('%s says why', (_, decode, headBytes) => {
    const whole = Buffer.alloc(headBytes);
    whole.write('ft-v1.0\0', 'ascii');
    expect(decode(whole)).toMatchObject({ ok: true, message: { body: Buffer.alloc(0) } });
    for (let length = 0; length < headBytes; length++) {
      expect(decode(whole.subarray(0, length))).toEqual({
        ok: false,
        error: `a message of ${length} bytes is too short, its header alone has ${headBytes}`,
      });
    }
    for (let at = 0; at < 8; at++) {
      const changed = Buffer.from(whole);
      changed[at] = changed[at]! ^ 0x20;
      expect(decode(changed)).toEqual({ ok: false, error: 'a message starts with "ft-v1.0" and a zero byte' });
    }
  });
});
