export { AnswerThread } from './answer-thread.js';
export { RecordedDay } from './recorded-day.js';
export { createSimBackend } from './sim-backend.js';
