import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageWriter } from './json/message-json.js';
import { parseJson } from './json/parse.js';
import type { JsonValue } from './json/value.js';
import { operationNamed, operations, trade } from './operations/index.js';
import { requestDecoder } from './request.js';
import { callerParams } from './shape.js';

/** The request as REST would write it back, or the problem's text. */
function decode(name: string, body: string): string {
  const operation = operationNamed(name)!;
  const parsed = parseJson(body);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const decoded = requestDecoder(operation, 'rest')(parsed.value);
  return decoded.ok ? messageWriter(operation.messages.C2SSchema, 'rest')(decoded.value) : decoded.problem.message;
}

const ACCOUNT = '"acc_id":123456789012345678,"env":1,"market":1';

describe('a request body', () => {
  it.each([
    ['a friendly body with defaults', 'get_orderbook', '{"symbol":"HK.00700"}', '{"security":{"market":1,"code":"00700"},"num":10}'],
    ['an alias', 'get_orderbook', '{"code":"US.AAPL","depth":1}', '{"security":{"market":11,"code":"AAPL"},"num":1}'],
    [
      'the other name of the number of bars',
      'get_kline',
      '{"symbol":"HK.00700","rehab_type":0,"kl_type":1,"count":5}',
      '{"rehab_type":0,"kl_type":1,"security":{"market":1,"code":"00700"},"req_num":5}',
    ],
    [
      'the other name of the size of a page of bars',
      'get_history_kline',
      '{"symbol":"HK.00700","rehab_type":0,"kl_type":1,"begin_time":"2026-01-05 09:30:00","end_time":"2026-01-05","req_num":5}',
      '{"rehab_type":0,"kl_type":1,"security":{"market":1,"code":"00700"},"begin_time":"2026-01-05 09:30:00","end_time":"2026-01-05","max_ack_kl_num":5}',
    ],
    [
      'the protocol’s own names',
      'get_orderbook',
      '{"security":{"market":1,"code":"00700"},"num":5}',
      '{"security":{"market":1,"code":"00700"},"num":5}',
    ],
    [
      'the message under c2s',
      'get_orderbook',
      '{"c2s":{"security":{"market":1,"code":"00700"},"num":5}}',
      '{"security":{"market":1,"code":"00700"},"num":5}',
    ],
    [
      'HK futures by their old market',
      'get_orderbook',
      '{"security":{"market":2,"code":"HSImain"}}',
      '{"security":{"market":1,"code":"HSImain"},"num":10}',
    ],
    ['one symbol where a list is meant', 'get_quote', '{"symbol":"SH.600519"}', '{"security_list":[{"market":21,"code":"600519"}]}'],
    [
      'the book of odd lots',
      'get_orderbook',
      '{"symbol":"HK.00700","odd_lot":true}',
      '{"security":{"market":1,"code":"00700"},"num":10,"order_book_type":1}',
    ],
    [
      'a book of no odd lots',
      'get_orderbook',
      '{"symbol":"HK.00700","odd_lot":false}',
      '{"security":{"market":1,"code":"00700"},"num":10,"order_book_type":0}',
    ],
    [
      'a header without the market that the gateway fills in',
      'get_order_fee',
      '{"c2s":{"header":{"trd_env":1,"acc_id":1},"order_id_ex_list":["a"]}}',
      '{"header":{"trd_env":1,"acc_id":1,"trd_market":0},"order_id_ex_list":["a"]}',
    ],
    ['null as not given', 'get_orderbook', '{"symbol":"HK.00700","depth":null}', '{"security":{"market":1,"code":"00700"},"num":10}'],
    [
      'an 18-digit account, as a number',
      'get_funds',
      `{${ACCOUNT}}`,
      '{"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":1}}',
    ],
    [
      'an 18-digit account, as text',
      'get_funds',
      '{"acc_id":"123456789012345678","env":1,"market":7}',
      '{"header":{"trd_env":1,"acc_id":123456789012345678,"trd_market":15}}',
    ],
    [
      'a modify with its account as everywhere else',
      'modify_order',
      '{"acc_id":1,"env":1,"market":1,"order_id":5,"modify_order_op":2}',
      '{"packet_id":{"conn_id":0,"serial_no":0},"header":{"trd_env":1,"acc_id":1,"trd_market":1},"order_id":5,"modify_order_op":2}',
    ],
    [
      'bars by the names of the Python client',
      'get_history_kline',
      '{"code":"HK.00700","ktype":1,"autype":1,"start":"2026-11-02","end":"2026-11-19","count":10}',
      '{"rehab_type":1,"kl_type":1,"security":{"market":1,"code":"00700"},"begin_time":"2026-11-02","end_time":"2026-11-19","max_ack_kl_num":10}',
    ],
    [
      'a cancel in words',
      'cancel_order',
      '{"acc_id":1,"env":"sim","market":"US","order_id":5,"op":"cancel"}',
      '{"packet_id":{"conn_id":0,"serial_no":0},"header":{"trd_env":1,"acc_id":1,"trd_market":2},"order_id":5,"modify_order_op":2}',
    ],
    ...[
      ['"simulate"', '"HK"', 1, 1],
      ['"sim"', '1', 1, 1],
      ['1', '"US"', 1, 2],
      ['"real"', '2', 2, 2],
      ['2', '"HK"', 2, 1],
    ].map(([env, market, trdEnv, trdMarket]): [string, string, string, string] => [
      `a cancel with env ${env} and market ${market}`,
      'cancel_order',
      `{"acc_id":1,"env":${env},"market":${market},"order_id_ex":"x","op":2}`,
      `{"packet_id":{"conn_id":0,"serial_no":0},"header":{"trd_env":${trdEnv},"acc_id":1,"trd_market":${trdMarket}},"order_id":0,"modify_order_op":2,"order_id_ex":"x"}`,
    ]),
  ])('reads %s', (_, operation, body, expected) => expect(decode(operation, body)).toBe(expected));

  it.each([
    ['get_orderbook', '{"symbol":"HK.00700","dept":3}', 'unknown field "dept"; did you mean "depth"?'],
    ['get_funds', '{}', 'missing field "env"; also missing: "acc_id", "market"'],
    ['place_order', '{"market":1,"env":1}', 'missing field "side"; also missing: "code", "qty", "acc_id"'],
    ['get_forex_assets', '{"broker_id":1001}', '"quote_options.before", "quote_options.after", "quote_options.overnight"'],
    ['get_quote', '{"symbols":["HK.00700","HK.00005",{"market":1}]}', 'missing field "symbols[2].code"'],
    ['get_orders', '{"header":{"acc_id":1,"trd_market":1}}', 'missing field "header.trd_env"'],
    ['get_orderbook', '{"symbol":"HK.00700","num":41}', 'num: 41 is out of range, accepted: 1 to 40'],
    ['get_orderbook', '{"c2s":{"security":{"market":1,"code":"1"},"num":41}}', 'c2s.num: 41 is out of range, accepted: 1 to 40'],
    ['get_quote', '{"security_list":[]}', 'security_list: expected at least one entry, found none'],
    ['get_orderbook', '{"symbol":"HK.00700","depth":"5"}', 'depth: expected an integer, found the string "5"'],
    ['get_orderbook', '{"symbol":"HK.00700","depth":1.5}', 'depth: expected an integer, found the number 1.5'],
    ['get_orderbook', '{"symbol":"HK.00700","code":"HK.00700"}', '"symbol" and "code" say the same thing: give only one'],
    ['get_orderbook', '[]', 'body: expected an object, found an array'],
    ['get_orderbook', '{"c2s":{"security":{"market":1,"code":"1","x":1}}}', 'unknown field "c2s.security.x"; accepted: market, code'],
    ['get_quote', '{"symbols":[]}', 'symbols: expected at least one entry, found none'],
    ['get_kline', '{"symbol":"HK.00700","req_num":5,"count":5}', '"req_num" and "count" say the same thing: give only one'],
    [
      'get_history_kline',
      '{"symbol":"HK.00700","begin_time":"05/01/2026","end_time":"2026-01-06"}',
      'begin_time: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd',
    ],
    ['get_history_kl_quota', '{"market":"Mars"}', 'market: '],
    ['get_history_kl_quota', '{"begin_time":"2026-02-30"}', 'begin_time: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd'],
    ['get_history_kl_quota', '{"start":1}', 'unknown field "start"'],
    ['get_ipo_calendar', '{"market":"US"}', 'market: '],
    ['get_used_quota', '{"market":1}', 'unknown field "market"; accepted: '],
    [
      'get_capital_flow',
      '{"symbol":"HK.00700","period_type":5}',
      'period_type: expected one of 1 (INTRADAY), 2 (DAY), 3 (WEEK), 4 (MONTH)',
    ],
    [
      'get_reference',
      '{"symbol":"HK.00700","reference_type":3}',
      'reference_type: expected one of 1 (warrant), 2 (future), found the number 3',
    ],
    ['list_plates', '{"market":99,"plate_set_type":0}', 'market: invalid market, found the number 99; accepted: 1 (HK), '],
    [
      'subscribe',
      '{"symbols":["HK.00700"],"sub_types":[1],"is_sub_or_un_sub":"yes"}',
      'is_sub_or_un_sub: expected true or false, found the string "yes"',
    ],
    ['query_subscription', '{"is_req_all_conn":1}', 'is_req_all_conn: expected true or false, found the number 1'],
    ['get_delay_statistics', '{"qot_push_stage":9}', 'qot_push_stage: expected one of'],
    ['get_risk_free_rate', '{"rate_time":"soon"}', 'rate_time: expected'],
    ['get_spread_table', '{"reserved":"x"}', 'reserved: expected an integer'],
    ['cancel_order', '{"acc_id":1,"env":"paper","market":"HK","order_id":1}', 'env: expected one of'],
    ['cancel_order', `{${ACCOUNT},"order_id":1,"op":"normal"}`, 'op: expected one of cancel (2), found the string "normal"'],
    ['cancel_order', `{${ACCOUNT},"order_id":1,"op":3}`, 'op: expected one of cancel (2), found the number 3'],
    ['modify_order', '{"header":{"acc_id":1,"trd_market":1},"order_id":1,"modify_order_op":2}', 'missing field "header.trd_env"'],
    ['modify_order', '{"header":{"trd_env":1,"trd_market":1},"order_id":1,"modify_order_op":2}', 'missing field "header.acc_id"'],
    ['modify_order', '{"header":{"trd_env":1,"acc_id":1},"order_id":1,"modify_order_op":2}', 'missing field "header.trd_market"'],
    [
      'modify_order',
      '{"header":{"trd_env":1,"acc_id":1,"trd_market":1},"order_id":1,"modify_order_op":6}',
      'modify_order_op: expected one of',
    ],
    [
      'modify_order',
      '{"header":{"trd_env":1,"acc_id":1,"trd_market":1},"order_id":1,"modify_order_op":1,"price":5}',
      'missing field "qty"',
    ],
    ['place_order', `{${ACCOUNT},"side":5,"code":"00700","qty":100,"price":1}`, 'side: expected one of 1 (BUY)'],
    ['place_order', `{${ACCOUNT},"side":1,"code":"00700","qty":"100","price":1}`, 'qty: expected a number, found the string "100"'],
    ['place_order', `{${ACCOUNT},"side":1,"code":"00700","qty":100,"price":"1"}`, 'price: expected a number, found the string "1"'],
    ['get_kline', '{"symbol":"HK.00700","kl_type":4}', 'found the number 4'],
    ['place_order', `{${ACCOUNT},"adjust_prices":true}`, 'unknown field "adjust_prices"; did you mean "adjust_price"?'],
    ['place_order', `{${ACCOUNT},"quantity":100}`, 'unknown field "quantity"; did you mean "qty"?'],
    ['modify_order', `{${ACCOUNT},"adjustment":1}`, 'unknown field "adjustment"; accepted: '],
    ['get_option_quote', '{"multi_legs":[]}', 'multi_legs: expected at least one entry, found none'],
    ['get_option_quote', '{}', 'missing field "multi_legs": required'],
    [
      'stock_screen',
      '{"filter_list":[{"kline_shape_query":{}},{"option_query":{}}]}',
      'missing field "filter_list[0].kline_shape_query.property"; also missing: "filter_list[1].option_query.property"',
    ],
    ['set_option_event_alert', '{"oper_type":1}', 'missing field "alert_list"'],
    ['get_funds', '{"acc_id":1,"env":0,"market":1}', 'env: expected one of 1 (simulate), 2 (real), found the number 0'],
    [
      'get_funds',
      '{"acc_id":18446744073709551616,"env":1,"market":1}',
      'acc_id: 18446744073709551616 is out of range, accepted: 0 to 18446744073709551615',
    ],
    ['get_funds', '{"acc_id":-1,"env":1,"market":1}', 'acc_id: -1 is out of range'],
    ['get_funds', '{"acc_id":1,"header":{"trd_env":1,"acc_id":1,"trd_market":1}}', '"header" and its flat fields say the same thing'],
    [
      'get_funds',
      '{"header":{"trd_env":1,"acc_id":1,"trd_market":1},"acc_id":1}',
      '"header" and "acc_id" say the same thing: give only one',
    ],
    [
      'place_order',
      `{${ACCOUNT},"side":1,"code":"00700","qty":100,"price":0.10000000000000000001}`,
      'price: expected a number of at most nine decimal places, found the number 0.10000000000000000001; did you mean 0.1?',
    ],
    [
      'place_order',
      `{${ACCOUNT},"side":1,"code":"00700","qty":100,"order_type":3}`,
      'order_type: expected one of 1 (NORMAL), 2 (MARKET), 5 (ABSOLUTE_LIMIT), 6 (AUCTION), 7 (AUCTION_LIMIT), 8 (SPECIAL_LIMIT), 10 (STOP), 11 (STOP_LIMIT), 12 (MARKET_IF_TOUCHED), 13 (LIMIT_IF_TOUCHED), 14 (TRAILING_STOP), 15 (TRAILING_STOP_LIMIT), 16 (TWAP_MARKET), 17 (TWAP_LIMIT), 18 (VWAP_MARKET), 19 (VWAP_LIMIT), found the number 3',
    ],
    [
      'place_order',
      `{${ACCOUNT},"side":1,"code":"1","qty":100,"remark":"${'x'.repeat(65)}"}`,
      'remark: 65 bytes are too long; at most 64 are accepted',
    ],
    [
      'place_order',
      '{"acc_id":1,"env":1,"symbol":"US.AAPL","sec_market":1,"side":1,"qty":1}',
      'symbol: US.AAPL is not a security of sec_market 1',
    ],
    [
      'get_history_orders',
      `{${ACCOUNT},"begin_time":"2026-13-01","end_time":"2026-01-01"}`,
      'begin_time: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd',
    ],
    [
      'get_history_orders',
      '{"header":{"trd_env":1,"acc_id":1,"trd_market":1},"filter_conditions":{"begin_time":"soon","end_time":"2026-01-01"}}',
      'filter_conditions.begin_time: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd',
    ],
    ['admin_reload', '{"force":true}', 'unknown field "force"; accepted: none'],
  ])('%s refuses %s', (operation, body, message) => expect(decode(operation, body)).toContain(message));

  it('reads the environment of a modify by its own table', () => {
    const body = (env: number) =>
      `{"c2s":{"header":{"trd_env":${env},"acc_id":1,"trd_market":1}},"order_id_ex":"x","modify_order_op":1,"qty":5,"price":4}`;
    // Written back by the general table: 2 is real, 1 is simulate.
    expect(decode('modify_order', body(0))).toContain('"trd_env":2');
    expect(decode('modify_order', body(1))).toContain('"trd_env":1');
    expect(decode('modify_order', body(2))).toContain('c2s.header.trd_env: expected one of 0 (real), 1 (simulate), found the number 2');
  });

  it('reads the trading market of a symbol', () => {
    expect(decode('place_order', '{"acc_id":1,"env":1,"symbol":"SH.600519","side":1,"qty":100,"price":1700}')).toContain(
      '"trd_market":3},"trd_side":1',
    );
  });

  it('never fails for a reason of its own, whatever comes', () => {
    const names = fc.constantFrom('symbol', 'symbols', 'depth', 'c2s', 'header', 'acc_id', 'env', 'qty', 'security', '__proto__', 'x');
    const bodies = fc.dictionary(names, fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(fc.constantFrom(...operations), bodies, (operation, body) => {
        const parsed = parseJson(JSON.stringify(body));
        if (parsed.ok) requestDecoder(operation, 'rest')(parsed.value);
      }),
    );
  });
});

