import { ManualClock, replayClock } from '@svc-gateway/contract/clock';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import { differs } from '../support/differences.js';
import type { PushClient, PushFrame } from '../support/push-client.js';

const QUOTE = 1;
const BOOK = 2;
const TICKER = 4;
const K_1MIN = 11;

type Id = 'desk' | 'other' | 'fresh' | 'narrow' | 'state';
// A minute of the market passes in a second.
const clock = replayClock(Date.now(), 60);
const reader = { scopes: ['qot:read'] } as const;
const daemon = TestDaemon.forAll<Id>({
  simulationClock: clock,
  keys: {
    desk: reader,
    other: reader,
    fresh: reader,
    narrow: { scopes: reader.scopes, limits: { allowedSymbols: 'HK.00700' } },
    state: { scopes: ['qot:state', 'qot:read'] },
  },
});

const of = (symbol: string, subType: number) => (frame: PushFrame) =>
  frame.type === 'quote' && frame.symbol === symbol && frame.sub_type === subType;

/** Waits until the stream is live: a first push and another one. */
async function live(client: PushClient, symbol: string, subType: number): Promise<PushFrame> {
  const first = await client.frame(of(symbol, subType), `first push of ${symbol} ${subType}`);
  const after = client.frames.indexOf(first) + 1;
  return client.frame(of(symbol, subType), `live push of ${symbol} ${subType}`, after);
}

function subscribe(id: Id, symbols: string[], sub_types: number[], more: object = {}) {
  return daemon.as(id).s2c('/api/subscribe', { symbols, sub_types, is_sub_or_un_sub: true, ...more });
}

function unsubscribe(id: Id, body: object) {
  return daemon.as(id).s2c('/api/unsubscribe', { is_sub_or_un_sub: false, ...body });
}

