export { RecordedDay } from './recorded-day.js';
export { createSimBackend } from './sim-backend.js';
