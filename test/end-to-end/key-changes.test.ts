import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { ManualClock } from '@svc-gateway/contract/clock';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, MARKET, SIMULATE } from '../support/accounts.js';
import { type AuditLine, stoppedAfterEach, TestDaemon, type TestSite } from '../support/daemon.js';
import { type Desk, openDesk } from '../support/desk.js';
import { editKey } from '../support/keys.js';
import type { PushFrame } from '../support/push-client.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { turnOf } from '../support/turn-of.js';
import { until } from '../support/until.js';

const kept = stoppedAfterEach();

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const quotes = { symbols: ['HK.00700', 'HK.00005'], sub_types: [2] };
const isQuote = (symbol: string) => (frame: PushFrame) => frame.type === 'quote' && frame.symbol === symbol;

describe('open connections at a reload', () => {
  it('a revoked key loses them with 4401, and they alone', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { gone: { scopes }, stays: { scopes } } }));
    const [gone, also, stays] = [await daemon.push('gone'), await daemon.push('gone'), await daemon.push('stays')];
    editKey(daemon.keysPath, 'gone', undefined);
    await daemon.daemon.reload();
    expect(await gone.closed).toEqual({ code: 4401, reason: 'key revoked' });
    expect((await also.closed).code).toBe(4401);
    await stays.settled();
    await expect(daemon.push('gone')).rejects.toMatchObject({ status: 401 });
  });

  it('a key that lost qot:read, or that is bound to another machine now, loses them too', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { narrowed: { scopes }, bound: { scopes } } }));
    const [narrowed, bound] = [await daemon.push('narrowed'), await daemon.push('bound')];
    editKey(daemon.keysPath, 'narrowed', { scopes: ['acc:read'] });
    editKey(daemon.keysPath, 'bound', { allowed_machines: [] });
    await daemon.daemon.reload();
    expect((await narrowed.closed).code).toBe(4401);
    expect((await bound.closed).code).toBe(4401);
  });

  it('a narrowed key keeps them, without the events that it may no longer see', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { desk: { scopes }, control: { scopes } }, flags: ['--enable-trading'] }));
    const [desk, control] = [await daemon.push('desk'), await daemon.push('control')];
    for (const id of ['desk', 'control'] as const) {
      await daemon.as(id).s2c('/api/subscribe', quotes);
      await daemon.as(id).s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN, HK_CASH] });
    }
    await desk.frame(isQuote('HK.00005'), 'the symbol that goes');
    const followed = async () => {
      await desk.command('query');
      return /"acc_id_list":\[([^\]]*)\]/.exec(desk.texts.findLast((text) => text.includes('"op":"query"')) ?? '')?.[1];
    };
    expect(await followed()).toBe(`${HK_MARGIN},${HK_CASH}`);
    editKey(daemon.keysPath, 'desk', { limits: { allowed_symbols: ['HK.00700'], allowed_acc_ids: [HK_MARGIN] } });
    await daemon.daemon.reload();
    expect(await followed()).toBe(HK_MARGIN);
    const [mine, theirs] = [desk.frames.length, control.frames.length];
    for (const acc_id of [HK_CASH, HK_MARGIN]) {
      const order = { market: HK, acc_id, env: SIMULATE, side: BUY, code: '00700', qty: 100, order_type: MARKET };
      await daemon.as('control').s2c('/api/order', order);
    }
    const filled = (acc: string) => (frame: PushFrame) => frame.proto_id === 2218 && String(frame.acc_id).startsWith(acc.slice(0, 15));
    await control.frame(filled(HK_CASH), 'a fill of the account that went');
    await control.frame(isQuote('HK.00005'), 'the symbol that went, for others', theirs);
    await desk.frame((frame) => frame.proto_id === 2218, 'a fill of the account that stays', mine);
    await desk.frame(isQuote('HK.00700'), 'the symbol that stays', mine);
    await desk.settled();
    const texts = desk.texts.slice(mine);
    expect(texts.filter((text) => text.includes('"HK.00005"'))).toEqual([]);
    expect(texts.filter((text) => text.includes(HK_CASH))).toEqual([]);
    expect(texts.filter((text) => text.includes(HK_MARGIN)).length).toBeGreaterThan(0);
  });

  it('a widened key sees more at once', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { desk: { scopes, limits: { allowedSymbols: 'HK.00700' } } } }));
    const desk = await daemon.push('desk');
    expect((await daemon.as('desk').post('/api/subscribe', quotes)).json.code).toBe('limit.symbol');
    editKey(daemon.keysPath, 'desk', { limits: {} });
    await daemon.daemon.reload();
    await daemon.as('desk').s2c('/api/subscribe', quotes);
    await desk.frame(isQuote('HK.00005'), 'the symbol that was added');
  });

  it('an expired key loses them with 4401 at the moment of its expiry', async () => {
    const clock = new ManualClock(Date.now());
    const expiresAt = clock.now() + 60_000;
    const daemon = kept(
      await TestDaemon.start({ clock, keys: { short: { scopes, expiresAt }, long: { scopes, expiresAt: expiresAt + 1 } } }),
    );
    const [short, long] = [await daemon.push('short'), await daemon.push('long')];
    clock.advance(59_999);
    await short.settled();
    clock.advance(1);
    expect(await short.closed).toEqual({ code: 4401, reason: 'key expired' });
    await long.settled();
  });

  it('a prolonged key keeps them', async () => {
    const clock = new ManualClock(Date.now());
    const expiresAt = clock.now() + 60_000;
    const daemon = kept(await TestDaemon.start({ clock, keys: { desk: { scopes, expiresAt } } }));
    const desk = await daemon.push('desk');
    editKey(daemon.keysPath, 'desk', { expires_at: new Date(expiresAt + 60_000).toISOString() });
    await daemon.daemon.reload();
    clock.advance(60_000);
    await desk.settled();
    clock.advance(60_000);
    expect((await desk.closed).code).toBe(4401);
  });
});

