import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { C2SSchema as FundsSchema } from '@svc-gateway/contract/generated/Trd_GetFunds_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collected, type Fixture, ids } from '../../../../../test/support/brokerage.js';
import { session, sessionAccounts, sessionStep } from '../../../../../test/support/sessions.js';
import { summed } from '../../../../../test/support/summed.js';
import { getFunds } from '../../answers/account/get-funds.js';
import type { LedgerTransaction } from '../../ledger/index.js';
import { Refusal } from '../../refusal.js';
import { currenciesOf } from '../account.js';
import { totalFees } from '../fees.js';
import { currencies } from '../terms.js';

const EVER = Number.MAX_SAFE_INTEGER;

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

/** Checks that the money paid for futures so far is the realised profit and the open gain over cost. */
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
      fc.array(sessionStep, { minLength: 5, maxLength: 30 }),
      async (mode, steps) => {
        let last: Fixture | undefined;
        for await (const f of session(mode, steps)) {
          last = f;
          for (const id of sessionAccounts) await checkAccount(f, id);
        }
        if (last === undefined) return;
        for (const id of sessionAccounts) for await (const { cause } of transactionsOf(last, id)) seen.add(cause);
      },
    ),
    { numRuns: 25 },
  );
  expect([...seen]).toEqual(expect.arrayContaining(['opening', 'fill', 'settlement', 'dividend', 'payment', 'split', 'mark_to_market']));
});
