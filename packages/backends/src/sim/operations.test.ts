import type { Message } from '@bufbuild/protobuf';
import { clearField, clone, create, toBinary } from '@bufbuild/protobuf';
import { refusalCode } from '@svc-gateway/contract/broker-codes';
import { SnapshotBasicDataSchema } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import type * as SvcSnapshot from '@svc-gateway/contract/generated/svc/snapshot_pb';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { Operation } from '@svc-gateway/contract/operation';
import { derivatives, metadata, operations, quote, system, trade } from '@svc-gateway/contract/operations';
import { requestDecoder } from '@svc-gateway/contract/request';
import { toolExample } from '@svc-gateway/contract/tool-example';
import { answers } from '@svc-gateway/simulator/answers';
import { isOffloaded } from '@svc-gateway/simulator/answers/offloaded';
import { accounts } from '@svc-gateway/simulator/brokerage/account';
import { nextTurn, Turn } from '@svc-gateway/simulator/pace';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { call, context, FIXTURE_TIME, type Fixture, payload, security, startFixture } from '../../../../test/support/sim-backend.js';
import { Currencies } from '../../../simulator/src/market/currencies.js';
import { OwnDays } from '../../../simulator/src/market/own-days.js';

/** Days that go their own way, drawn without a pause: at some microseconds each, a turn has time for them. */
const DAYS_AT_ONCE = 250;
/** Cost of drawing one day of a currency pair, in days that go their own way. */
const PAIR_DAY = 15;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.backend.stop());

const one = { security: security('HK.00700') };
const some = { securityList: ['HK.00700', 'HK.800000', 'HK.02800', 'HK.HSImain', 'US.AAPL', 'FX.EURUSD'].map(security) };
const header = { trdEnv: 0, accID: accounts[1]!.id, trdMarket: 1 };
const order = {
  packetID: { connID: 1n, serialNo: 1 },
  header,
  trdSide: 1,
  orderType: 1,
  code: '00700',
  qty: 100,
  price: 500,
  secMarket: 1,
};
const owner = security('US.AAPL');

/** Operations whose typical request needs an order, an account, a row or listed contracts, or is refused. */
const elsewhere = [
  ...['verification', 'modify_order', 'cancel_order', 'cancel_all_order', 'reconfirm_order', 'reverse_position', 'roll_position'],
  ...['get_option_quote', 'get_option_strategy_analysis', 'get_cash_detail', 'get_company_executive_background', 'get_order_fee'],
  ...['get_forex_risk_control', 'get_forex_account_quote_context', 'get_forex_assets', 'preview_forex_margin'],
];

/** Requests of several kinds of securities; others are made of the examples of the declarations. */
const several = new Set<Operation>([quote.getQuote, quote.getSnapshot, quote.getStaticInfo, quote.getMarketState]);

/** A typical request of an operation. */
function typicalOf(operation: Operation): Message {
  const { C2SSchema } = operation.messages;
  if (several.has(operation)) return create(C2SSchema, some as Record<string, unknown>);
  const example = parseJson(toolExample(operation, new Date(FIXTURE_TIME)));
  const decoded = example.ok ? requestDecoder(operation, 'mcp')(example.value) : undefined;
  if (!decoded?.ok) throw new Error(`${operation.name} has no example`);
  return decoded.value;
}

const typical = operations
  .filter(({ name }) => answers.has(name) && !elsewhere.includes(name))
  .map((operation) => [operation.name, operation, typicalOf(operation)] as const);

/** Reads of trading hours say in a note that the clock is held open. */
const tellsHours = new Set(['get_global_state', 'get_market_state', 'get_trading_days']);

test.each(typical)('%s answers a typical request with a complete message', async (name, operation, request) => {
  const response = await call(fixture.backend, operation, request);
  const retMsg = tellsHours.has(name) ? expect.stringContaining('held open') : '';
  expect(response).toMatchObject({ retType: 0, retMsg, s2c: expect.anything() });
  // Encoding throws where a required field is missing.
  expect(toBinary(operation.messages.ResponseSchema, response).length).toBeGreaterThan(0);
});

/** Gives every security a code that is not listed; true where there is one. */
function unlist(fields: object): boolean {
  let found = false;
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'code') (fields as { code: string }).code = 'NOSUCHTHING';
    found = name === 'code' || (typeof value === 'object' && value !== null && unlist(value)) || found;
  }
  return found;
}