describe('a text that has a form', () => {
  const wrong = ['2026-02-30', '30022026', '20260230', 'Mars/Base', 'abc', 'EUR', '-1', `${'f'.repeat(31)}g`];
  const formed = operations.flatMap(({ name, shape }) =>
    callerParams(shape, 'rest').flatMap((param) => {
      const { type } = param;
      if (type.kind === 'time') return [[name, param.name, '2026-02-30']];
      if (type.kind !== 'text' || type.format === undefined) return [];
      const { format } = type;
      return wrong.filter((text) => !format.accepts(text)).map((text) => [name, param.name, text]);
    }),
  );

  it.each(formed)('%s: %s refuses %s by the name of the field', (name = '', field = '', text = '') => {
    expect(decode(name, JSON.stringify({ [field]: text }))).toMatch(new RegExp(`^${field}: `));
  });

  it('repeats nothing of a credential', () => {
    expect(decode('unlock_trade', '{"unlock":true,"pwd_md5":"hunter2"}')).toBe(
      'pwd_md5: expected an MD5 as 32 hexadecimal digits, found another text',
    );
    expect(decode('unlock_trade', `{"unlock":true,"pwd_md5":"${'AB'.repeat(16)}"}`)).toContain('AB');
  });

  it('is the same for a list whose one value stands alone', () => {
    const list = (types: string) =>
      decode('watchlist_announcement', `{"page_size":5,"stock_ids":[1],"extension_version":1,"notice_types":${types}}`);
    expect(list('[0,1]')).toBe('notice_types: 0 stands alone; found 2 entries');
    expect(list('[0]')).toContain('"notice_types":[0]');
  });
});

