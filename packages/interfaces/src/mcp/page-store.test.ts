import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { KLineSchema, SecuritySchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_RequestHistoryKL_pb';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Identity } from '@svc-gateway/gateway';
import { expect, it } from 'vitest';
import { type HandedPage, PageStore, type PageStoreOptions } from './page-store.js';

const operation = quote.getHistoryKline;
const OWNER: Identity = { owner: 'key:desk', key: undefined };
const MINUTE = 60_000;

function history(bars: number): S2C {
  return create(S2CSchema, {
    security: create(SecuritySchema, { market: 1, code: '00700' }),
    klList: Array.from({ length: bars }, (_, index) => create(KLineSchema, { time: String(index), isBlank: false })),
  });
}

function setUp(options: Partial<PageStoreOptions> = {}) {
  const clock = new ManualClock(0);
  return { clock, store: new PageStore({ clock, pageBytesMax: 400, ...options }) };
}

function handed(page: HandedPage | Rejection): HandedPage {
  if (page instanceof Rejection) throw new Error(page.message);
  return page;
}

const times = ({ payload }: HandedPage) => (payload as S2C).klList.map(({ time }) => time);
const nextOf = ({ page }: HandedPage) => page?.next ?? '';

it('hands an answer out page by page, to its end', async () => {
  const { store } = setUp();
  let page = handed(await store.first(history(40), OWNER, operation));
  const seen = times(page);
  const cursors = new Set<string>();
  while (page.page?.next) {
    cursors.add(page.page.next);
    page = handed(store.take(page.page.next, OWNER, operation));
    expect(page.page).toMatchObject({ list: 'kl_list', total: 40, returned: times(page).length });
    seen.push(...times(page));
  }
  expect(seen).toEqual(history(40).klList.map(({ time }) => time));
  expect(cursors.size).toBeGreaterThan(2);
  for (const cursor of cursors) expect(cursor).toMatch(/^[A-Za-z0-9_-]{22}$/);
});

it('hands out a short answer as it is', async () => {
  const payload = history(1);
  expect(await setUp().store.first(payload, OWNER, operation)).toEqual({ operation, payload, page: undefined });
});

it('gives the same page for the same cursor', async () => {
  const { store } = setUp();
  const first = handed(await store.first(history(40), OWNER, operation));
  expect(store.take(nextOf(first), OWNER, operation)).toEqual(store.take(nextOf(first), OWNER, operation));
});

it('knows a cursor for ten minutes', async () => {
  const { store, clock } = setUp();
  const cursor = nextOf(handed(await store.first(history(40), OWNER, operation)));
  clock.advance(10 * MINUTE - 1);
  handed(store.take(cursor, OWNER, operation));
  clock.advance(1);
  expect(store.take(cursor, OWNER, operation)).toMatchObject({
    code: 'request.invalid',
    message: 'cursor: it is unknown or has expired (pages are kept for 10 minutes); call the tool again without a cursor',
    details: { field: 'cursor' },
  });
});

it('does not know another caller’s cursor, nor a made-up one', async () => {
  const { store } = setUp();
  const cursor = nextOf(handed(await store.first(history(40), OWNER, operation)));
  const stranger = store.take(cursor, { ...OWNER, owner: 'key:other' }, operation);
  expect(stranger).toBeInstanceOf(Rejection);
  expect(store.take('AAAAAAAAAAAAAAAAAAAAAA', OWNER, operation)).toEqual(stranger);
  handed(store.take(cursor, OWNER, operation));
});

it('does not know the cursor of a caller whose key has been edited since: it may not be allowed to see the answer', async () => {
  const { store } = setUp();
  const key = { id: 'desk', scopes: 3, limits: {} } as NonNullable<Identity['key']>;
  const cursor = nextOf(handed(await store.first(history(40), { ...OWNER, key }, operation)));
  expect(store.take(cursor, { ...OWNER, key: { ...key, limits: { ...key.limits } } }, operation)).toBeInstanceOf(Rejection);
  expect(store.take(cursor, { ...OWNER, key: { ...key, scopes: 1 } }, operation)).toBeInstanceOf(Rejection);
  handed(store.take(cursor, { ...OWNER, key: { ...key } }, operation));
});

it('sends a cursor of another tool back to it', async () => {
  const { store } = setUp();
  const cursor = nextOf(handed(await store.first(history(40), OWNER, operation)));
  expect(store.take(cursor, OWNER, quote.getTicker)).toMatchObject({
    code: 'request.invalid',
    message: 'cursor: it belongs to svc_get_history_kline; give it to that tool',
  });
});

it.each([
  ['answers', { answersMax: 2 }],
  ['bytes', { bytesMax: Math.floor(messageWriter(S2CSchema, 'mcp', 'string')(history(40)).length * 2.5) }],
])('forgets the oldest when there are too many %s', async (_, bound) => {
  const { store } = setUp(bound);
  const cursors: string[] = [];
  for (let count = 0; count < 3; count++) cursors.push(nextOf(handed(await store.first(history(40), OWNER, operation))));
  const known = () => cursors.map((cursor) => !(store.take(cursor, OWNER, operation) instanceof Rejection));
  expect(known()).toEqual([false, true, true]);
});

it('refuses an answer that is larger than everything that may be kept', async () => {
  const { store } = setUp({ bytesMax: 1_000 });
  expect(await store.first(history(40), OWNER, operation)).toMatchObject({ code: 'request.too_large' });
});
