/** `/ws`: live events over WebSocket. */
export type { Command } from './commands.js';
export { type Authentication, WS_PATH, type WsEndpoint, type WsEndpointOptions } from './endpoint.js';
export { createWsEndpoint, type GatewayEndpointOptions } from './gateway-endpoint.js';
