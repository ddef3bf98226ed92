/** The core WebSocket and core TCP: the public protocol, for its published clients. */
export { bodyParser, keepAliveBody, readC2S, rejectionBody, responseBody } from './bodies.js';
export type { CoreRequest } from './core-request.js';
export { gatewayTcpService } from './gateway-tcp-service.js';
export type { CoreServices } from './services.js';
export { GREET_AFTER_MS } from './session.js';
export { TcpEndpoint, type TcpEndpointOptions } from './tcp-endpoint.js';
export type { Greeting, TcpLink, TcpService, TcpSession } from './tcp-service.js';
export { CoreWsEndpoint, type WsEndpointOptions } from './ws-endpoint.js';
