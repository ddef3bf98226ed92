import { createHash } from 'node:crypto';

/** Bounds of the simulated way to the exchange, in ms. */
export interface LatencyRange {
  readonly min: number;
  readonly max: number;
}

/** Times on the way to the exchange. */
export interface Latency {
  /** Whole milliseconds, drawn evenly from the range. */
  draw(): number;
  /** When an order reaches the exchange that leaves at `now`, both epoch ms: nothing overtakes what was sent before it. */
  nextArrival(now: number): number;
}

/** Draws latencies from a range; the same seed draws the same ones. Throws RangeError for a range that is none. */
export function latencySource(range: LatencyRange, seed: string | number): Latency {
  if (!(Number.isInteger(range.min) && Number.isInteger(range.max) && range.min >= 0 && range.max >= range.min)) {
    throw new RangeError(`latency must be whole milliseconds, 0 <= min <= max: ${range.min}, ${range.max}`);
  }
  let state = createHash('sha256').update(`latency/${seed}`).digest().readUInt32LE();
  const draw = (): number => {
    // Mulberry32, by Tommy Ettinger.
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return range.min + (((t ^ (t >>> 14)) >>> 0) % (range.max - range.min + 1));
  };
  let lastArrival = 0;
  const nextArrival = (now: number): number => {
    // The bound is for a clock that was set back.
    lastArrival = Math.max(now + draw(), Math.min(lastArrival, now + range.max));
    return lastArrival;
  };
  return { draw, nextArrival };
}
