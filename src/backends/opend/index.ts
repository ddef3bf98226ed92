export { OpendBackend, type OpendBackendOptions } from './opend-backend.js';
