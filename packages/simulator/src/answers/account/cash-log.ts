import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import * as Detail from '@svc-gateway/contract/generated/svc/cash_detail_pb';
import * as Log from '@svc-gateway/contract/generated/svc/cash_log_pb';
import { type Currency, quoteMarket, symbolOf } from '@svc-gateway/contract/markets';
import { type Account, tradeMarketOf } from '../../brokerage/account.js';
import { timeOfId } from '../../brokerage/ids.js';
import { currencies, tradeMarkets, tradeSides } from '../../brokerage/terms.js';
import {
  type Balance,
  type CashMovement,
  type Cause,
  cashMovements,
  type Entry,
  type LedgerTransaction,
  transactionIdOf,
} from '../../ledger/index.js';
import { Turn } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import type { Calendar, CalendarName, Instrument } from '../../world/index.js';
import { describeUnknown } from '../../world/unknown-symbol.js';
import { ofAccount } from './amounts.js';
import { bizGroups, bizOf } from './biz-groups.js';

/** The days of an entry, "2026-11-24", in the zone of the market that it clears in. */
interface ClearingDays {
  /** The trading day that it belongs to. */
  readonly clearingDate: string;
  /** Day from which the money is available. */
  readonly settlementDate: string;
}

/** A trade, or its end by the exchange, clears on its trading day and settles later; everything else does both on one day. */
export function clearingDays({ world }: Facts<'world'>, { cause, time }: LedgerTransaction, { venue, day, balance }: Entry): ClearingDays {
  const tradingDay = (at: number) => calendarOf(world, venue).tradingDay(at);
  if (cause === 'fill' || cause === 'bust') return { clearingDate: tradingDay(time), settlementDate: day };
  // Entries made at a day's close, which may be the day's end, belong to that day.
  return { clearingDate: balance === 'unsettled' ? tradingDay(time - 1) : day, settlementDate: day };
}

function calendarOf(world: Facts<'world'>['world'], venue: string): Calendar {
  return world.calendar(venue as CalendarName);
}

/** The security of a transaction as messages name it; nothing where it is about none. */
function securityFields({ world }: Facts<'world'>, account: Account, symbol: string) {
  const instrument = symbol === '' ? undefined : world.instrument(symbol);
  if (instrument === undefined) return {};
  const tradeMarket = tradeMarketOf(instrument, account.environment);
  return {
    trdMarket: tradeMarket === undefined ? undefined : tradeMarkets.numberOf(tradeMarket),
    secMarket: quoteMarket(instrument.market).secMarket,
    code: instrument.code,
    name: instrument.name,
  };
}

/** 1 in, 2 out: Trd_FlowSummary.TrdCashFlowDirection. */
export function directionOf(amount: Decimal): number {
  return amount < 0n ? 2 : 1;
}

type Named = Facts<'world' | 'brokerage'>;

/** Rows of a page when the request does not say. */
const ROWS_DEFAULT = 50;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** svc.cash_log: the movements of an account's cash, newest first, page by page. */
export const getCashLog: Answer<'world' | 'brokerage', Log.C2S, Log.S2C> = ofAccount(async (facts, to, request) => {
  const { brokerage } = facts;
  const condition = conditionOf(facts, request);
  if (condition instanceof Refusal) return condition;
  await brokerage.records.journal.whenDurable(undefined);
  const max = request.maxCnt === 0 ? ROWS_DEFAULT : request.maxCnt;
  const page: CashMovement[] = [];
  const turn = new Turn();
  for await (const movement of olderThan(facts, to.account, request.logId, condition)) {
    if (isWanted(condition, movement)) page.push(movement);
    if (page.length > max) break;
    const pause = turn.pause();
    if (pause !== undefined) await pause;
  }
  if (request.logId !== 0n && !condition.found) {
    return new Refusal(`log_id ${request.logId} is no row of the cash log of account ${to.account.id}`, 'broker.value');
  }
  const logList = page.slice(0, max).map((movement) => rowOf(facts, to.account, movement));
  const next = page.length > max ? logList.at(-1)?.logId : undefined;
  return messageOf(Log.S2CSchema, { header: to.header, logList, nextLogId: next });
});

/** Parsed conditions of a request; `found`: the row before the page has been passed. */
interface Condition {
  /** Epoch ms; `to` is not included. */
  readonly from: number;
  readonly to: number;
  readonly groupId: number;
  readonly subGroupId: number;
  readonly direction: number;
  readonly keyword: string;
  readonly symbol: string | undefined;
  readonly stockId: bigint;
  readonly currency: Currency | undefined;
  readonly instrument: (symbol: string) => Instrument | undefined;
  found: boolean;
}

