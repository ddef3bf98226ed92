/** Loaded into a daemon that is looked at from outside: says what it holds when its parent asks, after a collection (needs --expose-gc). */
import { readdirSync } from 'node:fs';

process.channel.unref();
process.on('message', () => {
  for (let round = 0; round < 4; round++) globalThis.gc();
  setTimeout(() => {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const descriptors = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
    process.send({ heap: heapUsed + external, rss, timers, descriptors });
  }, 300);
});
