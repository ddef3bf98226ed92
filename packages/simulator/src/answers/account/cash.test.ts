import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalFromNumber, parseDecimal } from '@svc-gateway/contract/decimal';
import { C2SSchema as DetailSchema } from '@svc-gateway/contract/generated/svc/cash_detail_pb';
import { type CashLog, C2SSchema as LogSchema } from '@svc-gateway/contract/generated/svc/cash_log_pb';
import { C2SSchema as FlowSchema } from '@svc-gateway/contract/generated/Trd_FlowSummary_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collected, Fixture, ids } from '../../../../../test/support/brokerage.js';
import { session, sessionAccounts, sessionStep } from '../../../../../test/support/sessions.js';
import { answer as answered } from '../../../../../test/support/settled.js';
import { currenciesOf } from '../../brokerage/account.js';
import { currencies } from '../../brokerage/terms.js';
import type { Entry } from '../../ledger/index.js';
import { Refusal } from '../../refusal.js';
import { getCashDetail, getCashLog } from './cash-log.js';
import { getFlowSummary } from './get-flow-summary.js';

const EVER = Number.MAX_SAFE_INTEGER;

const headerOf = (f: Fixture, id: bigint) => f.header(f.account(id));

/** Every row, page by page. */
async function logOf(f: Fixture, id: bigint, maxCnt: number, asked: Partial<{ currency: number; inOut: number }> = {}): Promise<CashLog[]> {
  const rows: CashLog[] = [];
  let logId = 0n;
  for (;;) {
    const page = await answered(getCashLog(f.simulation, create(LogSchema, { header: headerOf(f, id), maxCnt, logId, ...asked })));
    expect(page.logList.length).toBeLessThanOrEqual(maxCnt);
    rows.push(...page.logList);
    if (page.nextLogId === 0n) return rows;
    logId = page.nextLogId;
  }
}

const amountOf = (text: string): Decimal => {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`no decimal: ${text}`);
  return amount;
};

const sumOf = (rows: readonly CashLog[], currency: Currency): Decimal =>
  rows.filter((row) => row.currency === currencies.numberOf(currency)).reduce((sum, row) => sum + amountOf(row.amount), 0n);

const described = ({ currency, amount, day }: Entry): string => `${currencies.numberOf(currency)} ${amount} ${day}`;

async function checkLog(f: Fixture, id: bigint, maxCnt: number): Promise<void> {
  const { money } = f.brokerage.records;
  const account = f.account(id);
  const rows = await logOf(f, id, maxCnt);
  expect(rows.map(({ logId }) => logId)).toEqual([...new Set(rows.map(({ logId }) => logId))].sort((a, b) => (a < b ? 1 : -1)));
  // The rows are the cash.
  for (const currency of currenciesOf(account))
    expect([currency, sumOf(rows, currency)]).toEqual([currency, money.balances(id, currency).cash]);

  // Every entry is in the detail of one row, or in a transaction that leaves cash as it is.
  const transactions = await collected(money.transactions(id, 0, EVER));
  const touched = new Map<string, number>();
  const count = (key: string, by: number) => touched.set(key, (touched.get(key) ?? 0) + by);
  const own = (balance: string) => balance === 'settled' || balance === 'unsettled';
  for (const { cause, entries } of transactions) {
    const moved = new Map<Currency, Decimal>();
    for (const entry of entries) {
      if (!own(entry.balance)) continue;
      moved.set(entry.currency, (moved.get(entry.currency) ?? 0n) + entry.amount);
      if (cause !== 'settlement') count(described(entry), 1);
    }
    if (cause === 'settlement') expect([...moved.values()].every((sum) => sum === 0n)).toBe(true);
  }
  for (const row of rows) count(`${row.currency} ${amountOf(row.amount)} ${row.settlementDate}`, -1);
  expect([...touched].filter(([, left]) => left !== 0)).toEqual([]);

  // A clearing day's flows are its rows, to the last.
  const days = [...new Set(rows.map(({ clearingDate }) => clearingDate))];
  const flows: bigint[] = [];
  for (const clearingDate of days) {
    const request = create(FlowSchema, { header: headerOf(f, id), clearingDate });
    const { flowSummaryInfoList } = await answered(getFlowSummary(f.simulation, request));
    for (const flow of flowSummaryInfoList) {
      const row = rows.find(({ logId }) => logId === flow.cashFlowID);
      expect(flow).toMatchObject({
        clearingDate,
        settlementDate: row?.settlementDate,
        cashFlowDirection: row?.inOut,
        cashFlowType: row?.title,
      });
      expect(decimalFromNumber(flow.cashFlowAmount)).toBe(amountOf(row?.amount ?? ''));
      flows.push(flow.cashFlowID);
    }
  }
  expect(flows.sort()).toEqual(rows.map(({ logId }) => logId).sort());
}

