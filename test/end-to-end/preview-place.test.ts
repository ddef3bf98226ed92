import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { parseDecimal } from '@svc-gateway/contract/decimal';
import { TrdEnv, TrdMarket } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { previewSentence, previewText } from '@svc-gateway/gateway';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 390 };

let desk: Desk;
afterEach(() => desk.close());

async function open(limits: LimitFlags = {}, flags: LimitFlags = {}, backend = {}): Promise<void> {
  desk = await openDesk({ keys: { desk: { scopes, limits } }, flags, backend });
}

const d = (text: string) => parseDecimal(text);

/** Everything of the gateway's own that an order leaves behind. */
function traces(): unknown[] {
  return ['day_totals', 'order_rates', 'idempotency'].map((table) => [...desk.store.table(table).entries()]);
}

describe('the preview of a limit order', () => {
  it('shows its terms, value, fees and what the account can trade', async () => {
    await open({ maxDailyValue: '100000' }, { maxOrderValue: '50000' });
    const preview = await previewed(desk, 'place', trade.placeOrder, order);
    expect(preview).toMatchObject({
      operation: 'place_order',
      accId: BigInt(HK_MARGIN),
      env: 'simulate',
      market: 'HK',
      terms: { symbol: 'HK.00700', name: 'TENCENT', side: 'BUY', qty: d('100'), price: d('390'), orderType: 'NORMAL', timeInForce: 'DAY' },
      value: d('39000'),
      currency: 'HKD',
      pricing: { basis: 'limit_price', price: d('390') },
      fees: { currency: 'HKD', total: d('70.65') },
      capacity: { enough: true, message: null },
      wouldPass: true,
      refusal: null,
    });
    expect(preview.gates.map(({ gate, holder, passes }) => [gate, holder, passes])).toEqual(
      ['market', 'symbol', 'side', 'hours', 'order_value', 'rate', 'daily_value'].flatMap((gate) => [
        [gate, 'key', true],
        [gate, 'flags', true],
      ]),
    );
    expect(preview.gates).toContainEqual({
      gate: 'order_value',
      holder: 'flags',
      passes: true,
      limit: d('50000'),
      after: d('39000'),
      currency: 'HKD',
    });
    expect(preview.gates).toContainEqual({
      gate: 'daily_value',
      holder: 'key',
      passes: true,
      limit: d('100000'),
      after: d('39000'),
      currency: 'HKD',
    });
    expect(previewSentence(preview)).toBe(
      'Buy 100 HK.00700 (TENCENT) at limit 390 HKD in the simulated account 2817…7002: value 39,000 HKD, fees about 70.65 HKD, day total afterwards 39,000 of 100,000.',
    );
    const text = JSON.parse(previewText(preview, 'string'));
    expect(text).toMatchObject({ preview: 'place', acc_id: HK_MARGIN, value: 39000, would_pass: true, fees: { total: 70.65 } });
    expect(previewText(preview)).toContain(`"acc_id":${HK_MARGIN},`);
  });

  it('counts on the orders before it', async () => {
    await open({ maxDailyValue: '100000', maxOrdersPerMinute: '5' });
    await desk.payload(trade.placeOrder, order);
    const { gates } = await previewed(desk, 'place', trade.placeOrder, order);
    expect(gates).toContainEqual({
      gate: 'daily_value',
      holder: 'key',
      passes: true,
      limit: d('100000'),
      after: d('78000'),
      currency: 'HKD',
    });
    expect(gates).toContainEqual({ gate: 'rate', holder: 'key', passes: true, limit: 5, after: 2 });
  });

  it('says what the brokerage would not take, as far as it can be asked', async () => {
    await open();
    const dear = await previewed(desk, 'place', trade.placeOrder, { ...order, qty: 1_000_000 });
    expect(dear.capacity).toMatchObject({ enough: false });
    expect(previewSentence(dear)).toMatch(/The account can trade at most [\d,]+\.$/);
    const sale = await previewed(desk, 'place', trade.placeOrder, { ...order, side: 'SELL' });
    expect(sale.capacity).toEqual({ maxQty: 0n, enough: false, message: null });
    const unknown = await previewed(desk, 'place', trade.placeOrder, { ...order, symbol: 'HK.99999' });
    expect(unknown).toMatchObject({ terms: { name: null }, fees: null, capacity: { maxQty: null, enough: null } });
    expect(previewSentence(unknown)).toContain('fees unknown');
    expect(previewSentence(unknown)).toContain('By the brokerage it would be refused: ');
    const offTick = await previewed(desk, 'place', trade.placeOrder, { ...order, price: 390.001 });
    expect(offTick.capacity?.message).toContain('390.001');
  });

  it('can do without an estimate of the fees', async () => {
    await open({}, {}, { estimateFees: undefined });
    const preview = await previewed(desk, 'place', trade.placeOrder, order);
    expect(preview.fees).toBeNull();
    expect(previewSentence(preview)).toContain(', fees unknown.');
  });
});

