import type { LimitFlags } from '@svc-gateway/access';
import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, NORMAL, SELL, SIMULATE, US, US_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { Answer } from '../support/http-client.js';

// Noon UTC of a day to come (the certificate is younger than any day before) on which no time zone changes its clocks.
const NOON = Date.UTC(new Date().getUTCFullYear() + 1, 6, 15, 12);
const MINUTE_MS = 60_000;

let daemon: TestDaemon<string>;
let clock: ManualClock;
afterEach(() => daemon.stop());

async function start(limits: LimitFlags, flags: string[] = [], at = NOON): Promise<void> {
  clock = new ManualClock(at);
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  daemon = await TestDaemon.start<string>({ clock, keys: { desk: { scopes, limits } }, flags: ['--enable-trading', ...flags] });
}

const hk = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 10, order_type: NORMAL };
const us = { market: US, acc_id: US_MARGIN, env: SIMULATE, side: BUY, code: 'AAPL', qty: 1, price: 10, order_type: NORMAL };

function order(body: object): Promise<Answer> {
  return daemon.as('desk').post('/api/order', body);
}

/** Passed the gates: whatever the brokerage then says is its own business. */
function passes(answer: Answer): void {
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"ret_type"')]);
}

function trips(answer: Answer, code: string, retryAfter: number | undefined): void {
  expect([answer.status, answer.json.code]).toEqual([429, code]);
  expect(answer.headers['retry-after']).toBe(retryAfter === undefined ? undefined : String(retryAfter));
  expect(answer.json.retry_after).toBe(retryAfter);
}

