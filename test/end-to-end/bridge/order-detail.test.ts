import { afterEach, expect, it } from 'vitest';
import { type Chain, startChain } from '../../support/chain.js';
import type { PushFrame } from '../../support/push-client.js';
import { until } from '../../support/until.js';

const BOOK = 2;
let chain: Chain<'desk' | 'plain'>;
afterEach(() => chain.stop());

// biome-ignore lint/suspicious/noExplicitAny: a frame as it came
const ordersOf = ({ body }: any): object[] =>
  [...body.order_book_ask_list, ...body.order_book_bid_list].flatMap(({ detail_list = [] }) => detail_list);
const isBook = ({ type, sub_type }: PushFrame) => type === 'quote' && sub_type === BOOK;
const isDetailed = (frame: PushFrame) => isBook(frame) && ordersOf(frame).length > 0;

/** Streams that the upstream delivers to the daemon in front of it. */
const upstreamStreams = () =>
  chain.upstream.daemon.gateway.push.subscriptions.listAll().flatMap(({ subscriptions }) => subscriptions.map(({ key }) => key));

it('the orders of a book are asked of the upstream when somebody wants them, kept over a lost connection, and given up with the last', async () => {
  const scopes = ['qot:read'] as const;
  chain = await startChain({ keys: { desk: { scopes }, plain: { scopes } } });
  const [mine, theirs] = [await chain.front.push('desk'), await chain.front.push('plain')];
  const book = { symbols: ['HK.00005'], sub_types: [BOOK] };
  await chain.front.as('plain').s2c('/api/subscribe', book);
  await theirs.frame(isBook, 'a book');
  expect(upstreamStreams()).toEqual(['HK.00005 2 0']);

  await chain.front.as('desk').s2c('/api/subscribe', { ...book, is_sub_order_book_detail: true });
  expect(upstreamStreams()).toEqual(['HK.00005 2 0 d']);
  await mine.frame(isDetailed, 'a book with its orders');
  await theirs.frame(isBook, 'a book', theirs.frames.length);

  chain.wire.cut();
  const gap = await mine.frame(({ type, body }) => type === 'notify' && body.gap !== undefined, 'the gap');
  await mine.frame(isDetailed, 'a book with its orders once more', mine.frames.indexOf(gap));
  expect(theirs.frames.filter(isDetailed)).toEqual([]);

  await chain.front.as('desk').s2c('/api/unsubscribe', { unsub_all: true });
  await until(() => upstreamStreams().join() === 'HK.00005 2 0', 'an upstream without orders');
  await theirs.frame(isBook, 'a book', theirs.frames.length);
});
