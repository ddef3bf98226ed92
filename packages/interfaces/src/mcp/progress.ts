import type { ServerContext } from '@modelcontextprotocol/server';

/** Faster answers get no notification. */
const FIRST_MS = 500;
const INTERVAL_MS = 1000;

/** Progress text of a long poll: see {@link Caller.onWaiting}. */
export interface Waiting {
  readonly say: () => string;
  readonly ms: number;
}

/**
 * Runs `work`. If the client asked for progress and the answer takes long, reports the seconds so far every second.
 * The brokerage's time is unknown, so there is no total, except for a long poll, where it is the timeout of the
 * caller. `waiting` is called each time.
 */
export async function withProgress<T>({ mcpReq }: ServerContext, waiting: () => Waiting | undefined, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const started = performance.now();
  const tell = () => {
    const progress = Math.round((performance.now() - started) / 1000);
    const own = waiting();
    const said = own === undefined ? { message: `waiting for the brokerage, ${progress} s` } : { message: own.say(), total: own.ms / 1000 };
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, ...said } }).catch(() => undefined);
  };
  let timer: NodeJS.Timeout = setTimeout(() => {
    tell();
    timer = setInterval(tell, INTERVAL_MS);
  }, FIRST_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    clearInterval(timer);
  }
}
