import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, NORMAL, SIMULATE } from '../support/accounts.js';
import { stoppedAfterEach, TestDaemon } from '../support/daemon.js';
import { editKey } from '../support/keys.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';

const kept = stoppedAfterEach();

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 800.5, order_type: NORMAL };

it('a cancel that nothing looks up has the terms of an order that was placed here, and of a change of it', async () => {
  const daemon = kept(await TestDaemon.start({ keys: { desk: { scopes } }, flags: ['--enable-trading'] }));
  const desk = daemon.as('desk');
  const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
  const { order_id_ex } = await desk.s2c('/api/order', { ...order, price: 300 });
  await desk.s2c('/api/modify-order', { ...account, order_id_ex, op: 1, qty: 200, price: 301 });
  // The number of a simulated order, exact as text.
  await desk.s2c('/api/cancel-order', { ...account, order_id: order_id_ex });
  await desk.post('/api/cancel-order', { ...account, order_id: 3 });
  const [known, unknown] = (await daemon.audit()).slice(-2);
  const terms = { symbol: 'HK.00700', side: 'BUY', qty: 200, price: 301 };
  expect(known).toMatchObject({ endpoint: 'POST /api/cancel-order', order_id: order_id_ex, ...terms });
  expect(unknown).toMatchObject({ endpoint: 'POST /api/cancel-order', order_id: '3' });
  expect(unknown).not.toHaveProperty('symbol');
});

it('so has one of a bracket’s exit, and of an order that was listed since a restart', async () => {
  const daemon = kept(await TestDaemon.start({ keys: { desk: { scopes } }, flags: ['--enable-trading'] }));
  const account = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
  const exact = { 'x-svc-int64': 'string' };
  const { order_id_ex } = await daemon.as('desk').s2c('/api/order', { ...order, price: 300 });
  const entry = { ...account, side: BUY, code: '00005', qty: 400, order_type: MARKET, stop_loss_price: 1 };
  const { bracket_id } = await daemon.as('desk').s2c('/api/bracket-order', entry, exact);
  const exit = async () => {
    const { bracket_list } = await daemon.as('desk').s2c('/api/brackets', { ...account, bracket_id }, exact);
    return bracket_list[0].exit_order_id_ex ?? '';
  };
  await until(async () => (await exit()) !== '', 'the exit');
  await daemon.as('desk').post('/api/cancel-order', { ...account, order_id_ex: await exit() });
  expect((await daemon.audit()).at(-1)).toMatchObject({ endpoint: 'POST /api/cancel-order', symbol: 'HK.00005', side: 'SELL', qty: 400 });
  await daemon.halt();
  await daemon.boot({ flags: ['--enable-trading'] });
  await daemon.as('desk').s2c('/api/orders', account);
  await daemon.as('desk').s2c('/api/cancel-order', { ...account, order_id_ex });
  const line = (await daemon.audit()).at(-1);
  expect(line).toMatchObject({ endpoint: 'POST /api/cancel-order', symbol: 'HK.00700', side: 'BUY', qty: 100, price: 300 });
});