it('every movement of cash is in the log and in its day’s flows once, and they add up to the cash, through any session', async () => {
  const titles = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('open' as const, 'calendar' as const),
      fc.array(sessionStep, { minLength: 5, maxLength: 25 }),
      fc.integer({ min: 1, max: 7 }),
      async (mode, steps, maxCnt) => {
        let last: Fixture | undefined;
        for await (const f of session(mode, steps)) last = f;
        if (last === undefined) return;
        for (const id of sessionAccounts) {
          await checkLog(last, id, maxCnt);
          for (const { title } of await logOf(last, id, 500)) titles.add(title);
        }
      },
    ),
    { numRuns: 12 },
  );
  const expected = ['Opening balance', 'Trade', 'Fees', 'Dividend', 'Cash in lieu of fractions', 'Daily settlement'];
  expect([...titles]).toEqual(expect.arrayContaining(expected));
});

/** A purchase and a sale of the same shares. */
async function traded(): Promise<Fixture> {
  const f = Fixture.open();
  await f.pass(2_000);
  f.book('HK.00700', [['600', 1_000n]], [['600', 1_000n]]);
  await f.place(ids.hkCash, { code: '00700', qty: 200, price: 600, trdSide: 1 });
  await f.pass(2_000);
  await f.place(ids.hkCash, { code: '00700', qty: 100, price: 600, trdSide: 2 });
  await f.pass();
  return f;
}

it('conditions select rows: direction, group, sub-group, words, security, number, currency, time', async () => {
  const f = await traded();
  const header = headerOf(f, ids.hkCash);
  const titles = async (asked: object) => {
    const { logList } = await answered(getCashLog(f.simulation, create(LogSchema, { header, ...asked })));
    return logList.map(({ title, inOut }) => `${title} ${inOut}`);
  };
  const all = ['Fees 2', 'Trade 1', 'Fees 2', 'Trade 2', 'Opening balance 1'];
  expect(await titles({})).toEqual(all);
  expect(await titles({ inOut: 1 })).toEqual(['Trade 1', 'Opening balance 1']);
  expect(await titles({ inOut: 2 })).toEqual(['Fees 2', 'Fees 2', 'Trade 2']);
  expect(await titles({ bizGroupId: 1 })).toEqual(all.slice(0, 4));
  expect(await titles({ bizGroupId: 1, bizSubGroupId: 102 })).toEqual(['Fees 2', 'Fees 2']);
  expect(await titles({ bizSubGroupId: 501 })).toEqual(['Opening balance 1']);
  expect(await titles({ keyword: 'TRADE' })).toEqual(['Trade 1', 'Trade 2']);
  expect(await titles({ keyword: '00700' })).toEqual(all.slice(0, 4));
  expect(await titles({ security: { market: 1, code: '00700' } })).toEqual(all.slice(0, 4));
  expect(await titles({ stockId: f.instrument('HK.00700').id })).toEqual(all.slice(0, 4));
  expect(await titles({ stockId: 1n })).toEqual([]);
  expect(await titles({ currency: 1 })).toEqual(all);
  expect(await titles({ currency: 2 })).toEqual([]);
  const { logList } = await answered(getCashLog(f.simulation, create(LogSchema, { header })));
  const [sold, bought] = [logList[0]?.time ?? 0n, logList[2]?.time ?? 0n];
  expect(sold).toBeGreaterThan(bought);
  expect(await titles({ beginTime: sold })).toEqual(all.slice(0, 2));
  expect(await titles({ endTime: bought })).toEqual(all.slice(2));
  expect(await titles({ beginTime: bought, endTime: bought })).toEqual(all.slice(2, 4));
});

