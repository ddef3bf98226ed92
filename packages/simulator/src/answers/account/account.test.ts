import { create, isFieldSet } from '@bufbuild/protobuf';
import { OptionStrategyType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { PositionSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as AccountsSchema } from '@svc-gateway/contract/generated/Trd_GetAccList_pb';
import { C2SSchema as FundsSchema } from '@svc-gateway/contract/generated/Trd_GetFunds_pb';
import { C2SSchema as HistoryFillsSchema } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderFillList_pb';
import { C2SSchema as HistoryOrdersSchema } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderList_pb';
import { C2SSchema as MarginSchema } from '@svc-gateway/contract/generated/Trd_GetMarginRatio_pb';
import { C2SSchema as MaxSchema } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import { C2SSchema as FeeSchema } from '@svc-gateway/contract/generated/Trd_GetOrderFee_pb';
import { C2SSchema as FillsSchema } from '@svc-gateway/contract/generated/Trd_GetOrderFillList_pb';
import { C2SSchema as OrdersSchema } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { C2SSchema as PositionsSchema } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import { describe, expect, it } from 'vitest';
import { Fixture, ids } from '../../../../../test/support/brokerage.js';
import { answer, refusal } from '../../../../../test/support/settled.js';
import { fillPush, orderPush } from '../../brokerage/index.js';
import * as answers from './index.js';

const {
  listAccounts,
  getFunds,
  getPositions,
  getOrders,
  getDeals,
  getHistoryOrders,
  getHistoryDeals,
  getOrderFee,
  getMaxTrdQtys,
  getMarginRatio,
} = answers;

const HK = 'HK.00700';
const buy = { code: '00700', qty: 200, price: 600 };

/** One order filled at 600, one working at 590. */
async function traded() {
  const f = Fixture.open();
  f.book(HK, [], [['600', 200n]]);
  const filled = await f.place(ids.hkCash, { ...buy, remark: 'mine' });
  const working = await f.place(ids.hkCash, { ...buy, price: 590 });
  await f.pass();
  return { f, filled, working, header: f.header(f.account(ids.hkCash)) };
}

describe('accounts', () => {
  it('have numbers of 18 digits that a double cannot hold', async () => {
    const f = Fixture.open();
    const { accList } = await answer(listAccounts(f.simulation, create(AccountsSchema, { userID: 0n })));
    expect(accList.map((account) => account.accID)).toEqual(f.brokerage.accounts.map((account) => account.id));
    for (const { accID } of accList) {
      expect(accID.toString()).toMatch(/^\d{18}$/);
      expect(accID > 2n ** 53n).toBe(true);
    }
    expect(new Set(accList.map((account) => account.accID)).size).toBe(accList.length);
    expect(accList.some((account) => BigInt(Number(account.accID)) !== account.accID)).toBe(true);
  });

  it('real ones carry cards and every market; futures are a category of their own', async () => {
    const f = Fixture.open();
    const securities = await answer(listAccounts(f.simulation, create(AccountsSchema, { userID: 0n, trdCategory: 1 })));
    expect(securities.accList.find((account) => account.trdEnv === 1)).toMatchObject({
      accID: ids.real,
      accType: 2,
      securityFirm: 1,
      cardNum: expect.stringMatching(/^\d{16}$/),
      uniCardNum: expect.stringMatching(/^\d{16}$/),
      trdMarketAuthList: [1, 2, 4, 6, 15, 111],
    });
    const futures = await answer(listAccounts(f.simulation, create(AccountsSchema, { userID: 0n, trdCategory: 2 })));
    expect(futures.accList.map((account) => account.trdMarketAuthList)).toEqual([[10, 11, 12, 13], [5]]);
  });
});

describe('a header', () => {
  const cases: [string, { trdEnv: number; accID: bigint; trdMarket: number }, string][] = [
    [
      'of an unknown account',
      { trdEnv: 0, accID: 281756478396547000n, trdMarket: 1 },
      'unknown account 281756478396547000: it is not in the list of accounts for simulate',
    ],
    ['of the other environment', { trdEnv: 1, accID: ids.hkCash, trdMarket: 1 }, 'is for simulate, the request says real'],
    ['of an unknown environment', { trdEnv: 2, accID: ids.hkCash, trdMarket: 1 }, 'trdEnv 2 is not accepted; accepted: 0 simulate, 1 real'],
    [
      'of a market that the account lacks',
      { trdEnv: 0, accID: ids.hkCash, trdMarket: 2 },
      'may not trade market 2 (US); its markets: 1 (HK)',
    ],
    ['of an unknown market', { trdEnv: 0, accID: ids.hkCash, trdMarket: 99 }, 'trdMarket 99 is not accepted'],
  ];
  it('of every answer and push names a market, also where the request names none', async () => {
    const { f, filled } = await traded();
    const filterConditions = { beginTime: '2026-11-20', endTime: '2026-11-21' };
    const FUTURES = 5;
    for (const account of f.brokerage.accounts) {
      const own = account.markets.map((market) => f.header(account, market).trdMarket);
      for (const trdMarket of [0, ...own]) {
        const header = { ...f.header(account), trdMarket };
        const answered = await Promise.all([
          answer(getFunds(f.simulation, create(FundsSchema, { header }))),
          answer(getPositions(f.simulation, create(PositionsSchema, { header }))),
          answer(getOrders(f.simulation, create(OrdersSchema, { header }))),
          answer(getDeals(f.simulation, create(FillsSchema, { header }))),
          answer(getHistoryOrders(f.simulation, create(HistoryOrdersSchema, { header, filterConditions }))),
          answer(getHistoryDeals(f.simulation, create(HistoryFillsSchema, { header, filterConditions }))),
          answer(getOrderFee(f.simulation, create(FeeSchema, { header, orderIdExList: [] }))),
        ]);
        const [first] = account.trades === 'futures' ? [FUTURES] : own;
        const expected = trdMarket === 0 ? first : trdMarket;
        expect([account.id, trdMarket, ...answered.map((one) => one.header?.trdMarket)]).toEqual([
          ...[account.id, trdMarket],
          ...answered.map(() => expected),
        ]);
      }
    }
    const { world } = f.simulation;
    const pushed = f.events
      .filter(({ order }) => order.id === filled)
      .map((event) => (event.kind === 'order' ? orderPush(world, event.account, event.order) : fillPush(world, event.account, event.fill)));
    expect(new Set(pushed.map(({ s2c }) => s2c?.header?.trdMarket))).toEqual(new Set([1]));
  });

  it.each(cases)('%s is refused', async (_, header, text) => {
    const f = Fixture.open();
    expect(await refusal(getOrders(f.simulation, create(OrdersSchema, { header })))).toContain(text);
  });
});

describe('orders and fills', () => {
  it('are listed newest first, with times in the zone of their market', async () => {
    const { f, filled, working, header } = await traded();
    const { orderList } = await answer(getOrders(f.simulation, create(OrdersSchema, { header })));
    expect(orderList.map((order) => order.orderID)).toEqual([working, filled]);
    expect(orderList[1]).toMatchObject({
      orderStatus: 11,
      code: '00700',
      qty: 200,
      price: 600,
      fillQty: 200,
      fillAvgPrice: 600,
      secMarket: 1,
      trdMarket: 1,
      currency: 1,
      remark: 'mine',
      createTime: '2026-11-20 10:00:00.000',
      createTimestamp: Date.UTC(2026, 10, 20, 2) / 1000,
    });
    const { orderFillList } = await answer(getDeals(f.simulation, create(FillsSchema, { header })));
    expect(orderFillList).toMatchObject([{ orderID: filled, orderIDEx: orderList[1]?.orderIDEx, qty: 200, price: 600, status: 0 }]);
    expect(orderFillList[0]?.createTime).toMatch(/^2026-11-20 10:00:00\.\d{3}$/);
  });

  it('can be filtered by status, number, code and time', async () => {
    const { f, filled, working, header } = await traded();
    const numbers = async (init: object) => {
      const { orderList } = await answer(getOrders(f.simulation, create(OrdersSchema, { header, ...init })));
      return orderList.map((order) => order.orderID);
    };
    expect(await numbers({ filterStatusList: [5] })).toEqual([working]);
    expect(await numbers({ filterConditions: { idList: [filled] } })).toEqual([filled]);
    expect(await numbers({ filterConditions: { orderIDExList: [f.order(working).idEx] } })).toEqual([working]);
    expect(await numbers({ filterConditions: { codeList: ['00005'] } })).toEqual([]);
    expect(await numbers({ filterConditions: { filterMarket: 2 } })).toEqual([]);
    expect(await numbers({ filterConditions: { beginTime: '2026-11-20 10:00:01' } })).toEqual([]);
    expect(await refusal(getOrders(f.simulation, create(OrdersSchema, { header, filterConditions: { beginTime: 'today' } })))).toContain(
      'beginTime "today" must be',
    );
  });

  it('leave the day list and stay in the history', async () => {
    const { f, filled, working, header } = await traded();
    await f.pass(3 * 86_400_000);
    expect((await answer(getOrders(f.simulation, create(OrdersSchema, { header })))).orderList).toEqual([]);
    expect((await answer(getDeals(f.simulation, create(FillsSchema, { header })))).orderFillList).toEqual([]);
    const filterConditions = { beginTime: '2026-11-20 10:00:00', endTime: '2026-11-20 10:00:01' };
    const history = await answer(getHistoryOrders(f.simulation, create(HistoryOrdersSchema, { header, filterConditions })));
    expect(history.orderList.map((order) => order.orderID)).toEqual([working, filled]);
    const fills = await answer(getHistoryDeals(f.simulation, create(HistoryFillsSchema, { header, filterConditions })));
    expect(fills.orderFillList.map((fill) => fill.orderID)).toEqual([filled]);
    const day = { beginTime: '2026-11-21', endTime: '2026-11-22' };
    expect(
      (await answer(getHistoryOrders(f.simulation, create(HistoryOrdersSchema, { header, filterConditions: day })))).orderList,
    ).toEqual([]);
    expect(await refusal(getHistoryOrders(f.simulation, create(HistoryOrdersSchema, { header, filterConditions: {} })))).toContain(
      'missing field "filterConditions.beginTime": required for history; also missing: "filterConditions.endTime"',
    );
  });

  it('have their fees item by item', async () => {
    const { f, filled, header } = await traded();
    const { orderFeeList } = await answer(getOrderFee(f.simulation, create(FeeSchema, { header, orderIdExList: [f.order(filled).idEx] })));
    expect(orderFeeList[0]?.feeAmount).toBe(186.24);
    expect(orderFeeList[0]?.feeList).toContainEqual(expect.objectContaining({ title: 'Stamp Duty', value: 120 }));
    const withoutMarket = create(FeeSchema, { header: { ...header, trdMarket: 0 }, orderIdExList: [f.order(filled).idEx] });
    expect((await answer(getOrderFee(f.simulation, withoutMarket))).orderFeeList).toEqual(orderFeeList);
    expect(await refusal(getOrderFee(f.simulation, create(FeeSchema, { header, orderIdExList: ['1234'] })))).toContain('has no order');
  });

  it('become pushes', async () => {
    const { f, filled } = await traded();
    const { world } = f.simulation;
    const own = f.events
      .filter(({ order }) => order.id === filled)
      .map((event) => (event.kind === 'order' ? orderPush(world, event.account, event.order) : fillPush(world, event.account, event.fill)));
    expect(own.map((push) => push.$typeName)).toEqual([
      'Trd_UpdateOrder.Response',
      'Trd_UpdateOrder.Response',
      'Trd_UpdateOrderFill.Response',
      'Trd_UpdateOrder.Response',
    ]);
    expect(own.at(-1)).toMatchObject({ retType: 0, s2c: { header: { accID: ids.hkCash, trdEnv: 0, trdMarket: 1 } } });
  });
});

describe('what an account has', () => {
  it('positions: cost, profit, today', async () => {
    const { f, header } = await traded();
    f.trade(HK, '605', 100n, 0);
    await f.pass();
    const { positionList } = await answer(getPositions(f.simulation, create(PositionsSchema, { header })));
    expect(positionList).toMatchObject([
      {
        code: '00700',
        qty: 200,
        canSellQty: 200,
        price: 605,
        val: 121_000,
        plVal: 1_000,
        costPrice: 600,
        dilutedCostPrice: 600,
        averageCostPrice: 600,
        unrealizedPL: 1_000,
        tdBuyQty: 200,
        tdBuyVal: 120_000,
        tdPlVal: 1_000,
        currency: 1,
        positionSide: 0,
      },
    ]);
    // A fraction, as published samples show it, and so is the filter.
    expect(positionList[0]?.plRatio).toBeCloseTo(1 / 120, 9);
    expect(positionList[0]?.averagePlRatio).toBeCloseTo(1 / 120, 9);
    const above = async (filterPLRatioMin: number) =>
      (await answer(getPositions(f.simulation, create(PositionsSchema, { header, filterPLRatioMin })))).positionList.length;
    expect([await above(0.008), await above(0.009)]).toEqual([1, 0]);
  });

  it('the published sample: 300 at 611.5, traded at 601', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['611.5', 300n]]);
    await f.place(ids.hkCash, { code: '00700', qty: 300, price: 611.5 });
    await f.pass();
    f.trade(HK, '601', 100n, 0);
    const header = f.header(f.account(ids.hkCash));
    const { positionList } = await answer(getPositions(f.simulation, create(PositionsSchema, { header })));
    expect(positionList).toMatchObject([{ qty: 300, price: 601, costPrice: 611.5, val: 180_300, plVal: -3_150 }]);
    expect(positionList[0]?.plRatio).toBeCloseTo(-0.017170891251022, 9);
  });

  it('a position that was closed today has numbers of 0, and no field is left out', async () => {
    const { f, header } = await traded();
    f.book(HK, [['610', 200n]], []);
    await f.place(ids.hkCash, { ...buy, trdSide: 2, price: 610 });
    await f.pass();
    const { positionList } = await answer(getPositions(f.simulation, create(PositionsSchema, { header })));
    const [closed] = positionList;
    expect(closed).toMatchObject({ qty: 0, costPrice: 0, averageCostPrice: 0, dilutedCostPrice: 0, plRatio: 0, averagePlRatio: 0 });
    for (const field of ['costPrice', 'averageCostPrice', 'dilutedCostPrice', 'plRatio', 'averagePlRatio'])
      expect([field, isFieldSet(closed!, PositionSchema.fields.find((one) => one.name === field)!)]).toEqual([field, true]);
  });

  it('the legs of strategies are grouped where the view of strategies is asked for', async () => {
    const f = Fixture.open();
    f.trade('US.AAPL', '270', 1n, 1);
    const trade = async (code: string, trdSide: number, qty: number, price: number) => {
      f.book(`US.${code}`, [[`${price}`, 1_000n]], [[`${price}`, 1_000n]]);
      await f.place(ids.us, { code, trdSide, qty, price });
      await f.pass();
      f.book(`US.${code}`, [], []);
    };
    // An iron condor of two, and beside it a vertical, a covered call and a call of its own.
    await trade('AAPL261127P260000', 1, 2, 1);
    await trade('AAPL261127P265000', 3, 2, 2);
    await trade('AAPL261127C275000', 3, 2, 2);
    await trade('AAPL261127C280000', 1, 2, 1);
    await trade('AAPL261218C270000', 1, 3, 8);
    await trade('AAPL261218C280000', 3, 3, 4);
    await trade('AAPL', 1, 100, 270);
    await trade('AAPL261120C290000', 3, 1, 1);
    await trade('AAPL261127C290000', 1, 5, 1);
    const header = f.header(f.account(ids.us));
    const view = async (optionStrategyView: boolean) =>
      (await answer(getPositions(f.simulation, create(PositionsSchema, { header, optionStrategyView })))).positionList;
    const grouped = await view(true);
    const typeOf = new Map(grouped.map(({ code, strategyType }) => [code, strategyType]));
    const comboOf = new Map(grouped.map(({ code, comboID }) => [code, comboID]));
    const {
      OptionStrategyType_IronCondor: condor,
      OptionStrategyType_Spread: spread,
      OptionStrategyType_Covered: covered,
    } = OptionStrategyType;
    const sets = [
      [condor, ['AAPL261127P260000', 'AAPL261127P265000', 'AAPL261127C275000', 'AAPL261127C280000']],
      [spread, ['AAPL261218C270000', 'AAPL261218C280000']],
      [covered, ['AAPL', 'AAPL261120C290000']],
      [0, ['AAPL261127C290000']],
    ] as const;
    for (const [type, codes] of sets) {
      expect(codes.map((code) => typeOf.get(code))).toEqual(codes.map(() => type));
      expect(new Set(codes.map((code) => comboOf.get(code))).size).toBe(1);
    }
    expect(new Set(sets.map(([, [code]]) => comboOf.get(code))).size).toBe(sets.length);
    expect((await view(false)).every(({ comboID, strategyType }) => comboID === 0n && strategyType === 0)).toBe(true);
  });

  it('funds: cash, what is frozen, what is left', async () => {
    const { f, header } = await traded();
    const { funds } = await answer(getFunds(f.simulation, create(FundsSchema, { header })));
    // Bought 200 at 600 with 186.24 of fees; 200 at 590 are working, 183.58 of fees set aside.
    expect(funds).toMatchObject({ currency: 1, cash: 9_879_813.76, marketVal: 120_000, totalAssets: 9_999_813.76, debtCash: 0 });
    expect(funds?.frozenCash).toBeGreaterThan(118_000);
    expect(funds?.power).toBe(funds?.netCashPower);
    expect((funds?.power ?? 0) + (funds?.frozenCash ?? 0)).toBeCloseTo(9_879_813.76, 6);
  });

  it('the universal account, in the currency that is asked for', async () => {
    const f = Fixture.open();
    const header = f.header(f.account(ids.real));
    const inDollars = (await answer(getFunds(f.simulation, create(FundsSchema, { header, currency: 2 })))).funds;
    const inHongKong = (await answer(getFunds(f.simulation, create(FundsSchema, { header, currency: 1 })))).funds;
    expect(inDollars?.currency).toBe(2);
    expect((inHongKong?.totalAssets ?? 0) / (inDollars?.totalAssets ?? 1)).toBeCloseTo(7.7725, 6);
    expect(inDollars?.cashInfoList).toHaveLength(6);
    expect(await refusal(getFunds(f.simulation, create(FundsSchema, { header, currency: 42 })))).toContain('currency 42 is not accepted');
  });

  it('how much can be traded: that much is accepted, a lot more is not', async () => {
    const { f, header } = await traded();
    const { maxTrdQtys } = await answer(
      getMaxTrdQtys(f.simulation, create(MaxSchema, { header, orderType: 1, code: '00700', price: 600 })),
    );
    expect(maxTrdQtys?.maxPositionSell).toBe(200);
    const most = maxTrdQtys?.maxCashBuy ?? 0;
    expect(await f.refusal(ids.hkCash, { ...buy, qty: most + 100 })).toContain('insufficient buying power');
    await f.place(ids.hkCash, { ...buy, qty: most });
  });

  it('how much can be traded on margin, and sold short', async () => {
    const f = Fixture.open();
    const header = f.header(f.account(ids.hkMargin));
    const { maxTrdQtys } = await answer(
      getMaxTrdQtys(f.simulation, create(MaxSchema, { header, orderType: 1, code: '00700', price: 600 })),
    );
    const { maxCashBuy = 0, maxCashAndMarginBuy = 0, maxSellShort = 0 } = maxTrdQtys ?? {};
    expect(maxCashAndMarginBuy).toBeGreaterThan(maxCashBuy * 1.9);
    expect(await f.refusal(ids.hkMargin, { ...buy, qty: maxCashAndMarginBuy + 100 })).toContain('insufficient buying power');
    expect(maxSellShort).toBeGreaterThan(maxCashBuy);
    await f.place(ids.hkMargin, { ...buy, qty: maxCashAndMarginBuy });
  });

  it('margin ratios', async () => {
    const f = Fixture.open();
    const header = f.header(f.account(ids.hkMargin));
    const securityList = [
      { market: 1, code: '00700' },
      { market: 21, code: '600519' },
    ];
    const { marginRatioInfoList } = await answer(getMarginRatio(f.simulation, create(MarginSchema, { header, securityList })));
    expect(marginRatioInfoList).toMatchObject([
      { isLongPermit: true, isShortPermit: true, imLongRatio: 50 },
      { isLongPermit: false, isShortPermit: false },
    ]);
    const unknown = create(MarginSchema, { header, securityList: [{ market: 1, code: '99999' }] });
    expect(await refusal(getMarginRatio(f.simulation, unknown))).toContain('unknown symbol HK.99999');
  });
});