describe('requests on one connection', () => {
  const agents: Agent[] = [];
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.destroy();
  });

  /** Asks by one connection that stays open: status, and the code of a refusal. */
  function asker(daemon: TestDaemon<string>): (keyText: string | undefined) => Promise<string> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(agent);
    let connection: unknown;
    return (keyText) =>
      new Promise((resolve, reject) => {
        const options = {
          method: 'POST',
          agent,
          ca: daemon.ca,
          servername: 'localhost',
          headers: keyText === undefined ? {} : { authorization: `Bearer ${keyText}` },
        };
        const sent = request(new URL('/api/quote', daemon.url), options, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => {
            text += part;
          });
          response.on('end', () => resolve(`${response.statusCode} ${JSON.parse(text).code ?? 'ok'}`));
        });
        sent.on('socket', (socket) => {
          connection ??= socket;
          if (socket !== connection) reject(new Error('another connection was opened'));
        });
        sent.on('error', reject);
        sent.end('{"symbol":"HK.00700"}');
      });
  }

  it('are each of the key that they show', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { reads: { scopes: ['qot:read'] }, other: { scopes: ['acc:read'] } } }));
    const ask = asker(daemon);
    const { reads, other } = daemon.keys;
    const wrong = reads.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const [keyText, answer] of [
      [reads, '200 ok'],
      [reads, '200 ok'],
      [wrong, '401 auth.invalid'],
      [reads, '200 ok'],
      [other, '403 auth.scope'],
      [undefined, '401 auth.missing'],
      [reads.slice(0, -1), '401 auth.invalid'],
      [`${reads}a`, '401 auth.invalid'],
      [reads, '200 ok'],
    ] as const) {
      expect(await ask(keyText)).toBe(answer);
    }
  });

  it('are refused from the moment that the key is narrowed, expires or is revoked', async () => {
    const clock = new ManualClock(Date.now());
    const expiresAt = clock.now() + 60_000;
    const daemon = kept(
      await TestDaemon.start({ clock, keys: { narrowed: { scopes }, expiring: { scopes, expiresAt }, revoked: { scopes } } }),
    );
    const { narrowed, expiring, revoked } = daemon.keys;
    const ask = asker(daemon);
    const askAfter = async (keyText: string, change: () => unknown) => {
      expect(await ask(keyText)).toBe('200 ok');
      await change();
      return ask(keyText);
    };
    const edited = (id: string, change: Record<string, unknown> | undefined) => () => {
      editKey(daemon.keysPath, id, change);
      return daemon.daemon.reload();
    };
    expect(await askAfter(narrowed, edited('narrowed', { scopes: ['acc:read'] }))).toBe('403 auth.scope');
    expect(await askAfter(revoked, edited('revoked', undefined))).toBe('401 auth.revoked');
    expect(await askAfter(expiring, () => clock.advance(60_000))).toBe('401 auth.expired');
  });

  it('are those of the key under its new name once it has another', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { before: { scopes } } }));
    const ask = asker(daemon);
    expect(await ask(daemon.keys.before)).toBe('200 ok');
    writeFileSync(daemon.keysPath, readFileSync(daemon.keysPath, 'utf8').replaceAll('"before"', '"after"'));
    await daemon.daemon.reload();
    expect(await ask(daemon.keys.before)).toBe('200 ok');
    const asked = () => daemon.auditLines().filter(({ endpoint }) => endpoint === 'POST /api/quote');
    await until(() => asked().length === 2, 'both requests in the audit trail');
    expect(asked().map(({ key_id }) => key_id)).toEqual(['before', 'after']);
  });
});

