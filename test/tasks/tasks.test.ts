import { ManualClock } from '@svc-gateway/contract/clock';
import { scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HK_CASH, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { McpClient } from '../support/mcp-client.js';

/*
 * Questions that people put to an agent, answered without a model: for each call a script looks for a tool by what it has to promise, takes the
 * first one found, and calls it. A question has the calls that it may take; its figures are held against answers of other operations.
 */

/** A Wednesday morning in New York. */
const NOW = Date.UTC(2026, 10, 18, 16);

/** A part of an answer's JSON. */
type Row = Awaited<ReturnType<ReturnType<TestDaemon['as']>['s2c']>>;

interface Step {
  /** Promise in the tool's description. */
  readonly promise: string;
  /** By the answers before. */
  readonly args: (...answers: Row[]) => Record<string, unknown>;
}

interface Task {
  readonly question: string;
  /** As many calls as it may take, with the tool that each must lead to. */
  readonly calls: readonly string[];
  readonly steps: readonly Step[];
  readonly figure: (...answers: Row[]) => unknown;
  readonly expected: () => unknown;
}

let client: McpClient;
const daemon = TestDaemon.forAll({
  clock: new ManualClock(NOW),
  keys: { all: { scopes } },
  flags: [...switches, '--sim-clock', 'calendar', '--mcp-toolsets', 'dynamic', '--request-timeout', '120'],
});
beforeAll(async () => {
  client = await McpClient.open(daemon, { way: 'sessions', keyText: daemon.keys.all });
});
afterAll(async () => {
  await client.close();
});

const version = { extension_version: 1 };
const rest = (path: string, body: object): Promise<Row> => daemon.as('all').s2c(`/api/${path}`, body, { 'x-svc-int64': 'string' });
const quote = async (symbol: string): Promise<Row> => (await rest('snapshot', { symbol })).snapshot_list[0].basic;
const account = { acc_id: HK_CASH, market: 'HK', env: 'simulate' };

const tasks: readonly Task[] = [
  {
    question: 'What is a euro worth in dollars?',
    calls: ['svc_forex_rates'],
    steps: [{ promise: 'current rates of currency pairs', args: () => version }],
    figure: ({ rate_items: rates }) => Number(rates.find(({ security }: Row) => security.code === 'EURUSD').price),
    expected: async () => (await quote('FX.EURUSD')).cur_price,
  },
  {
    question: 'How many Hong Kong shares does one Alibaba share in New York stand for, and what are they worth?',
    calls: ['svc_related_stocks', 'svc_get_snapshot'],
    steps: [
      { promise: 'related stocks of a company', args: () => ({ symbol: 'US.BABA', ...version }) },
      {
        promise: 'snapshot of securities',
        args: ({ related_stock_info: [home] }) => ({ symbols: [`HK.${home.security.code}`] }),
      },
    ],
    figure: ({ related_stock_info: [home] }, { snapshot_list: [shown] }) => Number(home.adr_info.ads_convertion) * shown.basic.cur_price,
    expected: async () => 8 * (await quote('HK.09988')).cur_price,
  },
  {
    question: 'How far do options expect Apple to move with its next results?',
    calls: ['svc_earnings_expected_move'],
    steps: [{ promise: 'expected move of the price at results', args: () => ({ symbol: 'US.AAPL', ...version }) }],
    figure: ({ detail }) => String(detail.expected_moves[0].move),
    expected: async () => {
      const { detail } = await rest('earnings-expected-move', { symbol: 'US.AAPL', ...version });
      const { call, put } = detail.expected_moves[0];
      const prices = await Promise.all([call, put].map(({ code }: Row) => quote(`US.${code}`)));
      return String(prices.reduce((sum, { cur_price }) => sum + BigInt(Math.round(cur_price * 1e9)), 0n));
    },
  },
  {
    question: 'What is the best bid for Tencent?',
    calls: ['svc_get_orderbook'],
    steps: [{ promise: 'order book', args: () => ({ symbol: 'HK.00700', depth: 1 }) }],
    figure: ({ order_book_bid_list: [best] }) => best.price,
    expected: async () => (await quote('HK.00700')).bid_price,
  },
  {
    question: 'On how many days does Hong Kong trade in December 2026?',
    calls: ['svc_get_trading_days'],
    steps: [{ promise: 'trading days of a market', args: () => ({ market: 'HK', begin_time: '2026-12-01', end_time: '2026-12-31' }) }],
    figure: ({ trade_date_list: days }) => days.length,
    // 23 weekdays without Christmas Day.
    expected: () => 22,
  },
  {
    question: 'What happened at Apple lately?',
    calls: ['svc_stock_news'],
    steps: [{ promise: 'news of a stock', args: () => ({ symbol: 'US.AAPL', page_size: 5, id_type: 'SECURITY', ...version }) }],
    figure: ({ news_list: items }) => items.map(({ news_id }: Row) => news_id),
    expected: async () => {
      const { static_info_list: infos } = await rest('static-info', { symbols: ['US.AAPL'] });
      const { news_list: items } = await rest('watchlist-news', { stock_ids: [infos[0].basic.id], page_size: 5, ...version });
      return items.map(({ news_id }: Row) => news_id);
    },
  },
  {
    question: 'When did an office last publish a figure of its economy?',
    calls: ['svc_latest_news'],
    steps: [{ promise: 'latest news of all markets', args: () => ({ page_size: 1, flash_filter_list: ['ECONOMY'], ...version }) }],
    figure: ({ news_list: [item] }) => Number(item.pub_time),
    expected: async () => {
      const { item_list: events } = await rest('economic-calendar', { begin_date: '2026-11-17', end_date: '2026-11-18', count: 100 });
      const out = events.filter((one: Row) => one.actual !== undefined && one.timestamp * 1000 <= NOW);
      return Math.max(...out.map((one: Row) => one.timestamp));
    },
  },
  {
    question: 'What are my total assets in the Hong Kong paper account?',
    calls: ['svc_get_funds'],
    steps: [{ promise: 'funds of an account', args: () => account }],
    figure: ({ funds }) => funds.total_assets,
    expected: async () => {
      const { funds } = await rest('funds', { ...account, market: 1, env: SIMULATE });
      return funds.cash + funds.market_val;
    },
  },
  {
    question: 'Which stocks are in the same industry as HSBC?',
    calls: ['svc_get_owner_plate', 'svc_get_plate_security'],
    steps: [
      { promise: 'plates that a stock belongs to', args: () => ({ symbols: ['HK.00005'] }) },
      {
        promise: 'securities in a plate',
        args: ({ owner_plate_list: [{ plate_info_list: plates }] }) => ({ plate: `HK.${plates[0].plate.code}` }),
      },
    ],
    figure: (_, { static_info_list: members }) => members.some(({ basic }: Row) => basic.security.code === '00005'),
    expected: () => true,
  },
  {
    question: 'Which currency pair against the dollar rose most today?',
    calls: ['svc_forex_constituents'],
    steps: [
      {
        promise: 'forex constituents with prices and changes',
        args: () => ({ list_id: 'USD', data_from: 0, data_max_count: 1, sort_id: 5, ...version }),
      },
    ],
    figure: ({ list }) => list.stock_info[0].security.code,
    expected: async () => {
      const { rate_items: rates } = await rest('forex-rates', version);
      const codes = rates.map(({ security }: Row) => security.code as string).filter((code: string) => code.includes('USD'));
      const rose = async (code: string) => {
        const { cur_price: price, last_close_price: before } = await quote(`FX.${code}`);
        return { code, by: price / before };
      };
      const all = await Promise.all(codes.map(rose));
      return all.reduce((best, one) => (one.by > best.by ? one : best)).code;
    },
  },
];

it('lists ten tasks', () => {
  expect(tasks.length).toBe(10);
});

it.each(tasks.map((task) => [task.question, task] as const))('%s', async (_, { calls, steps, figure, expected }) => {
  const answers: Row[] = [];
  const called: string[] = [];
  for (const { promise, args } of steps) {
    const { tools } = (await client.call('svc_find_tools', { query: promise, limit: 1 })).json as { tools: { name: string }[] };
    const name = tools[0]?.name ?? '';
    called.push(name);
    const answer = await client.call('svc_call_tool', { name, arguments: args(...answers) });
    expect(answer.isError, JSON.stringify(answer.json)).toBe(false);
    answers.push(answer.json as Row);
  }
  expect(called).toEqual(calls);
  expect(figure(...answers)).toEqual(await expected());
});
