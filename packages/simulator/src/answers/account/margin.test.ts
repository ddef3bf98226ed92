import { create, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type S2C as Info,
  C2SSchema as InfoSchema,
  S2CSchema as MarginInfoSchema,
  PositionMarginSchema,
} from '@svc-gateway/contract/generated/svc/margin_info_pb';
import { AccCashInfoSchema, PositionSchema, FundsSchema as ShownFundsSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as ComboSchema } from '@svc-gateway/contract/generated/Trd_GetComboMaxTrdQtys_pb';
import { type S2C as Funds, C2SSchema as FundsSchema } from '@svc-gateway/contract/generated/Trd_GetFunds_pb';
import { C2SSchema as MaxSchema } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import { C2SSchema as PositionsSchema } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fixture, ids } from '../../../../../test/support/brokerage.js';
import { session, sessionAccounts, sessionStep } from '../../../../../test/support/sessions.js';
import { answer as answered } from '../../../../../test/support/settled.js';
import { Refusal } from '../../refusal.js';
import { getFunds } from './get-funds.js';
import { getComboMaxTrdQtys, getMaxTrdQtys } from './get-max-trd-qtys.js';
import { getPositions } from './get-positions.js';
import { getMarginInfo } from './margin.js';

const header = (f: Fixture, id: bigint) => f.header(f.account(id));
const infoOf = (f: Fixture, id: bigint): Promise<Info> =>
  answered(getMarginInfo(f.simulation, create(InfoSchema, { header: header(f, id) })));
const fundsOf = async (f: Fixture, id: bigint): Promise<NonNullable<Funds['funds']>> => {
  const { funds } = await answered(getFunds(f.simulation, create(FundsSchema, { header: header(f, id) })));
  if (funds === undefined) throw new Error('no funds');
  return funds;
};
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

describe('margin', () => {
  it('of the positions adds up to the account’s, which is that of its funds, through any session', async () => {
    let positions = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(sessionStep, { minLength: 5, maxLength: 15 }), async (steps) => {
        let last: Fixture | undefined;
        for await (const f of session('calendar', steps)) last = f;
        if (last === undefined) return;
        for (const id of sessionAccounts) {
          const info = await infoOf(last, id);
          const funds = await fundsOf(last, id);
          expect(info.netAssets).toBe(funds.totalAssets);
          positions += info.positionList.length;
          if (!info.isMarginAccount) {
            expect([info.initialMargin, info.reservedMargin, info.positionList]).toEqual([0, 0, []]);
            continue;
          }
          expect(info.initialMargin + info.reservedMargin).toBeCloseTo(funds.initialMargin, 6);
          expect(info.maintenanceMargin).toBe(funds.maintenanceMargin);
          expect(Math.max(0, info.availableMargin)).toBeCloseTo(funds.availableFunds, 6);
          expect(sum(info.positionList.map((one) => one.initialMargin))).toBeCloseTo(info.initialMargin, 6);
          expect(sum(info.positionList.map((one) => one.maintenanceMargin))).toBeCloseTo(info.maintenanceMargin, 6);
          for (const one of info.positionList) {
            expect(one.initialMargin).toBeCloseTo((Math.abs(one.marketValue) * one.initialRatio) / 100, 6);
            expect([one.initialRatio > one.marginCallRatio, one.marginCallRatio >= one.maintenanceRatio]).toEqual([true, true]);
            expect(one.positionSide).toBe(one.qty < 0 ? 1 : 0);
          }
        }
      }),
      { numRuns: 8 },
    );
    expect(positions).toBeGreaterThan(0);
  });

  it('shows in words how far the assets reach', async () => {
    const f = Fixture.open();
    f.book('HK.00700', [['600', 100_000n]], [['600', 100_000n]]);
    expect(await infoOf(f, ids.hkMargin)).toMatchObject({ marginStatus: 1, riskRatio: 0, currency: 1 });
    await f.place(ids.hkMargin, { code: '00700', qty: 33_000, price: 600, trdSide: 1 });
    await f.pass();
    const statuses: number[] = [];
    for (const price of ['600', '590', '520', '490', '100']) {
      f.trade('HK.00700', price, 1n, 1);
      statuses.push((await infoOf(f, ids.hkMargin)).marginStatus);
    }
    expect(statuses).toEqual([1, 2, 2, 4, 4]);
    expect((await infoOf(f, ids.hkMargin)).excessLiquidity).toBeLessThan(0);
  });

  it('is refused in currencies that the account does not have', async () => {
    const f = Fixture.open();
    const answer = await getMarginInfo(f.simulation, create(InfoSchema, { header: header(f, ids.hkMargin), currency: 2 }));
    expect(answer).toEqual(new Refusal(`account ${ids.hkMargin} has no USD; its currencies: HKD`, 'broker.value'));
  });
});

