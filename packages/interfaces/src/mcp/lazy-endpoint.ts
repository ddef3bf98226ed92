import { HttpCallers } from '../common/callers.js';
import { bearerOf } from '../common/http.js';
import type { McpEndpoint, McpOptions } from './endpoint.js';
import { METHODS, PATH } from './mcp-caller.js';

/**
 * The endpoint, loaded at the first request: the protocol library takes as long to load as the rest of
 * the daemon, and most daemons never serve a language model.
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
      // Requests that wait for loading are served first, then ended like the others.
      await loading?.catch(() => undefined);
      await loaded?.close();
    },
  };
}
