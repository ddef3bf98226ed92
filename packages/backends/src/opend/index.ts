export { type OpendBackendOptions, opendBackend } from './opend-backend.js';