// Orders have tests of their own: a packet number goes with one request.
const naming = typical.flatMap(([name, operation, request]) => {
  const unlisted = clone(operation.messages.C2SSchema, request);
  return operation.effect !== 'order' && unlist(unlisted) ? [[name, operation, unlisted] as const] : [];
});

test.each(naming)('%s refuses a security that is not listed by a code of its own', async (_, operation, request) => {
  const { retType, retMsg, errCode } = await call(fixture.backend, operation, request);
  expect([retType, refusalCode({ errCode }).code, retMsg]).toEqual([-1, 'broker.unknown_code', expect.any(String)]);
});

test.each([
  [
    metadata.getStockFilter,
    { begin: 0, num: 10, market: 1, accumulateFilterList: [{ fieldName: 1, days: 999, isNoFilter: true }] },
    'accumulate_filter_list[0].days: 999 is out of range, accepted: 1 to 250',
  ],
  [metadata.warrantScreen, { marketType: 1, pageCount: 999 }, 'page_count: 999 is out of range, accepted: 1 to 200'],
  [metadata.stockScreen, { pageCount: 999 }, 'page_count: 999 is out of range, accepted: 1 to 300'],
  [quote.getKline, { ...one, klType: 99, rehabType: 0, reqNum: 10 }, 'unknown kl_type 99; accepted: '],
] as [Operation, object, string][])('%# refuses a value with the code of bad values', async (operation, fields, text) => {
  const { errCode, retMsg } = await call(fixture.backend, operation, fields);
  expect([refusalCode({ errCode }).code, retMsg]).toEqual(['broker.value', expect.stringContaining(text)]);
});

describe('the first call of a read in the event loop draws few days at once', () => {
  /** Days drawn since the turn of the event loop began, and the most of any. */
  const drawn = { now: 0, most: 0 };
  let beat: NodeJS.Immediate;
  beforeAll(() => {
    const count = (weight: number) => {
      drawn.now += weight;
      drawn.most = Math.max(drawn.most, drawn.now);
    };
    const { outline } = OwnDays.prototype;
    vi.spyOn(OwnDays.prototype, 'outline').mockImplementation(function (this: OwnDays, ...parameters) {
      count(1);
      return outline.apply(this, parameters);
    });
    const { knots } = Currencies.prototype;
    vi.spyOn(Currencies.prototype, 'knots').mockImplementation(function (this: Currencies, ...parameters) {
      count(PAIR_DAY);
      return knots.apply(this, parameters);
    });
    // Wherever work may pause, a turn ends: however fast the machine is, what is drawn between two pauses is counted.
    vi.spyOn(Turn.prototype, 'pause').mockImplementation(() => (drawn.now === 0 ? undefined : nextTurn()));
    const next = () => {
      drawn.now = 0;
      beat = setImmediate(next);
    };
    next();
  });
  afterAll(() => {
    clearImmediate(beat);
    vi.restoreAllMocks();
  });

  const reads = typical.filter(([, operation, request]) => operation.effect === 'read' && !isOffloaded(operation, request));
  test.each(reads)('%s', async (_, operation, request) => {
    const { backend } = await startFixture();
    drawn.now = 0;
    drawn.most = 0;
    expect(await call(backend, operation, request)).toMatchObject({ retType: 0 });
    await backend.stop();
    expect(drawn.most).toBeLessThanOrEqual(DAYS_AT_ONCE);
  });
});

test('an order is cancelled by its text, alone and with all others', async () => {
  const { backend, clock } = fixture;
  const placed = await payload(backend, trade.placeOrder, { ...order, packetID: { connID: 2n, serialNo: 1 } });
  expect(placed).toMatchObject({ orderIDEx: expect.any(String) });
  clock.advance(1_000);
  const cancelled = await call(backend, trade.cancelOrder, {
    packetID: { connID: 2n, serialNo: 2 },
    header,
    orderID: 0n,
    orderIDEx: (placed as { orderIDEx: string }).orderIDEx,
    modifyOrderOp: 2,
  });
  expect(cancelled).toMatchObject({ retType: 0 });
  const all = await call(backend, trade.cancelAllOrder, {
    packetID: { connID: 2n, serialNo: 3 },
    header,
    orderID: 0n,
    modifyOrderOp: 2,
    forAll: true,
  });
  expect(all).toMatchObject({ retType: 0 });
});

