import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { create, type DescFile, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMessage } from '../../../test/support/any-message.js';
import { HealthListResponseSchema } from './generated/grpc/health/v1/health_pb.js';
import { ServerReflectionResponseSchema } from './generated/grpc/reflection/v1/reflection_pb.js';
import { BasicQotSchema, SecuritySchema } from './generated/Qot_Common_pb.js';
import * as QotRequestHistoryKL from './generated/Qot_RequestHistoryKL_pb.js';
import * as QotUpdateBasicQot from './generated/Qot_UpdateBasicQot_pb.js';
import { type GatewayResponse, GatewayResponseSchema } from './generated/svc/v1/gateway_pb.js';
import * as TrdPlaceOrder from './generated/Trd_PlaceOrder_pb.js';
import { messageBytes } from './message-writer.js';

type Loose = Record<string, unknown>;

const GENERATED = join(import.meta.dirname, 'generated');

/** Every type of the contract. Maps and alternatives have a test of their own. */
const types = (await Promise.all(readdirSync(GENERATED, { recursive: true, encoding: 'utf8' }).filter(isGenerated).map(typesOf))).flat();

function isGenerated(path: string): boolean {
  return path.endsWith('_pb.ts') && !path.startsWith('grpc');
}

async function typesOf(path: string): Promise<DescMessage[]> {
  const exported: Record<string, { readonly kind?: string }> = await import(join(GENERATED, path));
  const files = Object.values(exported).filter((one): one is DescFile => one.kind === 'file');
  return files.flatMap(({ messages }) => messages.flatMap(withNested));
}

function withNested(desc: DescMessage): DescMessage[] {
  return [desc, ...desc.nestedMessages.flatMap(withNested)];
}

/** The bytes of a message, or what is said instead. */
function outcome(write: (desc: DescMessage, message: Message) => Uint8Array, desc: DescMessage, message: Message): string {
  try {
    return Buffer.from(write(desc, message)).toString('hex');
  } catch (thrown) {
    return String(thrown);
  }
}

/** Values that may have been put into a field by mistake. */
const strays = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    '',
    '5',
    'NaN',
    '\ud800',
    '數'.repeat(50),
    'x'.repeat(200),
    true,
    false,
    {},
    [],
    [undefined],
    [null],
    ['7'],
  ),
  fc.constantFrom(
    0,
    -0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e39,
    2 ** 31,
    2 ** 32,
    -(2 ** 31) - 1,
    2 ** 53,
    [2 ** 31],
    [-1, 1.5],
  ),
  fc.constantFrom(0n, -1n, 2n ** 53n, 2n ** 63n, 2n ** 64n, -(2n ** 63n) - 1n, new Uint8Array(), Uint8Array.of(1), Symbol('no value')),
);

/** Puts a value into a field of a message, or of a message within it: which, says `choice`. */
function misput(desc: DescMessage, message: Message, choice: number, value: unknown): void {
  const field = desc.fields[choice % Math.max(desc.fields.length, 1)];
  if (field === undefined) return;
  const fields = message as unknown as Loose;
  const held = fields[field.localName];
  const inner = Array.isArray(held) ? held[0] : held;
  if (field.message !== undefined && typeof inner === 'object' && inner !== null && choice % 7 !== 0)
    misput(field.message, inner as Message, Math.floor(choice / 3), value);
  else fields[field.localName] = value;
}

/** The same message with its properties in another order. */
function reordered(message: Message, rotate: number): Message {
  const entries = Object.entries(message);
  const turned = [...entries.slice(rotate % entries.length), ...entries.slice(0, rotate % entries.length)];
  return Object.assign(Object.create(Object.getPrototypeOf(message)), Object.fromEntries(turned));
}

