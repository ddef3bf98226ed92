/** `/mcp`: the gateway as tools for language models. */
export { createMcpEndpoint, type McpEndpoint, type McpOptions } from './endpoint.js';
