import { create } from '@bufbuild/protobuf';
import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import type { Funds } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as FundsSchema } from '@svc-gateway/contract/generated/Trd_GetFunds_pb';
import { MemoryStore } from '@svc-gateway/storage';
import { describe, expect, it } from 'vitest';
import { collected, dec, Fixture, ids, START } from '../../../../../test/support/brokerage.js';
import { getFunds } from '../../answers/account/get-funds.js';
import type { CorporateAction, CorporateActions } from '../../companies/corporate-actions.js';
import { Refusal } from '../../refusal.js';
import { totalFees } from '../fees.js';
import { tablesOf } from '../tables.js';

const HK = 'HK.00700';
const DAY = 24 * 3_600_000;
/** From 10:00 in Hong Kong: past midnight there. */
const NIGHT = 15 * 3_600_000;

function issuers(...actions: (Partial<CorporateAction> & { symbol: string; exDay: string })[]): CorporateActions {
  return {
    corporateActions: (symbol, from, to) =>
      actions
        .filter((action) => action.symbol === symbol && action.exDay >= from && action.exDay <= to)
        .map(
          ({ symbol: _, ...action }) =>
            ({ announcedDay: '2026-11-01', recordDay: action.exDay, payDay: action.exDay, ...action }) as CorporateAction,
        ),
  };
}

async function holding(f: Fixture, id: bigint, code: string, qty: number, price: number, trdSide = 1): Promise<void> {
  const symbol = `${id === ids.us ? 'US' : 'HK'}.${code}`;
  f.book(symbol, [[`${price}`, 1_000_000n]], [[`${price}`, 1_000_000n]]);
  await f.place(id, { code, qty, price, trdSide });
  await f.pass();
  f.book(symbol, [], []);
}

async function funds(f: Fixture, id: bigint): Promise<Funds> {
  const answer = await getFunds(f.simulation, create(FundsSchema, { header: f.header(f.account(id)) }));
  if (answer instanceof Refusal || answer.funds === undefined) throw new Error('no funds');
  return answer.funds;
}

/** Ledger entries of an account, without numbers: "cause symbol: balance kind amount, …". */
async function booked(f: Fixture, id: bigint): Promise<string[]> {
  await f.pass(0);
  const transactions = await collected(f.brokerage.records.money.transactions(id, 0, Number.MAX_SAFE_INTEGER));
  return transactions.map(({ cause, symbol, entries }) => {
    const amounts = entries.map(
      ({ balance, kind, amount, currency, day }) => `${balance} ${kind} ${formatDecimal(amount)} ${currency} ${day}`,
    );
    return `${[cause, symbol].join(' ').trim()}: ${amounts.join(', ')}`;
  });
}

const of = (cause: string) => (line: string) => line.startsWith(`${cause} `) || line.startsWith(`${cause}:`);
const balances = (f: Fixture, id: bigint, currency: 'HKD' | 'USD' = 'HKD') => f.brokerage.records.money.balances(id, currency);

describe('settlement', () => {
  it('lets proceeds be traded with at once and leave once they have settled', async () => {
    const f = Fixture.open({ mode: 'calendar' });
    await holding(f, ids.hkCash, '00700', 10_000, 600);
    await f.pass(4 * DAY);
    expect(balances(f, ids.hkCash).unsettled).toBe(0n);
    const before = await funds(f, ids.hkCash);
    expect([before.cash, before.avlWithdrawalCash]).toEqual([before.power, before.power]);

    await holding(f, ids.hkCash, '00700', 10_000, 600, 2);
    const sold = await funds(f, ids.hkCash);
    expect(sold.power).toBeGreaterThan(before.power + 5_980_000);
    expect([sold.avlWithdrawalCash, sold.cashInfoList[0]?.availableBalance]).toEqual([before.cash, before.cash]);
    // Tuesday's trades settle on Thursday, from local midnight on.
    await f.pass(DAY);
    expect((await funds(f, ids.hkCash)).avlWithdrawalCash).toBe(before.cash);
    await f.pass(NIGHT);
    const settled = await funds(f, ids.hkCash);
    expect([settled.avlWithdrawalCash, settled.maxWithdrawal]).toEqual([sold.power, sold.power]);
  });

  it('counts what was bought as gone at once', async () => {
    const f = Fixture.open({ mode: 'calendar' });
    await holding(f, ids.hkCash, '00700', 10_000, 600);
    const { cash, avlWithdrawalCash } = await funds(f, ids.hkCash);
    expect(avlWithdrawalCash).toBe(cash);
    expect(balances(f, ids.hkCash).settled).toBe(dec('10000000'));
  });
});