describe('a writer', () => {
  it('writes every message as the library does', () => {
    expect(types.length).toBeGreaterThan(1000);
    for (const desc of types) {
      fc.assert(
        fc.property(anyMessage(desc), fc.nat(), (message, rotate) => {
          const bytes = toBinary(desc, message);
          for (const one of [message, reordered(message, rotate), { ...message }])
            expect(Buffer.from(messageBytes(desc, one)).equals(bytes), desc.typeName).toBe(true);
        }),
        { numRuns: 8 },
      );
    }
  });

  it('refuses what the library refuses, in its words, and writes the rest alike', () => {
    for (const desc of types) {
      fc.assert(
        fc.property(anyMessage(desc), fc.nat(), strays, (message, choice, value) => {
          misput(desc, message, choice, value);
          expect(outcome(messageBytes, desc, message), desc.typeName).toBe(outcome(toBinary, desc, message));
        }),
        { numRuns: 12 },
      );
    }
  });

  it('leaves maps and alternatives to the library', () => {
    const list = create(HealthListResponseSchema, { statuses: { svc: { status: 1 } } });
    expect(messageBytes(HealthListResponseSchema, list)).toEqual(toBinary(HealthListResponseSchema, list));
    const messageResponse = { case: 'errorResponse', value: { errorCode: 5, errorMessage: 'no such symbol' } } as const;
    const answer = create(ServerReflectionResponseSchema, { validHost: 'svc', messageResponse });
    expect(messageBytes(ServerReflectionResponseSchema, answer)).toEqual(toBinary(ServerReflectionResponseSchema, answer));
  });

  it('writes fields that the contract does not have, where a message has kept some', () => {
    const $unknown = [{ no: 900, wireType: 0, data: Uint8Array.of(7) }];
    for (const desc of [TrdPlaceOrder.ResponseSchema, QotUpdateBasicQot.ResponseSchema, GatewayResponseSchema]) {
      const message = Object.assign(create(desc, { retType: 0 }), { $unknown });
      expect(toBinary(desc, message).length).toBeGreaterThan(2);
      expect(messageBytes(desc, message)).toEqual(toBinary(desc, message));
    }
  });

  it('takes no value of another message for its own', () => {
    for (const desc of [BasicQotSchema, SecuritySchema]) {
      fc.assert(
        fc.property(anyMessage(desc), (message) => {
          const heir = Object.create(message);
          expect(outcome(messageBytes, desc, heir)).toBe(outcome(toBinary, desc, heir));
        }),
      );
    }
  });

  it('refuses a message of another type', () => {
    const message = create(TrdPlaceOrder.ResponseSchema, { retType: 0 });
    const write = () => messageBytes(GatewayResponseSchema, message as unknown as GatewayResponse);
    expect(write).toThrow(/cannot use .* with message Trd_PlaceOrder\.Response/);
  });

  it('gives bytes of their own, of any length, also after one that was refused', () => {
    const { ResponseSchema } = QotRequestHistoryKL;
    const bar = { time: '2026-11-23 10:31:00', isBlank: false, closePrice: 351.2, volume: 12_345_678n };
    const bars = (count: number) =>
      create(ResponseSchema, {
        retType: 0,
        s2c: { security: { market: 1, code: '00700' }, klList: Array.from({ length: count }, () => bar) },
      });
    const first = messageBytes(ResponseSchema, bars(1));
    const before = first.slice();
    // Longer than what is kept between messages.
    expect(Buffer.from(messageBytes(ResponseSchema, bars(20_000))).equals(toBinary(ResponseSchema, bars(20_000)))).toBe(true);
    const refused = bars(20_000);
    Object.assign(refused.s2c!.klList.at(-1)!, { volume: 2n ** 64n });
    expect(() => messageBytes(ResponseSchema, refused)).toThrow(/cannot encode field Qot_Common\.KLine\.volume to binary: invalid int64/);
    messageBytes(GatewayResponseSchema, create(GatewayResponseSchema, { retMsg: 'not a bar', protoId: 3103 }));
    expect(first).toEqual(before);
    expect(messageBytes(ResponseSchema, bars(1))).toEqual(before);
    const said = create(GatewayResponseSchema, { retMsg: '數'.repeat(200_000) });
    expect(Buffer.from(messageBytes(GatewayResponseSchema, said)).equals(toBinary(GatewayResponseSchema, said))).toBe(true);
  });
});
