/** `/mcp`: the gateway as tools for language models. */
export { type McpEndpoint, type McpOptions, createMcpEndpoint } from './endpoint.js';
