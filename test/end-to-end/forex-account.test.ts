import { ManualClock } from '@svc-gateway/contract/clock';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

type Id = 'all' | 'euro' | 'other';
const HONG_KONG = 1001;
const SINGAPORE = 1008;
const NOON = Date.UTC(2026, 10, 18, 12);
const DAY = 86_400_000;
/** Ids as text: they are beyond what a double holds. */
const exact = { 'x-svc-int64': 'string' };
const version = { extension_version: 1 };
const booleans = { exclude_zero_positions: true, use_option_combo: false, exclude_delisted: true };
const quote_options = { before: false, after: false, overnight: false };
const scopes = ['acc:read'] as const;
const clock = new ManualClock(NOON);
let accounts: Record<number, string> = {};
const daemon = TestDaemon.forAll<Id>({
  clock,
  keys: {
    all: { scopes: ['acc:read', 'qot:read'] },
    euro: { scopes, limits: { allowedMarkets: 'FX', allowedSymbols: 'FX.EURUSD' } },
    other: { scopes, limits: { allowedAccIds: '281756482001008801' } },
  },
  flags: ['--enable-v18-experimental-reads', '--enable-desktop-phase2-reads', '--sim-clock', 'calendar'],
});
beforeAll(async () => {
  const account = async (broker_id: number) => (await list('all', broker_id))[0].account_id as string;
  accounts = { [HONG_KONG]: await account(HONG_KONG), [SINGAPORE]: await account(SINGAPORE) };
});

const as = (id: Id) => daemon.as(id);
const list = async (id: Id, broker_id = HONG_KONG) =>
  (await as(id).s2c('/api/get-forex-accounts', { broker_id, ...version }, exact)).account_list;
const body = (broker_id = HONG_KONG) => ({ broker_id, account_id: accounts[broker_id], ...version });
const assetsBody = (currency = 'USD', broker_id = HONG_KONG) => ({ ...body(broker_id), currency, ...booleans, quote_options });
const assets = async (currency = 'USD', id: Id = 'all') => as(id).s2c('/api/get-forex-assets', assetsBody(currency), exact);
const configs = async (id: Id = 'all') =>
  (await as(id).s2c('/api/get-forex-symbol-configs', { broker_id: HONG_KONG, ...version }, exact)).symbol_list;
const pair = async (code: string) => (await configs()).find(({ security }: { security: { code: string } }) => security.code === code);
const preview = async (asked: object, id: Id = 'all') =>
  as(id).post(
    '/api/preview-forex-margin',
    { ...body(), stock_id: (await pair('EURUSD')).stock_id, volume_scaled: 100_000_000, ...asked },
    exact,
  );
const n = (text: string) => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`no decimal: ${text}`);
  return value;
};

const routes = () =>
  [
    ['/api/get-forex-accounts', { broker_id: HONG_KONG, ...version }],
    ['/api/get-forex-risk-control', body()],
    ['/api/get-forex-symbol-configs', { broker_id: HONG_KONG, ...version }],
    ['/api/get-forex-account-quote-context', body()],
    ['/api/get-forex-assets', assetsBody()],
    ['/api/preview-forex-margin', { ...body(), stock_id: '1', volume_scaled: 0, price_buy: '1' }],
  ] as const;

describe('every forex account read', () => {
  it('takes known brokers alone', async () => {
    for (const [path, asked] of routes()) {
      const answer = await as('all').post(path, { ...asked, broker_id: 1007 });
      expect([path, answer.json.ret_msg]).toEqual([path, 'broker_id 1007 is not accepted; accepted: 1001 (Hong Kong), 1008 (Singapore)']);
    }
  });

  it('lists the forex accounts of a key alone', async () => {
    expect(await list('other')).toEqual([]);
    expect(await list('other', SINGAPORE)).toHaveLength(1);
  });
});

it('accounts have long numbers, and an account belongs to its broker', async () => {
  expect(accounts[HONG_KONG]).toMatch(/^\d{18}$/);
  const answer = await as('all').post('/api/get-forex-risk-control', { ...body(SINGAPORE), broker_id: HONG_KONG });
  expect(answer.json.ret_msg).toContain(`broker 1001 has no forex account ${accounts[SINGAPORE]}`);
});

it('symbol configs have eight fields, in the same order each time', async () => {
  const all = await configs();
  expect(all.length).toBeGreaterThan(15);
  for (const one of all) expect(Object.keys(one)).toHaveLength(8);
  expect(await pair('EURUSD')).toMatchObject({
    digits: 5,
    contract_size: '100000',
    margin_rate_scaled: '5000000',
    security: { market: 81 },
  });
  expect((await pair('USDJPY')).digits).toBe(3);
  expect(await configs()).toEqual(all);
});

it('the quote context follows the hours of the forex market', async () => {
  const context = () => as('all').s2c('/api/get-forex-account-quote-context', body());
  expect(await context()).toEqual({ retcode: 0, group_name: 'HK-LFX-STANDARD', system_mode: 1 });
  clock.advance(3 * DAY);
  expect((await context()).system_mode).toBe(2);
  clock.advance(-3 * DAY);
});