describe('every end of a request leaves one line', () => {
  it('allow, reject and trade, with their fields', async () => {
    const daemon = kept(
      await TestDaemon.start({ keys: { desk: { scopes, limits: { maxOrdersPerMinute: '1' } } }, flags: ['--enable-trading'] }),
    );
    const desk = daemon.as('desk');
    const requests = [
      await desk.post('/api/quote', { symbol: 'HK.00700' }),
      await desk.post('/api/order', order),
      await desk.post('/api/order', order),
      await desk.post('/api/quote', { symbl: 'HK.00700' }),
      await desk.get('/api/nothing?secret=1'),
      await desk.get('/api/quote'),
      await desk.get('/api/admin/status'),
      await daemon.as().get('/api/ping'),
      await desk.post('/api/funds', { market: HK, acc_id: '1', env: SIMULATE }),
      await desk.get('/metrics'),
      await desk.request('POST', '/api/quote', { body: Buffer.alloc(1024 * 1024 + 1, 32) }),
      await desk.get('/api/ping', { origin: 'https://evil.example' }),
    ];
    const lines = await daemon.audit();
    const base = { target: 'audit', iface: 'rest', key_id: 'desk', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/) };
    const ids = requests.map((answer) => answer.headers['x-request-id']);
    const expected = [
      { endpoint: 'POST /api/quote', outcome: 'allow', reason: '' },
      {
        endpoint: 'POST /api/order',
        outcome: 'trade',
        reason: '',
        symbol: 'HK.00700',
        side: 'BUY',
        qty: 100,
        price: 800.5,
        order_id: requests[1]?.json.s2c.order_id_ex,
      },
      { endpoint: 'POST /api/order', outcome: 'reject', reason: expect.stringMatching(/^limit: rate limit exceeded: /) },
      { endpoint: 'POST /api/quote', outcome: 'reject', reason: expect.stringMatching(/^request: unknown field "symbl"/) },
      { endpoint: 'GET /api/nothing', outcome: 'reject', reason: 'route: not found' },
      { endpoint: 'GET /api/quote', outcome: 'reject', reason: expect.stringMatching(/^route: /) },
      { endpoint: 'GET /api/admin/status', outcome: 'reject', reason: expect.stringMatching(/^auth: scope insufficient/) },
      { endpoint: 'GET /api/ping', outcome: 'reject', reason: 'auth: bearer missing', key_id: null },
      { endpoint: 'POST /api/funds', outcome: 'allow', reason: expect.stringMatching(/^ret_type -1: /) },
      { endpoint: 'GET /metrics', outcome: 'reject', reason: expect.stringMatching(/^auth: scope insufficient/) },
      { endpoint: 'POST /api/quote', outcome: 'reject', reason: expect.stringMatching(/^request: body too large/) },
      { endpoint: 'GET /api/ping', outcome: 'reject', reason: expect.stringMatching(/^auth: origin/) },
    ];
    expect(lines).toHaveLength(expected.length);
    for (const [index, line] of lines.entries()) expect(line).toMatchObject({ ...base, ...expected[index], request_id: ids[index] });
  });

  it('orders that are refused have their terms, whoever refuses them', async () => {
    const daemon = kept(
      await TestDaemon.start({ keys: { desk: { scopes, limits: { maxOrderValue: '50000' } } }, flags: ['--enable-trading'] }),
    );
    const odd = { ...order, qty: 50 };
    await daemon.as('desk').post('/api/order', order);
    await daemon.as('desk').post('/api/order', odd);
    await daemon
      .as('desk')
      .post('/api/modify-order', { header: { acc_id: HK_MARGIN, trd_env: SIMULATE, trd_market: HK }, modify_order_op: 2, order_id: 7 });
    const { order_id_ex } = await daemon.as('desk').s2c('/api/order', { ...order, price: 300 }, { 'x-svc-int64': 'string' });
    const header = { acc_id: HK_MARGIN, trd_env: SIMULATE, trd_market: HK };
    const dearer = { header, modify_order_op: 1, order_id_ex, qty: 100, price: 800.5 };
    await daemon.as('desk').post('/api/modify-order', dearer);
    const terms = { acc_id: Number(HK_MARGIN), symbol: 'HK.00700', side: 'BUY', price: 800.5 };
    const lines = await daemon.audit();
    expect(lines).toMatchObject([
      { outcome: 'reject', code: 'limit.order_value', reason: expect.stringMatching(/^limit: /), ...terms, qty: 100 },
      { outcome: 'reject', code: 'broker.lot_size', reason: expect.stringMatching(/^refused: ret_type -1: qty 50 /), ...terms, qty: 50 },
      {
        outcome: 'reject',
        code: 'broker.unknown_order',
        reason: expect.stringMatching(/^refused: /),
        acc_id: Number(HK_MARGIN),
        order_id: '7',
      },
      { outcome: 'trade', order_id: order_id_ex },
      { outcome: 'reject', code: 'limit.order_value', ...terms, qty: 100, order_id: order_id_ex },
    ]);
  });

  it('changes of orders that a limit refuses have the terms of the order', async () => {
    const keys = {
      desk: { scopes },
      american: { scopes, limits: { allowedMarkets: 'US' } },
      small: { scopes, limits: { maxOrderValue: '10' } },
    };
    const daemon = kept(await TestDaemon.start({ keys, flags: ['--enable-trading'] }));
    const header = { acc_id: HK_MARGIN, trd_env: SIMULATE, trd_market: HK };
    const exact = { 'x-svc-int64': 'string' };
    const { order_id_ex } = await daemon.as('desk').s2c('/api/order', { ...order, price: 300 }, exact);
    const slip = await daemon.as('desk').s2c('/api/order', { ...order, qty: 400_000, price: 1 }, exact);
    for (const as of ['american', 'small'] as const) {
      await daemon.as(as).post('/api/modify-order', { header, modify_order_op: 1, order_id_ex, qty: 200, price: 310 });
      await daemon.as(as).post('/api/modify-order', { header, modify_order_op: 3, order_id_ex });
      await daemon.as(as).post('/api/reconfirm-order', { acc_id: HK_MARGIN, market: HK, order_id: slip.order_id, reconfirm_op: 1 });
    }
    const lines = (await daemon.audit()).filter(({ outcome, key_id }) => outcome === 'reject' && key_id !== 'desk');
    const terms = { acc_id: Number(HK_MARGIN), symbol: 'HK.00700', side: 'BUY' };
    expect(lines).toMatchObject([
      { code: 'limit.market', ...terms, qty: 200, price: 310 },
      { code: 'limit.market', ...terms, qty: 100, price: 300 },
      { code: 'limit.market', ...terms, qty: 400_000, price: 1 },
      { code: 'limit.order_value', ...terms, qty: 200, price: 310 },
      { code: 'limit.order_value', ...terms, qty: 400_000, price: 1 },
    ]);
  });

  it('of the push stream too: handshakes and commands', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { desk: { scopes }, blind: { scopes: ['acc:read'] } } }));
    const client = await daemon.push('desk');
    await client.command('subscribe', { symbols: ['HK.00700'], sub_types: [1] });
    await expect(daemon.push('blind')).rejects.toThrow();
    await expect(daemon.pushAt('/ws')).rejects.toThrow();
    const lines = (await daemon.audit()).map(({ iface, endpoint, key_id, outcome }) => [iface, endpoint, key_id, outcome]);
    expect(lines).toEqual([
      ['ws', 'GET /ws', 'desk', 'allow'],
      ['ws', 'subscribe', 'desk', 'allow'],
      ['ws', 'GET /ws', 'blind', 'reject'],
      ['ws', 'GET /ws', null, 'reject'],
    ]);
  });

  it('names the key that was meant where it is known, and never a key text', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { gone: { scopes }, frozen: { scopes, machines: [] } } }));
    editKey(daemon.keysPath, 'gone', undefined);
    await daemon.daemon.reload();
    await daemon.as('gone').get('/api/ping');
    await daemon.as('frozen').get('/api/ping');
    const lines = await daemon.audit();
    expect(lines.map(({ endpoint, key_id, outcome }) => [endpoint, key_id, outcome])).toEqual([
      ['reload', null, 'allow'],
      ['GET /api/ping', 'gone', 'reject'],
      ['GET /api/ping', 'frozen', 'reject'],
    ]);
    for (const text of Object.values(daemon.keys)) expect(JSON.stringify(lines) + daemon.log.join('')).not.toContain(text);
  });

  it('refusals and trades are in the log of the daemon as well', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { desk: { scopes } }, flags: ['--enable-trading'] }));
    await daemon.as('desk').post('/api/order', order);
    await daemon.as('desk').get('/api/admin/status');
    await daemon.as('desk').get('/api/ping');
    const logged = daemon.log.map((line) => JSON.parse(line)).filter(({ target }) => target === 'audit');
    // Allows are for those who look for them.
    expect(logged.map(({ outcome, key_id, level }) => [outcome, key_id, level])).toEqual([
      ['trade', 'desk', 30],
      ['reject', 'desk', 30],
      ['allow', 'desk', 20],
    ]);
    // Without a file the log is all there is of an order.
    await daemon.as('desk').post('/api/order', { ...order, qty: 50 });
    const [placed, , , refused] = daemon.log.map((line) => JSON.parse(line)).filter(({ target }) => target === 'audit');
    const terms = { acc_id: HK_MARGIN, symbol: 'HK.00700', side: 'BUY', price: 800.5 };
    expect(placed).toMatchObject({ ...terms, qty: 100, order_id: expect.stringMatching(/^\d+$/) });
    expect(refused).toMatchObject({ ...terms, qty: 50, code: 'broker.lot_size' });
  });
});