describe('a subscription over REST', () => {
  it('delivers a subscription to every /ws of its key, first push and live pushes, and to no other key', async () => {
    const [one, two, stranger] = [await daemon.push('desk'), await daemon.push('desk'), await daemon.push('other')];
    await subscribe('desk', ['HK.00700', 'US.AAPL'], [QUOTE, BOOK, TICKER]);
    for (const client of [one, two]) {
      for (const symbol of ['HK.00700', 'US.AAPL']) for (const type of [QUOTE, BOOK]) await live(client, symbol, type);
    }
    expect(one.quotes.every(({ symbol }) => symbol === 'HK.00700' || symbol === 'US.AAPL')).toBe(true);
    await stranger.settled();
    expect(stranger.quotes).toEqual([]);
    await unsubscribe('desk', { unsub_all: true });
  });

  it('pushes the documented frames with sequence numbers without a gap', async () => {
    const client = await daemon.push('desk');
    await subscribe('desk', ['HK.00700'], [QUOTE, TICKER, K_1MIN]);
    const quote = await live(client, 'HK.00700', QUOTE);
    expect(quote).toMatchObject({ type: 'quote', proto_id: 3005, sec_key: '1_00700', symbol: 'HK.00700', sub_type: QUOTE });
    expect(quote.body.basic_qot_list[0]).toMatchObject({ security: { market: 1, code: '00700' }, cur_price: expect.any(Number) });
    expect('rehab_type' in quote).toBe(false);
    const bar = await client.frame(of('HK.00700', K_1MIN), 'a bar');
    expect(bar).toMatchObject({ proto_id: 3007, rehab_type: expect.any(Number) });
    await live(client, 'HK.00700', TICKER);
    const numbers = client.frames.filter(({ type }) => type !== 'ack').map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    await unsubscribe('desk', { unsub_all: true });
  });

  it('pushes quotes that agree with reads', async () => {
    const client = await daemon.push('desk');
    await subscribe('desk', ['HK.00005'], [QUOTE]);
    await live(client, 'HK.00005', QUOTE);
    const { basic_qot_list } = await daemon.as('desk').s2c('/api/quote', { symbol: 'HK.00005' });
    const read = basic_qot_list[0];
    // Volume only grows: the read lies between a push before it and one after.
    const after = await client.frame(
      (frame) => of('HK.00005', QUOTE)(frame) && frame.body.basic_qot_list[0].volume >= read.volume,
      'a push after the read',
    );
    const before = client.quotes[0]?.body.basic_qot_list[0];
    expect(before.volume).toBeLessThanOrEqual(read.volume);
    expect(after.body.basic_qot_list[0].high_price).toBeGreaterThanOrEqual(read.high_price);
    await unsubscribe('desk', { unsub_all: true });
  });

  it('begins with a first push on a connection that is opened later', async () => {
    await subscribe('fresh', ['HK.00700'], [QUOTE]);
    const client = await daemon.push('fresh');
    await live(client, 'HK.00700', QUOTE);
    await unsubscribe('fresh', { unsub_all: true });
  });

  it('without is_first_push begins with the next event; without is_reg_push nothing comes', async () => {
    // A market that stands still, so that what comes is a first push. Without keys there is no certificate to be of its time.
    const still = new ManualClock(Date.UTC(2026, 2, 3, 3));
    const legacy = await TestDaemon.start({ clock: still });
    const client = await legacy.push();
    const both = { symbols: ['HK.00700', 'HK.00005'] };
    await legacy.as().s2c('/api/subscribe', { ...both, sub_types: [BOOK], is_first_push: false });
    await legacy.as().s2c('/api/subscribe', { ...both, sub_types: [TICKER], is_reg_push: false });
    await legacy.as().s2c('/api/subscribe', { ...both, sub_types: [QUOTE] });
    still.advance(1);
    for (const symbol of both.symbols) await client.frame(of(symbol, QUOTE), 'a first push');
    // A first push of the earlier subscriptions would have come before.
    expect(client.quotes.map(({ sub_type }) => sub_type)).toEqual([QUOTE, QUOTE]);
    still.advance(60_000);
    await client.frame(of('HK.00700', BOOK), 'a live book');
    still.advance(60_000);
    await client.frame(of('HK.00700', BOOK), 'another live book', client.frames.length);
    expect(client.quotes.filter(({ sub_type }) => sub_type === TICKER)).toEqual([]);
    await legacy.stop();
  });

  it('pushes nothing after the answer to an unsubscribe', async () => {
    const client = await daemon.push('desk');
    await subscribe('desk', ['HK.00700', 'HK.00005'], [QUOTE, BOOK, TICKER]);
    await live(client, 'HK.00700', BOOK);
    await unsubscribe('desk', { symbols: ['HK.00700'], sub_types: [QUOTE, BOOK, TICKER] });
    await client.settled();
    const heard = client.frames.length;
    // The other symbol goes on: by its next events, one of the ended streams would have come too.
    for (let times = 0, from = heard; times < 5; times++) {
      from = client.frames.indexOf(await client.frame(of('HK.00005', BOOK), 'the other symbol', from)) + 1;
    }
    expect(client.frames.slice(heard).filter(({ symbol }) => symbol === 'HK.00700')).toEqual([]);
    await unsubscribe('desk', { unsub_all: true });
  });

  it('subscribes and unsubscribes with qot:state', async () => {
    const client = await daemon.push('state');
    await subscribe('state', ['HK.00700'], [QUOTE]);
    await live(client, 'HK.00700', QUOTE);
    await daemon.as('state').s2c('/api/unsubscribe', { symbols: ['HK.00700'], sub_types: [QUOTE] });
    const { conn_sub_info_list } = await daemon.as('state').s2c('/api/query-subscription', {});
    expect(conn_sub_info_list[0].sub_info_list).toEqual([]);
  });

  it('refuses a whole subscription for an unknown symbol', async () => {
    const answer = await daemon.as('desk').post('/api/subscribe', { symbols: ['HK.00700', 'HK.99999'], sub_types: [QUOTE] });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('99999'), err_code: 'broker.unknown_code' });
    const { conn_sub_info_list } = await daemon.as('desk').s2c('/api/query-subscription', {});
    expect(conn_sub_info_list[0].sub_info_list).toEqual([]);
  });
});

describe('what is subscribed', () => {
  it('is seen daemon-wide by POST /api/query-subscription, and by GET /api/sub-info of its own connection alone', async () => {
    const client = await daemon.push('other');
    await client.command('subscribe', { symbols: ['HK.00005'], sub_types: [QUOTE] });
    await subscribe('desk', ['HK.00700'], [QUOTE]);
    const desk = daemon.as('desk');
    const { s2c } = (await desk.get('/api/sub-info')).json;
    expect(s2c.conn_sub_info_list).toEqual([{ sub_info_list: [], used_quota: 0, is_own_conn_data: true }]);
    const codes = async (body: object) =>
      (await desk.s2c('/api/query-subscription', body)).conn_sub_info_list.map(
        (each: { is_own_conn_data: boolean; sub_info_list: { security_list: { code: string }[] }[] }) => [
          each.is_own_conn_data,
          each.sub_info_list.flatMap(({ security_list }) => security_list.map(({ code }) => code)),
        ],
      );
    expect(await codes({ is_req_all_conn: false })).toEqual([[true, ['00700']]]);
    expect(await codes({ is_req_all_conn: true })).toEqual([
      [true, ['00700']],
      [false, ['00005']],
    ]);
    await unsubscribe('desk', { unsub_all: true });
    await client.close();
  });
});

