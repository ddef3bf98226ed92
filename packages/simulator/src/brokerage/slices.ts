import { lesser } from '@svc-gateway/contract/decimal';
import { activityOf } from '../market/activity.js';
import type { Calendar, TradingSession } from '../world/calendar.js';
import type { OrderRecord } from './order.js';
import { rulesOf } from './order-types.js';

/** Interval between the slices of a worked order. */
export const SLICE_MS = 60_000;
/** Bound of a slice that catches up after a pause, as a multiple of the regular one. */
const CATCH_UP = 2n;
/** Fractions of a day's volume are counted in these. */
const PARTS = 1_000_000_000;
/** Halvings that find a fraction to a {@link PARTS}th. */
const HALVINGS = 30;

/** The part of the span of a worked order that is over by a time, as a fraction a ÷ b. */
type Elapsed = (time: number) => { readonly part: bigint; readonly whole: bigint };

/**
 * Quantity that a worked order (TWAP, VWAP) sends to the exchange at `now` (epoch ms): its schedule up to the next
 * slice, less the fills. The schedule is a function of the order alone, so that it goes on after a restart. Its span is
 * the regular trading from the order's creation to its end, by time or by the day's usual volume.
 */
export function sliceOf(order: OrderRecord, calendar: Calendar, lotSize: number, now: number): bigint {
  const span = regularSessions(calendar, order.createdAt, order.expiresAt);
  const elapsed = rulesOf(order.type).worked === 'volume' ? byVolume(span, order) : byTime(span, order);
  const lot = BigInt(lotSize);
  const due = (time: number): bigint => {
    const { part, whole } = elapsed(time);
    return part >= whole ? order.quantity : ((order.quantity * part) / whole / lot) * lot;
  };
  const next = due(now + SLICE_MS);
  const regular = next - due(now);
  const behind = next - order.filledQuantity;
  return behind <= 0n ? 0n : lesser(behind, CATCH_UP * (regular > lot ? regular : lot));
}

/** The regular sessions of the trading days in [from, to). */
function regularSessions(calendar: Calendar, from: number, to: number): readonly TradingSession[] {
  const sessions: TradingSession[] = [];
  for (let day = calendar.tradingDay(from); ; day = calendar.nextTradingDay(day)) {
    const all = calendar.sessions(day);
    sessions.push(...all.filter(({ kind }) => kind === 'regular'));
    const end = all.at(-1)?.end;
    if (end === undefined || end >= to) return sessions;
  }
}

/** By trading time. */
function byTime(sessions: readonly TradingSession[], { createdAt, expiresAt }: OrderRecord): Elapsed {
  const traded = (until: number): number =>
    sessions.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, until) - Math.max(start, createdAt)), 0);
  const whole = BigInt(traded(expiresAt));
  return (time) => ({ part: BigInt(traded(Math.min(time, expiresAt))), whole });
}

/** By the volume that the market's days usually have traded: see {@link activityOf}. */
function byVolume(sessions: readonly TradingSession[], { createdAt, expiresAt }: OrderRecord): Elapsed {
  const { timeAt } = activityOf(sessions);
  const traded = (until: number): bigint => {
    let [low, high] = [0, 1];
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (timeAt(middle) < until) low = middle;
      else high = middle;
    }
    return BigInt(Math.round(high * PARTS));
  };
  const before = traded(createdAt);
  const whole = traded(expiresAt) - before;
  return (time) => (time >= expiresAt ? { part: whole, whole } : { part: traded(time) - before, whole });
}