test('an option that the chain lists is quoted, and analysed with another', async () => {
  const { backend } = fixture;
  const { optionChain } = await payload(backend, derivatives.getOptionChain, { owner, beginTime: '2026-12-18', endTime: '2026-12-18' });
  const calls = optionChain.flatMap(({ option }) => option.flatMap(({ call }) => call?.basic?.security ?? []));
  const [bought, sold] = calls.slice(Math.floor(calls.length / 2));
  const multiLegs = [
    { security: bought, side: 1, qtyRatio: 1 },
    { security: sold, side: 2, qtyRatio: 1 },
  ];
  for (const operation of [derivatives.getOptionQuote, derivatives.getOptionStrategyAnalysis] as Operation[]) {
    const response = await call(backend, operation, { multiLegs });
    expect(response).toMatchObject({ retType: 0, retMsg: '' });
    expect(toBinary(operation.messages.ResponseSchema, response).length).toBeGreaterThan(0);
  }
});

test('a snapshot of many symbols lets others have their turn, and is the same as one by one', async () => {
  const { backend, simulation } = fixture;
  const securityList = simulation.world
    .instruments({ market: 'JP' })
    .slice(0, 40)
    .map(({ symbol }) => security(symbol));
  const many = backend.call(quote.getSnapshot, create(quote.getSnapshot.messages.C2SSchema, { securityList }), context);
  expect(many).toBeInstanceOf(Promise);
  let turns = 0;
  let done = false;
  const count = () => {
    turns += 1;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const { snapshotList } = ((await many) as SvcSnapshot.Response).s2c!;
  done = true;
  expect(turns).toBeGreaterThan(3);
  for (const [index, one] of securityList.entries()) {
    const single = await payload(backend, quote.getSnapshot, { securityList: [one] });
    const { basic } = single.snapshotList[0]!;
    // Histories are read for a few symbols only.
    for (const name of ['highestHistoryPrice', 'lowestHistoryPrice'] as const) clearField(basic!, SnapshotBasicDataSchema.field[name]);
    expect(single.snapshotList[0]).toEqual(snapshotList[index]);
  }
});

describe('refusals name what is wrong', () => {
  const refused = async (operation: Operation, fields: object): Promise<string> => {
    const { retType, retMsg } = await call(fixture.backend, operation, fields);
    expect(retType).toBe(-1);
    return retMsg;
  };

  test.each([
    ['HK', '700', 'HK.00700'],
    ['HK', '0700', 'HK.00700'],
    ['SZ', '600519', 'SH.600519'],
    ['US', '00700', 'HK.00700'],
  ])('%s.%s probably means %s', async (market, code, meant) => {
    const { market: number } = security(`${market}.X`);
    const text = await refused(quote.getQuote, { securityList: [{ ...one.security, market: number, code }] });
    expect(text).toContain(`${market}.${code}`);
    expect(text).toContain(`did you mean ${meant}?`);
  });

  test('a symbol that is like no other is named alone', async () => {
    expect(await refused(quote.getSnapshot, { securityList: [security('HK.00700'), security('US.NOSUCHTHING')] })).toBe(
      'unknown symbol US.NOSUCHTHING',
    );
    const long = { ...security('US.AAPL'), code: 'A'.repeat(10_000) };
    expect(await refused(quote.getQuote, { securityList: [long] })).toMatch(/^unknown symbol US\.A{32}…$/);
  });

  test('2,000 symbols in one request are answered in order', async () => {
    const securityList = Array.from({ length: 2_000 }, (_, index) => some.securityList[index % 2]!);
    const { basicQotList } = await payload(fixture.backend, quote.getQuote, { securityList });
    const { snapshotList } = await payload(fixture.backend, quote.getSnapshot, { securityList });
    const codes = securityList.map(({ code }) => code);
    expect(basicQotList.map(({ security }) => security?.code)).toEqual(codes);
    expect(snapshotList.map(({ basic }) => basic?.security?.code)).toEqual(codes);
  });

  test('bounds, enumerations and markets', async () => {
    expect(await refused(quote.getQuote, {})).toContain('missing field "securityList"');
    expect(await refused(quote.getQuote, { securityList: Array(2_001).fill(one.security) })).toContain('at most 2000');
    expect(await refused(quote.getSnapshot, { securityList: Array(2_001).fill(one.security) })).toContain('at most 2000');
    expect(await refused(quote.getQuote, { securityList: [{ ...one.security, market: 99 }] })).toContain('unknown quote market 99');
    expect(await refused(quote.getRt, {})).toContain('security');
    expect(await refused(quote.getKline, { ...one, klType: 1004, rehabType: 0, reqNum: 1 })).toContain('kl_type 1004');
    expect(await refused(quote.getKline, { ...one, klType: 1, rehabType: 3, reqNum: 1 })).toContain('rehab_type 3');
    expect(await refused(quote.getKline, { ...one, klType: 1, rehabType: 0, reqNum: 0 })).toContain('req_num 0');
    expect(await refused(quote.getOrderBook, { ...one, num: 41 })).toContain('1 to 40');
    expect(await refused(quote.getOrderBook, { ...one, num: 1, orderBookType: 2 })).toContain('order_book_type 2');
    expect(await refused(quote.getTicker, { ...one, maxRetNum: -1 })).toContain('1 to 1000');
    expect(await refused(quote.getBroker, { security: security('US.AAPL') })).toContain('Hong Kong');
    expect(await refused(quote.getCapitalFlow, { ...one, periodType: 5 })).toContain('period_type 5');
    expect(await refused(quote.getCapitalFlow, { ...one, periodType: 2, beginTime: '1900-01-01', endTime: '2026-11-20' })).toContain(
      'days',
    );
    expect(await refused(quote.getCapitalFlow, { ...one, periodType: 2, beginTime: '2026-02-30' })).toContain('begin_time');
    expect(await refused(quote.getStaticInfo, {})).toContain('market');
    expect(await refused(quote.getStaticInfo, { market: 77 })).toContain('77');
    expect(await refused(system.getRiskFreeRate, { rateTime: 9_999_999_999_999n })).toContain('future');
    expect(await refused(system.getRiskFreeRate, { rateTime: -1n })).toContain('rate_time');
    expect(await refused(system.verification, { type: 2, op: 1 })).toContain('no verification is pending');
  });
});

test('no request, however odd, is a defect', async () => {
  const backendOperations = operations.filter(({ name }) => answers.has(name));
  const odd = fc.record({
    operation: fc.constantFrom(...backendOperations),
    fields: fc.dictionary(
      fc.constantFrom(
        'klType',
        'rehabType',
        'reqNum',
        'num',
        'maxRetNum',
        'maxAckKLNum',
        'periodType',
        'orderBookType',
        'market',
        'secType',
        'flag',
        'session',
      ),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    ),
    texts: fc.dictionary(
      fc.constantFrom('beginTime', 'endTime', 'code'),
      fc.oneof(fc.string(), fc.constantFrom('2026-11-20', '0000-01-01 00:00:00', '9999-12-31')),
    ),
    key: fc.uint8Array({ maxLength: 40 }),
    market: fc.constantFrom(0, 1, 2, 11, 21, 61, 81, -1, 2 ** 31 - 1),
    code: fc.oneof(fc.string(), fc.constantFrom('00700', 'HSImain', '800000', 'aapl', '__proto__', 'constructor')),
  });
  await fc.assert(
    fc.asyncProperty(odd, async ({ operation, fields, texts, key, market, code }) => {
      const request = create(operation.messages.C2SSchema) as Message & Record<string, unknown>;
      for (const field of operation.messages.C2SSchema.fields) {
        const name = field.localName;
        if (field.fieldKind === 'scalar' && name in fields) request[name] = fields[name];
        if (field.fieldKind === 'scalar' && name in texts) request[name] = texts[name];
        if (name === 'nextReqKey') request[name] = key;
        if (name === 'security') request[name] = { ...one.security, market, code };
        if (name === 'securityList') request[name] = [{ ...one.security, market, code }];
      }
      const response = await fixture.backend.call(operation, request, context);
      expect([0, -1]).toContain(response.retType);
      if (response.retType === -1) expect(response.retMsg).not.toBe('');
    }),
    { numRuns: 600 },
  );
  expect(fixture.defects).toEqual([]);
});
