import { create, type Message } from '@bufbuild/protobuf';
import { KLineSchema, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { S2CSchema as HistoryS2C } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, operations, quote, system } from '@svc-gateway/contract/operations';
import { pagedFields } from '@svc-gateway/contract/tool-arguments';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messages } from '../../../../test/support/messages.js';
import { type Page, pagesOf } from './paging.js';

const paged = operations.filter((operation) => pagedFields(operation).length > 0).map((operation) => [operation.name, operation] as const);

const text = (operation: Operation, message: Message) => messageWriter(operation.messages.S2CSchema, 'mcp', 'string')(message);
const lists = (message: Message) => message as unknown as Record<string, Message[]>;

/** The pages' lists one after the other, in an answer that is otherwise the first page. */
function together(operation: Operation, pages: readonly Page[]): Message {
  const whole = { ...pages[0]!.payload };
  for (const { localName } of pagedFields(operation)) {
    lists(whole)[localName] = pages.flatMap(({ payload }) => lists(payload)[localName]!);
  }
  return whole;
}

function items(operation: Operation, message: Message): number {
  return pagedFields(operation).reduce((sum, { localName }) => sum + lists(message)[localName]!.length, 0);
}

describe.each(paged)('%s', (_, operation) => {
  it('comes in pages that fit, are not empty, and together are the whole', async () => {
    await fc.assert(
      fc.asyncProperty(messages(operation.messages.S2CSchema), fc.integer({ min: 0, max: 600 }), async (payload, bytesMax) => {
        const before = text(operation, payload);
        const { bytes, pages } = await pagesOf(operation, payload, { bytesMax });
        expect(bytes).toBe(Buffer.byteLength(text(operation, payload)));
        expect(text(operation, together(operation, pages))).toBe(before);
        expect(text(operation, payload)).toBe(before);
        if (pages.length === 1) {
          expect(Buffer.byteLength(before) <= bytesMax || items(operation, payload) <= 1).toBe(true);
          return;
        }
        for (const page of pages) {
          const count = items(operation, page.payload);
          expect(count).toBeGreaterThan(0);
          expect(Buffer.byteLength(text(operation, page.payload)) <= bytesMax || count === 1).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});

function history(bars: number): Message {
  return create(HistoryS2C, {
    security: create(SecuritySchema, { market: 1, code: '00700' }),
    klList: Array.from({ length: bars }, (_, index) =>
      create(KLineSchema, { time: `2026-01-01 ${index}`, isBlank: false, closePrice: index }),
    ),
  });
}

describe('a page', () => {
  it('says which list is cut, how much of it there is, and how much in all', async () => {
    const { pages } = await pagesOf(quote.getHistoryKline, history(1000), { bytesMax: 10_000 });
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.map(({ cut }) => cut?.list)).toEqual(pages.map(() => 'kl_list'));
    expect(pages.map(({ cut }) => cut?.total)).toEqual(pages.map(() => 1000));
    expect(pages.reduce((sum, { cut }) => sum + (cut?.returned ?? 0), 0)).toBe(1000);
    // As full as it can be.
    expect(text(quote.getHistoryKline, pages[0]!.payload).length).toBeGreaterThan(9_900);
    expect(pages.at(-1)?.payload).toMatchObject({ security: { code: '00700' } });
  });

  it('is the answer itself where that fits', async () => {
    const payload = history(10);
    expect((await pagesOf(quote.getHistoryKline, payload, { bytesMax: 10_000 })).pages).toEqual([{ payload, cut: undefined }]);
  });

  it('holds one oversized item by itself', async () => {
    const payload = history(3);
    expect((await pagesOf(quote.getHistoryKline, payload, { bytesMax: 20 })).pages.map(({ cut }) => cut)).toEqual(
      [1, 1, 1].map((returned) => ({ list: 'kl_list', returned, total: 3 })),
    );
  });

  it('is the whole of an answer without anything to cut', async () => {
    const payload = create(system.ping.messages.S2CSchema, { backend: 'x'.repeat(500), serverTime: 1n });
    expect((await pagesOf(system.ping, payload, { bytesMax: 100 })).pages).toEqual([{ payload, cut: undefined }]);
    const empty = create(account.getOrders.messages.S2CSchema);
    expect((await pagesOf(account.getOrders, empty, { bytesMax: 1 })).pages).toEqual([{ payload: empty, cut: undefined }]);
  });
});
