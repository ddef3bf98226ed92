import type { ServerContext } from '@modelcontextprotocol/server';

/** Answers that take less are not worth a notification. */
const FIRST_MS = 500;
const INTERVAL_MS = 1000;

/**
 * Runs `work`; when the client asked for progress and the brokerage takes long, tells it every second for how many
 * seconds it has been waited for. How long it will take is not known, so no total is given.
 */
export async function withProgress<T>({ mcpReq }: ServerContext, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const started = performance.now();
  const tell = () => {
    const progress = Math.round((performance.now() - started) / 1000);
    const params = { progressToken, progress, message: `waiting for the brokerage, ${progress} s` };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
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