describe('an order of several legs', () => {
  const leg = (code: string, side: number, qtyRatio = 1) => ({ security: { market: 1, code }, side, qtyRatio });
  const opened = () => {
    const f = Fixture.open();
    f.book('HK.00700', [['600', 10_000n]], [['600', 10_000n]]);
    f.book('HK.00005', [['100', 10_000n]], [['100', 10_000n]]);
    f.trade('HK.00700', '600', 1n, 1);
    f.trade('HK.00005', '100', 1n, 1);
    return f;
  };
  const effect = async (f: Fixture, id: bigint, asked: object) => {
    const request = create(ComboSchema, { header: header(f, id), orderType: 1, qty: 400, price: 700, ...asked });
    const { maxTrdQtys } = await answered(getComboMaxTrdQtys(f.simulation, request));
    if (maxTrdQtys === undefined) throw new Error('no effect');
    return maxTrdQtys;
  };

  it.each([
    ['bought on margin', ids.hkMargin, [leg('00700', 1), leg('00005', 1)], 700],
    ['bought for cash', ids.hkCash, [leg('00700', 1), leg('00005', 1)], 700],
    ['one bought, one sold short', ids.hkMargin, [leg('00700', 1), leg('00005', 3)], 500],
  ] as const)('%s: the preview equals the outcome', async (_, id, comboLegs, price) => {
    const f = opened();
    const told = await effect(f, id, { comboLegs, price });
    const before = await fundsOf(f, id);
    for (const { security, side } of comboLegs) {
      await f.place(id, { code: security.code, qty: 400, price: security.code === '00700' ? 600 : 100, trdSide: side });
      await f.pass();
    }
    const after = await fundsOf(f, id);
    expect(after.totalAssets - before.totalAssets).toBeCloseTo(told.nlvChange, 6);
    expect(after.initialMargin - before.initialMargin).toBeCloseTo(told.initialMarginChange, 6);
    expect(after.maintenanceMargin - before.maintenanceMargin).toBeCloseTo(told.maintenanceMarginChange, 6);
    expect(told.maxWithDrawChange).toBeLessThan(0);
    expect(told.buyPowerDecrease).toBeGreaterThan(0);
  });

  it('previews unaffordable orders too, and holds nothing', async () => {
    const f = opened();
    const comboLegs = [leg('00700', 1), leg('00005', 1)];
    const told = await effect(f, ids.hkMargin, { comboLegs, qty: 1_000_000 });
    expect(told.buyPowerDecrease).toBeGreaterThan(told.optionBuyPower);
    expect((await fundsOf(f, ids.hkMargin)).frozenCash).toBe(0);
  });

  it.each([
    [{ comboLegs: [] }, 'comboLegs has 0 legs: from 1 to 4 are accepted'],
    [{ comboLegs: [leg('00700', 1), leg('00005', 9)] }, 'comboLegs[1]: trdSide 9 is not accepted'],
    [{ comboLegs: [leg('00700', 1), leg('NONE', 1)] }, 'comboLegs[1]: unknown symbol HK.NONE'],
    [{ comboLegs: [leg('00700', 1), leg('00005', 2)] }, 'insufficient position'],
    [{ comboLegs: [leg('00700', 1), leg('00005', 1)], orderType: 2 }, 'order type 2 (market) is not accepted'],
    [{ comboLegs: [leg('00700', 1), leg('00005', 1)], qty: 1 }, 'qty 1 is not a multiple of 400'],
    [{ comboLegs: [leg('00700', 1), leg('00005', 1)], orderIDEx: 'x' }, 'has no order of several legs "x"'],
  ])('is refused: %j', async (asked, text) => {
    const f = opened();
    const request = create(ComboSchema, { header: header(f, ids.hkMargin), orderType: 1, qty: 400, price: 700, ...asked });
    const answer = await getComboMaxTrdQtys(f.simulation, request);
    expect(answer instanceof Refusal ? answer.message : '').toContain(text);
  });
});

