import { type C2S, type S2C, S2CSchema, TrdCashFlowDirection } from '@svc-gateway/contract/generated/Trd_FlowSummary_pb';
import { quoted } from '@svc-gateway/contract/shown';
import { DAY_MS, dayNumber, localDate, parseLocal } from '@svc-gateway/contract/time';
import { addressed, timeZoneOf } from '../../brokerage/header.js';
import { currencies } from '../../brokerage/terms.js';
import { type CashMovement, cashMovements } from '../../ledger/index.js';
import { Turn } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { messageOf } from '../../view/messages.js';
import { calendarNames } from '../../world/index.js';
import { shownIn } from './amounts.js';
import { bizOf } from './biz-groups.js';
import { clearingDays, directionOf } from './cash-log.js';

/** Trd_FlowSummary: the movements of cash that belong to a day (today, where none is named), oldest first. An amount is below zero for what left the account. */
export const getFlowSummary: Answer<'clock' | 'world' | 'brokerage', C2S, S2C> = async (facts, request) => {
  const { brokerage, clock, world } = facts;
  const { cashFlowDirection: direction } = request;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const clearingDate = request.clearingDate === '' ? localDate(clock.now(), timeZoneOf(to.market)) : request.clearingDate;
  if (dayNumber(clearingDate) === undefined)
    return new Refusal(`clearingDate ${quoted(clearingDate)}: expected a date, as 2026-11-20`, 'broker.value');
  if (!(direction in TrdCashFlowDirection))
    return new Refusal(`cashFlowDirection ${direction} is not accepted; accepted: 1 in, 2 out`, 'broker.value');
  await brokerage.records.journal.whenDurable(undefined);
  const [from, until] = timesOf(world, clearingDate);
  const flowSummaryInfoList: ReturnType<typeof infoOf>[] = [];
  const turn = new Turn();
  for await (const transaction of brokerage.records.money.transactions(to.account.id, from, until)) {
    for (const movement of cashMovements(transaction)) {
      const info = infoOf(facts, movement);
      const wanted = info.clearingDate === clearingDate && (direction === 0 || direction === info.cashFlowDirection);
      if (wanted) flowSummaryInfoList.push(info);
    }
    const pause = turn.pause();
    if (pause !== undefined) await pause;
  }
  return messageOf(S2CSchema, { header: to.header, flowSummaryInfoList });
};

/**
 * Between which times (epoch ms) everything is booked that belongs to a day: from the trading day before, of the market whose it is
 * the furthest, since night sessions belong to the next one, to the end of the day in the westernmost zone.
 */
function timesOf(world: Facts<'world'>['world'], day: string): readonly [from: number, to: number] {
  const times = calendarNames.map((name) => {
    const calendar = world.calendar(name);
    const midnight = (of: string) => parseLocal(of, calendar.timeZone) ?? 0;
    return [midnight(calendar.previousTradingDay(day)), midnight(day) + 2 * DAY_MS] as const;
  });
  return [Math.max(0, Math.min(...times.map(([from]) => from))), Math.max(...times.map(([, to]) => to))];
}

function infoOf(facts: Facts<'world'>, { id, transaction, entry }: CashMovement) {
  const { clearingDate, settlementDate } = clearingDays(facts, transaction, entry);
  const { symbol, remark } = transaction;
  return {
    clearingDate,
    settlementDate,
    currency: currencies.numberOf(entry.currency),
    cashFlowType: bizOf(entry.kind).subGroup.name,
    cashFlowDirection: directionOf(entry.amount),
    cashFlowAmount: shownIn(entry.currency)(entry.amount),
    cashFlowRemark: [symbol, remark].filter((text) => text !== '').join(', '),
    cashFlowID: id,
  };
}
