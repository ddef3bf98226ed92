import { refusalCode } from '@svc-gateway/contract/broker-codes';
import { derivatives, metadata } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { named } from '../../../../../test/support/plate-views.js';
import { security, sharedBackend } from '../../../../../test/support/sim-backend.js';

const simulated = sharedBackend({ calendarMode: 'calendar' });

describe('a warrant screen', () => {
  const screenedWarrants = (fields: object) => simulated.payload(metadata.warrantScreen, { marketType: 1, pageCount: 200, ...fields });
  const onTencent = { fieldId: 5, choices: [{ contentType: 2, text: 'HK.00700' }] };

  it('agrees with the list of warrants of a stock', async () => {
    const { warrants, allCount } = await screenedWarrants({ filterList: [onTencent] });
    const theirs = await simulated.payload(derivatives.getWarrant, {
      owner: security('HK.00700'),
      begin: 0,
      num: 200,
      sortField: 1,
      ascend: true,
    });
    expect(allCount).toBe(theirs.allCount);
    for (const [i, item] of warrants.entries()) {
      const other = theirs.warrantDataList[i];
      expect(named(item.security)).toBe(named(other?.stock));
      expect([
        item.currentPrice,
        item.strikePrice,
        item.effectiveLeverage,
        item.streetRate,
        item.volume,
        item.warrantType,
        item.issuerId,
      ]).toEqual([
        other?.curPrice,
        other?.strikePrice,
        other?.effectiveLeverage,
        other?.streetRate,
        other?.volume,
        other?.type,
        other?.issuer,
      ]);
      expect(item.ownerSecurity?.code).toBe('00700');
    }
  });

  it('leaves what meets every condition, sorted, or counts it', async () => {
    const { warrants } = await screenedWarrants({ filterList: [onTencent] });
    const type = warrants[0]?.warrantType ?? 0;
    const prices = warrants.map(({ currentPrice }) => currentPrice).sort((a, b) => a - b);
    const middle = prices[Math.floor(prices.length / 2)] ?? 0;
    const filterList = [
      onTencent,
      { fieldId: 6, choices: [{ contentType: 1, value: BigInt(type) }] },
      { fieldId: 8, interval: { filterMin: { value: middle, includes: false } } },
    ];
    const passed = await screenedWarrants({ filterList, sortList: [{ sortFieldId: 8, direction: 1 }] });
    const expected = warrants.filter((one) => one.warrantType === type && one.currentPrice > middle);
    expect(passed.warrants.map(({ currentPrice }) => currentPrice)).toEqual(expected.map((one) => one.currentPrice).sort((a, b) => b - a));
    const counted = await screenedWarrants({ filterList, onlyCount: true });
    expect([counted.warrants, counted.allCount, counted.lastPage]).toEqual([[], expected.length, true]);
    expect((await screenedWarrants({ marketType: 4 })).allCount).toBe(0);
  });

  it('refuses an owner that is not listed, as other requests do', async () => {
    const unknown = (choices: readonly object[]) =>
      simulated.call(metadata.warrantScreen, { marketType: 1, filterList: [{ fieldId: 5, choices }] });
    const named = await unknown([
      { contentType: 2, text: 'HK.00700' },
      { contentType: 2, text: 'HK.700' },
    ]);
    expect(named).toMatchObject({ retType: -1, retMsg: 'unknown symbol HK.700; did you mean HK.00700?' });
    expect(refusalCode(named).code).toBe('broker.unknown_code');
    const numbered = await unknown([{ contentType: 1, value: 5n }]);
    expect(refusalCode(numbered).code).toBe('broker.unknown_code');
    const misspelt = await unknown([{ contentType: 2, text: '00700' }]);
    expect(misspelt.retMsg).toContain(
      'filter_list[0].choices[0].text: expected MARKET.CODE (such as "HK.00700"), found "00700"; in that form, listed or not: HK.00700',
    );
    // Without warrants of its own, a listed stock has an empty list.
    expect((await screenedWarrants({ filterList: [{ fieldId: 5, choices: [{ contentType: 2, text: 'US.AAPL' }] }] })).allCount).toBe(0);
  });

  it.each([
    [{ filterList: [{ fieldId: 7 }] }, 'field 7 is not served; served: 1, 4, 5'],
    [{ filterList: [{ fieldId: 6, interval: {} }] }, 'is chosen from a list'],
    [{ filterList: [{ fieldId: 8, choices: [{ contentType: 1, value: 1n }] }] }, 'lies in an interval'],
    [{ sortList: [{ sortFieldId: 8, direction: 2 }] }, 'direction: 2 is none'],
    [{ pageCount: 201 }, 'page_count: 201 is out of range'],
  ])('refuses what it does not serve (%#)', async (fields, says) => {
    expect(await simulated.refusal(metadata.warrantScreen, { marketType: 1, ...fields })).toContain(says);
  });
});
