export { createRestServer, type RestOptions } from './server.js';
