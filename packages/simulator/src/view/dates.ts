import { quoted } from '@svc-gateway/contract/shown';
import { isTimeText } from '@svc-gateway/contract/text-formats';
import { dayNumber } from '@svc-gateway/contract/time';
import { Refusal } from '../refusal.js';
import type { Facts } from './facts.js';

/** Programs give a time as often as a date: its day counts. */
export function dayOf(text: string): string {
  return isTimeText(text) ? text.slice(0, 10) : text;
}

/** Validates an inclusive range of days; undefined when it is valid. */
export function dayRange(beginTime: string, endTime: string, daysMax: number): Refusal | undefined {
  const begin = dayNumber(beginTime);
  const end = dayNumber(endTime);
  if (begin === undefined) return badDate('begin_time', beginTime);
  if (end === undefined) return badDate('end_time', endTime);
  if (begin > end) return new Refusal('begin_time is after end_time');
  return end - begin >= daysMax ? new Refusal(`begin_time to end_time: at most ${daysMax} days`, 'broker.value') : undefined;
}

function badDate(field: string, text: string): Refusal {
  return new Refusal(`${field}: expected a date as yyyy-MM-dd, found ${quoted(text)}`, 'broker.value');
}

/** Whether a time (epoch ms) is on the trading day that the symbol's market is in. */
export function isToday({ clock, world }: Facts<'clock' | 'world'>, symbol: string, time: number): boolean {
  const instrument = world.instrument(symbol);
  if (instrument === undefined) return false;
  const calendar = world.calendar(instrument);
  return calendar.tradingDay(time) === calendar.tradingDay(clock.now());
}
