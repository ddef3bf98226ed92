import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote } from '@svc-gateway/contract/operations';
import { afterEach, describe, expect, it } from 'vitest';
import { HK, HK_CASH, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { type Desk, openDesk } from '../support/desk.js';
import { editKey } from '../support/keys.js';
import { McpWire, request } from '../support/mcp-wire.js';
import { HandshakeRefused } from '../support/push-client.js';
import { turnOf } from '../support/turn-of.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: SIMULATE, side: 1, qty: 100, price: 300 };
const header = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };

/** The keys that a test's answers are made for, and what becomes of the first before somebody comes back for them. */
const changes: Readonly<Record<string, Record<string, unknown> | undefined>> = {
  'was narrowed to other symbols and accounts': { limits: { allowed_symbols: ['HK.00005'], allowed_acc_ids: [HK_CASH] } },
  'lost its scopes': { scopes: ['admin'] },
  'has expired': { expires_at: '2026-01-01T00:00:00Z' },
  'was revoked': undefined,
};

type Daemon = TestDaemon<'desk' | 'other'>;
let running: Daemon | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

interface Session {
  readonly wire: McpWire;
  readonly session: Record<string, string>;
}

async function begin(daemon: Daemon, as: 'desk' | 'other' = 'desk'): Promise<Session> {
  const wire = new McpWire(daemon, daemon.keys[as]);
  return { wire, session: await wire.begin() };
}

/** Reads a stream until it contains `text`, then leaves it. */
async function heard(wire: McpWire, headers: Record<string, string>, text: string): Promise<string> {
  return readUntil((await wire.stream('GET', undefined, headers)).body?.getReader(), text);
}

