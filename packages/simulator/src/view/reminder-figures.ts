import { DECIMAL_ONE, type Decimal, decimalFromNumber, divide, formatDecimal } from '@svc-gateway/contract/decimal';
import { PriceReminderMarketStatus, QotMarketState, PriceReminderType as Type } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';
import { hasBook } from './order-book.js';

type FigureFacts = Facts<'world' | 'market' | 'quoteBoard'>;

interface Kind {
  /** True where the condition is that the figure is at least the value, false where it is at most. */
  readonly up: boolean;
  /** "5-minute change": what the figure is called in a push. */
  readonly noun: string;
  readonly unit: '' | '%';
  /** Values are rounded down to a multiple of it. */
  readonly step: (listing: Listing) => Decimal;
  /** Only of what has a book. */
  readonly book?: true;
  /** Counted from the day's beginning: each day's comes true by itself. */
  readonly ofDay?: true;
  /** The figure now, of a security in a session; undefined where there is none. */
  readonly figure: (facts: FigureFacts, listing: Listing, status: number) => Decimal | undefined;
}

const THOUSANDTH = () => DECIMAL_ONE / 1_000n;
const isMainland = ({ instrument }: Listing) => instrument.market === 'SH' || instrument.market === 'SZ';
const whole = (count: bigint) => count * DECIMAL_ONE;
const volumeStep = (listing: Listing) => whole(isMainland(listing) ? 1_000n : 10n);
const queueStep = (listing: Listing) => whole(isMainland(listing) ? 100n : 1n);

/** The last price of the session that is open: extended hours have their own. */
export function lastPrice({ market }: Facts<'market'>, { instrument }: Listing, status: number): Decimal {
  const { last, preMarket, afterMarket } = market.quote(instrument);
  if (status === PriceReminderMarketStatus.PriceReminderMarketStatus_USPre) return preMarket?.last ?? last;
  return status === PriceReminderMarketStatus.PriceReminderMarketStatus_USAfter ? (afterMarket?.last ?? last) : last;
}

/** Percent since the close before. */
export function dayChange(facts: Facts<'market'>, listing: Listing, status: number): Decimal {
  const { previousClose } = facts.market.quote(listing.instrument);
  return changeFrom(previousClose, lastPrice(facts, listing, status));
}

function changeFrom(base: Decimal, price: Decimal): Decimal {
  return base === 0n ? 0n : divide((price - base) * 100n, base);
}

/** Percent since the close of the last minute that had ended so many minutes ago. */
function recentChange(minutes: number): Kind['figure'] {
  return (facts, listing) => {
    const bars = facts.market.bars(listing.instrument, { unit: 'minute', count: 1 }, { limit: minutes + 2 });
    const running = bars.at(-1);
    if (running === undefined) return undefined;
    const base = bars.findLast(({ end }) => end <= running.end - minutes * 60_000);
    return base === undefined ? undefined : changeFrom(base.close, running.close);
  };
}

function best(side: 'bids' | 'asks', read: 'price' | 'volume'): Kind['figure'] {
  return ({ market }, { instrument }) => {
    const level = market.book(instrument, 1)[side][0];
    if (level === undefined) return undefined;
    return read === 'price' ? level.price : whole(level.volume);
  };
}

const price = { noun: 'price', unit: '', step: THOUSANDTH, figure: lastPrice } as const;
const change = { noun: 'change of the day', unit: '%', step: THOUSANDTH, ofDay: true, figure: dayChange } as const;
const threeMinutes = { noun: '3-minute change', unit: '%', step: THOUSANDTH, figure: recentChange(3) } as const;
const fiveMinutes = { noun: '5-minute change', unit: '%', step: THOUSANDTH, figure: recentChange(5) } as const;
const dayVolume: Kind['figure'] = ({ market }, { instrument }) => whole(market.quote(instrument).volume);
const dayTurnover: Kind['figure'] = ({ market }, { instrument }) => market.quote(instrument).turnover;
const turnoverRate: Kind['figure'] = ({ quoteBoard }, listing) => decimalFromNumber(quoteBoard.read(listing).turnoverRate);
const ofDay = { up: true, unit: '', ofDay: true } as const;
const ofBook = { up: true, unit: '', book: true } as const;

