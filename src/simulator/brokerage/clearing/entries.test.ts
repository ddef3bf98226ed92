import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collected, dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { CrashingStore } from '../../../../test/support/crashing-store.js';
import { summed } from '../../../../test/support/summed.js';
import { decimalToNumber } from '../../../contract/decimal.js';
import { C2SSchema as FundsSchema } from '../../../contract/generated/Trd_GetFunds_pb.js';
import type { Currency } from '../../../contract/markets.js';
import { dayNumber } from '../../../contract/time.js';
import { getFunds } from '../../answers/account/get-funds.js';
import type { CorporateAction, CorporateActions } from '../../companies/corporate-actions.js';
import type { LedgerTransaction } from '../../ledger/index.js';
import { Refusal } from '../../refusal.js';
import { accounts, currenciesOf } from '../account.js';
import { totalFees } from '../fees.js';
import { currencies } from '../terms.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [SG_CASH, JP_CASH, MY_CASH] = [281756478396547005n, 281756478396547006n, 281756478396547007n];
const EVER = Number.MAX_SAFE_INTEGER;
const accountIds = accounts.map(({ id }) => id);

const currencyOf: Readonly<Record<string, Currency>> = { HK: 'HKD', US: 'USD', SH: 'CNH', SG: 'SGD', JP: 'JPY', MY: 'MYR' };

/** Every third day something goes ex: dividends mostly, splits and consolidations with fractions, now and then rights. */
const actions: CorporateActions = {
  corporateActions(symbol, from, to) {
    const found: CorporateAction[] = [];
    if (symbol.includes('HSI')) return found;
    for (let number = dayNumber(from) ?? 0; number <= (dayNumber(to) ?? 0); number += 1) {
      if (number % 3 !== 0) continue;
      const day = (later: number) => new Date((number + later) * DAY).toISOString().slice(0, 10);
      const days = { announcedDay: day(-20), exDay: day(0), recordDay: day(1), payDay: day(4) };
      const currency = currencyOf[symbol.slice(0, 2)] ?? 'HKD';
      if (number % 4 === 0) found.push({ ...days, kind: 'split', ratio: number % 8 === 0 ? [3n, 2n] : [1n, 7n] });
      else if (number % 5 === 0) found.push({ ...days, kind: 'rights', ratio: [1n, 4n], price: dec('100'), currency });
      else found.push({ ...days, kind: 'dividend', cash: dec('1.23'), currency, special: false });
    }
    return found;
  },
};

const securities = [
  { account: ids.hkCash, code: '00700', symbol: 'HK.00700', price: 600, lot: 100 },
  { account: ids.hkMargin, code: '00700', symbol: 'HK.00700', price: 600, lot: 100 },
  { account: ids.us, code: 'AAPL', symbol: 'US.AAPL', price: 200, lot: 1 },
  { account: ids.cn, code: '600519', symbol: 'SH.600519', price: 1400, lot: 100 },
  { account: SG_CASH, code: 'D05', symbol: 'SG.D05', price: 40, lot: 100 },
  { account: JP_CASH, code: '7203', symbol: 'JP.7203', price: 3000, lot: 100 },
  { account: MY_CASH, code: '1155', symbol: 'MY.1155', price: 10, lot: 100 },
  { account: ids.futures, code: 'HSImain', symbol: 'HK.HSImain', price: 26_000, lot: 1 },
] as const;

const step = fc.record({
  kind: fc.constantFrom('trade', 'trade', 'trade', 'rest', 'day', 'days', 'crash'),
  of: fc.constantFrom(...securities),
  side: fc.constantFrom(1, 1, 2, 3),
  lots: fc.integer({ min: 1, max: 60 }),
  /** Of the reference price, in percent. */
  moved: fc.integer({ min: -4, max: 4 }),
  hours: fc.integer({ min: 1, max: 200 }),
  flushed: fc.integer({ min: 0, max: 20 }),
});

const transactionsOf = (f: Fixture, id: bigint): AsyncIterable<LedgerTransaction> => f.brokerage.records.money.transactions(id, 0, EVER);

async function fundsOf(f: Fixture, id: bigint, currency: Currency) {
  const request = create(FundsSchema, { header: f.header(f.account(id)), currency: currencies.numberOf(currency) });
  const answer = await getFunds(f.simulation, request);
  if (answer instanceof Refusal) throw new Error(answer.message);
  return answer.funds;
}