async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array> | undefined, text: string): Promise<string> {
  let all = '';
  while (reader !== undefined && !all.includes(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    all += Buffer.from(value).toString();
  }
  await reader?.cancel();
  return all;
}

/** All that a session's stream brings until something that comes in any case: the list of tools has changed. A refusal, where it has no stream. */
async function untilToolsChange(daemon: Daemon, { wire, session }: Session, headers: Record<string, string> = {}): Promise<string> {
  const answer = await wire.stream('GET', undefined, { ...session, ...headers });
  if (!answer.ok) return answer.text();
  const reader = answer.body?.getReader();
  await daemon.addKey('late' as never, { scopes });
  await daemon.daemon.reload();
  return readUntil(reader, 'list_changed');
}

const idsIn = (text: string) => [...text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '');

/** Makes something that is kept before the change of the key; its result fetches it after that. */
type Kept = (daemon: Daemon) => Promise<() => Promise<string>>;

/** The end of a stream that a session has by the id of an event before it. */
const resumed = async ({ wire, session }: Session, id: string) =>
  (await wire.send('GET', undefined, { ...session, 'last-event-id': id })).text;

const kinds: Readonly<Record<string, Kept>> = {
  'the answer of a tool, by Last-Event-ID': async (daemon) => {
    const of = await begin(daemon);
    const { text } = await of.wire.send(
      'POST',
      request('tools/call', { name: 'svc_get_quote', arguments: { symbol: 'HK.00700' } }),
      of.session,
    );
    expect(text).toContain('00700');
    return () => resumed(of, idsIn(text)[0] ?? '');
  },
  'the answer of a tool to another key, by Last-Event-ID': async (daemon) => {
    const of = await begin(daemon, 'other');
    const args = { symbol: 'HK.00700', api_key: daemon.keys.desk };
    const { text } = await of.wire.send('POST', request('tools/call', { name: 'svc_get_quote', arguments: args }), of.session);
    expect(text).toContain('00700');
    return () => resumed(of, idsIn(text)[0] ?? '');
  },
  'pushed events, by Last-Event-ID': async (daemon) => {
    const of = await begin(daemon);
    const subscribe = { name: 'svc_subscribe', arguments: { symbols: ['HK.00700'], sub_types: ['Basic'], is_first_push: true } };
    const stream = heard(of.wire, of.session, '"symbol":"HK.00700"');
    await of.wire.send('POST', request('tools/call', subscribe), of.session);
    const [first = ''] = idsIn(await stream);
    return () => untilToolsChange(daemon, of, { 'last-event-id': first });
  },
  'pushed events that came before the stream was opened': async (daemon) => {
    const of = await begin(daemon);
    const subscribe = { name: 'svc_subscribe', arguments: { symbols: ['HK.00700'], sub_types: ['Basic'], is_first_push: true } };
    await of.wire.send('POST', request('tools/call', subscribe), of.session);
    await daemon.as('other').s2c('/api/subscribe', { symbols: ['HK.00005'], sub_types: [1] });
    return () => untilToolsChange(daemon, of);
  },
  'the next page of an answer': async (daemon) => {
    const of = await begin(daemon);
    const ask = (args: object) =>
      of.wire.send('POST', request('tools/call', { name: 'svc_get_kline', arguments: args as Record<string, unknown> }), of.session);
    const { text } = await ask({ symbol: 'HK.00700', kl_type: 'day', limit: 2 });
    const cursor = /\\"next\\":\\"([\w-]+)\\"/.exec(text)?.[1];
    expect(cursor).toBeDefined();
    return async () => (await ask({ cursor })).text;
  },
  'the next page of history': async (daemon) => {
    const body = { symbol: 'HK.00700', kl_type: 2, begin_time: '2025-01-01', end_time: '2025-12-01', max_ack_kl_num: 2 };
    const { next_req_key } = await daemon.as('desk').s2c('/api/history-kline', body);
    expect(next_req_key).toBeDefined();
    return async () => (await daemon.as('desk').post('/api/history-kline', { ...body, next_req_key })).text;
  },
  'a resource': async (daemon) => {
    const of = await begin(daemon);
    const read = () => of.wire.send('POST', request('resources/read', { uri: 'svc://quotes/HK.00700' }), of.session);
    expect((await read()).text).toContain('00700');
    return async () => (await read()).text;
  },
  'the answer to a repeated order': async (daemon) => {
    const place = () => daemon.as('desk').post('/api/order', order, { 'idempotency-key': 'once' });
    const { order_id } = (await place()).json.s2c;
    expect(order_id).toBeDefined();
    return async () => (await place()).text.replaceAll(String(order_id), 'order 00700');
  },
  'order events since a cursor': async (daemon) => {
    const desk = await daemon.push('desk');
    await daemon.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    await daemon.as('desk').s2c('/api/order', order);
    const { cursor } = await desk.frame(({ type }) => type === 'trade', 'an order event');
    await daemon.as('desk').s2c('/api/order', order);
    await desk.close();
    return async () => {
      const back = await daemon.push('desk', `?since=${cursor}`).catch((error: unknown) => error);
      if (back instanceof HandshakeRefused) return back.text;
      const client = back as Awaited<ReturnType<Daemon['push']>>;
      await client.settled();
      return client.texts.filter((text) => !text.includes('"type":"ack"')).join('\n');
    };
  },
};

describe.each(Object.entries(changes))('where the key %s', (_what, change) => {
  it.each(Object.entries(kinds))('%s tells nothing hidden', async (_kind, make) => {
    const daemon = await TestDaemon.start({ keys: { desk: { scopes }, other: { scopes } }, flags: ['--enable-trading'] });
    running = daemon;
    const fetch = await make(daemon);
    editKey(daemon.keysPath, 'desk', change);
    await daemon.daemon.reload();
    // A refusal repeats the request.
    const told = (await fetch()).replaceAll(/symbol HK\.00700 is not|svc:\/\/quotes\/HK\.00700|account \d+/g, '');
    expect(told).not.toMatch(/00700|"order_id"/);
    expect(told).not.toContain(HK_MARGIN);
  });
});

describe('a read that is answered later', () => {
  /** The answer to a read during which the key is changed. */
  async function readWhile(operation: Operation, body: object, change: Parameters<Desk['editKey']>[1]) {
    const reading = turnOf(operation);
    const desk = await openDesk({ keys: { desk: { scopes } }, answer: reading.answer });
    try {
      const answer = desk.call(operation, body);
      await reading.waiting;
      desk.editKey('desk', change);
      reading.go();
      return await answer;
    } finally {
      await desk.close();
    }
  }

  it.each(Object.entries(changes))('tells nothing hidden where the key %s meanwhile', async (_what, change) => {
    expect(await readWhile(account.getOrders, header, change)).toMatchObject({ code: expect.stringMatching(/^(auth|limit)\./) });
  });

  it('is answered where nothing was changed', async () => {
    expect(await readWhile(quote.getQuote, { symbol: 'HK.00700' }, {})).toMatchObject({ retType: 0 });
  });
});
