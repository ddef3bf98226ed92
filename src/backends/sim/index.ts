export { createSimBackend } from './sim-backend.js';