describe('an enumeration over REST', () => {
  // The specification has a cancel take names, and the list of offerings.
  const byName = new Set(['cancel_order', 'get_ipo_list']);
  const enumerations = operations.flatMap((operation) =>
    callerParams(operation.shape, 'rest').flatMap((param) =>
      (param.type.kind === 'choice' || param.type.kind === 'choices') && !byName.has(operation.name)
        ? [[operation.name, param.name, operation, param.type] as const]
        : [],
    ),
  );

  it.each(enumerations)('%s: %s takes numbers alone', (_, name, operation, { kind, enumeration }) => {
    for (const { name: member } of enumeration.members) {
      const decoded = requestDecoder(operation, 'rest')({ [name]: kind === 'choices' ? [member] : member });
      const path = kind === 'choices' ? `${name}[0]` : name;
      expect([member, decoded]).toMatchObject([
        member,
        { ok: false, problem: { path, message: expect.stringContaining(JSON.stringify(member)) } },
      ]);
    }
  });
});

describe('a request of a tool', () => {
  /** The request as tools would write it back. */
  function throughTool(name: string, body: JsonValue): string {
    const operation = operationNamed(name)!;
    const decoded = requestDecoder(operation, 'mcp')(body);
    if (!decoded.ok) throw new Error(decoded.problem.message);
    return messageWriter(operation.messages.C2SSchema, 'mcp', 'string')(decoded.value);
  }

  it('has enumerations written by name, because the numbers of some mean another member to it', () => {
    const kline = { symbol: 'HK.00700', count: 1 };
    const written = (klType: string) => `{"rehab_type":"none","kl_type":"${klType}","security":{"market":"HK","code":"00700"},"req_num":1}`;
    for (const name of ['quarter', 'year', '4min', 'day'])
      expect(throughTool('get_kline', { ...kline, kl_type: name })).toBe(written(name));
    expect(throughTool('get_kline', { ...kline, kl_type: 11 })).toBe(written('4min'));
    const order = { market: 'HK', acc_id: '1', env: 'real', side: 'BUY', code: '00700', qty: 1, price: 1 };
    for (const name of ['AUCTION_LIMIT', 'SPECIAL_LIMIT', 'AUCTION']) {
      expect(throughTool('place_order', { ...order, order_type: name })).toContain(`"order_type":"${name}"`);
    }
  });

  it('writes a number that the daemon has no name for as text, like the names', () => {
    const { C2SSchema } = trade.placeOrder.messages;
    const written = (orderType: number) => messageWriter(C2SSchema, 'mcp')(create(C2SSchema, { orderType }));
    expect(written(16)).toBe('{"order_type":"TWAP_MARKET"}');
    expect(written(99)).toBe('{"order_type":"99"}');
  });
});