/** The figure that each type of reminder watches (Qot_Common.PriceReminderType), with the smallest steps in the protocol's definition. */
export const reminderKinds: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  [Type.PriceReminderType_PriceUp, { ...price, up: true }],
  [Type.PriceReminderType_PriceDown, { ...price, up: false }],
  [Type.PriceReminderType_ChangeRateUp, { ...change, up: true }],
  [Type.PriceReminderType_ChangeRateDown, { ...change, up: false }],
  [Type.PriceReminderType_5MinChangeRateUp, { ...fiveMinutes, up: true }],
  [Type.PriceReminderType_5MinChangeRateDown, { ...fiveMinutes, up: false }],
  [Type.PriceReminderType_3MinChangeRateUp, { ...threeMinutes, up: true }],
  [Type.PriceReminderType_3MinChangeRateDown, { ...threeMinutes, up: false }],
  [Type.PriceReminderType_VolumeUp, { ...ofDay, noun: 'volume', step: volumeStep, figure: dayVolume }],
  [Type.PriceReminderType_TurnoverUp, { ...ofDay, noun: 'turnover', step: () => whole(10n), figure: dayTurnover }],
  [Type.PriceReminderType_TurnoverRateUp, { ...ofDay, noun: 'turnover rate', unit: '%', step: THOUSANDTH, figure: turnoverRate }],
  [Type.PriceReminderType_BidPriceUp, { ...ofBook, noun: 'best bid', step: THOUSANDTH, figure: best('bids', 'price') }],
  [Type.PriceReminderType_AskPriceDown, { ...ofBook, up: false, noun: 'best ask', step: THOUSANDTH, figure: best('asks', 'price') }],
  [Type.PriceReminderType_BidVolUp, { ...ofBook, noun: 'volume at the best bid', step: queueStep, figure: best('bids', 'volume') }],
  [Type.PriceReminderType_AskVolUp, { ...ofBook, noun: 'volume at the best ask', step: queueStep, figure: best('asks', 'volume') }],
]);

/** A reminder's value as it is kept: rounded towards zero to its type's step. */
export function keptValue({ step }: Kind, listing: Listing, value: Decimal): Decimal {
  return value - (value % step(listing));
}

/** Whether a listing can have reminders of a kind. */
export function hasFigure({ book }: Kind, listing: Listing): boolean {
  return book !== true || hasBook(listing);
}

const statuses: ReadonlyMap<number, number> = new Map<number, number>([
  [QotMarketState.QotMarketState_PreMarketBegin, PriceReminderMarketStatus.PriceReminderMarketStatus_USPre],
  [QotMarketState.QotMarketState_AfterHoursBegin, PriceReminderMarketStatus.PriceReminderMarketStatus_USAfter],
  [QotMarketState.QotMarketState_OVERNIGHT, PriceReminderMarketStatus.PriceReminderMarketStatus_USOverNight],
]);

/** The session of a listing that is open (Qot_Common.PriceReminderMarketStatus); undefined while none is. */
export function reminderStatus({ world, clock }: Facts<'world' | 'clock'>, { instrument }: Listing): number | undefined {
  const session = world.calendar(instrument).sessionAt(clock.now());
  if (session === undefined) return undefined;
  return session.kind === 'regular' ? PriceReminderMarketStatus.PriceReminderMarketStatus_Open : statuses.get(session.state);
}

/** "5-minute change 2.1 %, at least 2 %". */
export function reminderSentence({ noun, unit, up }: Kind, current: Decimal, value: Decimal): string {
  const shown = (figure: Decimal) => `${formatDecimal(roundedDown(figure))}${unit === '' ? '' : ` ${unit}`}`;
  return `${noun} ${shown(current)}, at ${up ? 'least' : 'most'} ${shown(value)}`;
}

function roundedDown(figure: Decimal): Decimal {
  return figure - (figure % (DECIMAL_ONE / 1_000n));
}

export type ReminderKind = Kind;