/** Everything that must hold of an account's money at any moment. */
async function checkAccount(f: Fixture, id: bigint): Promise<void> {
  const { records } = f.brokerage;
  const account = f.account(id);
  const sums = await summed(transactionsOf(f, id));
  const transactions = await collected(transactionsOf(f, id));
  const amounts = (kind: string, currency: Currency) =>
    transactions
      .flatMap(({ entries }) => entries)
      .filter((entry) => entry.kind === kind && entry.currency === currency)
      .reduce((sum, { amount }) => sum + amount, 0n);

  for (const currency of currenciesOf(account)) {
    const shown = records.money.balances(id, currency);
    const entries = sums.get(currency);
    for (const balance of ['settled', 'unsettled', 'dividends', 'interest', 'realised', 'withdrawable'] as const) {
      expect([balance, shown[balance]]).toEqual([balance, entries?.[balance]]);
    }
    expect(shown.cash).toBe(shown.settled + shown.unsettled);
    const funds = await fundsOf(f, id, currency);
    const info = funds?.cashInfoList.find((one) => one.currency === currencies.numberOf(currency));
    expect(info?.cash).toBe(decimalToNumber(entries?.cash ?? 0n));
    if (account.id === ids.hkCash) expect(funds?.pendingAsset).toBe(decimalToNumber(entries?.dividends ?? 0n));

    // The trades' entries are the fills, and the fees' are the orders'.
    const orders = await collected(records.ordersBetween(id, 0, EVER));
    const fees = orders.filter((order) => order.currency === currency).reduce((sum, order) => sum + totalFees(order.fees), 0n);
    expect(amounts('fee', currency)).toBe(-fees);
    if (account.trades === 'futures') continue;
    const ofCurrency = new Set(orders.filter((order) => order.currency === currency).map((order) => order.id));
    const fills = (await collected(records.fillsBetween(id, 0, EVER))).filter((fill) => ofCurrency.has(fill.orderId));
    const traded = fills.reduce((sum, fill) => sum + (fill.side.startsWith('buy') ? -1n : 1n) * fill.price * fill.quantity, 0n);
    expect(amounts('trade', currency)).toBe(traded);
  }

  if (account.trades === 'futures') checkFutures(f, id, -amounts('fee', 'HKD'));
  // Each corporate action, each month and each day was booked once.
  const once = transactions.filter(({ cause }) => cause !== 'fill' && cause !== 'settlement' && cause !== 'payment');
  const names = once.map(({ cause, symbol, remark, time, entries }) =>
    cause === 'dividend' || cause === 'split' || cause === 'rights'
      ? `${cause} ${symbol} ${remark.slice(0, 13)}`
      : `${cause} ${symbol} ${time} ${entries[0]?.currency}`,
  );
  expect(new Set(names).size).toBe(names.length);
}

/** What futures were paid so far is what was realised and what open ones stand at above their cost. */
function checkFutures(f: Fixture, id: bigint, fees: bigint): void {
  const { money, ledger } = f.brokerage.records;
  const account = f.account(id);
  const { cash, realised, interest } = money.balances(id, 'HKD');
  let marked = 0n;
  for (const { quantity, carried = 0n, cost } of ledger.positions(account)) marked += quantity < 0n ? cost - carried : carried - cost;
  const opening = account.openingCash.HKD ?? 0n;
  expect(interest).toBe(0n);
  expect(cash).toBe(opening + realised + marked - fees);
}

it('the entries sum to every balance shown, for every account and currency, through any session with crashes', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('open' as const, 'calendar' as const),
      fc.array(step, { minLength: 5, maxLength: 30 }),
      async (mode, steps) => {
        let store = new CrashingStore();
        let f = Fixture.open({ store, mode, corporateActions: actions });
        for (const { kind, of, side, lots, moved, hours, flushed } of steps) {
          const price = Math.round(of.price * (1 + moved / 100));
          const order = { code: of.code, qty: lots * of.lot, price, trdSide: side, timeInForce: 1 };
          const trade = () => {
            f.book(of.symbol, [[`${price}`, 10_000n]], [[`${price}`, 10_000n]]);
            return f.tryPlace(of.account, order);
          };
          if (kind === 'trade') {
            await trade();
            await f.pass();
          } else if (kind === 'rest') await f.tryPlace(of.account, { ...order, price: side === 1 ? price / 2 : price * 2 });
          else if (kind === 'day') await f.pass(DAY);
          else if (kind === 'days') await f.pass(hours * HOUR);
          else {
            store.hold();
            void trade();
            f.clock.advance(hours * HOUR);
            await store.flush(flushed);
            store = store.crashed();
            f = f.restarted(hours * HOUR, store);
            await f.pass(0);
          }
          for (const id of accountIds) await checkAccount(f, id);
        }
        for (const id of accountIds) for await (const { cause } of transactionsOf(f, id)) seen.add(cause);
      },
    ),
    { numRuns: 25 },
  );
  expect([...seen]).toEqual(expect.arrayContaining(['opening', 'fill', 'settlement', 'dividend', 'payment', 'split', 'mark_to_market']));
});
