import type { ServerContext } from '@modelcontextprotocol/server';

/** Answers that take less are not worth a notification. */
const FIRST_MS = 500;
const INTERVAL_MS = 1000;

/** What an answer that is waited for by itself says of that: see {@link Caller.onWaiting}. */
export interface Waiting {
  readonly say: () => string;
  readonly ms: number;
}

/**
 * Runs `work`; when the client asked for progress and the answer takes long, tells it every second for how many seconds it has been
 * waited for. How long the brokerage will take is not known, so no total is given; where the call itself waits, it is the time that the
 * caller allowed. `waiting` is asked each time.
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
