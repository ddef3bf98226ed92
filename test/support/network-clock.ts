import { type Clock, type ManualClock, systemClock } from '@svc-gateway/contract/clock';

/**
 * The clock of whoever speaks over a real network in a world whose time a test moves by hand: it shows the world's time of day,
 * but what it waits for takes the time that it takes. A network that stood still between two steps would be none.
 */
export function networkClock(world: ManualClock): Clock {
  return {
    now: () => world.now(),
    at: (time, action) => world.at(time, action),
    monotonic: systemClock.monotonic,
    uptime: systemClock.uptime,
    after: systemClock.after,
  };
}
