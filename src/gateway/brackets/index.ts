export { bracketHandlers } from './handlers.js';
export { Brackets } from './keeper.js';