/** Trd_Common.Currency. */
const YEN = 4;
/** Prices, costs of a unit, ratios and quantities have digits of their own. */
const NO_MONEY = /price|ratio|qty|quantity|risk/i;

/** Amounts of a message and of those in it that have no currency of their own, by their paths. */
function amountsIn(desc: DescMessage, message: Record<string, unknown>, path = ''): (readonly [path: string, amount: number])[] {
  return desc.fields.flatMap((field) => {
    const value = message[field.localName];
    const at = `${path}${field.name}`;
    if (field.scalar === ScalarType.DOUBLE && field.fieldKind === 'scalar')
      return NO_MONEY.test(field.name) ? [] : [[at, Number(value)] as const];
    if (field.message === undefined || value === undefined) return [];
    if (field.message.fields.some(({ name }) => name === 'currency')) return [];
    return [value].flat().flatMap((one) => amountsIn(field.message as DescMessage, one as Record<string, unknown>, `${at}.`));
  });
}

describe('money', () => {
  it('has the decimals of its currency in funds, positions and margins, through any session', async () => {
    const others = new Set<number>();
    const check = (desc: DescMessage, message: object, currency: number) => {
      const decimals = currency === YEN ? 0 : 2;
      for (const [path, amount] of amountsIn(desc, message as Record<string, unknown>)) {
        if (amount % 1 !== 0) others.add(currency);
        expect([desc.typeName, path, currency, amount]).toEqual([desc.typeName, path, currency, Number(amount.toFixed(decimals))]);
      }
    };
    await fc.assert(
      fc.asyncProperty(fc.array(sessionStep, { minLength: 5, maxLength: 15 }), async (steps) => {
        let last: Fixture | undefined;
        for await (const f of session('calendar', steps)) last = f;
        if (last === undefined) return;
        const { simulation, brokerage } = last;
        for (const { id } of brokerage.accounts) {
          const of = header(last, id);
          for (const currency of [1, 2, 3, 4, 5, 8]) {
            const answer = await getFunds(simulation, create(FundsSchema, { header: of, currency }));
            if (answer instanceof Refusal || answer.funds === undefined) continue;
            check(ShownFundsSchema, answer.funds, answer.funds.currency);
            for (const one of answer.funds.cashInfoList) check(AccCashInfoSchema, one, one.currency);
          }
          const { positionList } = await answered(getPositions(simulation, create(PositionsSchema, { header: of })));
          for (const position of positionList) check(PositionSchema, position, position.currency);
          const info = await infoOf(last, id);
          check(MarginInfoSchema, { ...info, positionList: [] }, info.currency);
          for (const position of info.positionList) check(PositionMarginSchema, position, position.currency);
        }
      }),
      { numRuns: 8 },
    );
    expect(others.size).toBeGreaterThan(2);
  });

  it('has the decimals of its currency in the margins that futures ask for', async () => {
    const f = Fixture.open();
    const { world, market } = f.simulation;
    // Trd_Common.TrdMarket and TrdSecMarket of the simulated futures.
    const numbers: Partial<Record<QuoteMarket, readonly [trdMarket: number, secMarket: number]>> = {
      HK: [10, 1],
      US: [11, 2],
      SG: [12, 41],
      JP: [13, 51],
    };
    const finer = new Set<string>();
    for (const future of world.listed({ kind: 'future' })) {
      const [trdMarket, secMarket] = numbers[future.market] ?? [0, 0];
      const price = decimalToNumber(market.quote(future).last);
      const asked = { orderType: 1, code: future.code, secMarket, price, header: { ...header(f, ids.futures), trdMarket } };
      const { maxTrdQtys } = await answered(getMaxTrdQtys(f.simulation, create(MaxSchema, asked)));
      for (const margin of [maxTrdQtys?.longRequiredIM ?? Number.NaN, maxTrdQtys?.shortRequiredIM ?? Number.NaN]) {
        expect([future.symbol, margin]).toEqual([future.symbol, Number(margin.toFixed(future.currency === 'JPY' ? 0 : 2))]);
        if (margin % 1 !== 0) finer.add(future.symbol);
      }
    }
    expect(finer.size).toBeGreaterThan(2);
  });
});
