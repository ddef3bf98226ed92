import { create } from '@bufbuild/protobuf';
import { type Decimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { BasicQotSchema, CompanyAct, type Rehab, RehabSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { C2SSchema } from '@svc-gateway/contract/generated/svc/place_bracket_order_pb';
import { expect, it } from 'vitest';
import { type Bracket, newBracket, unclosed } from './bracket.js';
import { afterShareChange, quoteDay, shareChanges } from './share-changes.js';

const dec = (text: string): Decimal => parseDecimal(text) ?? -1n;
const rehab = (flag: number, terms: Partial<Omit<Rehab, '$typeName'>> = {}, time = '2026-11-24') =>
  create(RehabSchema, { time, companyActFlag: BigInt(flag), fwdFactorA: 1, fwdFactorB: 0, bwdFactorA: 1, bwdFactorB: 0, ...terms });
const entry = create(C2SSchema, { qty: 1_000, takeProfitPrice: 120, stopLossPrice: 90, stopLossLimitPrice: 89.5 });
const bracket: Bracket = {
  ...newBracket('id', 'desk', entry, 'remark', 0),
  state: 'open',
  levelsOf: '2026-11-20',
  entryFilled: dec('1005'),
  closed: dec('100'),
};
const { CompanyAct_Split, CompanyAct_Join, CompanyAct_Bonus, CompanyAct_Transfer, CompanyAct_Allot, CompanyAct_SpinOff } = CompanyAct;

it.each([
  ['a split', rehab(CompanyAct_Split, { splitBase: 1, splitErt: 4 }), ['30', '22.5', '22.375'], '3620'],
  ['a consolidation, whose fraction is paid out', rehab(CompanyAct_Join, { joinBase: 10, joinErt: 1 }), ['1200', '900', '895'], '90'],
  [
    'a bonus and a transfer of one day',
    rehab(CompanyAct_Bonus | CompanyAct_Transfer, { bonusBase: 10, bonusErt: 2, transferBase: 10, transferErt: 10 }),
    ['50', '37.5', '37.291666666'],
    '2172',
  ],
  // Nine old shares at 90 and one at 45 are worth 85.5 each.
  ['rights', rehab(CompanyAct_Allot, { allotBase: 9, allotErt: 1, allotPrice: 45 }), ['112.5', '85.5', '85.05'], '905'],
  ['a part that is split off', rehab(CompanyAct_SpinOff, { fwdFactorA: 0.8, fwdFactorB: -0.5 }), ['95.5', '71.5', '71.1'], '905'],
])('prices and what is open follow %s', (_, change, prices, open) => {
  const after = afterShareChange(bracket, change);
  expect([after.takeProfit, after.stopLoss, after.stopLimit]).toEqual(prices.map(dec));
  expect([unclosed(after), after.levelsOf]).toEqual([dec(open), '2026-11-24']);
});

it('counts what changes the shares after the day of the prices, oldest first, and no dividend', () => {
  const split = { splitBase: 1, splitErt: 2 };
  const days = ['2026-11-26', '2026-11-20', '2026-11-24', '2026-11-27'];
  const list = days.map((day) => rehab(CompanyAct_Split, split, day));
  list.push(rehab(CompanyAct.CompanyAct_Dividend, { dividend: 1 }, '2026-11-25'));
  expect(shareChanges(list, '2026-11-20', '2026-11-26').map(({ time }) => time)).toEqual(['2026-11-24', '2026-11-26']);
});

it.each([
  ['2026-11-20 09:30:00', 0, '2026-11-20'],
  ['', Date.UTC(2026, 10, 20, 1) / 1000, '2026-11-19'],
  ['', 0, ''],
  ['soon', Number.NaN, ''],
  ['', 1e300, ''],
  ['', -1, ''],
])('a quote of %j, %d is of the day %j in New York', (updateTime, updateTimestamp, day) => {
  expect(quoteDay(create(BasicQotSchema, { updateTime, updateTimestamp }), 'America/New_York')).toBe(day);
});