/** Minutes of the daemon's local day as HH:MM, from a moment on. */
function local(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

describe('the seven gates: just under passes, just over is 429', () => {
  it('passes orders in allowed markets alone', async () => {
    await start({ allowedMarkets: 'US' });
    passes(await order(us));
    trips(await order(hk), 'limit.market', undefined);
  });

  it('passes orders of allowed symbols alone', async () => {
    await start({ allowedSymbols: 'HK.00700' });
    passes(await order(hk));
    trips(await order({ ...hk, code: '00005' }), 'limit.symbol', undefined);
  });

  it('passes orders of allowed sides alone', async () => {
    await start({ allowedTrdSides: 'BUY' });
    passes(await order(hk));
    trips(await order({ ...hk, side: SELL }), 'limit.side', undefined);
  });

  it('passes orders from the first minute of the hours until before the last', async () => {
    await start({ hoursWindow: `${local(NOON)}-${local(NOON + MINUTE_MS)}` }, [], NOON - 1000);
    trips(await order(hk), 'limit.hours', 1);
    clock.advance(1000);
    passes(await order(hk));
    clock.advance(MINUTE_MS - 1);
    passes(await order(hk));
    clock.advance(1);
    trips(await order(hk), 'limit.hours', 86_400 - 60);
  });

  it('takes hours that end before they begin across midnight', async () => {
    await start({ hoursWindow: `${local(NOON)}-${local(NOON - MINUTE_MS)}` });
    passes(await order(hk));
    clock.advance(86_400_000 - MINUTE_MS - 1);
    passes(await order(hk));
    clock.advance(1);
    trips(await order(hk), 'limit.hours', 60);
  });

  it('passes orders up to the largest value', async () => {
    await start({ maxOrderValue: '1000' });
    passes(await order(hk));
    trips(await order({ ...hk, price: 10.001 }), 'limit.order_value', undefined);
    trips(await order({ ...hk, qty: 200 }), 'limit.order_value', undefined);
  });

  it('compares values exactly where binary floats would be off by one bit', async () => {
    await start({ maxOrderValue: '0.3' });
    passes(await order({ ...us, qty: 3, price: 0.1 }));
    trips(await order({ ...us, qty: 3, price: 0.100000001 }), 'limit.order_value', undefined);
  });

  it('passes as many orders as allowed in any 60 seconds', async () => {
    await start({ maxOrdersPerMinute: '2' });
    passes(await order(hk));
    clock.advance(10_000);
    passes(await order(hk));
    clock.advance(10_000);
    trips(await order(hk), 'limit.rate', 40);
    clock.advance(39_999);
    trips(await order(hk), 'limit.rate', 1);
    clock.advance(1);
    passes(await order(hk));
    trips(await order(hk), 'limit.rate', 10);
  });

  it('passes orders up to the value of a UTC day, by currency', async () => {
    await start({ maxDailyValue: '2500' });
    passes(await order(hk));
    passes(await order(hk));
    trips(await order({ ...hk, price: 5.001 }), 'limit.daily_value', 12 * 3600);
    passes(await order({ ...hk, price: 5 }));
    trips(await order({ ...hk, price: 0.01 }), 'limit.daily_value', 12 * 3600);
    // Dollars are a sum of their own.
    passes(await order({ ...us, price: 2500 }));
    trips(await order({ ...us, price: 0.01 }), 'limit.daily_value', 12 * 3600);
    trips(await order({ ...hk, qty: 1000 }), 'limit.daily_value', undefined);
    clock.advance(12 * 3_600_000);
    passes(await order(hk));
  });
});

describe('the order of the gates', () => {
  it('refuses by the first gate in the order of the specification', async () => {
    const past = `${local(NOON - 2 * MINUTE_MS)}-${local(NOON - MINUTE_MS)}`;
    const all: LimitFlags = {
      allowedMarkets: 'US',
      allowedSymbols: 'US.AAPL',
      allowedTrdSides: 'SELL',
      hoursWindow: past,
      maxOrderValue: '1',
      maxOrdersPerMinute: '0',
      maxDailyValue: '1',
    };
    const gates = ['market', 'symbol', 'side', 'hours', 'order_value', 'rate', 'daily_value'];
    const names = Object.keys(all) as (keyof LimitFlags)[];
    for (const [index, gate] of gates.entries()) {
      await start(Object.fromEntries(names.slice(index).map((name) => [name, all[name]])));
      expect((await order(hk)).json.code).toBe(`limit.${gate}`);
      if (gate !== 'daily_value') await daemon.stop();
    }
  });
});

describe("the daemon's own limits", () => {
  it('holds every key to the flags’ limits together with its own', async () => {
    await start({ maxOrderValue: '5000' }, ['--max-order-value', '1000', '--max-daily-value', '1500']);
    await daemon.addKey('other', { scopes: ['trade:simulate'] });
    await daemon.daemon.reload();
    trips(await order({ ...hk, price: 10.01 }), 'limit.order_value', undefined);
    passes(await order(hk));
    const other = await daemon.as('other').post('/api/order', hk);
    trips(other, 'limit.daily_value', 12 * 3600);
    expect(other.json.error).toContain('daemon-wide');
  });
});

describe('a restart', () => {
  it('keeps the totals of the day and of the minute over a restart', async () => {
    await start({ maxDailyValue: '1500', maxOrdersPerMinute: '3' });
    passes(await order(hk));
    await daemon.halt();
    await daemon.boot({ clock, flags: ['--enable-trading'] });
    trips(await order(hk), 'limit.daily_value', 12 * 3600);
    passes(await order({ ...hk, price: 1 }));
    trips(await order({ ...hk, price: 1 }), 'limit.rate', 60);
  });
});

describe('market orders', () => {
  it('values market orders at the dearest ask of the book plus 5 %', async () => {
    await start({});
    const { order_book_ask_list: asks } = await daemon.as('desk').s2c('/api/orderbook', { symbol: 'HK.00700', depth: 40 });
    const worst = Math.max(...asks.map(({ price }: { price: number }) => price));
    const value = (Math.round(worst * 1000) * 105) / 100_000;
    await daemon.stop();
    for (const [cap, code] of [
      [value * 100, undefined],
      [value * 100 - 0.01, 'limit.order_value'],
    ] as const) {
      await start({ maxOrderValue: cap.toFixed(3) });
      const answer = await order({ ...hk, order_type: MARKET, price: undefined });
      if (code === undefined) passes(answer);
      else trips(answer, code, undefined);
      if (code === undefined) await daemon.stop();
    }
  });

  it('refuses market orders under a cap where no price is known', async () => {
    await start({ maxOrderValue: '1000000' });
    trips(await order({ ...hk, code: '99999', order_type: MARKET, price: undefined }), 'limit.price_unknown', undefined);
  });
});

describe('a modify', () => {
  async function placed(body: object): Promise<string> {
    const { order_id } = (await order(body).then(({ text }) => JSON.parse(text.replace(/"order_id":(\d+)/, '"order_id":"$1"')))).s2c;
    return order_id;
  }

  function modify(order_id: string, change: object): Promise<Answer> {
    const header = { trd_env: 1, acc_id: HK_MARGIN, trd_market: HK };
    return daemon.as('desk').post('/api/modify-order', { header, order_id, modify_order_op: 1, ...change });
  }

  it('counts a modify towards the day by its increase alone', async () => {
    await start({ maxDailyValue: '1500' });
    const id = await placed(hk);
    trips(await modify(id, { qty: 100, price: 15.01 }), 'limit.daily_value', 12 * 3600);
    passes(await modify(id, { qty: 100, price: 15 }));
    passes(await modify(id, { qty: 100, price: 14 }));
    // Up to the 1,500 that it has counted of the order, a change counts nothing more.
    passes(await modify(id, { qty: 100, price: 15 }));
    trips(await modify(id, { qty: 100, price: 15.01 }), 'limit.daily_value', 12 * 3600);
  });

  it('holds a modify against the cap of an order by its whole new value', async () => {
    await start({ maxOrderValue: '1500' });
    const id = await placed(hk);
    trips(await modify(id, { qty: 200, price: 10 }), 'limit.order_value', undefined);
    passes(await modify(id, { qty: 100, price: 15 }));
  });
});

describe('a caller can always get out', () => {
  it('lets cancels pass every gate but the market', async () => {
    const limits = { maxOrdersPerMinute: '1', maxDailyValue: '1000', hoursWindow: `${local(NOON)}-${local(NOON + MINUTE_MS)}` };
    await start({ ...limits, allowedTrdSides: 'BUY' });
    const placed = await order(hk);
    const { order_id_ex } = placed.json.s2c;
    clock.advance(2 * MINUTE_MS);
    trips(await order(hk), 'limit.hours', 86_400 - 120);
    const header = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
    for (let times = 0; times < 3; times++) {
      expect((await daemon.as('desk').post('/api/cancel-order', { ...header, order_id_ex })).status).toBe(200);
      const all = await daemon.as('desk').post('/api/cancel-all-order', { ...header, market: HK, env: SIMULATE });
      expect(all.status).toBe(200);
    }
    const us = await daemon.as('desk').post('/api/cancel-all-order', { market: US, acc_id: US_MARGIN, env: SIMULATE });
    expect(us.status).toBe(200);
  });
});
