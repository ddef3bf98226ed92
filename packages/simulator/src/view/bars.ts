import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type KLine, KLineSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { localDateTime, parseLocal } from '@svc-gateway/contract/time';
import { type Bar, type BarPeriod, FACTOR_ONE, type PriceAdjustment } from '../market/index.js';
import { Refusal } from '../refusal.js';
import type { TradingSession } from '../world/calendar.js';
import type { Instrument } from '../world/instrument.js';
import { isIssuedByCompany } from '../world/kinds.js';
import type { Facts } from './facts.js';
import { multiple, percent, turnover } from './figures.js';
import type { Listing } from './listings.js';

/** Qot_Common.KLType → period. */
const periods: ReadonlyMap<number, BarPeriod> = new Map<number, BarPeriod>([
  [1, { unit: 'minute', count: 1 }],
  [2, { unit: 'day' }],
  [3, { unit: 'week' }],
  [4, { unit: 'month' }],
  [5, { unit: 'year' }],
  [6, { unit: 'minute', count: 5 }],
  [7, { unit: 'minute', count: 15 }],
  [8, { unit: 'minute', count: 30 }],
  [9, { unit: 'minute', count: 60 }],
  [10, { unit: 'minute', count: 3 }],
  [11, { unit: 'quarter' }],
  [12, { unit: 'minute', count: 10 }],
  [13, { unit: 'minute', count: 120 }],
  [14, { unit: 'minute', count: 180 }],
  [15, { unit: 'minute', count: 240 }],
]);

/** Every Qot_Common.KLType that the simulation serves. */
export const klTypes: readonly number[] = [...periods.keys()];

export function periodOf(klType: number): BarPeriod | Refusal {
  return periods.get(klType) ?? new Refusal(`unknown kl_type ${klType}; accepted: ${klTypes.join(', ')}`, 'broker.value');
}

/** Qot_Common.RehabType → adjustment. */
const adjustments: readonly PriceAdjustment[] = ['none', 'forward', 'backward'];

/** The adjustment of a Qot_Common.RehabType. */
export function adjustmentOf(rehabType: number): PriceAdjustment | Refusal {
  return (
    adjustments[rehabType] ?? new Refusal(`unknown rehab_type ${rehabType}; accepted: 0 (none), 1 (forward), 2 (backward)`, 'broker.value')
  );
}

/** Trading hours in the United States; the other markets have regular ones only. */
export type Hours = 'regular' | 'all';

/** Qot_Common session numbers: 0 none given, 1 regular, 2 extended, 3 all. */
export function hoursOf(extendedTime: boolean, session: number): Hours {
  return extendedTime || session >= 2 ? 'all' : 'regular';
}

/** Whether a bar belongs to the hours. Bars of days and longer always do. */
export function inHours(facts: Facts<'world'>, listing: Listing, period: BarPeriod, bar: Bar, hours: Hours): boolean {
  if (hours === 'all' || period.unit !== 'minute' || listing.market.name !== 'US') return true;
  return isRegular(facts, listing, bar.start) || isRegular(facts, listing, bar.end - 1);
}

/** Whether `time` lies in a session of regular trading. */
export function isRegular(facts: Facts<'world'>, listing: Listing, time: number): boolean {
  const session: TradingSession | undefined = facts.world.calendar(listing.instrument).sessionAt(time);
  return session?.kind === 'regular';
}

/**
 * The time that names a bar, epoch ms: the end of a minute bar; local midnight of the first trading day of longer ones.
 * It is what the bar's time text says, and what begin and end times of requests are held against.
 */
export function labelTime(facts: Facts<'world'>, listing: Listing, period: BarPeriod, bar: Bar): number {
  if (period.unit === 'minute') return bar.end;
  const day = facts.world.calendar(listing.instrument).tradingDay(bar.start);
  const midnight = parseLocal(day, listing.market.timeZone);
  if (midnight === undefined) throw new Error(`trading day ${day} is no date`);
  return midnight;
}

/** Qot_Common.KLFields: which figures of a bar an answer holds. */
const KlField = {
  high: 1,
  open: 2,
  low: 4,
  close: 8,
  lastClose: 16,
  volume: 32,
  turnover: 64,
  turnoverRate: 128,
  priceEarnings: 256,
  changeRate: 512,
} as const;

const ALL_FIELDS = 1023;

/** Bars written in one turn of the event loop: the company's figures stand beside each. */
export const MESSAGES_A_TURN = 250;

/** Whole messages of bars that somebody remembers: as long as the bar. */
const messages = new WeakMap<Bar, KLine>();

/**
 * A bar as the protocol writes it; its prices carry the adjustment already. `fields` is a sum of {@link KlField}. Nobody changes it: bars that are the same have
 * the same message.
 */
export function klineMessage(
  facts: Facts<'world' | 'companies' | 'market'>,
  listing: Listing,
  period: BarPeriod,
  bar: Bar,
  adjustment: PriceAdjustment,
  fields: number = ALL_FIELDS,
): KLine {
  if (fields !== ALL_FIELDS) return newMessage(facts, listing, period, bar, adjustment, fields);
  let message = messages.get(bar);
  if (message === undefined) {
    message = newMessage(facts, listing, period, bar, adjustment, fields);
    messages.set(bar, message);
  }
  return message;
}

function newMessage(
  facts: Facts<'world' | 'companies' | 'market'>,
  listing: Listing,
  period: BarPeriod,
  bar: Bar,
  adjustment: PriceAdjustment,
  fields: number,
): KLine {
  const { instrument, market } = listing;
  const label = labelTime(facts, listing, period, bar);
  const line = create(KLineSchema);
  line.time = localDateTime(label, market.timeZone);
  if (label >= 0) line.timestamp = label / 1000;
  line.isBlank = false;
  if (fields & KlField.high) line.highPrice = decimalToNumber(bar.high);
  if (fields & KlField.open) line.openPrice = decimalToNumber(bar.open);
  if (fields & KlField.low) line.lowPrice = decimalToNumber(bar.low);
  if (fields & KlField.close) line.closePrice = decimalToNumber(bar.close);
  if (fields & KlField.lastClose) line.lastClosePrice = decimalToNumber(bar.previousClose);
  if (fields & KlField.volume) line.volume = bar.volume;
  if (fields & KlField.turnover) line.turnover = decimalToNumber(bar.turnover);
  if (fields & (KlField.turnoverRate | KlField.priceEarnings)) addFundamentals(facts, instrument, bar, adjustment, fields, line);
  if (fields & KlField.changeRate) line.changeRate = percent(bar.close - bar.previousClose, bar.previousClose);
  return line;
}

/** Adds company figures to a bar: as known on its last day, at the price as traded. */
function addFundamentals(
  { companies, market, world }: Facts<'world' | 'companies' | 'market'>,
  instrument: Instrument,
  bar: Bar,
  adjustment: PriceAdjustment,
  fields: number,
  line: KLine,
): void {
  const last = bar.end - 1;
  const day = world.calendar(instrument).tradingDay(last);
  if (fields & KlField.turnoverRate) line.turnoverRate = turnover(companies, instrument, day, bar.volume);
  if ((fields & KlField.priceEarnings) === 0 || !isIssuedByCompany(instrument)) return;
  const close = (bar.close * FACTOR_ONE) / market.adjustmentFactor(instrument, adjustment, last);
  line.pe = multiple(close, companies.figures(instrument, day).earningsPerShareTtm);
}