describe('assets', () => {
  it.each(Object.keys(quote_options))('requires quote_options.%s of a read of forex assets', async (name) => {
    const options = Object.fromEntries(Object.entries(quote_options).filter(([key]) => key !== name));
    const answer = await as('all').post('/api/get-forex-assets', { ...assetsBody(), quote_options: options });
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining(name)]);
  });

  it('adds forex assets up, in agreement with the risk and the quotes', async () => {
    const shown = await assets();
    const risk = await as('all').s2c('/api/get-forex-risk-control', body());
    const sum = (field: string) => shown.position_list.reduce((all: bigint, one: Record<string, string>) => all + n(one[field] ?? ''), 0n);
    expect(n(shown.equity)).toBe(n(shown.balance) + n(shown.floating_profit));
    expect(n(shown.free_margin)).toBe(n(shown.equity) - n(shown.used_margin));
    expect([sum('profit'), sum('used_margin')]).toEqual([n(shown.floating_profit), n(shown.used_margin)]);
    expect([risk.equity, risk.used_margin, risk.free_margin]).toEqual([shown.equity, shown.used_margin, shown.free_margin]);
    expect(Number(risk.margin_level)).toBeCloseTo((Number(shown.equity) / Number(shown.used_margin)) * 100, 5);
    expect(shown.position_list).toHaveLength(3);
    for (const { security, side, current_price } of shown.position_list) {
      const book = await as('all').s2c('/api/orderbook', { symbol: `FX.${security.code}`, depth: 1 });
      const [best] = side === 1 ? book.order_book_bid_list : book.order_book_ask_list;
      expect([security.code, current_price]).toEqual([security.code, String(best.price)]);
    }
  });

  it.each(['USD', 'HKD', 'CNH', 'SGD', 'JPY', 'KRW'])('shows forex assets in %s', async (currency) => {
    const [shown, dollars] = [await assets(currency), await assets()];
    expect(shown.currency).toBe(currency);
    const { balance, equity, floating_profit, used_margin, free_margin, position_list } = shown;
    const own = position_list.flatMap(({ profit, used_margin: margin }: Record<string, string>) => [profit, margin]);
    const decimals = currency === 'JPY' || currency === 'KRW' ? /^-?\d+$/ : /^-?\d+(\.\d{1,2})?$/;
    for (const amount of [balance, equity, floating_profit, used_margin, free_margin, ...own]) expect(amount).toMatch(decimals);
    const sum = (of: string) => position_list.reduce((all: bigint, one: Record<string, string>) => all + n(one[of] ?? ''), 0n);
    expect([n(equity) - n(balance), n(used_margin)]).toEqual([sum('profit'), sum('used_margin')]);
    expect(n(free_margin)).toBe(n(equity) - n(used_margin));
    if (currency !== 'USD') expect(Number(shown.equity)).toBeGreaterThan(Number(dollars.equity) * 1.1);
  });

  it('shows a key of one pair its forex positions alone', async () => {
    expect((await assets('USD', 'euro')).position_list.map(({ security }: { security: { code: string } }) => security.code)).toEqual([
      'EURUSD',
    ]);
  });
});

describe('a margin preview', () => {
  const list = async (asked: object) => (await preview(asked)).json.s2c.preview_list;

  it('previews a margin exactly, to the last hundred-millionth of a lot', async () => {
    const [one] = await list({ price_buy: '1.1' });
    expect(one).toMatchObject({ side: 1, notional: '110000', required_margin: '5500', volume_scaled: '100000000' });
    const [less] = await list({ price_buy: '1.1', volume_scaled: '99999999' });
    expect(less).toMatchObject({ notional: '109999.9989', required_margin: '5499.999945' });
    const [large] = await list({ price_sell: '1.1', volume_scaled: '9007199254740993' });
    expect(large).toMatchObject({ side: 2, volume_scaled: '9007199254740993', notional: '9907919180215.0923', enough: false });
    expect((await list({ price_buy: '1.1', volume_scaled: 0 }))[0]).toMatchObject({ notional: '0', required_margin: '0', enough: true });
  });

  it('previews a margin at either price or both, and needs one', async () => {
    expect((await list({ price_buy: '1.1', price_sell: '1.2' })).map(({ side }: { side: number }) => side)).toEqual([1, 2]);
    for (const asked of [{}, { price_buy: '' }, { price_buy: '', price_sell: '' }]) {
      const answer = await preview(asked);
      expect([answer.status, answer.json.error]).toEqual([400, expect.stringContaining('one of price_buy, price_sell is required')]);
    }
  });

  it.each(['abc', '-1', '0', '1.0000000001'])('refuses the price %s', async (price_buy) => {
    const refused = await preview({ price_buy });
    expect([refused.status, refused.json.field]).toEqual([400, 'price_buy']);
    expect(refused.json.error).toContain('price_buy: expected a decimal above 0, at most ');
  });

  it('refuses what is no pair, and volumes that are no whole number', async () => {
    expect((await preview({ stock_id: '1', price_buy: '1' })).json.ret_msg).toContain('stock_id 1 is no pair');
    for (const volume_scaled of [-1, 1.5, undefined]) expect((await preview({ volume_scaled, price_buy: '1' })).status).toBe(400);
  });

  it('changes nothing by previewing a margin', async () => {
    const before = await assets();
    await preview({ price_buy: '1.1' });
    expect(await assets()).toEqual(before);
  });
});
