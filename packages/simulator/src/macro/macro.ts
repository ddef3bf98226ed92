import { addDays, DAY_MS, dayOfNumber, parseLocal, requireDay } from '@svc-gateway/contract/time';
import { type Economy, economies } from './economies.js';
import { type Indicator, indicators } from './indicators.js';
import { type Release, releaseDay, releasesBetween } from './schedule.js';
import { decidedOn, figureOf } from './series.js';

/** A publication on the calendar, its figures as texts with their units ("2.4%", "131K"). */
export interface MacroEvent {
  readonly economy: Economy;
  readonly title: string;
  /** Epoch ms. */
  readonly time: number;
  readonly importance: 1 | 2 | 3;
  /** Value of the release before; undefined until that is out. */
  readonly previous: string | undefined;
  /** Forecast; undefined until it is published. */
  readonly consensus: string | undefined;
  /** Undefined until the publication. */
  readonly actual: string | undefined;
}

/** A publication without its figures, which are made when they are asked for. */
export interface ScheduledEvent {
  readonly indicator: Indicator;
  readonly release: Release;
  /** Epoch ms. */
  readonly time: number;
}

/** Days from a consensus to its publication. */
const CONSENSUS_AHEAD_DAYS = 30;

/** The economies of the world: when their offices publish, and what. A pure function of seed and time. */
export class Macro {
  constructor(private readonly seed: string | number) {}

  /** Publications at [from, to] (epoch ms) of some economies, in order of time; those of one moment in a stable order. */
  schedule(from: number, to: number, of: ReadonlySet<Economy>): readonly ScheduledEvent[] {
    // A local day may be one off the day in UTC.
    const [first, last] = [addDays(dayOf(from), -1), addDays(dayOf(to), 1)];
    const events: ScheduledEvent[] = [];
    for (const indicator of indicators) {
      if (!of.has(indicator.economy)) continue;
      for (const release of releasesBetween(indicator.economy, indicator.rule, first, last)) {
        const time = timeOf(indicator, release.day);
        if (time >= from && time <= to) events.push({ indicator, release, time });
      }
    }
    return events.sort((a, b) => a.time - b.time);
  }

  /** A publication with what is known of its figures at `now`. */
  event({ indicator, release: { period }, time }: ScheduledEvent, now: number): MacroEvent {
    const { economy, title, importance } = indicator;
    const before = timeOf(indicator, releaseDay(economy, indicator.rule, period - 1));
    return {
      economy,
      title,
      time,
      importance,
      previous: now >= before ? this.#figure(indicator, period - 1, false) : undefined,
      consensus: now >= time - CONSENSUS_AHEAD_DAYS * DAY_MS ? this.#figure(indicator, period, true) : undefined,
      actual: now >= time ? this.#figure(indicator, period, false) : undefined,
    };
  }

  /** The figure of a period, or what forecasters make of it. */
  #figure(indicator: Indicator, period: number, isForecast: boolean): string {
    const { economy, name, rule, series, places, unit } = indicator;
    const value =
      series.kind === 'policy'
        ? decidedOn(series, requireDay(releaseDay(economy, rule, period)), isForecast)
        : figureOf(this.seed, `${economy} ${name}`, series, period, isForecast);
    const text = value.toFixed(places);
    return `${Number(text) === 0 ? text.replace('-', '') : text}${unit}`;
  }
}

function timeOf({ economy, rule }: Indicator, day: string): number {
  const time = parseLocal(`${day} ${rule.time}`, economies[economy].timeZone);
  if (time === undefined) throw new Error(`${day} ${rule.time} is no time`);
  return time;
}

function dayOf(time: number): string {
  return dayOfNumber(Math.floor(time / DAY_MS));
}
