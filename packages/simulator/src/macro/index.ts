export { type Economy, economies } from './economies.js';
export { Macro, type MacroEvent, type ScheduledEvent } from './macro.js';