describe('--audit-log', () => {
  it('is a private file that goes on under its name after a rotation, with SIGHUP and without, and loses no line', async () => {
    const daemon = kept(await SpawnedDaemon.start({ keys: { desk: { scopes } } }));
    const pings = (path: string) => daemon.auditLines(path).filter(({ endpoint }) => endpoint === 'GET /api/ping').length;
    const rotated = `${daemon.auditPath}.1`;
    for (let times = 0; times < 3; times++) await daemon.as('desk').get('/api/ping');
    await until(() => pings(daemon.auditPath) === 3, 'three lines');
    expect(statSync(daemon.auditPath).mode & 0o777).toBe(0o600);
    renameSync(daemon.auditPath, rotated);
    daemon.hangUp();
    await until(() => existsSync(daemon.auditPath), 'the new file');
    await daemon.as('desk').get('/api/ping');
    await until(() => pings(daemon.auditPath) === 1, 'the line after the rotation');
    renameSync(daemon.auditPath, `${daemon.auditPath}.2`);
    await daemon.as('desk').get('/api/ping');
    await until(() => existsSync(daemon.auditPath) && pings(daemon.auditPath) === 1, 'the line after a rotation that nobody told of');
    rmSync(daemon.auditPath);
    await daemon.as('desk').get('/api/ping');
    await until(() => existsSync(daemon.auditPath) && pings(daemon.auditPath) === 1, 'the line after the file was removed');
    expect(await daemon.end()).toBe(0);
    expect([rotated, `${daemon.auditPath}.2`, daemon.auditPath].map(pings)).toEqual([3, 1, 1]);
  });
});