it('refuses what is no condition, and rows of other accounts', async () => {
  const f = await traded();
  const header = headerOf(f, ids.hkCash);
  const refusal = async (asked: object) => {
    const answer = await getCashLog(f.simulation, create(LogSchema, { header, ...asked }));
    return answer instanceof Refusal ? answer.message : undefined;
  };
  expect(await refusal({ bizGroupId: 9 })).toContain('biz_group_id 9: expected one of 1 (Trading)');
  expect(await refusal({ bizGroupId: 1, bizSubGroupId: 501 })).toContain(
    'biz_sub_group_id 501: expected one of 101 (Trade), 102 (Fees) of Trading',
  );
  expect(await refusal({ beginTime: 2n, endTime: 1n })).toBe('begin_time 2 is after end_time 1');
  expect(await refusal({ security: { market: 1, code: 'NONE' } })).toBe('unknown symbol HK.NONE');
  const [row] = (await answered(getCashLog(f.simulation, create(LogSchema, { header })))).logList;
  const others = headerOf(f, ids.hkMargin);
  const logId = row?.logId ?? 0n;
  expect(await refusal({ logId, header: others })).toBe(`log_id ${logId} is no row of the cash log of account ${ids.hkMargin}`);
  expect(await getCashDetail(f.simulation, create(DetailSchema, { header: others, logId }))).toBeInstanceOf(Refusal);
});

it('a row’s detail is the whole transaction, with its order and fill', async () => {
  const f = await traded();
  const header = headerOf(f, ids.hkCash);
  const { logList } = await answered(getCashLog(f.simulation, create(LogSchema, { header })));
  const details = await Promise.all(
    logList.map(({ logId }) => answered(getCashDetail(f.simulation, create(DetailSchema, { header, logId })))),
  );
  for (const [index, { detailList }] of details.entries()) {
    const row = logList[index];
    expect(detailList.find(({ logId }) => logId === row?.logId)).toMatchObject({
      amount: row?.amount,
      title: row?.title,
      currency: row?.currency,
    });
  }
  expect(details[0]?.detailList.map(({ title, balance, qty, price, trdSide }) => [title, balance, qty, price, trdSide])).toEqual([
    ['Trade', 2, '100', '600', 2],
    ['Fees', 2, '100', '600', 2],
  ]);
  expect(details[0]?.detailList[0]).toMatchObject({
    code: '00700',
    secMarket: 1,
    trdMarket: 1,
    cause: 'Trade',
    settlementDate: '2026-11-22',
  });
});

it('flows of one direction', async () => {
  const f = await traded();
  const header = headerOf(f, ids.hkCash);
  const flows = async (clearingDate: string, cashFlowDirection: number) => {
    const { flowSummaryInfoList } = await answered(
      getFlowSummary(f.simulation, create(FlowSchema, { header, clearingDate, cashFlowDirection })),
    );
    return flowSummaryInfoList.map((flow) => [flow.cashFlowType, flow.cashFlowAmount > 0]);
  };
  expect(await flows('2026-11-20', 1)).toEqual([
    ['Opening balance', true],
    ['Trade', true],
  ]);
  expect(await flows('2026-11-20', 2)).toEqual([
    ['Trade', false],
    ['Fees', false],
    ['Fees', false],
  ]);
  expect(await flows('2026-11-24', 0)).toEqual([]);
  expect(await getFlowSummary(f.simulation, create(FlowSchema, { header, clearingDate: '2026-02-30' }))).toBeInstanceOf(Refusal);
});
