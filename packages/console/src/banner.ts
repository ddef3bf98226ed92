import { Problem } from './api.js';
import { byId, setAttribute } from './dom.js';
import type { Fields } from './json.js';

/** Says that nothing behind the gateway is real, for as long as the page is open. `words`: what the backend itself says of it. */
export function showSimulated(words?: string): void {
  const banner = byId('banner', HTMLElement);
  if (words !== undefined) setAttribute(banner, 'title', words);
  banner.hidden = false;
}

/** Shows the banner where the probe, which asks nobody for a key, says that the daemon is simulated. */
export async function showSimulatedBy(probe: () => Promise<Fields>): Promise<void> {
  try {
    if ((await probe()).simulated === true) showSimulated();
  } catch (thrown) {
    // Whoever signs in is told that the daemon cannot be reached.
    if (!(thrown instanceof Problem)) throw thrown;
  }
}