describe('the declarations', () => {
  it('have unique names and routes', () => {
    const routes = operations.flatMap(({ rest }) => rest.map(({ method, path }) => `${method} ${path}`));
    expect(new Set(routes).size).toBe(routes.length);
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))('%s compiles in both dialects', (_, operation) => {
    for (const dialect of ['rest', 'mcp'] as const)
      expect(requestDecoder(operation, dialect)({ no_such_field: 1 })).toMatchObject({ ok: false, problem: { kind: 'unknown_field' } });
  });
});

describe('a value that is no member of an enumeration has one code in every dialect, by what is wrong with it', () => {
  const orderWith = { rest: { market: 1, env: 1, code: '00700' }, mcp: { symbol: 'HK.00700', env: 'simulate' } };
  const kind = (dialect: 'rest' | 'mcp', side: string) => {
    const body = `${JSON.stringify({ ...orderWith[dialect], acc_id: 1, qty: 100, price: 1 }).slice(0, -1)},"side":${side}}`;
    const parsed = parseJson(body);
    const operation = operations.find(({ name }) => name === 'place_order');
    if (!parsed.ok || operation === undefined) throw new Error('no request');
    const read = requestDecoder(operation, dialect)(parsed.value);
    return read.ok ? 'accepted' : read.problem.kind;
  };
  it.each([
    ['7', 'out_of_range'],
    ['12345678901234567890', 'out_of_range'],
    ['"BUYY"', 'out_of_range'],
    ['""', 'out_of_range'],
    ['1.5', 'wrong_type'],
    ['true', 'wrong_type'],
    ['[1]', 'wrong_type'],
    ['{}', 'wrong_type'],
  ])('%s: %s', (side, code) => expect([kind('rest', side), kind('mcp', side)]).toEqual([code, code]));

  it('a name where numbers alone are taken has the wrong type', () => {
    expect([kind('rest', '"BUY"'), kind('mcp', '"BUY"')]).toEqual(['wrong_type', 'accepted']);
  });
});
