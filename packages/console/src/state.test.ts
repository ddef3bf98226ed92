import { describe, expect, it } from 'vitest';
import { accountOf, headerOf } from './account.js';
import { levelOf, linePoints } from './line.js';
import { Merged } from './merged.js';
import { isOpen, statusName, symbolOf, tradedSymbol } from './names.js';
import { courseOf, Quotes } from './quotes.js';
import { isSymbol, WatchList } from './watch-list.js';
import { cancelForbidden, whoOf } from './who.js';

describe('orders that come in lists and in pushes', () => {
  const order = (id: string, version: number, status: string) => ({ id, version, status });
  const merged = () =>
    new Merged<ReturnType<typeof order>>(
      ({ id }) => id,
      ({ version }) => version,
    );

  it('a push that overtakes the list that was asked for before it stays', () => {
    const orders = merged();
    orders.pushed(order('a', 5, 'filled'), 200);
    orders.listed([order('a', 4, 'working'), order('b', 3, 'working')], 100);
    expect(orders.rows()).toEqual([order('a', 5, 'filled'), order('b', 3, 'working')]);
  });

  it('are gone when a list lacks them, unless pushed after the request', () => {
    const orders = merged();
    orders.pushed(order('old', 1, 'working'), 50);
    orders.pushed(order('new', 2, 'working'), 150);
    orders.listed([], 100);
    expect(orders.rows()).toEqual([order('new', 2, 'working')]);
  });

  it('a push that is late changes nothing', () => {
    const orders = merged();
    orders.listed([order('a', 9, 'filled')], 100);
    orders.pushed(order('a', 8, 'working'), 120);
    expect(orders.rows()).toEqual([order('a', 9, 'filled')]);
  });
});

describe('quotes', () => {
  const basic = {
    proto_id: 3005,
    symbol: 'HK.00700',
    body: { basic_qot_list: [{ name: 'T', cur_price: 880.5, last_close_price: 893, price_spread: 0.5, volume: '9007199254740993' }] },
  };

  it('are brought up to date by frames of their own, volumes exact', () => {
    const quotes = new Quotes();
    expect(quotes.take(basic, 1)).toBeUndefined();
    quotes.add('HK.00700').refused = 'not now';
    expect(quotes.take(basic, 7)).toMatchObject({ last: 880.5, close: 893, volume: '9007199254740993', places: 1, heardAt: 7 });
    expect(quotes.get('HK.00700')?.refused).toBeUndefined();
    expect(quotes.take({ proto_id: 2208, symbol: 'HK.00700' }, 8)).toBeUndefined();
  });

  it('have no best price on a side of the book that is empty', () => {
    const quotes = new Quotes();
    quotes.add('HK.00700');
    const book = (bids: object[]) => ({
      proto_id: 3013,
      symbol: 'HK.00700',
      body: { order_book_bid_list: bids, order_book_ask_list: [{ price: 881 }] },
    });
    expect(quotes.take(book([{ price: 880 }]) as never, 1)).toMatchObject({ bid: 880, ask: 881 });
    expect(quotes.take(book([]) as never, 2)?.bid).toBeUndefined();
  });

  it('end their course with the last price', () => {
    const quotes = new Quotes();
    const quote = quotes.add('HK.00700');
    quotes.takeBars('HK.00700', {
      kl_list: [
        { timestamp: 1, close_price: 3 },
        { timestamp: 2, is_blank: true },
        { timestamp: 3, close_price: 4 },
      ],
    });
    expect(courseOf(quote)).toEqual([3, 4]);
    quote.last = 5;
    expect(courseOf(quote)).toEqual([3, 5]);
  });
});

describe('the watchlist', () => {
  const store = (kept: string | null) => ({ getItem: () => kept, setItem: () => undefined });

  it('is what was kept, without what is no symbol, and at most fifty', () => {
    expect(new WatchList(store('["HK.00700","<b>",7,"HK.00700","US.BRK.B"]'), []).symbols).toEqual(['HK.00700', 'US.BRK.B']);
    const many = JSON.stringify(Array.from({ length: 60 }, (_, at) => `US.A${at}`));
    const full = new WatchList(store(many), []);
    expect([full.symbols.length, full.add('HK.00001')]).toEqual([50, false]);
  });

  it('begins anew where nothing sensible was kept, or nothing can be', () => {
    for (const kept of [null, '{', '{}']) expect(new WatchList(store(kept), ['HK.00700']).symbols).toEqual(['HK.00700']);
    const refusing = {
      getItem: () => null,
      setItem: () => {
        throw new Error('quota');
      },
    };
    const list = new WatchList(refusing, []);
    expect([list.add('US.AAPL'), list.add('US.AAPL'), list.symbols]).toEqual([true, false, ['US.AAPL']]);
  });

  it('knows a symbol by its form', () => {
    expect(['HK.00700', 'US.AAPL260619C200000', 'HK_FUTURE.HSImain', 'hk.00700', 'HK.', 'HK.<i>'].map(isSymbol)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

it('an order may still trade in every state but those that end it, unknown ones among them', () => {
  expect([-1, 0, 4, 5, 10, 12, 13, 99].map(isOpen)).toEqual(Array(8).fill(true));
  expect([3, 11, 14, 15, 21, 22, 23, 24].map(isOpen)).toEqual(Array(8).fill(false));
  expect([statusName(5), statusName(99)]).toEqual(['Working', 'status 99']);
});

it('names securities by their market, and accounts by what they are', () => {
  expect([symbolOf(11, 'AAPL'), tradedSymbol(31, 3, '600519'), tradedSymbol(undefined, 2, 'AAPL')]).toEqual([
    'US.AAPL',
    'SH.600519',
    'US.AAPL',
  ]);
  const account = accountOf({
    trd_env: 2,
    acc_id: '281756479345015383',
    trd_market_auth_list: [1, 2],
    acc_type: 2,
    card_num: '1001100580031477',
  });
  expect(account).toMatchObject({ id: '281756479345015383', real: true, title: 'Real HK, US margin …1477' });
  expect(headerOf(account, 1)).toEqual({ acc_id: '281756479345015383', env: 2, market: 1 });
});

it('says why a key may not cancel', () => {
  const may = (scopes: string[], switches: string[]) => cancelForbidden(whoOf({ scope_list: scopes, switch_list: switches }), false);
  expect(may(['trade:simulate'], ['--enable-trading'])).toBeUndefined();
  expect(may(['trade:real'], ['--enable-trading'])).toBe('the key has no trade:simulate');
  expect(may(['trade:simulate'], [])).toContain('--enable-trading');
});

it('draws a line inside its box: the highest price on top, one that never moved in the middle', () => {
  expect(linePoints([1, 3, 2], 10, 12)).toBe('0,10 5,2 10,6');
  expect(linePoints([2, 2], 10, 12)).toBe('0,6 10,6');
  expect([linePoints([1], 10, 12), levelOf(4, [1, 3], 12)]).toEqual(['', 2]);
});
