import { HttpCallers } from '../common/callers.js';
import { bearerOf } from '../common/http.js';
import type { McpEndpoint, McpOptions } from './endpoint.js';
import { METHODS, PATH } from './visitor.js';

/**
 * The endpoint, which is loaded when the first request comes: the protocol's library takes as long to load as the rest of
 * the daemon together, and most daemons are never asked by a language model.
 */
export function createMcpEndpoint(options: McpOptions): McpEndpoint {
  let loading: Promise<McpEndpoint> | undefined;
  let loaded: McpEndpoint | undefined;
  const load = async () => {
    const { createLoadedEndpoint } = await import('./endpoint.js');
    loaded = createLoadedEndpoint(options);
    return loaded;
  };
  return {
    mount: {
      path: PATH,
      methods: METHODS,
      serve(exchange, body, refuse) {
        if (loaded !== undefined) {
          loaded.mount.serve(exchange, body, refuse);
          return;
        }
        loading ??= load();
        loading.then(
          ({ mount }) => mount.serve(exchange, body, refuse),
          (thrown) => {
            loading = undefined;
            const caller = new HttpCallers('mcp').of(
              exchange.request,
              `${exchange.request.method} ${PATH}`,
              bearerOf(exchange.request.headers),
            );
            refuse(options.gateway.defect(caller, thrown), caller);
          },
        );
      },
    },
    get sessionCount() {
      return loaded?.sessionCount ?? 0;
    },
    async close() {
      // Whoever waits for it is served first, and ended like the others.
      await loading?.catch(() => undefined);
      await loaded?.close();
    },
  };
}
