/** The core WebSocket and core TCP: the public protocol, for its published clients. */
export type { CoreServices } from './services.js';
export { TcpEndpoint, type TcpEndpointOptions } from './tcp-endpoint.js';
export { CoreWsEndpoint, type WsEndpointOptions } from './ws-endpoint.js';
