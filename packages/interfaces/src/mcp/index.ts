/** `/mcp`: the gateway as tools for language models. */
export type { McpEndpoint, McpOptions } from './endpoint.js';
export { createMcpEndpoint } from './lazy-endpoint.js';
