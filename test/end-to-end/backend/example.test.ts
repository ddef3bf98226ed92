import { readFileSync } from 'node:fs';
import { systemClock } from '@svc-gateway/contract/clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedGateway, serveGateway } from '../../support/gateway.js';
import { type Feed, FeedBackend } from './example-backend.js';

/** A feed of the test's own. */
class ScriptedFeed implements Feed {
  readonly watched = new Set<string>();
  tell: (symbol: string, price: number) => void = () => undefined;
  drop: (reason: string) => void = () => undefined;
  connected: () => Promise<void> = async () => undefined;

  connect(): Promise<void> {
    return this.connected();
  }

  close(): void {}

  async price(symbol: string): Promise<number | undefined> {
    return symbol === 'HK.00700' ? 300 : undefined;
  }

  async watch(symbols: readonly string[]): Promise<void> {
    for (const symbol of symbols) this.watched.add(symbol);
  }

  async unwatch(symbols: readonly string[]): Promise<void> {
    for (const symbol of symbols) this.watched.delete(symbol);
  }

  onPrice(listener: (symbol: string, price: number) => void): void {
    this.tell = listener;
  }

  onDrop(listener: (reason: string) => void): void {
    this.drop = (reason) => {
      this.watched.clear();
      listener(reason);
    };
  }
}

const scopes = ['qot:read', 'acc:read'] as const;
const symbol = { symbol: 'HK.00700' };

describe('the backend of the documentation', () => {
  let feed: ScriptedFeed;
  let gateway: ServedGateway;
  beforeEach(async () => {
    feed = new ScriptedFeed();
    const backend = new FeedBackend(feed, systemClock);
    gateway = await serveGateway({ backend, keys: { desk: { scopes } } });
    await backend.start();
  });
  afterEach(() => gateway.stop());

  it('answers, refuses what it does not know, and says what it does not serve', async () => {
    const desk = gateway.as('desk');
    expect((await desk.s2c('/api/quote', symbol)).basic_qot_list[0].cur_price).toBe(300);
    feed.tell('HK.00700', 301);
    expect((await desk.s2c('/api/quote', symbol)).basic_qot_list[0].cur_price).toBe(301);
    expect((await desk.post('/api/quote', { symbol: 'HK.00005' })).json).toMatchObject({ ret_type: -1, ret_msg: 'unknown code 00005' });
    expect((await desk.post('/api/orderbook', symbol)).json.ret_msg).toContain('not served by this backend');
    expect((await desk.get('/readyz')).status).toBe(200);
  });

  it('restores its streams when the feed is back, and tells of the gap', async () => {
    const push = await gateway.push('desk');
    await gateway.as('desk').s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1], is_reg_or_un_reg_push: true });
    feed.tell('HK.00700', 300);
    await push.frame(({ type }) => type === 'quote', 'a quote');
    let reconnected = () => {};
    feed.connected = () =>
      new Promise((resolve) => {
        reconnected = resolve;
      });
    feed.drop('the feed hung up');
    expect((await gateway.as('desk').post('/api/quote', symbol)).json.code).toBe('backend.not_ready');
    reconnected();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.gap.reason).toBe('the feed hung up');
    expect([...feed.watched]).toEqual(['HK.00700']);
    await push.close();
  });

  it('is the one printed in the documentation', () => {
    const printed = readFileSync('docs/backends.md', 'utf8');
    const source = readFileSync(new URL('example-backend.ts', import.meta.url), 'utf8');
    const body = source.slice(source.indexOf('/** Where the prices come from.'));
    expect(printed).toContain(body);
  });
});
