import { create } from '@bufbuild/protobuf';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import { type C2S, type CashDetail, CashDetailSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/cash_detail_pb';
import type { Account } from '../../brokerage/account.js';
import { addressed } from '../../brokerage/header.js';
import { timeOfId } from '../../brokerage/ids.js';
import { currencies, tradeSides } from '../../brokerage/terms.js';
import { type Balance, type Cause, cashMovements, type Entry, type LedgerTransaction, transactionIdOf } from '../../ledger/index.js';
import { Turn } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';
import { bizOf } from './biz-groups.js';
import { clearingDays, securityFields } from './cash-facts.js';

type Named = Facts<'world' | 'brokerage'>;

/** svc.cash_detail: every entry of the transaction that a row of the cash log is of. */
export const getCashDetail: Answer<'world' | 'brokerage', C2S, S2C> = async (facts, { header, logId }) => {
  const { brokerage } = facts;
  const to = addressed(brokerage, header);
  if (to instanceof Refusal) return to;
  await brokerage.records.journal.whenDurable(undefined);
  const transaction = await transactionOf(facts, to.account, logId);
  if (transaction === undefined)
    return new Refusal(`log_id ${logId} is no row of the cash log of account ${to.account.id}`, 'broker.value');
  const detailList = transaction.entries.map((entry) => detailOf(facts, to.account, transaction, entry));
  return create(S2CSchema, { header: to.header, detailList });
};

async function transactionOf({ brokerage }: Named, account: Account, logId: bigint): Promise<LedgerTransaction | undefined> {
  const turn = new Turn();
  const to = timeOfId(transactionIdOf(logId)) + 1;
  // The newest comes first, and is the one, except where the clock was set back.
  for await (const transaction of brokerage.records.money.transactions(account.id, 0, to, { reverse: true })) {
    if (cashMovements(transaction).some(({ id }) => id === logId)) return transaction;
    const pause = turn.pause();
    if (pause !== undefined) await pause;
  }
  return undefined;
}

const balances: Readonly<Record<Balance, number>> = { settled: 1, unsettled: 2, dividends: 3, interest: 4, realised: 5 };

const causes: Readonly<Record<Cause, string>> = {
  opening: 'The account was opened',
  fill: 'Trade',
  bust: 'Trades taken back by the exchange',
  settlement: 'Settlement of trades',
  payment: 'Payment',
  dividend: 'Dividend',
  split: 'Split',
  rights: 'Rights issue',
  interest: 'Interest accrued',
  interest_charge: 'Interest charged',
  mark_to_market: 'Daily settlement',
  expiry: 'Expiry',
  exercise: 'Exercise',
  assignment: 'Assignment',
};

function detailOf(facts: Named, account: Account, transaction: LedgerTransaction, entry: Entry): CashDetail {
  const movement = cashMovements(transaction).find((one) => one.entry === entry);
  const { time, symbol, cause, remark } = transaction;
  return create(CashDetailSchema, {
    ...known({ logId: movement?.id, remark: remark === '' ? undefined : remark }),
    balance: balances[entry.balance],
    title: movement === undefined ? titleOf(entry) : bizOf(entry.kind).subGroup.name,
    amount: formatDecimal(entry.amount),
    currency: currencies.numberOf(entry.currency),
    time: BigInt(Math.floor(time / 1000)),
    ...clearingDays(facts, transaction, entry),
    cause: causes[cause],
    ...securityFields(facts, account, symbol),
    ...tradeFields(facts, transaction),
  });
}

/** Title of an entry that leaves cash unchanged. */
function titleOf({ balance }: Entry): string {
  return balance === 'realised' ? 'Realised profit and loss' : balance === 'interest' ? 'Accrued interest' : 'Dividends to come';
}

function tradeFields({ brokerage }: Named, { cause, accId, time, id, orderId }: LedgerTransaction) {
  if (orderId === 0n) return {};
  const fill = cause === 'fill' ? brokerage.records.fill(accId, time, id) : undefined;
  if (fill === undefined) return { orderId };
  const { orderIdEx, side, quantity, price } = fill;
  return {
    orderId,
    orderIdEx,
    fillId: id,
    trdSide: tradeSides.numberOf(side),
    qty: quantity.toString(),
    price: formatDecimal(price),
  };
}