describe('SIGHUP', () => {
  const reloads = (site: TestSite) => site.auditLines().filter(({ endpoint }) => endpoint === 'reload');
  async function hangUp(daemon: SpawnedDaemon<'desk' | 'ops' | 'late'>): Promise<AuditLine> {
    const before = reloads(daemon).length;
    daemon.hangUp();
    return until(() => reloads(daemon)[before], 'the reload in the audit trail');
  }

  it('takes keys up and away, and a broken file leaves them as they were', async () => {
    const daemon = kept(
      await SpawnedDaemon.start<'desk' | 'ops' | 'late'>({ keys: { desk: { scopes }, ops: { scopes: ['admin'] } } as never }),
    );
    const status = async () => (await daemon.as('ops').get('/api/admin/status')).json.s2c.keys_file;
    const connection = await daemon.push('desk');
    expect(await status()).toMatchObject({ path: daemon.keysPath, key_count: 2 });

    await daemon.addKey('late', { scopes: ['qot:read'] });
    expect((await daemon.as('late').get('/api/ping')).status).toBe(401);
    expect(await hangUp(daemon)).toMatchObject({ outcome: 'allow', iface: 'daemon' });
    expect((await daemon.as('late').get('/api/ping')).status).toBe(200);
    expect(await status()).toMatchObject({ key_count: 3 });

    for (const broken of ['{ "version": 2, "keys": [', '{"version":3,"keys":[]}', '{"version":2,"keys":[{"id":"desk"}]}']) {
      writeFileSync(daemon.keysPath, broken);
      expect(await hangUp(daemon)).toMatchObject({ outcome: 'reject', reason: expect.stringContaining('keys file refused') });
      for (const id of ['desk', 'late'] as const) expect((await daemon.as(id).get('/api/ping')).status).toBe(200);
      const { key_count, last_error, last_error_at } = await status();
      expect(key_count).toBe(3);
      expect(last_error).toContain(daemon.keysPath);
      expect(Date.parse(last_error_at)).toBeLessThanOrEqual(Date.now());
    }
    await connection.settled();

    writeFileSync(daemon.keysPath, '{"version":2,"keys":[]}');
    await hangUp(daemon);
    expect((await connection.closed).code).toBe(4401);
    expect((await daemon.as('ops').get('/api/admin/status')).json.code).toBe('auth.revoked');
  });
});

describe('an order that is on its way at a reload', () => {
  let desk: Desk;
  afterEach(() => desk.close());
  const limits = { maxOrderValue: '1000000' };
  const taking = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate', symbol: 'HK.00700', side: 'BUY', order_type: 'MARKET', qty: 100 };

  describe.each([
    ['to be valued', quote.getOrderBook],
    ['for its turn behind the gateway', trade.placeOrder],
  ])('and waits %s', (_, operation) => {
    it.each<[string, string, Record<string, unknown> | undefined, string | undefined]>([
      ['is not sent where its key was revoked', 'desk', undefined, 'auth.revoked'],
      ['is not sent where its key has expired', 'desk', { expires_at: '2026-11-20T00:00:00Z' }, 'auth.expired'],
      ['is not sent where its key was narrowed', 'desk', { limits: { max_order_value: 1 } }, 'auth.changed'],
      ['is sent where nothing was changed', 'desk', {}, undefined],
      ['is sent where another key was changed', 'other', undefined, undefined],
    ])('%s', async (_what, id, change, code) => {
      const sending = turnOf(operation);
      const reader = { scopes: ['acc:read'] as const };
      desk = await openDesk({ keys: { desk: { scopes, limits }, other: { scopes, limits }, reader }, answer: sending.answer });
      const answer = desk.call(trade.placeOrder, taking);
      await sending.waiting;
      desk.editKey(id, change);
      sending.go();
      expect(await answer).toMatchObject(code === undefined ? { retType: 0 } : { code });
      const placed = desk.payload(account.getOrders, { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' }, { as: 'reader' });
      expect(await placed.then(({ orderList }) => orderList.length)).toBe(code === undefined ? 1 : 0);
    });
  });
});
