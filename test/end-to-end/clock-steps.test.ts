import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { TestDaemon } from '../support/daemon.js';
import { until } from '../support/until.js';

// Noon UTC of a day to come (the certificate is younger than any day before).
const NOON = Date.UTC(new Date().getUTCFullYear() + 1, 6, 15, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let daemon: TestDaemon<string>;
const clients: { close(): unknown }[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await daemon.stop();
});

const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const order = { ...account, side: BUY, code: '00700', qty: 100, price: 600, order_type: NORMAL };
const flags = ['--enable-trading'];
const trader = { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } as const;

function send(headers: Record<string, string> = {}, body: object = order) {
  return daemon.as('desk').post('/api/order', body, headers);
}

describe("a day's total", () => {
  const start = async () => {
    const clock = new ManualClock(NOON);
    const limits = { maxDailyValue: '70000' };
    daemon = await TestDaemon.start<string>({ clock, keys: { desk: { ...trader, limits } }, flags });
    expect((await send()).json.ret_type).toBe(0);
    return clock;
  };
  const isRefused = async () => expect((await send()).json.code).toBe('limit.daily_value');

  it.each([[3 * DAY_MS], [-3 * DAY_MS], [25 * HOUR_MS], [-13 * HOUR_MS]])(
    'keeps the day’s total over a clock step of %i ms and back',
    async (ms) => {
      const clock = await start();
      clock.step(ms);
      await isRefused();
      clock.step(-ms);
      await isRefused();
      clock.step(2 * ms);
      await isRefused();
    },
  );

  it('keeps the day’s total over clock steps between runs of the daemon', async () => {
    const clock = await start();
    for (const ms of [3 * DAY_MS, -3 * DAY_MS]) {
      await daemon.halt();
      clock.step(ms);
      await daemon.boot({ flags, clock });
      await isRefused();
    }
  });

  it('ends the day’s total with its day, however the clock was set meanwhile', async () => {
    const clock = await start();
    clock.step(3 * DAY_MS);
    clock.step(-3 * DAY_MS);
    clock.sleep(12 * HOUR_MS - 2_000);
    await isRefused();
    clock.advance(2_000);
    expect((await send()).json.ret_type).toBe(0);
    await isRefused();
  });

  it('ends the day’s total while the machine sleeps', async () => {
    const clock = await start();
    clock.sleep(13 * HOUR_MS);
    expect((await send()).json.ret_type).toBe(0);
  });

  it('begins days by a set clock once it has gone on for a day', async () => {
    const clock = await start();
    clock.step(5 * HOUR_MS);
    await isRefused();
    clock.sleep(12 * HOUR_MS);
    expect((await send()).json.ret_type).toBe(0);
    clock.sleep(12 * HOUR_MS);
    // It is believed now; its own midnight comes in seven hours, and not in twelve.
    await isRefused();
    clock.sleep(7 * HOUR_MS - 5_000);
    await isRefused();
    clock.advance(5_000);
    expect((await send()).status).toBe(200);
  });
});

describe('the orders of the last minute', () => {
  it('counts the orders of the last minute through steps of the clock', async () => {
    const clock = new ManualClock(NOON);
    daemon = await TestDaemon.start<string>({ clock, keys: { desk: { ...trader, limits: { maxOrdersPerMinute: '1' } } }, flags });
    expect((await send()).json.ret_type).toBe(0);
    for (const ms of [2 * 60_000, -HOUR_MS, DAY_MS]) {
      clock.step(ms);
      expect((await send()).json.code).toBe('limit.rate');
    }
    clock.advance(60_000);
    expect((await send()).json.ret_type).toBe(0);
  });
});

describe('an idempotency key', () => {
  it('keeps an idempotency key for a day of passing time, whatever the clock says, over restarts too', async () => {
    const clock = new ManualClock(NOON);
    daemon = await TestDaemon.start<string>({ clock, keys: { desk: trader }, flags });
    const first = await send({ 'idempotency-key': 'once' });
    expect(first.json.ret_type).toBe(0);
    const repeated = async () => expect((await send({ 'idempotency-key': 'once' })).text).toBe(first.text);
    for (const ms of [25 * HOUR_MS, -60 * HOUR_MS]) {
      clock.step(ms);
      await repeated();
      clock.advance(10 * 60_000);
      await repeated();
    }
    await daemon.halt();
    clock.step(100 * HOUR_MS);
    await daemon.boot({ flags, clock });
    await repeated();
    clock.sleep(23 * HOUR_MS);
    await repeated();
    clock.sleep(HOUR_MS);
    const later = await send({ 'idempotency-key': 'once' });
    expect(later.json.s2c.order_id).not.toBe(first.json.s2c.order_id);
  });
});

describe('an expired key', () => {
  it('closes the streams of a key on every interface when the clock is set past its expiry', async () => {
    const clock = new ManualClock(NOON);
    const wish = { ...trader, expiresAt: NOON + HOUR_MS };
    const core = [...flags, '--api-key-id', 'desk'];
    daemon = await TestDaemon.start<string>({ clock, keys: { desk: wish }, flags: core });
    const push = await daemon.push('desk');
    const tcp = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    const stream = await daemon.grpc().open({ key: daemon.keys.desk });
    const mcp = await daemon.mcp('desk');
    clients.push(tcp, mcp);
    const { push: hub } = daemon.daemon.gateway;
    await until(() => hub.connections().length === 4, 'every stream');

    clock.step(2 * HOUR_MS);
    clock.advance(5_000);
    expect(await push.closed).toEqual({ code: 4401, reason: 'key expired' });
    await tcp.closed;
    expect((await stream.end()).code).toBe('UNAUTHENTICATED');
    await until(() => hub.connections().length === 0, 'the end of every stream');
    expect((await daemon.as('desk').post('/api/quote', { symbol: 'HK.00700' })).status).toBe(401);
  });

  it('lets an expired key work again after the clock is set back, and closes it again', async () => {
    const clock = new ManualClock(NOON);
    daemon = await TestDaemon.start<string>({ clock, keys: { desk: { ...trader, expiresAt: NOON + HOUR_MS } } });
    for (const ms of [2 * HOUR_MS, 2 * HOUR_MS]) {
      const push = await daemon.push('desk');
      clock.step(ms);
      clock.advance(5_000);
      expect((await push.closed).code).toBe(4401);
      clock.step(-ms);
    }
  });
});

describe('healthy clients', () => {
  it('neither cuts nor forgets clients of core TCP and /ws at steps of the clock', async () => {
    const clock = new ManualClock(NOON);
    daemon = await TestDaemon.start<string>({ clock });
    const tcp = await CoreTcpClient.open(daemon.daemon.apiAddress ?? '');
    clients.push(tcp);
    const push = await daemon.push();
    let pings = 0;
    push.socket.on('ping', () => {
      pings += 1;
    });
    for (const ms of [60_000, -3 * DAY_MS, 3 * DAY_MS]) {
      clock.step(ms);
      clock.advance(5_000);
      expect(await tcp.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0 });
    }
    clock.step(-DAY_MS);
    const before = pings;
    clock.advance(30_000);
    await until(() => pings > before, 'a ping after the clock was set back');
  });

  it('pushes quotes after the clock was set back', async () => {
    const clock = new ManualClock(NOON);
    daemon = await TestDaemon.start<string>({ clock });
    await daemon.as().s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1] });
    const push = await daemon.push();
    clock.step(-3 * DAY_MS);
    const heard = push.frames.length;
    await until(() => {
      clock.advance(1_000);
      return push.frames.slice(heard).some(({ symbol }) => symbol === 'HK.00700');
    }, 'a quote');
  });
});
