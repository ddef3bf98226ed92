import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fixture, ids } from '../../../../test/support/brokerage.js';
import { session, sessionAccounts, sessionStep } from '../../../../test/support/sessions.js';
import { type S2C as Info, C2SSchema as InfoSchema } from '../../../contract/generated/svc/margin_info_pb.js';
import { C2SSchema as ComboSchema } from '../../../contract/generated/Trd_GetComboMaxTrdQtys_pb.js';
import { type S2C as Funds, C2SSchema as FundsSchema } from '../../../contract/generated/Trd_GetFunds_pb.js';
import { Refusal } from '../../refusal.js';
import { getComboMaxTrdQtys } from './get-combo-max-trd-qtys.js';
import { getFunds } from './get-funds.js';
import { getMarginInfo } from './get-margin-info.js';

async function answered<T>(value: T | Refusal | Promise<T | Refusal>): Promise<T> {
  const settled = await value;
  if (settled instanceof Refusal) throw new Error(settled.message);
  return settled;
}

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
    expect(answer).toEqual(new Refusal(`account ${ids.hkMargin} has no USD; its currencies: HKD`));
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
  ] as const)('%s: what is told beforehand is what comes of it', async (_, id, comboLegs, price) => {
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

  it('tells of what the account cannot afford too, and holds nothing', async () => {
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
