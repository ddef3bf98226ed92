import { create } from '@bufbuild/protobuf';
import * as UpdateKL from '../../contract/generated/Qot_UpdateKL_pb.js';
import * as UpdateRT from '../../contract/generated/Qot_UpdateRT_pb.js';
import type { QuoteStream, ResponseMessage } from '../../gateway/backend.js';
import { Refusal, type Simulation } from '../../simulator/handler.js';
import type { Bar, BarPeriod } from '../../simulator/market/market.js';
import { type Hours, hoursOf, inHours, klineMessage, periodOf } from '../../simulator/quote/bars.js';
import type { Listing } from '../../simulator/quote/listings.js';
import { timeShareMessage } from '../../simulator/quote/time-shares.js';
import { success } from './answers.js';
import type { Feed } from './feeds.js';

const ProtoId = { kline: 3007, rt: 3009 } as const;

/** The running bar at each trade; at the first trade of a new bar, the final form of the bar before it too. */
export function klineFeed(simulation: Simulation, listing: Listing, stream: QuoteStream, klType: number): Feed {
  const period = periodOf(klType);
  if (period instanceof Refusal) throw new Error(period.message);
  return barFeed(ProtoId.kline, new RunningBars(simulation, listing, period, hoursOf(stream.extendedTime, 0)), (bars) => {
    const payload = create(UpdateKL.S2CSchema);
    payload.security = listing.security;
    payload.name = listing.instrument.name;
    payload.klType = klType;
    payload.rehabType = stream.rehabType;
    payload.klList = bars.map((bar) => klineMessage(simulation, listing, period, bar));
    return success(UpdateKL, payload);
  });
}

/** The running minute at each trade, and the final form of the minute before it as above. */
export function timeShareFeed(simulation: Simulation, listing: Listing, stream: QuoteStream): Feed {
  const minutes = new RunningBars(simulation, listing, { unit: 'minute', count: 1 }, hoursOf(stream.extendedTime, 0));
  return barFeed(ProtoId.rt, minutes, (bars) => {
    const payload = create(UpdateRT.S2CSchema);
    payload.security = listing.security;
    payload.name = listing.instrument.name;
    let { volume, turnover } = simulation.market.quote(listing.instrument);
    const { previousClose } = simulation.market.quote(listing.instrument);
    // From the newest backwards: the day up to a minute is the day up to now less the minutes after.
    payload.rtList = bars
      .toReversed()
      .map((bar) => {
        const share = timeShareMessage(listing, bar, { volume, turnover, previousClose });
        volume -= bar.volume;
        turnover -= bar.turnover;
        return share;
      })
      .reverse();
    return success(UpdateRT, payload);
  });
}

function barFeed(protoId: number, running: RunningBars, push: (bars: readonly Bar[]) => ResponseMessage): Feed {
  const pushAny = (bars: readonly Bar[]) => (bars.length === 0 ? undefined : push(bars));
  return { protoId, on: 'tick', next: () => pushAny(running.changed()), current: () => pushAny(running.newest()) };
}

/** Knows which bars of a stream a subscriber has not yet seen in their present form. */
class RunningBars {
  readonly #simulation: Simulation;
  readonly #listing: Listing;
  readonly #period: BarPeriod;
  readonly #hours: Hours;
  /** Start of the bar that was running at the last push. */
  #seen: number | undefined;

  constructor(simulation: Simulation, listing: Listing, period: BarPeriod, hours: Hours) {
    this.#simulation = simulation;
    this.#listing = listing;
    this.#period = period;
    this.#hours = hours;
    this.#seen = this.newest()[0]?.start;
  }

  /** The bar now running; none outside the stream's hours. */
  newest(): readonly Bar[] {
    return this.#read(1);
  }

  /** What changed since the last call. */
  changed(): readonly Bar[] {
    const running = this.newest();
    const start = running[0]?.start;
    const rolled = start !== undefined && this.#seen !== undefined && start !== this.#seen;
    if (start !== undefined) this.#seen = start;
    return rolled ? this.#read(2) : running;
  }

  #read(limit: number): readonly Bar[] {
    return this.#simulation.market
      .bars(this.#listing.instrument, this.#period, { limit })
      .filter((bar) => inHours(this.#simulation, this.#listing, this.#period, bar, this.#hours));
  }
}
