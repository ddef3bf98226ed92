import * as UpdateKL from '@svc-gateway/contract/generated/Qot_UpdateKL_pb';
import * as UpdateRT from '@svc-gateway/contract/generated/Qot_UpdateRT_pb';
import type { QuoteStream, ResponseMessage } from '@svc-gateway/gateway/backend';
import type { Bar, TimeSharePoint } from '@svc-gateway/simulator/market';
import { Refusal } from '@svc-gateway/simulator/refusal';
import { adjustmentOf, hoursOf, isRegular, klineMessage, periodOf } from '@svc-gateway/simulator/view/bars';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import { averagePrice } from '@svc-gateway/simulator/view/figures';
import type { Listing } from '@svc-gateway/simulator/view/listings';
import { timeShareMessage } from '@svc-gateway/simulator/view/time-shares';
import { type Feed, pushAbout } from './feed.js';
import { RunningBars } from './running-bars.js';

const ProtoId = { kline: 3007, rt: 3009 } as const;

/** The running bar at each trade; at the first trade of a new bar, the final form of the bar before it too. */
export function klineFeed(facts: Facts<'world' | 'companies' | 'market'>, listing: Listing, stream: QuoteStream, klType: number): Feed {
  const period = periodOf(klType);
  if (period instanceof Refusal) throw new Error(period.message);
  const adjustment = adjustmentOf(stream.rehabType);
  if (adjustment instanceof Refusal) throw new Error(adjustment.message);
  return barFeed(ProtoId.kline, new RunningBars(facts, listing, period, hoursOf(stream.extendedTime, 0), adjustment), (bars) => {
    const klList = bars.map((bar) => klineMessage(facts, listing, period, bar, adjustment));
    return pushAbout(UpdateKL, listing, { klType, rehabType: stream.rehabType, klList });
  });
}

/** The running minute at each trade, and the final form of the minute before it as above. */
export function timeShareFeed(facts: Facts<'world' | 'market'>, listing: Listing, stream: QuoteStream): Feed {
  const minutes = new RunningBars(facts, listing, { unit: 'minute', count: 1 }, hoursOf(stream.extendedTime, 0), 'none');
  return barFeed(ProtoId.rt, minutes, (bars) => {
    return pushAbout(UpdateRT, listing, { rtList: minutePoints(facts, listing, bars).map((point) => timeShareMessage(listing, point)) });
  });
}

/**
 * From the newest bar backwards: what the day had traded up to a minute is what it has traded up to now less the minutes after. The
 * day's figures are of regular trading: a minute of extended hours has its own average.
 */
function minutePoints(facts: Facts<'world' | 'market'>, listing: Listing, bars: readonly Bar[]): TimeSharePoint[] {
  const { instrument } = listing;
  const quote = facts.market.quote(instrument);
  let { volume, turnover } = quote;
  const points: TimeSharePoint[] = [];
  for (const bar of bars.toReversed()) {
    const regular = isRegular(facts, listing, bar.start);
    points.push({
      time: bar.start,
      price: bar.close,
      previousClose: quote.previousClose,
      averagePrice: regular
        ? averagePrice(instrument, turnover, volume, bar.close)
        : averagePrice(instrument, bar.turnover, bar.volume, bar.close),
      volume: bar.volume,
      turnover: bar.turnover,
    });
    if (!regular) continue;
    volume -= bar.volume;
    turnover -= bar.turnover;
  }
  return points.reverse();
}

function barFeed(protoId: number, running: RunningBars, push: (bars: readonly Bar[]) => ResponseMessage): Feed {
  const pushAny = (bars: readonly Bar[]) => (bars.length === 0 ? undefined : push(bars));
  return {
    protoId,
    on: 'tick',
    prepare: (event) => (event.kind === 'tick' ? running.prepare(event.ticks) : undefined),
    next: (event) => (event.kind === 'tick' ? pushAny(running.changedBy(event.ticks)) : undefined),
    current: () => pushAny(running.newest()),
  };
}
