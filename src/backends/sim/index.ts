export { createSimBackend, type DefectLogger, type SimBackendOptions } from './sim-backend.js';