it('a key with a list of symbols is shown and counted only those of other connections’ subscriptions', async () => {
  const [both, hidden] = [await daemon.push('desk'), await daemon.push('other')];
  await both.command('subscribe', { symbols: ['HK.00700', 'HK.00005'], sub_types: [QUOTE, BOOK] });
  await hidden.command('subscribe', { symbols: ['HK.00005'], sub_types: [QUOTE] });
  const rows = async (as: 'narrow' | 'fresh') =>
    (await daemon.as(as).s2c('/api/query-subscription', { is_req_all_conn: true })).conn_sub_info_list
      .filter((row: { is_own_conn_data: boolean }) => !row.is_own_conn_data)
      .map(({ used_quota }: { used_quota: number }) => used_quota);
  expect(await rows('fresh')).toEqual([4, 1]);
  expect(await rows('narrow')).toEqual([2]);
  await both.close();
  await hidden.close();
});

describe('in-band commands', () => {
  it('subscribes a connection alone by an in-band command, acknowledged with its id', async () => {
    const [own, sibling] = [await daemon.push('desk'), await daemon.push('desk')];
    const ack = await own.command('subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE, BOOK] });
    expect(ack).toMatchObject({ type: 'ack', op: 'subscribe', ret_type: 0 });
    await live(own, 'HK.00700', BOOK);
    // The acknowledgement comes before the first push that it announces.
    expect(own.frames.findIndex(({ type }) => type === 'ack')).toBeLessThan(own.frames.findIndex(({ type }) => type === 'quote'));
    await sibling.settled();
    expect(sibling.quotes).toEqual([]);
    expect((await own.command('unsubscribe', { symbols: ['HK.00700'], sub_types: [QUOTE, BOOK] })).ret_type).toBe(0);
    const heard = own.frames.length;
    await own.settled();
    await own.settled();
    expect(own.frames.slice(heard).filter(({ type }) => type === 'quote')).toEqual([]);
  });

  it('ends in-band subscriptions with their connection', async () => {
    // The callers' use; a server behind also counts streams that it has not released yet.
    const held = async () => {
      const { conn_sub_info_list } = await daemon.as('fresh').s2c('/api/query-subscription', { is_req_all_conn: true });
      return conn_sub_info_list.reduce((sum: number, { used_quota }: { used_quota: number }) => sum + used_quota, 0);
    };
    const client = await daemon.push('fresh');
    await client.command('subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE] });
    const before = await held();
    await client.close();
    expect([before, await held()]).toEqual([1, 0]);
  });
});

it.skipIf(differs('notice of a simulation'))('announces the simulation behind the gateway', async () => {
  const client = await daemon.push('desk');
  const notice = await client.frame(({ type }) => type === 'notify', 'the notice');
  expect(JSON.stringify(notice.body).toLowerCase()).toContain('simulat');
});

describe('enumerations by name', () => {
  it.each([
    ['the query', '?enums=names', {}],
    ['the header', '', { 'x-svc-enums': 'names' }],
  ])('are asked for by %s, for pushes and the answers to commands', async (_, query, headers) => {
    const client = await daemon.pushAt(`/ws${query}`, { authorization: `Bearer ${daemon.keys.fresh}`, ...headers });
    const named = (symbol: string) => (frame: PushFrame) => frame.symbol === symbol && (frame.sub_type as unknown) === 'Basic';
    await client.command('subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE] });
    const push = await client.frame(named('HK.00700'), 'a quote by name');
    expect(push.body.basic_qot_list[0].security).toEqual({ market: 'HK', code: '00700' });
    expect(JSON.stringify(await client.command('query'))).toContain('"sub_type":"Basic"');
    await client.command('unsubscribe', { unsub_all: true });
  });
});