describe('interest', () => {
  it('accrues daily on settled debt, by the currency’s days of the year, and is charged on the first of the month', async () => {
    const f = Fixture.open({ start: START + 4 * DAY });
    await holding(f, ids.hkMargin, '00700', 20_000, 600);
    const debt = -balances(f, ids.hkMargin).cash;
    expect(debt > dec('2000000')).toBe(true);
    expect((await funds(f, ids.hkMargin)).debtCash).toBe(0);
    // Settles on 26 November, so that five days of November bear interest.
    await f.pass(2 * DAY + NIGHT);
    expect((await funds(f, ids.hkMargin)).debtCash).toBe(Number(formatDecimal(debt)));
    const daily = (debt * 68n) / 365_000n;
    const near = (value: Decimal, other: Decimal) => expect(value - other < 10n && other - value < 10n).toBe(true);
    near(balances(f, ids.hkMargin).interest, -daily);
    await f.pass(4 * DAY);
    near(-balances(f, ids.hkMargin).cash, debt + ((daily * 5n + 5_000_000n) / 10_000_000n) * 10_000_000n);
    const { interest } = balances(f, ids.hkMargin);
    expect(interest > -dec('0.01') && interest < dec('0.01')).toBe(true);
    expect((await booked(f, ids.hkMargin)).filter(of('interest'))).toHaveLength(5);
    expect((await booked(f, ids.hkMargin)).filter(of('interest_charge'))).toHaveLength(1);
  });

  it('takes the fee on borrowed stock, at the rate that margin ratios show', async () => {
    const f = Fixture.open();
    await holding(f, ids.us, 'AAPL', 1_000, 200, 3);
    await f.pass(DAY);
    // 3 % of 200,000 over 360 days.
    expect((await booked(f, ids.us)).filter(of('interest'))).toEqual([
      'interest US.AAPL: interest stock_borrow_fee -16.666666667 USD 2026-11-19',
    ]);
  });
});

describe('futures', () => {
  const symbol = 'HK.HSImain';

  it('are marked to the market at each close, and paid the rest when they are closed', async () => {
    const f = Fixture.open();
    await holding(f, ids.futures, 'HSImain', 2, 26_000);
    const { cash: start } = balances(f, ids.futures);
    f.trade(symbol, '26100', 1n, 1);
    const open = await funds(f, ids.futures);
    expect([open.unrealizedPL, open.cash + 10_000]).toEqual([10_000, open.totalAssets]);
    await f.pass(DAY);
    const marked = await funds(f, ids.futures);
    expect(balances(f, ids.futures).cash).toBe(start + dec('10000'));
    expect([marked.unrealizedPL, marked.realizedPL, marked.totalAssets]).toEqual([10_000, 0, marked.cash]);
    await holding(f, ids.futures, 'HSImain', 2, 26_300, 2);
    const closed = await funds(f, ids.futures);
    expect([closed.unrealizedPL, closed.realizedPL]).toEqual([0, 30_000]);
    expect((await booked(f, ids.futures)).filter(of('fill')).at(-1)).toContain('trade 20000 HKD');
  });

  it('are closed at the last settlement price when their contract ends, with what is ordered of it', async () => {
    const f = Fixture.open({ mode: 'calendar' });
    const contract = f.instrument('HK.HSI2611');
    await holding(f, ids.futures, contract.code, 3, 26_000, 2);
    const order = await f.place(ids.futures, { code: contract.code, qty: 1, price: 20_000, timeInForce: 1 });
    f.trade(contract.symbol, '25900', 1n, -1);
    await f.pass(60 * DAY);
    const { cash, realised } = balances(f, ids.futures);
    expect(f.brokerage.records.ledger.position(ids.futures, contract.symbol)).toMatchObject({ quantity: 0n, realised: dec('15000') });
    expect(realised).toBe(dec('15000'));
    const fills = await collected(f.brokerage.records.fillsBetween(ids.futures, 0, Number.MAX_SAFE_INTEGER));
    expect(cash).toBe(dec('10000000') + dec('15000') - totalFees(f.order(fills[0]?.orderId ?? 0n).fees));
    expect(f.order(order)).toMatchObject({ status: 'cancelled_all', lastError: `${contract.symbol} was traded for the last time` });
  });
});

