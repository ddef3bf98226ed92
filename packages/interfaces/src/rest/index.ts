export { createRestServer, type RestOptions, type RestServer } from './server.js';
