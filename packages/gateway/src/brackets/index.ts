export { bracketHandlers } from './handlers.js';
export { BracketService } from './service.js';