function conditionOf({ world }: Named, request: Log.C2S): Condition | Refusal {
  const { beginTime, endTime, bizGroupId, bizSubGroupId, inOut, keyword, security, stockId, currency } = request;
  const ends = endTime === 0n ? FOREVER : Number(endTime + 1n) * 1000;
  if (endTime !== 0n && beginTime > endTime) return new Refusal(`begin_time ${beginTime} is after end_time ${endTime}`, 'broker.value');
  const group = bizGroups.find(({ id }) => id === bizGroupId);
  if (bizGroupId !== 0 && group === undefined) {
    return new Refusal(`biz_group_id ${bizGroupId}: expected one of ${list(bizGroups)}, or 0 for all`, 'broker.value');
  }
  const subGroups = (group === undefined ? bizGroups : [group]).flatMap((one) => one.subGroups);
  if (bizSubGroupId !== 0 && !subGroups.some(({ id }) => id === bizSubGroupId)) {
    const within = group === undefined ? '' : ` of ${group.name}`;
    return new Refusal(`biz_sub_group_id ${bizSubGroupId}: expected one of ${list(subGroups)}${within}, or 0 for all`, 'broker.value');
  }
  const symbol = security === undefined ? undefined : symbolOf(security);
  const instrument = symbol === undefined ? undefined : world.instrument(symbol);
  if (security !== undefined && instrument === undefined) {
    const { message, code } = describeUnknown(world, security);
    return new Refusal(message, code);
  }
  return {
    from: Number(beginTime) * 1000,
    to: Math.min(ends, FOREVER),
    groupId: bizGroupId,
    subGroupId: bizSubGroupId,
    direction: inOut,
    keyword: keyword.toLowerCase(),
    symbol: instrument?.symbol,
    stockId,
    currency: currency === 0 ? undefined : currencies.wordOf(currency),
    instrument: (name) => (name === '' ? undefined : world.instrument(name)),
    found: request.logId === 0n,
  };
}

function list(items: readonly { readonly id: number; readonly name: string }[]): string {
  return items.map(({ id, name }) => `${id} (${name})`).join(', ');
}

/** The movements before a row (0: before now) in the times of a condition, newest first. */
async function* olderThan({ brokerage }: Named, account: Account, row: bigint, condition: Condition): AsyncIterable<CashMovement> {
  const { money } = brokerage.records;
  // The row itself lies at the time of its number, or before it where the clock was set back.
  const to = row === 0n ? condition.to : timeOfId(transactionIdOf(row)) + 1;
  const from = row === 0n ? condition.from : 0;
  for await (const transaction of money.transactions(account.id, Math.max(0, from), to, { reverse: true })) {
    if (condition.found && transaction.time < condition.from) return;
    yield* movementsOf(transaction, row, condition);
  }
}

function* movementsOf(transaction: LedgerTransaction, row: bigint, condition: Condition): Iterable<CashMovement> {
  for (const movement of cashMovements(transaction).toReversed()) {
    if (condition.found) yield movement;
    else condition.found = movement.id === row;
  }
}

function isWanted(condition: Condition, { transaction: { time, symbol, remark }, entry }: CashMovement): boolean {
  const { group, subGroup } = bizOf(entry.kind);
  if (time < condition.from || time >= condition.to) return false;
  if (condition.groupId !== 0 && condition.groupId !== group.id) return false;
  if (condition.subGroupId !== 0 && condition.subGroupId !== subGroup.id) return false;
  if (condition.direction !== 0 && condition.direction !== directionOf(entry.amount)) return false;
  if (condition.currency !== undefined && condition.currency !== entry.currency) return false;
  if (condition.symbol !== undefined && condition.symbol !== symbol) return false;
  if (condition.stockId !== 0n && condition.instrument(symbol)?.id !== condition.stockId) return false;
  if (condition.keyword === '') return true;
  const texts = [subGroup.name, symbol, condition.instrument(symbol)?.name ?? '', remark];
  return texts.some((text) => text.toLowerCase().includes(condition.keyword));
}

function rowOf(facts: Named, account: Account, { id, transaction, entry }: CashMovement) {
  const { group, subGroup } = bizOf(entry.kind);
  const { time, symbol, orderId, remark } = transaction;
  return {
    logId: id,
    time: BigInt(Math.floor(time / 1000)),
    bizGroupId: group.id,
    bizSubGroupId: subGroup.id,
    title: subGroup.name,
    inOut: directionOf(entry.amount),
    amount: formatDecimal(entry.amount),
    currency: currencies.numberOf(entry.currency),
    ...clearingDays(facts, transaction, entry),
    ...securityFields(facts, account, symbol),
    stockId: symbol === '' ? undefined : facts.world.instrument(symbol)?.id,
    orderId: orderId === 0n ? undefined : orderId,
    remark: remark === '' ? undefined : remark,
  };
}

/** svc.cash_detail: every entry of the transaction that a row of the cash log is of. */
export const getCashDetail: Answer<'world' | 'brokerage', Detail.C2S, Detail.S2C> = ofAccount(async (facts, to, { logId }) => {
  const { brokerage } = facts;
  await brokerage.records.journal.whenDurable(undefined);
  const transaction = await transactionOf(facts, to.account, logId);
  if (transaction === undefined)
    return new Refusal(`log_id ${logId} is no row of the cash log of account ${to.account.id}`, 'broker.value');
  const detailList = transaction.entries.map((entry) => detailOf(facts, to.account, transaction, entry));
  return messageOf(Detail.S2CSchema, { header: to.header, detailList });
});

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

function detailOf(facts: Named, account: Account, transaction: LedgerTransaction, entry: Entry) {
  const movement = cashMovements(transaction).find((one) => one.entry === entry);
  const { time, symbol, cause, remark } = transaction;
  return {
    logId: movement?.id,
    remark: remark === '' ? undefined : remark,
    balance: balances[entry.balance],
    title: movement === undefined ? titleOf(entry) : bizOf(entry.kind).subGroup.name,
    amount: formatDecimal(entry.amount),
    currency: currencies.numberOf(entry.currency),
    time: BigInt(Math.floor(time / 1000)),
    ...clearingDays(facts, transaction, entry),
    cause: causes[cause],
    ...securityFields(facts, account, symbol),
    ...tradeFields(facts, transaction),
  };
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
