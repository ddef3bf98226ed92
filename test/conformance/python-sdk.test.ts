import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HK_CASH, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { findPythonSdk, PythonProgram, type PythonSdk } from '../support/python-sdk.js';
import { until } from '../support/until.js';

/** The client decodes in Python: four times as fast as the clock is a pace that it keeps up with on a busy machine. */
const CLOCK = ['--sim-clock', 'replay:2026-03-02T02:00:00Z@4'];
const PASSWORD = '979899';
const found = findPythonSdk();
const scopes = ['qot:read', 'qot:write', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock', 'auth:setup'] as const;

interface Call {
  readonly context: string;
  readonly method: string;
  /** Protocol ids of its requests, in their order. */
  readonly asked: readonly number[];
  readonly ok: boolean;
  readonly answer: unknown;
}

interface Run {
  readonly calls: readonly Call[];
  /** Push handlers that heard something, with what they made of the first push. */
  readonly heard: ReadonlyMap<string, unknown>;
  readonly silent: readonly string[];
  /** Methods that ask the server, of the context whose calls are written out one by one. */
  readonly methods: readonly string[];
}

async function startDaemon(password: string, clock = CLOCK): Promise<TestDaemon<'sdk'>> {
  const flags = ['--enable-trading', '--api-key-id', 'sdk', '--sim-trade-password', password, ...clock];
  return TestDaemon.start({ keys: { sdk: { scopes } }, flags });
}

function target(daemon: TestDaemon<'sdk'>) {
  const [host = '', port] = (daemon.daemon.apiAddress ?? '').split(':');
  return { host, port: Number(port) };
}

const script = (name: string) => join(import.meta.dirname, 'python', name);

async function runMethods(sdk: PythonSdk, daemon: TestDaemon<'sdk'>, format: string, rsaFile?: string): Promise<Run> {
  const task = { ...target(daemon), format, password: PASSWORD, ...(rsaFile === undefined ? {} : { rsaFile }) };
  const output = await new PythonProgram(sdk, script('methods.py'), [JSON.stringify(task)]).finished();
  // The client prints lines of its own, and pandas numbers that JSON has no word for.
  const lines = output.split('\n').filter((line) => line.startsWith('{"kind"'));
  const all = lines.map((line) => JSON.parse(line.replaceAll('NaN', 'null')) as { kind: string } & Record<string, unknown>);
  const of = <T>(kind: string) => all.filter((line) => line.kind === kind) as unknown as T[];
  return {
    calls: of<Call>('call'),
    heard: new Map(of<{ handler: string; content: unknown }>('push').map(({ handler, content }) => [handler, content])),
    silent: of<{ handlers: string[] }>('silent').flatMap(({ handlers }) => handlers),
    methods: of<{ names: string[] }>('methods').flatMap(({ names }) => names),
  };
}

const row = (fields: object) => expect.arrayContaining([expect.objectContaining(fields)]);
const placed = [expect.objectContaining({ code: 'HK.00700', trd_side: 'BUY', qty: 100, order_status: expect.stringMatching(/^[A-Z_]+$/) })];

/** Expected answer of a method, for each of its calls or for the one at an index. */
const answers: Readonly<Record<string, unknown>> = {
  get_global_state: expect.objectContaining({ market_hk: 'MORNING', trd_logined: true, qot_logined: true }),
  get_market_snapshot: row({ code: 'US.AAPL', last_price: expect.any(Number), lot_size: 1 }),
  get_stock_quote: row({ code: 'HK.00700', last_price: expect.any(Number) }),
  get_order_book: expect.objectContaining({ code: 'HK.00700', Bid: expect.any(Array) }),
  get_cur_kline: expect.objectContaining({ length: 10 }),
  get_rt_ticker: row({ code: 'HK.00700', ticker_direction: expect.stringMatching(/^(BUY|SELL|NEUTRAL)$/) }),
  get_rt_data: row({ code: 'HK.00700', cur_price: expect.any(Number) }),
  get_market_state: row({ code: 'HK.00700', market_state: 'MORNING' }),
  get_capital_flow: row({ in_flow: expect.any(Number) }),
  get_stock_basicinfo: row({ code: 'HK.00700', lot_size: 100 }),
  query_subscription: expect.objectContaining({ own_used: 11 }),
  place_order: placed,
  order_list_query: row({ code: 'HK.00700', order_type: 'NORMAL', qty: 100, price: 500 }),
  modify_order: row({ order_id: expect.any(String) }),
  cancel_all_order: 'success',
  accinfo_query: row({ power: expect.any(Number), currency: 'HKD' }),
  position_list_query: row({ code: 'HK.00700', qty: expect.any(Number), can_sell_qty: expect.any(Number) }),
  deal_list_query: row({ code: 'HK.00700', qty: 100, status: 'OK' }),
  history_order_list_query: expect.any(Array),
  acctradinginfo_query: row({ max_cash_buy: expect.any(Number) }),
  get_acc_list: row({ trd_env: 'SIMULATE', acc_type: 'CASH', trdmarket_auth: ['HK'] }),
  get_margin_ratio: row({ code: 'HK.00700' }),
};

/** Calls that their defaults make no sense of: the client says so by itself, or the daemon names the field. */
const senseless: Readonly<Record<string, RegExp>> = {
  get_price_reminder: /must be use one of these params/,
  verification: /^type: expected one of 1 \(PICTURE\), 2 \(PHONE\), found the number 0$/,
};

describe.skipIf(typeof found === 'string')('the published Python client', () => {
  const sdk = found as PythonSdk;
  const ids = new ProtocolIds();
  let plain: Run;
  let daemon: TestDaemon<'sdk'>;

  beforeAll(async () => {
    daemon = await startDaemon(PASSWORD);
    plain = await runMethods(sdk, daemon, 'protobuf');
  }, 90_000);
  afterAll(() => daemon?.stop());

  const isServed = (protoId: number) => ids.operationsOf(protoId).length > 0;

  function expectEverythingServed({ calls, heard, silent }: Run): void {
    for (const { method, asked, ok, answer } of calls) {
      const refused = senseless[method];
      const last = asked.at(-1);
      if (refused !== undefined) expect([method, ok, answer]).toEqual([method, false, expect.stringMatching(refused)]);
      else if (last !== undefined && last !== 3002 && !isServed(last))
        expect([method, ok, answer]).toEqual([method, false, `protocol id ${last} is not supported`]);
      else expect([method, ok, ok ? '' : answer]).toEqual([method, true, '']);
      if (ok && method in answers) expect([method, answer]).toEqual([method, answers[method]]);
    }
    expect(silent).toEqual([]);
    // The greeting of the system may have come before its handler was there.
    const others = [...heard.keys()].filter((name) => name !== 'SysNotifyHandlerBase').sort();
    const quotes = ['BrokerHandlerBase', 'CurKlineHandlerBase', 'OrderBookHandlerBase', 'RTDataHandlerBase', 'StockQuoteHandlerBase'];
    expect(others).toEqual([...quotes, 'TickerHandlerBase', 'TradeDealHandlerBase', 'TradeOrderHandlerBase']);
  }

  it('calls every method of its contexts', () => {
    expect(plain.calls.length).toBeGreaterThan(80);
    const called = new Set(plain.calls.map(({ method }) => method));
    expect(plain.methods.filter((name) => !called.has(name))).toEqual([]);
  });

  it('is served with the default arguments of every method, and told what is not served', () => expectEverythingServed(plain));

  it('is shown the order that it placed', () => {
    const orders = plain.calls.filter(({ method }) => method === 'place_order');
    expect(orders).toHaveLength(6);
    // The market order has no price of its own.
    for (const { answer } of orders.filter((_, index) => index % 3 < 2)) expect(answer).toEqual([expect.objectContaining({ price: 500 })]);
  });

  it('is told the days of a security, and the facts of securities, whose market it leaves out', () => {
    const of = (name: string) => plain.calls.filter(({ method }) => method === name).at(-1)?.answer;
    expect(of('get_stock_basicinfo')).toEqual([
      expect.objectContaining({ code: 'HK.00700' }),
      expect.objectContaining({ code: 'US.AAPL', lot_size: 1 }),
    ]);
    expect(of('request_trading_days')).toHaveLength(5);
  });

  it('does the same with JSON bodies', async () => expectEverythingServed(await runMethods(sdk, daemon, 'json')), 90_000);

  it('does the same encrypted', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const path = join(daemon.folder, 'api.pem');
    writeFileSync(path, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    await daemon.halt();
    const flags = ['--enable-trading', '--api-key-id', 'sdk', '--sim-trade-password', PASSWORD, '--api-rsa-key', path, ...CLOCK];
    await daemon.boot({ flags });
    expectEverythingServed(await runMethods(sdk, daemon, 'protobuf', path));
  }, 90_000);

  it('asks by these protocol ids (npx vitest run test/conformance -u writes them)', async () => {
    const asks = plain.calls.filter(({ asked }) => asked.length > 0);
    // A trade method asks for the account first; subscribing ends with the registration of pushes.
    const own = ({ asked, method }: Call) => asked.find((protoId) => protoId !== 2001 || method === 'get_acc_list') as number;
    const methods = Object.fromEntries(asks.map((one): [string, number] => [one.method, own(one)]).sort(([a], [b]) => (a < b ? -1 : 1)));
    await expect(`${JSON.stringify(methods, null, 2)}\n`).toMatchFileSnapshot('python/methods.json');
  });
});

describe.skipIf(typeof found === 'string')('the published Python examples', () => {
  const sdk = found as PythonSdk;
  let daemon: TestDaemon<'sdk'>;
  let other: TestDaemon<'sdk'>;
  beforeAll(async () => {
    // Two know another trade password than the others, and go by the date of today.
    [daemon, other] = await Promise.all([startDaemon(PASSWORD), startDaemon('123456', [])]);
    // They sell what they do not ask for.
    const desk = other.as('sdk');
    const account = { acc_id: HK_CASH, env: SIMULATE, market: 1 };
    for (const [code, qty] of [
      ['00700', 200],
      ['00123', 1000],
    ] as const)
      await desk.s2c('/api/order', { ...account, side: 1, code, qty, order_type: 2 });
    const held = async () => ((await desk.s2c('/api/positions', account)).position_list as unknown[]).length;
    await until(async () => (await held()) === 2, 'the shares');
  });
  afterAll(() => Promise.all([daemon?.stop(), other?.stop()]));

  const start = (at: TestDaemon<'sdk'>, example: string, name?: string) =>
    new PythonProgram(sdk, script('example.py'), [JSON.stringify({ ...target(at), example, function: name })]);

  it('get_mkt_snapshot_demo.py reads whole markets', async () => {
    const output = await start(daemon, 'get_mkt_snapshot_demo.py').finished();
    for (const market of ['HK', 'US', 'SZ', 'SH']) {
      expect(output).toMatch(new RegExp(`market=${market}, sub_type=STOCK, count=[1-9]`));
      expect(output).toMatch(new RegExp(`^\\d+ +${market}\\.\\S+ `, 'm'));
    }
  });

  it('macd_strategy.py decides by the prices of HK.00123', async () => {
    const output = await start(other, 'macd_strategy.py').finished();
    expect(output).toContain('the example has ended');
    expect(output).not.toMatch(/fail|异常|失败/);
  }, 60_000);

  it('quote_and_trade_demo.py hears pushes of HK.HSImain', async () => {
    const output = await start(daemon, 'quote_and_trade_demo.py').finished();
    expect(output).toContain('* subscribe : (0, None)');
    for (const handler of ['StockQuoteTest', 'OrderBookTest', 'TickerTest', 'RTDataTest', 'BrokerTest'])
      expect(output).toContain(`* ${handler}`);
    expect(output).toContain('HK.HSImain');
  }, 60_000);

  it.each([
    ['trade_hk_test', 'HK.00700'],
    ['trade_hkcc_test', 'SZ.000979'],
  ])(
    'quote_and_trade_demo.py trades: %s',
    async (name, symbol) => {
      const output = await start(daemon, 'quote_and_trade_demo.py', name).finished();
      expect(output).toContain('* unlock_trade : (0, None)');
      for (const query of ['accinfo_query', 'position_list_query', 'order_list_query', 'deal_list_query', 'history_order_list_query'])
        expect(output).toMatch(new RegExp(`\\* ${query} : \\(0,`));
      expect(output).toMatch(/\* history_deal_list_query : \(0,/);
      expect(output).toMatch(new RegExp(`\\* place_order : .*${symbol.replace('.', '\\.')}`, 's'));
    },
    60_000,
  );

  it('quote_push.py subscribes to HK.999010, and goes on for ever', async () => {
    const example = start(daemon, 'quote_push.py');
    await example.printed(/subscribe/);
    await example.kill();
    expect(example.lines.join('\n')).toContain('* subscribe : (0, None)');
  }, 60_000);

  it('simple_filter_demo.py finds the stocks that meet its conditions', async () => {
    const output = await start(daemon, 'simple_filter_demo.py').finished();
    expect(output).toContain('the example has ended');
    expect(output).toMatch(/^\d+ \d+ \[/m);
    expect(output).not.toContain('error: ');
  }, 60_000);

  it('stocksell_demo.py sells what the account has', async () => {
    const output = await start(other, 'stocksell_demo.py').finished();
    expect(output).toContain('simple_sell 下单成功');
    expect(output).toContain('smart_sell 下单成功');
  }, 60_000);
});

if (typeof found === 'string') it.skip(found, () => undefined);
