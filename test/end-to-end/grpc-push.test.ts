import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { GrpcClient, PushedEvent } from '../support/grpc-client.js';
import { editKey } from '../support/keys.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';

type Id = 'desk' | 'other' | 'accounts';

let daemon: TestDaemon<Id>;
let client: GrpcClient;

const BASIC = 1;
const ORDER_BOOK = 2;
const tencent = { market: 1, code: '00700' };
const hsbc = { market: 1, code: '00005' };

async function start(flags: readonly string[] = []) {
  daemon = await TestDaemon.start<Id>({
    keys: {
      desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
      other: { scopes: ['qot:read'] },
      accounts: { scopes: ['acc:read'] },
    },
    flags: ['--enable-trading', ...flags],
  });
  client = daemon.grpc();
}

/** Subscribes the key to pushes of securities. */
async function subscribe(id: Id, securityList: object[], subTypeList: number[]): Promise<void> {
  const request = { securityList, subTypeList, isSubOrUnSub: true, isRegOrUnRegPush: true, isFirstPush: true };
  expect(await client.call({ key: daemon.keys[id], protoId: 3001, type: 'Qot_Sub', request })).toMatchObject({
    code: 'OK',
    answer: { ret_type: 0 },
  });
}

async function placeOrder(): Promise<string> {
  const header = { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 };
  const request = { header, packetID: { connID: '0', serialNo: 0 }, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 1 };
  const placed = await client.call({ key: daemon.keys.desk, protoId: 2202, type: 'Trd_PlaceOrder', request });
  expect(placed).toMatchObject({ code: 'OK', answer: { ret_type: 0 } });
  return placed.message?.s2c.orderIDEx;
}

const isQuote = ({ event_type }: PushedEvent) => event_type === 'quote';
const isOf = (secKey: string) => (event: PushedEvent) => event.sec_key === secKey;

