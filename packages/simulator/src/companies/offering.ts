import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { keyOf, uniform } from '../rng/random.js';
import { tradingDaysOf } from '../world/business-days.js';
import type { Instrument } from '../world/instrument.js';
import { roundToTick } from '../world/ticks.js';

/** A step of an offering's procedure. */
export type OfferingEvent =
  | 'list'
  | 'apply'
  | 'apply_start'
  | 'apply_end'
  | 'winning'
  | 'approval'
  | 'issue_confirm'
  | 'price_confirm_start'
  | 'price_confirm_end'
  | 'inquiry_start'
  | 'inquiry_end'
  | 'draw';

type Procedure = Readonly<Partial<Record<OfferingEvent, number>>>;

const mainland: Procedure = { list: 0, winning: 6, apply: 8, inquiry_end: 11, inquiry_start: 13, approval: 24 };

/**
 * The steps of each market's procedure, in trading days before the first day of trading, after the exchanges' usual timetables: a public offer of
 * four days in Hong Kong, one day of applications on the mainland, a book building of two weeks in the United States, the sequence of
 * approval, conditions, book building, pricing, applications and lots in Tokyo, and balloting in Kuala Lumpur.
 */
const procedures: Readonly<Record<QuoteMarket, Procedure>> = {
  HK: { list: 0, winning: 1, price_confirm_end: 2, price_confirm_start: 3, apply_end: 4, apply_start: 8 },
  US: { list: 0, price_confirm_end: 1, price_confirm_start: 1, apply_end: 1, apply_start: 10 },
  SH: mainland,
  SZ: mainland,
  SG: { list: 0, winning: 2, apply_end: 3, apply_start: 7 },
  JP: {
    list: 0,
    apply_end: 2,
    apply_start: 6,
    winning: 7,
    draw: 7,
    price_confirm_end: 7,
    price_confirm_start: 8,
    inquiry_end: 9,
    inquiry_start: 13,
    issue_confirm: 17,
    approval: 24,
  },
  MY: { list: 0, winning: 4, draw: 5, apply_end: 7, apply_start: 15 },
  FX: {},
};

/** When the prospectus is out: before any other step. In trading days before the first day of trading. */
const PROSPECTUS_DAYS = 25;

/** Shares of a company brought to the market. Days are "2026-11-20". */
export interface Offering {
  readonly equity: Instrument;
  /** Nobody knows of it before. */
  readonly announced: string;
  readonly days: Readonly<Partial<Record<OfferingEvent, string>>>;
  /** In order of date. */
  readonly events: readonly { readonly event: OfferingEvent; readonly day: string }[];
  /** Shares offered: a multiple of the lot. */
  readonly size: bigint;
  /** Shares offered to the public, out of `size`. */
  readonly publicSize: bigint;
  /** Offer price, known from {@link pricedOn} on; its range is known from the prospectus on. */
  readonly price: Decimal;
  readonly priceMin: Decimal;
  readonly priceMax: Decimal;
  readonly pricedOn: string;
  /** Allotted percentage of the applied shares. */
  readonly winningRatio: number;
  /** Stream of what else is drawn. */
  readonly key: number;
}

/** An equity's offering before its first day of trading. `price`: what that day's change is measured from. */
export function offeringOf(equity: Instrument, price: Decimal): Offering {
  const { market, symbol, listDate, lotSize, tickTable, sharesIssued } = equity;
  const calendar = tradingDaysOf(equity.calendar);
  const before = (count: number) => {
    let day = listDate;
    for (let step = 0; step < count; step++) day = calendar.previousTradingDay(day);
    return day;
  };
  const events = Object.entries(procedures[market])
    .map(([event, count]) => ({ event: event as OfferingEvent, day: before(count) }))
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
  const days = Object.fromEntries(events.map(({ event, day }) => [event, day])) as Offering['days'];
  const key = keyOf(`${symbol}|offering`);
  const lots = (shares: number) => BigInt(Math.max(1, Math.round(shares / lotSize)) * lotSize);
  const size = Number(sharesIssued) * (0.1 + 0.15 * uniform(key, 0));
  const range = (number: number) => roundToTick(tickTable, (price * BigInt(Math.round(number * 1000))) / 1000n, 'nearest');
  // The final price lies somewhere in the range that the prospectus gives.
  const [priceMin, priceMax] = [range(1 - 0.15 * uniform(key, 1)), range(1 + 0.1 * uniform(key, 2))];
  return {
    equity,
    announced: before(PROSPECTUS_DAYS),
    days,
    events,
    size: lots(size),
    publicSize: lots(size * (0.1 + 0.4 * uniform(key, 3))),
    price,
    priceMin,
    priceMax,
    pricedOn: days.price_confirm_end ?? days.inquiry_end ?? days.apply_start ?? listDate,
    winningRatio: Math.round(1e4 * 100 ** (-2 * uniform(key, 4))) / 100 / (decimalToNumber(price) > 50 ? 2 : 1),
    key,
  };
}
