/** The simulated brokerage as a server of its own: `svcd sim serve`. */
export { type BrokerageAddresses, BrokerageServer } from './brokerage/brokerage-server.js';
export { type OpendAddresses, OpendServer } from './opend/opend-server.js';
export type { Language } from './opend/texts.js';