describe('the preview of a market order', () => {
  const market = { ...order, order_type: 'MARKET', price: undefined };

  it('is valued at the worst price of the book plus 5 %', async () => {
    await open();
    const { orderBookAskList } = await desk.payload(quote.getOrderBook, { symbol: 'HK.00700', depth: 40 });
    const worst = Math.max(...orderBookAskList.map(({ price }) => price));
    const preview = await previewed(desk, 'place', trade.placeOrder, market);
    const price = ((d(String(worst)) ?? 0n) * 105n) / 100n;
    expect(preview).toMatchObject({ terms: { price: null }, value: price * 100n, pricing: { basis: 'book_plus_5_percent', price } });
    expect(previewSentence(preview)).toMatch(/ at market in .*: value up to [\d,.]+ HKD \(worst price of the book plus 5 %\)/);
  });

  it('without a price says so, and passes only where no value is capped', async () => {
    await open({ maxDailyValue: '100000' });
    const unknown = { ...market, symbol: 'HK.99999' };
    const preview = await previewed(desk, 'place', trade.placeOrder, unknown);
    const refused = await desk.call(trade.placeOrder, unknown);
    expect(refused).toMatchObject({ code: 'limit.price_unknown' });
    expect(preview.refusal).toEqual(refused);
    expect(preview).toMatchObject({ value: null, pricing: null, fees: null, capacity: null, wouldPass: false });
    expect(preview.gates).toContainEqual({ gate: 'daily_value', holder: 'key', passes: false, limit: d('100000'), after: null });
    expect(preview.gates).toContainEqual({ gate: 'order_value', holder: 'key', passes: true, limit: null, after: null });
    expect(previewSentence(preview)).toContain('value unknown');
    expect(previewSentence(preview)).toContain('day total afterwards unknown of 100,000');
  });
});