describe('a push stream', () => {
  afterEach(() => daemon.stop());

  it('brings the quotes that the key subscribed to, made before or after it was opened', async () => {
    await start();
    await subscribe('desk', [tencent], [BASIC]);
    const stream = await client.open({ key: daemon.keys.desk });
    expect(stream.opened).toMatchObject({ code: 'OPEN', metadata: { 'x-request-id': expect.stringMatching(/^grpc-/) } });
    const event = await stream.next(isOf('1_00700'));
    expect(event).toMatchObject({ proto_id: 3005, sub_type: BASIC, event_type: 'quote' });
    expect(await client.decode('Qot_UpdateBasicQot', event)).toMatchObject({ retType: 0, s2c: { basicQotList: [{ security: tencent }] } });
    await subscribe('desk', [hsbc], [BASIC]);
    await stream.next(isOf('1_00005'));
  });

  it('brings what REST subscribed to under the same key, and nothing of another', async () => {
    await start();
    const [own, foreign] = [await client.open({ key: daemon.keys.desk }), await client.open({ key: daemon.keys.other })];
    await daemon.as('desk').post('/api/subscribe', { symbols: ['HK.00700'], sub_types: [BASIC] });
    await own.next(isOf('1_00700'));
    await subscribe('other', [hsbc], [BASIC]);
    await foreign.next(isOf('1_00005'));
    expect(foreign.events.filter(isOf('1_00700'))).toEqual([]);
  });

  it('brings the orders and fills of accounts', async () => {
    await start();
    const stream = await client.open({ key: daemon.keys.desk });
    const sub = { key: daemon.keys.desk, protoId: 2008, type: 'Trd_SubAccPush', request: { accIDList: [HK_MARGIN] } };
    expect(await client.call(sub)).toMatchObject({ code: 'OK', answer: { ret_type: 0 } });
    const orderIDEx = await placeOrder();
    const event = await stream.next(({ event_type }) => event_type === 'trade');
    expect(event).toMatchObject({ proto_id: 2208, acc_id: HK_MARGIN });
    expect(await client.decode('Trd_UpdateOrder', event)).toMatchObject({ s2c: { header: { accID: HK_MARGIN }, order: { orderIDEx } } });
  });

  it('brings only what it asked for', async () => {
    await start();
    await subscribe('desk', [tencent, hsbc], [BASIC]);
    const one = await client.open({ key: daemon.keys.desk, symbols: ['hk.00005'] });
    const notices = await client.open({ key: daemon.keys.desk, event_types: ['notify'] });
    const trades = await client.open({ key: daemon.keys.desk, event_types: ['trade'] });
    const all = await client.open({ key: daemon.keys.desk });
    await one.next(isOf('1_00005'));
    // The notice of a simulation comes first.
    await notices.next(({ proto_id }) => proto_id === 1003);
    await all.next(isOf('1_00700'));
    await all.next(isOf('1_00005'));
    expect(one.events.filter(isOf('1_00700'))).toEqual([]);
    expect(notices.events.filter(isQuote)).toEqual([]);
    expect(trades.events).toEqual([]);
  });

  it.each([
    [
      'an event type that there is none of',
      { event_types: ['quotes'] },
      'event_types: expected quote, trade, notify, found the string "quotes"',
    ],
    ['a symbol that is none', { symbols: ['00700'] }, 'symbols: expected MARKET.CODE (such as "HK.00700"), found the string "00700"'],
    [
      'a symbol that is not listed, which would be a silent stream',
      { symbols: ['HK.00005', 'HK.700'] },
      'symbols: unknown symbol HK.700; did you mean HK.00700?',
    ],
    ['too many symbols', { symbols: Array.from({ length: 1001 }, () => 'HK.00700') }, 'symbols: 1001 entries are too many'],
  ])('is refused %s', async (_, wish, details) => {
    await start();
    const stream = await client.open({ key: daemon.keys.desk, ...wish });
    expect(await stream.end()).toMatchObject({ code: 'INVALID_ARGUMENT', details: expect.stringContaining(details) });
    const refused = (await daemon.audit()).filter(({ endpoint }) => endpoint === 'SubscribePush');
    expect(refused).toMatchObject([{ iface: 'grpc', key_id: 'desk', outcome: 'reject' }]);
  });

  it('is refused to keys without quotes, whatever they ask for', async () => {
    await start();
    for (const wish of [{}, { symbols: ['x'] }]) {
      const stream = await client.open({ key: daemon.keys.accounts, ...wish });
      expect(await stream.end()).toMatchObject({ code: 'PERMISSION_DENIED', metadata: { 'error-code': 'auth.scope' } });
    }
    expect(await (await client.open()).end()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('ends with its key, and a narrowed key loses what it may not see any more', async () => {
    await start();
    await subscribe('desk', [tencent, hsbc], [BASIC, ORDER_BOOK]);
    const [desk, other] = [await client.open({ key: daemon.keys.desk }), await client.open({ key: daemon.keys.other })];
    await desk.next(isOf('1_00700'));
    editKey(daemon.keysPath, 'other', undefined);
    editKey(daemon.keysPath, 'desk', { limits: { allowed_symbols: ['HK.00005'] } });
    await daemon.daemon.reload();
    expect(await other.end()).toMatchObject({ code: 'UNAUTHENTICATED', details: 'key revoked' });
    // Everything sent before the reload has arrived with this answer.
    await client.check('');
    const seen = desk.events.length;
    await desk.next((event) => isOf('1_00005')(event) && desk.events.indexOf(event) > seen + 2);
    expect(desk.events.slice(seen).filter(isOf('1_00700'))).toEqual([]);
  });

  it('is forgotten after its cancellation', async () => {
    await start();
    const stream = await client.open({ key: daemon.keys.desk });
    expect(daemon.daemon.gateway.push.connections()).toMatchObject([{ iface: 'grpc', keyId: 'desk' }]);
    await client.act('cancel', stream.name);
    expect((await stream.end()).code).toBe('CANCELLED');
    await client.check('');
    expect(daemon.daemon.gateway.push.connections()).toEqual([]);
  });
});

describe('a daemon that stops', () => {
  it('ends streams, watches and reflection, and waits for nobody', async () => {
    const spawned = await SpawnedDaemon.start({ keys: { desk: { scopes: ['qot:read'] } } });
    try {
      const peer = spawned.grpc();
      const [stream, watch] = [await peer.open({ key: spawned.keys.desk }), await peer.watch('')];
      await watch.next(({ status }) => status === 'SERVING');
      const started = performance.now();
      expect(await spawned.end('SIGTERM')).toBe(0);
      // Far from the five seconds after which everything is cut off.
      expect(performance.now() - started).toBeLessThan(3000);
      expect(await stream.end()).toMatchObject({ code: 'UNAVAILABLE', details: 'the daemon is shutting down' });
      await watch.next(({ status }) => status === 'NOT_SERVING');
      expect((await watch.end()).code).toBe('OK');
    } finally {
      await spawned.stop();
    }
  });
});
