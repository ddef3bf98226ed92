import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS_MIN = 500;
const WAIT_MS_MAX = 30_000;

/**
 * Waits before another try: up to 0.5 s after the first failure, up to twice as long after each further one, never
 * longer than 30 s, and never shorter than the server asked for. `random` in [0, 1) spreads the tries of many clients.
 * Resolves at once when the signal is aborted.
 */
export async function backOff(failures: number, retryMs: number | undefined, random: () => number, signal: AbortSignal): Promise<void> {
  const wait = random() * Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** failures);
  await delay(Math.min(WAIT_MS_MAX, Math.max(wait, retryMs ?? 0)), undefined, { signal }).catch(() => {});
}