describe('a preview', () => {
  it('sends, counts, reserves and remembers nothing', async () => {
    await open({ maxDailyValue: '100000', maxOrdersPerMinute: '1' });
    const before = traces();
    for (let times = 0; times < 3; times++) {
      await previewed(desk, 'place', trade.placeOrder, order, { idempotencyKey: 'one' });
      await previewed(desk, 'place', trade.placeOrder, { ...order, qty: 200 }, { idempotencyKey: 'one' });
    }
    expect(traces()).toEqual(before);
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('place_order');
    // The only order of this minute, under a key that no preview has used up.
    expect(await desk.call(trade.placeOrder, order, { idempotencyKey: 'one' })).toMatchObject({ retType: 0 });
    expect(traces()).not.toEqual(before);
  });

  it('says pass exactly when the order then passes, and refuses in its words', async () => {
    const outcomes = { passed: 0, refused: new Set<string>() };
    const sometimes = (...texts: string[]) =>
      fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...texts) });
    const limitsArbitrary: fc.Arbitrary<LimitFlags> = fc.record({
      allowedMarkets: sometimes('HK', 'US', 'HK,US'),
      allowedSymbols: sometimes('HK.00700', 'HK.00700,US.AAPL'),
      allowedTrdSides: sometimes('BUY', 'BUY,SELL'),
      hoursWindow: sometimes('00:00-23:59', '00:00-00:01'),
      maxOrderValue: sometimes('30000', '60000'),
      maxOrdersPerMinute: sometimes('0', '2', '3'),
      maxDailyValue: sometimes('50000', '120000'),
      limitsCurrency: sometimes('HKD', 'USD'),
    });
    const orderArbitrary = fc.record({
      symbol: fc.constantFrom('HK.00700', 'HK.00005'),
      side: fc.constantFrom('BUY', 'SELL'),
      qty: fc.constantFrom(100, 200),
      price: fc.constantFrom(150, 250.2),
    });
    await fc.assert(
      fc.asyncProperty(
        limitsArbitrary,
        limitsArbitrary,
        fc.array(orderArbitrary, { minLength: 2, maxLength: 6 }),
        async (limits, flags, orders) => {
          await open(limits, flags);
          for (const terms of orders) {
            const body = { ...order, ...terms };
            const preview = await previewed(desk, 'place', trade.placeOrder, body);
            const answer = await desk.call(trade.placeOrder, body);
            const gated = answer instanceof Rejection;
            expect(preview.wouldPass).toBe(!gated && answer.retType === 0);
            expect(preview.refusal).toEqual(
              gated ? answer : answer.retType === 0 ? null : expect.objectContaining({ message: answer.retMsg }),
            );
            expect(preview.gates.every(({ passes }) => passes)).toBe(!gated);
            if (answer instanceof Rejection) outcomes.refused.add(answer.code);
            else outcomes.passed += 1;
          }
          await desk.close();
        },
      ),
      { numRuns: 60 },
    );
    await open();
    expect(outcomes.passed).toBeGreaterThan(0);
    expect(outcomes.refused.size).toBeGreaterThan(3);
  });
});

