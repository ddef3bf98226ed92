import { type Decimal, decimalToNumber, greater } from '@svc-gateway/contract/decimal';
import { statisticInterval } from '@svc-gateway/contract/list-enums';
import type { quote as declared } from '@svc-gateway/contract/operations';
import { localDateTime } from '@svc-gateway/contract/time';
import type { TradeStatistic, TradeSums } from '../../market/index.js';
import type { Facts } from '../../view/facts.js';
import { averagePrice, percent, threePlaces } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { ofSecurity } from '../../view/locate.js';
import { checkChoice } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';

const MINUTE_MS = 60_000;
const WHOLE_DAY = 1;

/** By interval type. */
const minutesOf: Readonly<Record<number, number>> = { 2: 1, 3: 5, 4: 15, 5: 30, 6: 60 };

/** Size types, small first. */
const sizes = [
  [1, 'small'],
  [2, 'mid'],
  [3, 'big'],
  [4, 'super'],
] as const;

/**
 * The trades of a symbol's current day in regular hours, or of its last minutes: the running minute and those before it; when the market is closed, the
 * last ones of the day.
 */
export const getTickerStatistic: AnswerTo<typeof declared.getTickerStatistic> = ofSecurity((facts, listing, request) => {
  const intervalType = request.intervalType === 0 ? WHOLE_DAY : request.intervalType;
  const unknown = checkChoice('interval_type', intervalType, statisticInterval);
  if (unknown !== undefined) return unknown;
  const { begin, end } = intervalOf(facts, listing, minutesOf[intervalType]);
  const { instrument } = listing;
  const { timeZone } = listing.market;
  const statistic = facts.tradeStatistics.since(instrument, begin);
  const total = totalOf(statistic);
  const directed = statistic.buy.volume + statistic.sell.volume;
  const traded = total.volume > 0n;
  const { largest } = statistic;
  return {
    security: listing.security,
    name: instrument.name,
    intervalType,
    tradingDay: facts.market.quote(instrument).tradingDay,
    beginTime: withMilliseconds(begin, timeZone),
    endTime: withMilliseconds(end, timeZone),
    beginTimestamp: begin / 1000,
    endTimestamp: end / 1000,
    total: sumMessage(total),
    buy: sumMessage(statistic.buy),
    sell: sumMessage(statistic.sell),
    neutral: sumMessage(statistic.neutral),
    buySellRatio: directed === 0n ? undefined : percent(statistic.buy.volume - statistic.sell.volume, directed),
    averagePrice: traded ? decimalToNumber(averagePrice(instrument, total.turnover, total.volume, 0n)) : undefined,
    highPrice: numberOf(statistic.high),
    lowPrice: numberOf(statistic.low),
    averageTradeVolume: traded ? threePlaces(Number(total.volume) / total.count) : undefined,
    largestTradeVolume: largest?.volume,
    largestTradePrice: numberOf(largest?.price),
    largestTradeTime: largest === undefined ? undefined : withMilliseconds(largest.time, timeZone),
    largestTradeTimestamp: largest === undefined ? undefined : largest.time / 1000,
    sizeList: sizes.map(([sizeType, size]) => {
      const { buy, sell } = statistic.sizes[size];
      return { sizeType, buy: sumMessage(buy), sell: sumMessage(sell) };
    }),
  };
});

interface Interval {
  /** Epoch ms. */
  readonly begin: number;
  readonly end: number;
}

function intervalOf(
  { clock, world, market }: Facts<'clock' | 'world' | 'market'>,
  { instrument }: Listing,
  minutes: number | undefined,
): Interval {
  const { tradingDay } = market.quote(instrument);
  const sessions = world
    .calendar(instrument)
    .sessions(tradingDay)
    .filter(({ kind }) => kind === 'regular');
  const now = clock.now();
  const start = sessions[0]?.start ?? now;
  const end = Math.max(start, Math.min(now, (sessions.at(-1)?.end ?? now) - 1));
  if (minutes === undefined) return { begin: start, end };
  return { begin: Math.max(start, Math.floor(end / MINUTE_MS) * MINUTE_MS - (minutes - 1) * MINUTE_MS), end };
}

function totalOf({ buy, sell, neutral }: Pick<TradeStatistic, 'buy' | 'sell' | 'neutral'>): TradeSums {
  return {
    count: buy.count + sell.count + neutral.count,
    volume: buy.volume + sell.volume + neutral.volume,
    turnover: buy.turnover + sell.turnover + neutral.turnover,
  };
}

function sumMessage({ count, volume, turnover }: TradeSums) {
  return { tradeCount: BigInt(count), volume, turnover: decimalToNumber(turnover) };
}

function numberOf(price: Decimal | undefined): number | undefined {
  return price === undefined ? undefined : decimalToNumber(price);
}

function withMilliseconds(time: number, timeZone: string): string {
  return `${localDateTime(time, timeZone)}.${String(time % 1000).padStart(3, '0')}`;
}

/** The trades of a symbol's current day in regular hours, price by price. */
export const getTickerStatisticDetail: AnswerTo<typeof declared.getTickerStatisticDetail> = ofSecurity((facts, listing) => {
  const { instrument } = listing;
  const levels = facts.tradeStatistics.byPrice(instrument).map((level) => ({ ...level, ...totalOf(level) }));
  const { tradingDay, previousClose } = facts.market.quote(instrument);
  const dayVolume = levels.reduce((sum, { volume }) => sum + volume, 0n);
  const most = levels.map(({ volume }) => volume).reduce(greater, 0n);
  const mostTraded = levels.findLast(({ volume }) => volume === most);
  return {
    security: listing.security,
    name: instrument.name,
    tradingDay,
    lastClosePrice: decimalToNumber(previousClose),
    tradeCount: BigInt(levels.reduce((sum, { count }) => sum + count, 0)),
    volume: dayVolume,
    turnover: decimalToNumber(levels.reduce((sum, { turnover }) => sum + turnover, 0n)),
    mostTradedPrice: numberOf(mostTraded?.price),
    levelList: levels.map(({ price, count, volume, turnover, buy, sell, neutral }) => ({
      price: decimalToNumber(price),
      tradeCount: BigInt(count),
      volume,
      turnover: decimalToNumber(turnover),
      buyVolume: buy.volume,
      sellVolume: sell.volume,
      neutralVolume: neutral.volume,
      volumeRatio: percent(volume, dayVolume),
    })),
  };
});