describe('corporate actions', () => {
  const dividend = { kind: 'dividend', cash: dec('2.5'), currency: 'HKD', special: false } as const;

  it('pay dividends on the pay day to holders at the close before the ex-day', async () => {
    const corporateActions = issuers({ ...dividend, symbol: HK, exDay: '2026-11-23', payDay: '2026-12-01' });
    const f = Fixture.open({ mode: 'calendar', corporateActions });
    await holding(f, ids.hkCash, '00700', 1_000, 600);
    await f.pass(3 * DAY);
    // Bought on the ex-day, without the dividend.
    await holding(f, ids.hkMargin, '00700', 1_000, 600);
    const due = await funds(f, ids.hkCash);
    expect([due.pendingAsset, due.totalAssets]).toEqual([2_500, due.cash + due.marketVal + 2_500]);
    await f.pass(8 * DAY);
    const paid = await funds(f, ids.hkCash);
    expect([paid.pendingAsset, paid.cash]).toEqual([0, due.cash + 2_500]);
    expect((await booked(f, ids.hkCash)).filter((line) => line.includes('dividend'))).toEqual([
      'dividend HK.00700: dividends dividend 2500 HKD 2026-12-01',
      'payment HK.00700: dividends dividend -2500 HKD 2026-12-01, settled dividend 2500 HKD 2026-12-01',
    ]);
    expect((await booked(f, ids.hkMargin)).filter(of('dividend'))).toEqual([]);
  });

  it('pay on the ex-day itself where the company does', async () => {
    const symbol = 'SH.600519';
    const corporateActions = issuers({ ...dividend, symbol, currency: 'CNH', exDay: '2026-11-23', payDay: '2026-11-23' });
    const f = Fixture.open({ mode: 'calendar', corporateActions });
    f.book(symbol, [], [['1400', 1_000_000n]]);
    await f.place(ids.cn, { code: '600519', qty: 100, price: 1400 });
    await f.pass(3 * DAY);
    const paid = await funds(f, ids.cn);
    expect(paid.pendingAsset).toBe(0);
    expect((await booked(f, ids.cn)).filter(of('dividend'))).toEqual([
      'dividend SH.600519: settled dividend 250 CNH 2026-11-23, settled withholding_tax -25 CNH 2026-11-23',
    ]);
    await f.pass(2 * DAY);
    expect((await booked(f, ids.cn)).filter(of('payment'))).toEqual([]);
  });

  it('keep back the tax of the market from long positions; short ones owe the whole', async () => {
    const corporateActions = issuers(
      { ...dividend, symbol: 'US.AAPL', currency: 'USD', exDay: '2026-11-23', payDay: '2026-11-25' },
      { ...dividend, symbol: 'US.MSFT', currency: 'USD', exDay: '2026-11-23', payDay: '2026-11-25' },
    );
    const f = Fixture.open({ corporateActions });
    await holding(f, ids.us, 'AAPL', 100, 200);
    await holding(f, ids.us, 'MSFT', 10, 400, 3);
    await f.pass(6 * DAY);
    expect((await booked(f, ids.us)).filter(of('dividend'))).toEqual([
      'dividend US.AAPL: dividends dividend 250 USD 2026-11-25, dividends withholding_tax -75 USD 2026-11-25',
      'dividend US.MSFT: dividends dividend -25 USD 2026-11-25',
    ]);
    expect((await booked(f, ids.us)).filter(of('payment'))).toHaveLength(2);
  });

  it('split shares at the same cost, pay out fractions, and end what is ordered of them', async () => {
    const f = Fixture.open({ corporateActions: issuers({ kind: 'split', ratio: [3n, 7n], symbol: HK, exDay: '2026-11-21' }) });
    await holding(f, ids.hkCash, '00700', 500, 600);
    const resting = await f.place(ids.hkCash, { code: '00700', trdSide: 2, qty: 100, price: 700, timeInForce: 1 });
    const disabled = await f.place(ids.hkMargin, { code: '00700', qty: 100, price: 500, timeInForce: 1 });
    await f.modify(ids.hkMargin, { orderID: disabled, modifyOrderOp: 3 });
    const other = await f.place(ids.hkCash, { code: '00005', qty: 400, price: 50, timeInForce: 1 });
    await f.pass(DAY);
    // 1500/7 = 214 and two sevenths, which are worth two thirds of an old share.
    expect(f.brokerage.records.ledger.position(ids.hkCash, HK)).toMatchObject({ quantity: 214n, cost: dec('299600'), realised: 0n });
    expect((await booked(f, ids.hkCash)).filter(of('split'))).toEqual(['split HK.00700: settled cash_in_lieu 400 HKD 2026-11-21']);
    expect(f.order(resting)).toMatchObject({
      status: 'cancelled_all',
      lastError: expect.stringContaining('goes ex a split on 2026-11-21'),
    });
    expect([f.order(disabled).status, f.order(other).status]).toEqual(['deleted', 'submitted']);
    expect(f.events.at(-1)).toMatchObject({ kind: 'order' });
    expect(f.brokerage.records.ledger.canSell(f.account(ids.hkCash), HK)).toBe(214n);
  });

  it('change nothing before the ex-day opens, as prices do not: neither worth nor fees; orders of the night before end too', async () => {
    const corporateActions = issuers({ kind: 'split', ratio: [5n, 1n], symbol: 'US.AAPL', exDay: '2026-11-23' });
    // Friday, 12:00 in New York.
    const f = Fixture.open({ mode: 'calendar', start: START + NIGHT, corporateActions });
    await holding(f, ids.us, 'AAPL', 100, 200, 3);
    const held = await funds(f, ids.us);
    await f.pass(2 * DAY);
    const weekend = await funds(f, ids.us);
    expect([weekend.marketVal, weekend.totalAssets]).toEqual([-20_000, held.totalAssets]);
    const order = await f.place(ids.us, { code: 'AAPL', trdSide: 4, qty: 100, price: 150, timeInForce: 1 });
    await f.pass(DAY);
    expect(f.brokerage.records.ledger.position(ids.us, 'US.AAPL')).toMatchObject({ quantity: -500n, cost: dec('20000') });
    expect(f.order(order).lastError).toContain('goes ex a split on 2026-11-23');
    // Three nights of 3 % of 20,000 over 360 days.
    expect((await booked(f, ids.us)).filter(of('interest')).map((line) => line.split(' ')[4])).toEqual([
      '-1.666666667',
      '-1.666666667',
      '-1.666666667',
    ]);
  });

  it('split what a split of the same day has made', async () => {
    const corporateActions = issuers(
      { kind: 'split', ratio: [2n, 1n], symbol: HK, exDay: '2026-11-21' },
      { kind: 'bonus', ratio: [13n, 10n], symbol: HK, exDay: '2026-11-21' },
    );
    const f = Fixture.open({ corporateActions });
    await holding(f, ids.hkCash, '00700', 100, 600);
    await f.pass(DAY);
    expect(f.brokerage.records.ledger.position(ids.hkCash, HK)).toMatchObject({ quantity: 260n, cost: dec('60000') });
  });

  it('sell rights for what they are worth', async () => {
    const rights = { kind: 'rights', ratio: [1n, 4n], price: dec('500'), currency: 'HKD' } as const;
    const f = Fixture.open({ corporateActions: issuers({ ...rights, symbol: HK, exDay: '2026-11-21' }) });
    await holding(f, ids.hkCash, '00700', 1_000, 600);
    await f.pass(DAY);
    // (600 × 4 + 500) / 5 = 580.
    expect((await booked(f, ids.hkCash)).filter(of('rights'))).toEqual(['rights HK.00700: settled rights_sold 20000 HKD 2026-11-21']);
  });
});