describe('the sentence that a person reads', () => {
  const header = { accID: BigInt(HK_MARGIN), trdEnv: TrdEnv.TrdEnv_Simulate, trdMarket: TrdMarket.TrdMarket_HK };
  const packetID = { connID: 0n, serialNo: 0 };
  const bought = { packetID, header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 390 };
  const trailing = { trailType: 1, trailValue: 5, trailSpread: 1 };
  const adjusted = { adjustPrice: true, adjustSideAndLimit: 0.01 };
  const ending = { timeInForce: 3, expireTime: '2026-11-23' };
  /** Fields by two requests that differ in them alone, or in them first. */
  type Pairs = Readonly<Record<string, readonly [object, object]>>;

  const ofAll: Pairs = {
    trdSide: [{ trdSide: 1 }, { trdSide: 3 }],
    orderType: [{ orderType: 1 }, { orderType: 2 }],
    code: [{ code: '00700' }, { code: '00005' }],
    qty: [{ qty: 100 }, { qty: 200 }],
    price: [{ price: 390 }, { price: 390.2 }],
    timeInForce: [{ timeInForce: 0 }, { timeInForce: 1 }],
  };
  const ofPlace: Pairs = {
    ...ofAll,
    adjustPrice: [{}, adjusted],
    adjustSideAndLimit: [adjusted, { ...adjusted, adjustSideAndLimit: -0.01 }],
    fillOutsideRTH: [{}, { fillOutsideRTH: true }],
    auxPrice: [{ auxPrice: 380 }, { auxPrice: 381 }],
    trailType: [trailing, { ...trailing, trailType: 2 }],
    trailValue: [trailing, { ...trailing, trailValue: 6 }],
    trailSpread: [trailing, { ...trailing, trailSpread: 2 }],
    session: [{ session: 1 }, { session: 3 }],
    positionID: [{ positionID: 1n }, { positionID: 2n }],
    expireTime: [ending, { ...ending, expireTime: '2026-11-24' }],
    amount: [{ amount: 1000 }, { amount: 2000 }],
    predSide: [{ predSide: 1 }, { predSide: 2 }],
  };
  const { trdSide, orderType, code, timeInForce, session, positionID, expireTime, amount, predSide, fillOutsideRTH, ...ofModify } = ofPlace;
  const exits = { take_profit_price: 500, stop_loss_price: 300 };
  const ofBracket: Pairs = {
    ...ofAll,
    // An exit at the same price fits one side alone.
    trdSide: [{ orderType: 2 }, { orderType: 2, trdSide: 3, takeProfitPrice: 300 }],
    takeProfitPrice: [{ takeProfitPrice: 500 }, { takeProfitPrice: 501 }],
    stopLossPrice: [{ stopLossPrice: 300 }, { stopLossPrice: 1 }],
    stopLossLimitPrice: [{ stopLossPrice: 300 }, { stopLossPrice: 300, stopLossLimitPrice: 299 }],
  };

  /** Fields left out of the sentence: the owner stands in the account, the market in the symbol, and a note is the caller's own text. */
  const unsaid = ['packetID', 'header', 'secMarket', 'remark'];
  /** Fields that name the order and the action on it. */
  const naming = [...unsaid, 'orderID', 'orderIDEx', 'modifyOrderOp', 'forAll', 'trdMarket'];

  async function sentenceOf(operation: Operation, fields: object): Promise<string> {
    const preview = await desk.preview(operation, create(operation.messages.C2SSchema, fields as Record<string, unknown>));
    if (preview instanceof Rejection || 'retType' in preview) throw new Error(JSON.stringify(preview));
    return previewSentence(preview);
  }

  /** Each field of the message but those left out has a pair, and each pair two sentences. */
  async function expectSaid(operation: Operation, base: object, pairs: Pairs, leftOut: readonly string[]): Promise<void> {
    const fields = operation.messages.C2SSchema.fields.map(({ localName }) => localName);
    expect(fields.filter((name) => !leftOut.includes(name)).sort()).toEqual(Object.keys(pairs).sort());
    for (const [name, [one, other]] of Object.entries(pairs)) {
      const first = await sentenceOf(operation, { ...base, ...one });
      expect(await sentenceOf(operation, { ...base, ...other }), name).not.toBe(first);
    }
  }

  it('of a change names every field that it can change', async () => {
    await open();
    const { orderIDEx } = await desk.payload(trade.placeOrder, order);
    const change = { packetID, header, orderID: 0n, orderIDEx, modifyOrderOp: 1, qty: 300, price: 380 };
    await expectSaid(trade.modifyOrder, change, ofModify, naming);
  });

  const placed = [
    ['an order', trade.placeOrder, bought, ofPlace],
    ['a bracket', trade.placeBracketOrder, { ...bought, takeProfitPrice: 500 }, ofBracket],
  ] as const;
  it.each(placed)('of %s names every field that decides what is traded', async (_, operation, base, pairs) => {
    await open();
    await expectSaid(operation, base, pairs, unsaid);
  });

  it('is no more than a model is shown', async () => {
    await open();
    const bracket = await previewed(desk, 'place', trade.placeBracketOrder, { ...order, ...exits });
    expect(JSON.parse(previewText(bracket))).toMatchObject({ operation: 'place_bracket_order', ...exits });
    const waiting = { order_type: 'TRAILING_STOP', price: undefined, trail_type: 'RATIO', trail_value: 5 };
    const trails = await previewed(desk, 'place', trade.placeOrder, {
      ...order,
      ...waiting,
      time_in_force: 'GTD',
      expire_time: '2026-11-23',
    });
    expect(JSON.parse(previewText(trails))).toMatchObject({
      trail_type: 'RATIO',
      trail_value: 5,
      expire_time: '2026-11-23',
      time_zone: 'Asia/Hong_Kong',
    });
  });
});