describe('days', () => {
  const corporateActions = issuers(
    { kind: 'dividend', cash: dec('2.5'), currency: 'HKD', special: false, symbol: HK, exDay: '2026-11-24', payDay: '2026-11-27' },
    { kind: 'split', ratio: [5n, 1n], symbol: HK, exDay: '2026-11-26' },
  );
  const booksOf = async (f: Fixture) => [await booked(f, ids.hkMargin), await booked(f, ids.futures)];

  async function session(store = new MemoryStore()): Promise<Fixture> {
    const f = Fixture.open({ store, mode: 'calendar', corporateActions });
    await holding(f, ids.hkMargin, '00700', 20_000, 600);
    await holding(f, ids.futures, 'HSImain', 2, 26_000);
    f.trade('HK.HSImain', '26100', 1n, 1);
    return f;
  }

  it('of downtime are caught up as if the daemon had run', async () => {
    const live = await session();
    await live.pass(12 * DAY);
    const off = await session();
    const before = await booksOf(off);
    const after = Fixture.open({ start: off.clock.now() + 12 * DAY, store: off.store, mode: 'calendar', corporateActions });
    after.trade('HK.HSImain', '26100', 1n, 1);
    expect(await booksOf(after)).not.toEqual(before);
    expect(balances(after, ids.hkMargin)).toEqual(balances(live, ids.hkMargin));
    expect(await booked(after, ids.hkMargin)).toEqual(await booked(live, ids.hkMargin));
  });

  it('are booked once, whatever the clock is set to and however often the process starts', async () => {
    const f = await session();
    await f.pass(12 * DAY);
    const before = await booksOf(f);
    for (const days of [-11, -3, 0]) {
      const again = Fixture.open({ start: f.clock.now() + days * DAY, store: f.store, mode: 'calendar', corporateActions });
      await again.pass(-days * DAY);
      expect(await booksOf(again)).toEqual(before);
    }
    f.clock.step(-5 * DAY);
    await f.pass(5 * DAY);
    expect(await booksOf(f)).toEqual(before);
  });

  it('are booked once when the calendar keeps other days than before', async () => {
    // Friday's close has looked at Monday already, when the weekend begins to trade.
    const monday = issuers({ kind: 'split', ratio: [2n, 1n], symbol: HK, exDay: '2026-11-23' });
    const f = Fixture.open({ mode: 'calendar', corporateActions: monday });
    await holding(f, ids.hkCash, '00700', 100, 600);
    await f.pass(DAY);
    const open = Fixture.open({ start: f.clock.now(), store: f.store, mode: 'open', corporateActions: monday });
    await open.pass(3 * DAY);
    expect(open.brokerage.records.ledger.position(ids.hkCash, HK)?.quantity).toBe(200n);
  });

  it('are booked before anything of the next day, also when the clock jumps', async () => {
    const split = issuers({ kind: 'split', ratio: [2n, 1n], symbol: HK, exDay: '2026-11-21' });
    const f = Fixture.open({ corporateActions: split });
    await holding(f, ids.hkCash, '00700', 100, 600);
    const resting = await f.place(ids.hkCash, { code: '00700', trdSide: 2, qty: 100, price: 610, timeInForce: 1 });
    await f.pass();
    f.clock.step(DAY);
    // Nothing has run since: only who holds 200 by now can sell them.
    await f.place(ids.hkCash, { code: '00700', trdSide: 2, qty: 200, price: 310 });
    expect(f.order(resting).status).toBe('cancelled_all');
  });
});

it('goes on where the world has no more of what is held', async () => {
  const f = Fixture.open();
  await holding(f, ids.hkCash, '00700', 100, 600);
  const position = f.brokerage.records.ledger.position(ids.hkCash, HK);
  const { positions } = tablesOf(f.store);
  await f.store.write((change) => change.put(positions, `${ids.hkCash}/HK.X`, { ...position, symbol: 'HK.X' } as typeof position));
  const again = f.restarted(3 * DAY);
  await again.pass(DAY);
  expect(balances(again, ids.hkCash).unsettled).toBe(0n);
});

it('is refused where balances are kept of entries that are not there', async () => {
  const f = Fixture.open();
  await f.pass();
  const store = new MemoryStore();
  const rows = f.store.table<string>('sim-balances').entries();
  await store.write((change) => {
    for (const [key, row] of rows) change.put(store.table<string>('sim-balances'), key, row);
  });
  expect(() => Fixture.open({ store })).toThrow('the ledger has balances of');
});
